"""What every engine does: runs all cases of `conforming` and writes the table of docs/engines.md.

usage: python -m tests.capabilities [PLACE ...]

PLACE is one of `postgres engine`, `postgres driver` and `spark driver`; others keep their column. A
case that fails, or finds something other than DuckDB, keeps its cell; then this ends with an error,
after all other cases.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import logging
import re
import sys
import tempfile
from pathlib import Path

from sqlanon.errors import SqlanonError
from tests.paths import ROOT
from tests.support.conforming import CASES, PLACES, clinic, opened, outcome

PAGE = ROOT / "docs/engines.md"
BEGIN, END = "<!-- capabilities -->", "<!-- end of capabilities -->"
TITLES = {
    "postgres engine": "PostgreSQL",
    "postgres driver": "PostgreSQL, `search: driver`",
    "spark driver": "Spark",
}


def read() -> dict[tuple[str, str], dict[str, str]]:
    """The table of the page: for each kind and name what becomes of it, by place."""
    text = PAGE.read_text(encoding="utf-8")
    part = text[text.index(BEGIN) : text.index(END)]
    notes = dict(re.findall(r"^(\d+)\. (.*)$", part, re.M))
    found: dict[tuple[str, str], dict[str, str]] = {}
    for line in re.findall(r"^\| (.*) \|$", part, re.M)[1:]:
        kind, names, *cells = line.split(" | ")
        shown = [notes[cell[4:-1]] if cell.startswith("no (") else cell for cell in cells]
        for name in names.split("; "):
            found[kind, name] = dict(zip(PLACES, shown, strict=True))
    return found


def written(found: dict[tuple[str, str], dict[str, str]]) -> str:
    """The table and its notes."""
    notes: list[str] = []

    def cell(shown: str) -> str:
        if shown in ("same", "not tried"):
            return shown
        if shown not in notes:
            notes.append(shown)
        return f"no ({notes.index(shown) + 1})"

    lines = [f"| | | {' | '.join(TITLES.values())} |", "|---" * (2 + len(TITLES)) + "|"]
    alike = itertools.groupby(found.items(), lambda each: (each[0][0], each[1]))
    for (kind, outcomes), cases in alike:
        names = "; ".join(name for (_, name), _ in cases)
        cells = " | ".join(cell(outcomes[place]) for place in PLACES)
        lines.append(f"| {kind} | {names} | {cells} |")
    return "\n".join([*lines, "", *(f"{n}. {note}" for n, note in enumerate(notes, start=1))])


def main() -> None:
    """Run the cases, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", nargs="*", choices=PLACES, default=list(PLACES))
    places = parser.parse_args().places
    logging.getLogger("sqlanon").setLevel(logging.ERROR)
    known, untried = read(), dict.fromkeys(PLACES, "not tried")
    keys = [(case.kind, case.name) for case in CASES]
    found = {key: dict(known.get(key, untried)) for key in keys}
    failed = []
    connection = clinic()
    for engine in dict.fromkeys(place.split()[0] for place in places):
        own = [where for where in places if where.startswith(engine)]
        with opened(engine, connection) as place:
            for where, case in itertools.product(own, CASES):
                with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                    try:
                        shown = outcome(case, where, place, connection, Path(folder))
                    except (AssertionError, SqlanonError) as error:
                        shown = f"failed. {error}"
                        failed.append(f"{where}: {case.title}")
                    else:
                        found[case.kind, case.name][where] = shown
                sys.stderr.write(f"{where}: {case.title}: {shown}\n")
    text = PAGE.read_text(encoding="utf-8")
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    PAGE.write_text(f"{text[:start]}\n\n{written(found)}\n\n{text[end:]}", encoding="utf-8")
    if failed:
        sys.exit(f"{len(failed)} failed: {'; '.join(failed)}")


if __name__ == "__main__":
    main()
