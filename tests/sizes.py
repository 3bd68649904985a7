"""How large each part is, beside what it may be: `python -m tests.sizes`.

Lines of Python have blank lines and docstrings counted. `test_sizes.py` keeps the budgets: what is
added to a part that is full is taken away elsewhere in it, or the budget is changed with a reason.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "sqlanon"

BUDGETS = {
    "engines": 3_000,
    "dialects": 1_600,
    "dbt": 1_500,
    "plan": 2_300,
    "commands": 2_600,
    "cli": 1_600,
    "methods + search + families + program": 6_300,
    "proof": 2_400,
    "attacks": 2_000,
    "presence": 1_400,
    "discovery": 2_050,
    "pages": 1_700,
}
"""Lines of the Python of packages."""

LINES, FILES = 36_000, 260
"""Of all Python of the package."""

TEMPLATE_LINES = 10_000
PACKAGES, LAYERS = 24, 12

FLAGS = 20
"""How often code outside of `methods`, `search` and `families` asks a method what it is."""

FAMILY = frozenset({"methods", "search", "families"})


class Size(NamedTuple):
    """What something is, and what it may be at most."""

    name: str
    found: int
    budget: int


def sizes() -> Iterator[Size]:
    """Every size that has a budget."""
    files = sorted(PACKAGE.rglob("*.py"))
    yield Size("sqlanon/, lines", sum(map(_lines, files)), LINES)
    yield Size("sqlanon/, files", len(files), FILES)
    for names, budget in BUDGETS.items():
        packages = names.split(" + ")
        own = [file for file in files if file.relative_to(PACKAGE).parts[0] in packages]
        yield Size(names, sum(map(_lines, own)), budget)
    templates = (ROOT / "sql_templates").rglob("*.sql")
    yield Size("sql_templates/, lines", sum(map(_lines, templates)), TEMPLATE_LINES)
    yield Size("packages", len({file.parent for file in files} - {PACKAGE}), PACKAGES)
    yield Size("layers", len(layers()), LAYERS)
    yield Size("flags of methods, read elsewhere", flag_reads(), FLAGS)


def layers() -> list[str]:
    """The lines of docs/architecture.md that name the packages of one layer."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    return text.split("```text\n")[1].split("```")[0].splitlines()


def flag_reads() -> int:
    """Reads of the flags of `Method`, outside of the packages that know what methods are."""
    (method,) = (
        node
        for node in ast.parse((PACKAGE / "methods" / "base.py").read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and node.name == "Method"
    )
    flags = {
        node.name
        for node in method.body
        if isinstance(node, ast.FunctionDef) and ast.unparse(node.returns or node) == "bool"
    } | {
        ast.unparse(node.target)
        for node in method.body
        if isinstance(node, ast.AnnAssign) and "bool" in ast.unparse(node.annotation)
    }
    return sum(
        isinstance(node, ast.Attribute) and node.attr in flags
        for file in PACKAGE.rglob("*.py")
        if file.relative_to(PACKAGE).parts[0] not in FAMILY
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    )


def _lines(file: Path) -> int:
    return file.read_bytes().count(b"\n")


def main() -> int:
    """Print all sizes; 1 if one is above its budget."""
    found = [*sizes()]
    width = max(len(size.name) for size in found)
    for size in found:
        mark = "" if size.found <= size.budget else "  too large"
        print(f"{size.name:{width}}  {size.found:7,} of {size.budget:7,}{mark}")
    return int(any(size.found > size.budget for size in found))


if __name__ == "__main__":
    sys.exit(main())
