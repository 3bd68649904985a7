"""What sqlanon costs: one command, whole processes, each beside its floor.

    python -m benchmarks                          # all cases; JSON into target/benchmarks.json
    python -m benchmarks --list
    python -m benchmarks --only adult clinic-run --repeat 3
    python -m benchmarks --quick                  # tables of a hundredth of the rows
    python -m benchmarks --rows 1000000           # a million rows for 10 million, others with them
    python -m benchmarks --arx libarx-3.9.2.jar   # ARX beside the cases that it can do; needs a JDK
    python -m benchmarks --qiyuangong FOLDER      # github.com/qiyuangong/Mondrian beside Mondrian
    python -m benchmarks page RESULT.json         # the tables and pictures of docs/benchmarks.md
    python -m benchmarks compare OLD NEW          # two commits in turns, as ratios

A case is a command of sqlanon in a process of its own, with Python's start, the proof and the
publication. Its floor, measured right after it, is what DuckDB alone has to do: the query of the
found solution without an order, a copy of the table, or `import duckdb`. Seconds are CPU seconds of
the whole process on all cores; GB (10^9 bytes) are its largest resident memory. Machines differ and
are noisy, so read ratios of one run; `--repeat N` gives the median of N, in turns.

Tables are made of Adult (`--adult FOLDER`): its rows repeated, in the order of a hash, k with them.
All of them take 1.5 GB of disk; `--tables FOLDER` keeps them for the next time. `page` needs the
extra `report`. Linux only.

One module a kind of work: `cases.py` and `tables.py` say what is measured, `measure.py` measures,
`compare.py` has the two commits, `page.py` the page. `engines.py` and `spark_cluster.py` are
commands of their own for PostgreSQL and Spark, whose memory and CPU are in other processes:
`python -m benchmarks.engines ADULT postgres`, `python -m benchmarks.spark_cluster ADULT`.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks import page
from benchmarks.cases import CASES, OTHERS, Case
from benchmarks.compare import compare
from benchmarks.measure import ROOT, Used, measured, median
from benchmarks.tables import MANY, Tables


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    assert __doc__
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    _add_options(parser, repeat=1)
    parser.add_argument("--list", action="store_true", help="print the names of cases")
    for name, title in OTHERS.items():
        parser.add_argument(f"--{name}", type=Path, metavar="PATH", help=f"measure {title}, too")
    parser.add_argument("--output", type=Path, default=Path("target/benchmarks.json"))
    commands = parser.add_subparsers(dest="command", metavar="page | compare")
    of_page = commands.add_parser("page", help="write docs/benchmarks.md")
    of_page.add_argument("result", type=Path)
    of_compare = commands.add_parser("compare", help="two commits in turns")
    of_compare.add_argument("old")
    of_compare.add_argument("new")
    _add_options(of_compare, repeat=3)
    options = parser.parse_args(arguments)
    if options.list:
        print("\n".join(f"{case.name:20} {case.title}" for case in CASES))
    elif options.command == "page":
        page.write(json.loads(options.result.read_text(encoding="utf-8")))
    else:
        cases = [case for case in CASES if not options.only or case.name in options.only]
        with tempfile.TemporaryDirectory(prefix="benchmarks_") as temporary:
            folder = (options.tables or Path(temporary) / "tables").resolve()
            folder.mkdir(parents=True, exist_ok=True)
            tables = Tables(options.adult.resolve(), folder, options.rows)
            if options.command == "compare":
                compare(options.old, options.new, cases, tables, options.repeat)
                return
            result = _about(options.rows, options.repeat) | {"cases": []}
            options.output.parent.mkdir(parents=True, exist_ok=True)
            for case in cases:
                other = getattr(options, case.other) if case.other else None
                result["cases"].append(_row(case, tables, options.repeat, other))
                print(page.line(result["cases"][-1]), flush=True)
                text = json.dumps(result, indent=2) + "\n"
                options.output.write_text(text, encoding="utf-8")


def _add_options(parser: argparse.ArgumentParser, repeat: int) -> None:
    names = [case.name for case in CASES]
    parser.add_argument("--only", nargs="+", choices=names, metavar="CASE", help="these cases")
    parser.add_argument("--rows", type=int, default=MANY, metavar="N", help="for 10 million")
    parser.add_argument(
        "--quick", dest="rows", action="store_const", const=MANY // 100,
        help="a hundredth of the rows",
    )  # fmt: skip
    parser.add_argument("--repeat", type=int, default=repeat, metavar="N", help="the median of N")
    parser.add_argument("--tables", type=Path, metavar="FOLDER", help="keep tables here")
    parser.add_argument(
        "--adult", type=Path, default=ROOT / "tests/data/adult", metavar="FOLDER",
        help="adult.csv and adult_hierarchy_COLUMN.csv",
    )  # fmt: skip


def _about(rows: int, repeat: int) -> dict[str, Any]:
    """What has to be known of a result to read it."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    return {
        "commit": commit.stdout.strip(),
        "python": platform.python_version(),
        "duckdb": version("duckdb"),
        "cores": os.cpu_count(),
        "rows": rows,
        "repeat": repeat,
    }


def _row(case: Case, tables: Tables, repeat: int, other: Path | None) -> dict[str, Any]:
    """The measures of a case, its floor and, if it is there, the other tool."""
    found: dict[str, list[Used]] = {"sqlanon": [], "floor": [], "other": []}
    with tempfile.TemporaryDirectory(prefix="benchmarks_") as temporary:
        folder = Path(temporary)
        case.prepare(tables, folder)
        command = case.by_other(other.resolve(), folder) if other else []
        for _ in range(repeat):
            found["sqlanon"].append(measured(case.sqlanon(), folder))
            found["floor"].append(measured(case.cheapest(folder), folder))
            if command:
                found["other"].append(measured(command, folder))
        measures = {name: _rounded(median(used)) for name, used in found.items() if used}
        return {"case": case.name, **measures, **case.solution(folder)}


def _rounded(used: Used) -> dict[str, float]:
    return {name: round(number, 3) for name, number in asdict(used).items()}


if __name__ == "__main__":
    main()
