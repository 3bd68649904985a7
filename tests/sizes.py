"""How large each part is, beside its limit and its goal: `python -m tests.sizes`.

Lines of Python have blank lines and docstrings counted. `test_sizes.py` keeps the limits: what is
added to a part that is full is taken away elsewhere in it, or the limit is changed with a reason.
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import NamedTuple

from tests.paths import ROOT

PACKAGE = ROOT / "sqlanon"

GOALS = {
    "sqlanon/, lines": 36_000,
    "sqlanon/, files": 260,
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
    "sql_templates/, lines": 10_000,
    "packages": 24,
    "layers": 12,
    "flags of methods, read elsewhere": 20,
    "tests/, lines": 45_000,
    "tests/golden/, lines": 7_000,
    "documents by hand, words": 40_000,
}
"""What each size should come to."""

LIMITS = {
    "sqlanon/, lines": 55_720,  # passes of a population, special uniques, plans of standards
    "sqlanon/, files": 291,  # special uniques, plans of standards, questions of `init`, risks, ARX
    "engines": 3_995,  # the broken line of a short CSV file
    "dialects": 2_375,  # quotients of more than 64 bits; quantiles of days; conditions that order
    "plan": 3_665,  # refusals of special uniques and of passes; formats of texts; standards
    "commands": 4_915,  # `init --standard`, `risk`, `attack --hold-out`, ARX, how long a run takes
    "cli": 1_910,  # `risk`; the options of standards, purposes and ARX
    "methods + search + families + program": 10_600,  # passes, of a population, too; distances
    "proof": 3_625,  # the population as passes place it; what orders and passes depend on
    "attacks": 2_705,  # the control of rows that were kept out
    "discovery": 4_395,  # questions, standards, how texts are written, code systems, ARX, notes
    "pages": 2_700,  # before and after in the same bins, the summary, nodes to choose, criteria
    "sql_templates/, lines": 16_360,  # passes of a population, special uniques, changed values
    "packages": 25,  # risks: what a sample shows and models estimate of its population
    "flags of methods, read elsewhere": 52,  # special uniques, `refine`, minimality
    "tests/, lines": 54_150,  # special uniques, standards, invented tables, drawn breakages
}
"""What may not be exceeded where a goal is not reached yet: they go down, or up with a reason."""

GENERATED = ("docs/commands.md", "docs/functions.md", "docs/keys.md", "dbt_package/TESTS.md",
             "examples/papers/*/README.md")  # fmt: skip
"""Documents that commands write."""

FAMILY = frozenset({"methods", "search", "families"})


class Size(NamedTuple):
    """What something is, what it may be at most, and what it should come to."""

    name: str
    found: int
    limit: int
    goal: int


def sizes() -> list[Size]:
    """Every size that has a goal."""
    files = sorted(PACKAGE.rglob("*.py"))
    templates = (ROOT / "sql_templates").rglob("*.sql")
    found = {
        "sqlanon/, lines": sum(map(_lines, files)),
        "sqlanon/, files": len(files),
        "sql_templates/, lines": sum(map(_lines, templates)),
        "packages": len({file.parent for file in files} - {PACKAGE}),
        "layers": len(layers()),
        "flags of methods, read elsewhere": flag_reads(),
        "tests/, lines": sum(map(_lines, files_of_tests())),
        "tests/golden/, lines": sum(_lines(f) for f in files_of_tests() if "golden" in f.parts),
        "documents by hand, words": sum(len(_by_hand(file).split()) for file in documents()),
    }
    for names in GOALS.keys() - found.keys():
        packages = names.split(" + ")
        own = [file for file in files if file.relative_to(PACKAGE).parts[0] in packages]
        found[names] = sum(map(_lines, own))
    return [
        Size(name, found[name], max(goal, LIMITS.get(name, 0)), goal)
        for name, goal in GOALS.items()
    ]


def layers() -> list[str]:
    """The lines of docs/architecture.md that name the packages of one layer."""
    text = _text(ROOT / "docs" / "architecture.md")
    return text.split("```text\n")[1].split("```")[0].splitlines()


def flag_reads() -> int:
    """Reads of the flags of `Method`, outside of the packages that know what methods are."""
    tree = ast.parse(_text(PACKAGE / "methods" / "base.py"))
    (method,) = (n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Method")
    flags = set()
    for node in method.body:
        if isinstance(node, ast.FunctionDef) and ast.unparse(node.returns or node) == "bool":
            flags.add(node.name)
        elif isinstance(node, ast.AnnAssign) and "bool" in ast.unparse(node.annotation):
            flags.add(ast.unparse(node.target))
    return sum(
        isinstance(node, ast.Attribute) and node.attr in flags
        for file in PACKAGE.rglob("*.py")
        if file.relative_to(PACKAGE).parts[0] not in FAMILY
        for node in ast.walk(ast.parse(_text(file)))
    )


def files_of_tests() -> list[Path]:
    """What tests consist of, without the tables in `tests/data/`."""
    files = (file for file in (ROOT / "tests").rglob("*") if file.suffix != ".pyc")
    return [file for file in files if file.is_file() and "data" not in file.parts]


def documents() -> list[Path]:
    """The documents that people write."""
    found = [*ROOT.glob("*.md")]
    for folder in ("docs", "examples", "hierarchies", "dbt_package"):
        found += (ROOT / folder).rglob("*.md")
    return [
        file for file in found if not any(file.relative_to(ROOT).match(each) for each in GENERATED)
    ]


def _by_hand(file: Path) -> str:
    """The text of a document without the tables that commands write into it, between two marks."""
    return re.sub(r"<!-- (\w+) -->.*?<!-- end of \1 -->", "", _text(file), flags=re.DOTALL)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _lines(file: Path) -> int:
    return file.read_bytes().count(b"\n")


def main() -> int:
    """Print all sizes; 1 if one is above its limit."""
    found = sizes()
    width = max(len(size.name) for size in found)
    print(f"{'':{width}}    found    limit     goal")
    for size in found:
        mark = "" if size.found <= size.limit else "  too large"
        print(f"{size.name:{width}}  {size.found:7,}  {size.limit:7,}  {size.goal:7,}{mark}")
    return int(any(size.found > size.limit for size in found))


if __name__ == "__main__":
    sys.exit(main())
