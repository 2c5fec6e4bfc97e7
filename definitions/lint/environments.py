"""For which environment a script is, where rules of one's own are for one.

That is known of a script that is in a folder with such a name. Another one is known to be for
another environment if a folder beside one of its folders has the name. Of all others nothing is
known, unless `--env` tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mqtriage.definitions.lint.own_rules import OwnRule
from mqtriage.definitions.lint.project_paths import ProjectPaths, has_name


def is_for(
    rule: OwnRule,
    given: Sequence[str],
    paths: ProjectPaths,
    not_run: set[tuple[str, str]],
    file: str,
) -> bool:
    """Whether a script is for an environment of the rule; adds those that are not to *not_run*.

    Args:
        given: of `--env`, for the whole run.
        file: the script, "" for a live object.
    """
    names = rule.objects.environments
    if any(has_name(one, names) for one in given) or paths.is_in_folder(file, names):
        return True
    not_run.add((file, rule.code))
    return False


def unknown(
    not_run: Iterable[tuple[str, str]], rules: Sequence[OwnRule], paths: ProjectPaths
) -> Iterator[tuple[str, OwnRule]]:
    """Scripts of which it is not known whether they are for the environment of the rule."""
    every = {name for rule in rules for name in rule.objects.environments}
    for file, code in not_run:
        if paths.is_in_folder(file, every):
            continue
        rule = next(rule for rule in rules if rule.code == code)
        if not paths.is_beside_folder(file, rule.objects.environments):
            yield file, rule
