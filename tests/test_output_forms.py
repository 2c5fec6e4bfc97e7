"""The names of the forms of `-o` are written in `model/output_forms.py`, and nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtriage.model.output_forms import FORMS

ROOT = Path(__file__).parent.parent
FILES = sorted(
    path for room in ("cli", "commands", "formatters") for path in ROOT.glob(f"{room}/**/*.py")
)


def names_in(node: ast.AST | None) -> list[ast.Constant]:
    """The texts below *node* that are the name of a form."""
    return [
        it
        for it in (ast.walk(node) if node is not None else ())
        if isinstance(it, ast.Constant) and it.value in FORMS
    ]


def is_form(node: ast.AST) -> bool:
    """Whether an expression is called `form`: `form`, `app.form`, `self.output.form`."""
    return getattr(node, "attr", getattr(node, "id", "")) == "form"


def forms_written(tree: ast.AST) -> Iterator[ast.Constant]:
    """The texts that name a form: by what they are compared with, or by standing among others."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="refuse_forms")):
                yield from names_in(node)
            case ast.keyword(arg="form"):
                yield from names_in(node.value)
            case ast.Compare() if is_form(node.left):
                for side in node.comparators:
                    yield from names_in(side)
            case ast.Match() if is_form(node.subject):
                for case in node.cases:
                    yield from names_in(case.pattern)
            case ast.Set(elts=several) | ast.List(elts=several) | ast.Tuple(elts=several):
                yield from several_of(several)
            case ast.Dict():
                yield from several_of([key for key in node.keys if key is not None])
            case ast.IfExp():
                yield from several_of([node.body, node.orelse])


def several_of(nodes: list[ast.expr]) -> list[ast.Constant]:
    """Two names of forms and more, side by side."""
    several = [it for it in nodes if isinstance(it, ast.Constant) and it.value in FORMS]
    return several if len(several) > 1 else []


def test_the_names_of_the_output_forms_stand_in_one_place() -> None:
    written = [
        f"{path.relative_to(ROOT)}:{it.lineno}: {it.value!r}"
        for path, text in ((path, path.read_text("utf-8")) for path in FILES)
        if any(f'"{form}"' in text for form in FORMS)
        for it in forms_written(ast.parse(text))
    ]
    assert written == [], "take it from mqtriage.model.output_forms"


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("app.refuse_forms('ids')", 1),
        ("if app.form in {'json', 'csv'}: pass", 4),
        ("replace(output, form='ids')", 1),
        ("match form:\n    case 'md': pass", 1),
        ("FORMS = ('table', 'plain')", 2),
        ("tabulate(rows, tablefmt='plain')", 0),
        ("details = {'mqsc': [], 'items': []}", 0),
    ],
)
def test_the_check_sees_the_name_of_a_form(code: str, count: int) -> None:
    assert len(list(forms_written(ast.parse(code)))) == count
