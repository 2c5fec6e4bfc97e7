"""An option that can be repeated, given a list with commas instead: the hint repeats it."""

from __future__ import annotations

import pytest

from mqtriage.cli.frame.tree import GROUPS
from mqtriage.cli.frame.verb import parameters_of, verb_function
from tests.acceptance.conftest import Bench
from tests.acceptance.test_every_command import line_of

REPEATED = {
    (words[-1], opt.metavar, opt.help): f"{noun} {verb}"
    for noun, group in GROUPS.items()
    if noun != "emulator"  # its verbs that have such options serve until they are stopped
    for verb, (target, _) in group.verbs.items()
    for _, opt, words, *_ in parameters_of(verb_function(target))
    if opt.kind == "repeated" and words
}
"""Each such option, of the last verb that has it: what is new joins by itself."""
LISTS = {
    "--crit", "--ignore", "--overdue", "--report", "--select", "--warn",
}  # fmt: skip
"""Options whose values are lists: what is wrong is one of the values."""
TEXTS = {
    "--body-contains", "--body-regex", "--env", "--file", "--hash", "--mask", "--put-appl",
    "--queue", "--selector", "--set-prop", "--where", "archive restore --prop",
}  # fmt: skip
"""Options whose values may contain a comma."""


@pytest.mark.parametrize(("option", "path"), [(key[0], path) for key, path in REPEATED.items()])
def test_a_list_that_an_option_refuses_is_shown_as_the_option_repeated(
    filled_copy: Bench, option: str, path: str
) -> None:
    ran = filled_copy.run(*line_of(path).split(), option, "zy,zx")
    is_refused = not {option, f"{path} {option}"} & (LISTS | TEXTS)
    assert (f"hint: repeat the option: {option} zy {option} zx\n" in ran.err) == is_refused, ran.err


@pytest.mark.parametrize(
    ("option", "values"),
    {
        "--reason": ("MQRC_Q_FULL", "MQRC_PUT_INHIBITED"),
        "--md-format": ("MQSTR", "MQHRF2"),
        "--dest": ("IN", "OUT"),
        "--reply-to": ("IN", "OUT"),
        "--priority": ("1", "2"),
        "--backout": ("1", "2"),
        "--older-than": ("1h", "2h"),
        "--due-before": ("18:00", "19:00"),
        "--expires-within": ("1h", "2h"),
        "--ids-from": ("a.txt", "b.txt"),
    }.items(),
)
def test_the_hint_is_what_to_type(filled_copy: Bench, option: str, values: tuple[str, str]) -> None:
    hint = f"hint: repeat the option: {option} {values[0]} {option} {values[1]}\n"
    for words in ((option, ",".join(values)), (f"{option}={','.join(values)}",)):
        ran = filled_copy.run("dlq", "browse", *words)
        assert ran.code in (2, 5)
        assert hint in ran.err
