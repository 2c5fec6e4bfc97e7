"""Faults that a Python file can have: small changes of one place, and the code with one of them.

Nothing here runs a test; scripts/mutate.py does.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from copy import deepcopy
from functools import cache
from types import CodeType
from typing import Final, NamedTuple

_OTHER: Final[Mapping[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
_ORDER: Final = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_IN_SQL: Final = re.compile(r"(?<= )(<=|>=|<|>)(?= [?:\w{]| $)")
_SQL: Final = re.compile(r"\b(SELECT|WHERE|AND|DELETE|UPDATE|CASE WHEN|FROM)\b|coalesce\(")
_OTHER_IN_SQL: Final = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_OF_TIME_ALONE: Final = frozenset({"timeout", "timeout_s", "timeout_ms", "stacklevel", "maxsize"})
"""Keywords whose numbers say how long, how much is kept or what is shown: no rule."""
_UNSEEN: Final = frozenset({"close", "debug", "info", "log", "sleep", "warn", "warning"})
"""Calls that tidy up or tell: without them no result is another."""

Change = tuple[ast.AST, ast.AST]
"""A node and what takes its place."""
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Fault(NamedTuple):
    """One change of one place.

    Attributes:
        path: of the file, from the top of the repository.
        line: of the change; where an expression goes over several, its first.
        function: that it stands in, with its classes: `Marks.is_marked`.
        number: of the fault among those of its file.
        compares: whether it is a comparison that orders, or one with a length or a number.
        text: the place before and after.
    """

    path: str
    line: int
    function: str
    number: int
    compares: bool
    text: str

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line} {self.function}"


def changes(tree: ast.AST) -> Iterator[Change]:
    """Every fault that a module can have, in a fixed order; texts for people are left alone."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Raise | ast.Assert | ast.FormattedValue):
            continue
        pending += reversed(list(ast.iter_child_nodes(node)))
        if isinstance(node, ast.keyword) and node.arg in _OF_TIME_ALONE:
            pending.pop()
        elif isinstance(node, ast.IfExp | ast.If) and _is_least_or_greatest(node):
            pending.remove(node.test)
        yield from _changes_of(node)


def _changes_of(node: ast.AST) -> Iterator[Change]:
    if isinstance(node, ast.Compare):
        for at, op in enumerate(node.ops):
            other = deepcopy(node)
            other.ops[at] = _OTHER[type(op)]()
            yield node, other
    elif isinstance(node, ast.Constant):
        yield from ((node, other) for other in _other_constants(node.value))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, node.operand
    elif isinstance(node, ast.BoolOp):
        other_op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield node, ast.BoolOp(other_op, node.values)
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        if _name(node.value.func) not in _UNSEEN:
            yield node, ast.If(ast.Constant(False), [node], [])
    elif isinstance(node, ast.If) and isinstance(node.test, ast.Call | ast.Name | ast.Attribute):
        yield node.test, ast.UnaryOp(ast.Not(), node.test)


def _other_constants(value: object) -> Iterator[ast.Constant]:
    if type(value) is int:
        yield ast.Constant(value + 1)
    elif isinstance(value, str) and _SQL.search(value):
        for sign in _IN_SQL.finditer(value):
            other = _OTHER_IN_SQL[sign[0]]
            yield ast.Constant(f"{value[: sign.start()]}{other}{value[sign.end() :]}")


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _is_least_or_greatest(node: ast.IfExp | ast.If) -> bool:
    """`a if a < b else b`, or `if a < b: b = a`: where both are equal, either will do."""
    test = node.test
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], _ORDER):
        return False
    compared = {ast.unparse(test.left), ast.unparse(test.comparators[-1])}
    if isinstance(node, ast.IfExp):
        return {ast.unparse(node.body), ast.unparse(node.orelse)} == compared
    if node.orelse or len(node.body) != 1 or not isinstance(node.body[0], ast.Assign):
        return False
    assigned = node.body[0]
    return {ast.unparse(assigned.targets[0]), ast.unparse(assigned.value)} == compared


def _compares(old: ast.AST) -> bool:
    if isinstance(old, ast.Constant):
        return isinstance(old.value, str)
    return isinstance(old, ast.Compare) and (
        any(isinstance(op, _ORDER) for op in old.ops)
        or any(_is_count(side) for side in (old.left, *old.comparators))
    )


def _is_count(node: ast.expr) -> bool:
    """A number, or a length."""
    return (isinstance(node, ast.Constant) and type(node.value) is int) or (
        isinstance(node, ast.Call) and _name(node.func) == "len"
    )


def faults_of(path: str, source: str, lines: Collection[int]) -> list[Fault]:
    """The faults of a file that stand in functions, on these lines."""
    return [one for one in _all_faults(path, source) if one.line in lines]


@cache
def _all_faults(path: str, source: str) -> tuple[Fault, ...]:
    tree = ast.parse(source)
    spans = list(functions(tree))
    faults = []
    for number, (old, new) in enumerate(changes(tree)):
        line = getattr(old, "lineno", 0)
        around = [name for name, begin, end in spans if begin <= line <= end]
        if around:
            dropped = isinstance(old, ast.Expr)
            after = "(dropped)" if dropped else ast.unparse(ast.fix_missing_locations(new))
            text = " ".join(f"{ast.unparse(old)} -> {after}".split())
            faults.append(Fault(path, line, around[-1], number, _compares(old), text))
    return tuple(faults)


def _excerpt(text: str, other: str) -> str:
    """What is around the first place where a long text differs from the other."""
    if len(text) < 120:
        return text
    at = next((n for n, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), 0)
    return f"...{text[max(0, at - 40) : at + 40]}..."


def functions(node: ast.AST, inside: str = "") -> Iterator[tuple[str, int, int]]:
    """Name with its classes, first and last line of what each function does, outer ones first."""
    for child in ast.iter_child_nodes(node):
        name = inside
        if isinstance(child, _Function | ast.ClassDef):
            name = f"{inside}.{child.name}" if inside else child.name
        if isinstance(child, _Function):
            yield name, child.body[0].lineno, child.end_lineno or child.lineno
        yield from functions(child, name)


def with_fault(source: str, number: int) -> ast.Module:
    """The module with that fault, every line where it was."""
    tree = ast.parse(source)
    old, new = list(changes(tree))[number]

    class Put(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            if node is old:
                return ast.fix_missing_locations(ast.copy_location(new, old))
            return self.generic_visit(node)

    module = Put().visit(tree)
    assert isinstance(module, ast.Module)
    return module


def code_of(tree: ast.Module | str, file: str) -> Mapping[tuple[str, int], list[CodeType]]:
    """The code of every function of a module, by its name and first line."""
    codes: dict[tuple[str, int], list[CodeType]] = defaultdict(list)
    pending = [compile(tree, file, "exec", dont_inherit=True)]
    while pending:
        code = pending.pop()
        codes[code.co_qualname, code.co_firstlineno].append(code)
        pending += [const for const in code.co_consts if isinstance(const, CodeType)]
    return codes
