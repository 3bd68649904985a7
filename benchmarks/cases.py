"""The cases: a command of sqlanon, the plan that it runs, and what it stands beside."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import yaml

from benchmarks.measure import ROOT, measured, python, sql
from benchmarks.tables import COLUMNS, MANY, MORE, Tables, quoted

SENSITIVE = "occupation"
LOSS = {"name": "loss", "variant": "iyengar", "aggregate": "geometric-mean"}
PASSES = {"name": "optimal", "passes": "auto", "refine": True}
K_OF_TEN_MILLION = 1658
SECONDS = 10
"""The budget of a search over many attributes."""

FLOORS = {
    "query": "the plain query that generalizes, unsorted",
    "copy": "a copy of the table",
    "import": "`import duckdb`",
}
"""What a case stands beside."""

OTHERS = {"arx": "ARX", "qiyuangong": "qiyuangong's Mondrian"}
"""Other tools, by the options that say where they are."""

QIYUANGONG = """
import builtins, os, runpy, sys
os.chdir(sys.argv.pop(1))
opened = builtins.open
builtins.open = lambda file, mode="r": opened(file, mode.replace("U", ""))  # Python 3.11 has no U
runpy.run_path("anonymizer.py", run_name="__main__")
"""

Plan = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """Something that is measured.

    Attributes:
        name: for `--only`.
        title: in the table.
        floor: a key of FLOORS.
        command: of sqlanon, run where the plan is, `plan.yml`.
        plan: makes the plan, and its table; none is an example that is copied.
        curve: the growth curve that the case is a point of, if any, and its place there.
        other: a key of OTHERS, a tool that can do the same.
    """

    name: str
    title: str
    floor: Literal["query", "copy", "import"]
    plan: Callable[[Tables], Plan] | None = None
    command: tuple[str, ...] = ("run", "plan.yml", "--overwrite")
    curve: tuple[str, int] = ("", 0)
    other: Literal["", "arx", "qiyuangong"] = ""

    def prepare(self, tables: Tables, folder: Path) -> None:
        """Make the plan and its table."""
        if self.plan:
            text = yaml.safe_dump(self.plan(tables), sort_keys=False)
            (folder / "plan.yml").write_text(text, encoding="utf-8")
        else:
            shutil.copytree(ROOT / "examples/clinic", folder, dirs_exist_ok=True)

    def sqlanon(self) -> list[str]:
        """The command that is measured."""
        return python("-m", "sqlanon", *self.command)

    def cheapest(self, folder: Path) -> list[str]:
        """The command of its floor, after a run."""
        if self.floor == "import" or not self.plan:
            return python("-c", "import duckdb")
        plan = yaml.safe_load((folder / "plan.yml").read_text(encoding="utf-8"))
        source = reader(plan["source"])
        if self.floor == "copy":
            return sql(f"copy (from {source}) to '{folder}/floor.parquet'")
        solution = json.loads((folder / "plan.solution.json").read_text(encoding="utf-8"))
        return sql(generalizing(plan, solution["node"], source, folder / "floor.parquet"))

    def solution(self, folder: Path) -> dict[str, Any]:
        """How many nodes a search checked, and what it says of the one that it found."""
        file = folder / "plan.solution.json"
        found = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        if "lattice" not in found:
            return {}
        return {"nodes_checked": found["lattice"]["checked"], "solution": found["label"]}

    def by_other(self, tool: Path, folder: Path) -> list[str]:
        """The command of the other tool for the same plan, after what is not measured."""
        plan = yaml.safe_load((folder / "plan.yml").read_text(encoding="utf-8"))
        k = str(plan["privacy"][0]["k"])
        if self.other == "qiyuangong":  # it writes where it is
            copied = shutil.copytree(
                tool, folder / "qiyuangong", ignore=shutil.ignore_patterns(".git")
            )
            return python("-c", QIYUANGONG, str(copied), "s", "a", k)
        measured(["javac", "-cp", str(tool), "-d", ".", str(ROOT / "benchmarks/Arx.java")], folder)
        beta = next((model["beta"] for model in plan["privacy"] if "beta" in model), 0)
        roles = {
            name: column["hierarchy"]["file"] if column["role"] == "quasi-identifier" else "-"
            for name, column in plan["columns"].items()
            if isinstance(column, dict)
        }
        return [
            "java", "-cp", f"{tool}:{folder}", "Arx", plan["source"]["path"],
            plan["source"].get("delimiter", ","), str(folder / "arx.csv"), k,
            str(plan["suppression"]["limit"]), str(beta),
            *(f"{name}={file}" for name, file in roles.items()),
        ]  # fmt: skip


def reader(source: dict[str, str]) -> str:
    """The source of a plan in SQL."""
    path = source["path"]
    if path.endswith(".parquet"):
        return f"read_parquet('{path}')"
    delimiter = source.get("delimiter", ",")
    return f"read_csv('{path}', delim = '{delimiter}', header = true, all_varchar = true)"


def generalizing(plan: Plan, node: dict[str, int], source: str, output: Path) -> str:
    """The plain query of a node: labels, classes of k rows, in no order, into a file."""
    selected, joins = [], []
    for number, (name, level) in enumerate(node.items()):
        file = plan["columns"][name]["hierarchy"]["file"]
        levels = Path(file).read_text(encoding="utf-8").splitlines()[0].split(";")
        if level and level == len(levels) - 1:
            selected.append(f"'{levels[level]}' as {quoted(name)}")  # the root
        elif level:
            columns = ", ".join(f"'level_{n}': 'varchar'" for n in range(len(levels)))
            labels = f"read_csv('{file}', delim = ';', header = false, columns = {{{columns}}})"
            joins.append(f"left join {labels} as h{number}"
                         f" on h{number}.level_0 = source.{quoted(name)}")  # fmt: skip
            selected.append(f"h{number}.level_{level} as {quoted(name)}")
        else:
            selected.append(f"source.{quoted(name)}")
    selected += [
        f"source.{quoted(name)}"
        for name, column in plan["columns"].items()
        if name not in node and column != "identifier"
    ]
    key = quoted(*node)
    return (
        "set preserve_insertion_order = false;"
        f" copy (with generalized as not materialized (select {', '.join(selected)}"
        f" from {source} as source {' '.join(joins)}), classes as (select {key} from generalized"
        f" group by {key} having count(*) >= {plan['privacy'][0]['k']})"
        f" select * from generalized semi join classes using ({key})) to '{output}'"
    )


def plan_of(tables: Tables, source: Path, columns: tuple[str, ...], k: int, **keys: Any) -> Plan:
    """These columns quasi-identifiers along their hierarchies, k-anonymity, limit 0.02."""
    delimiter = {"delimiter": ";"} if source.parent == tables.adult else {}
    return {
        "source": {"path": str(source), **delimiter},
        "columns": {
            name: {
                "role": "quasi-identifier",
                "hierarchy": {"file": str(tables.hierarchy(name)), "delimiter": ";"},
            }
            for name in columns
        },
        "privacy": [{"model": "k-anonymity", "k": k}],
        "method": {"name": "optimal", "objective": LOSS},
        "suppression": {"limit": 0.02},
        "publish": "published.parquet",
        **keys,
    }


def of_adult(tables: Tables, **keys: Any) -> Plan:
    return plan_of(tables, tables.adult / "adult.csv", COLUMNS, 5, **keys)


def scaled(tables: Tables, rows: int) -> int:
    """K that grows with the rows, so that every size has about the same solution."""
    return max(2, tables.rows(rows) * K_OF_TEN_MILLION // MANY)


def of_rows(
    tables: Tables, rows: int, suffix: str, number: Any = "identifier", **keys: Any
) -> Plan:
    source = tables.file("repeated", rows, suffix)
    plan = plan_of(tables, source, COLUMNS, scaled(tables, rows), **keys)
    plan["columns"]["i"] = number
    return plan


def of_attributes(tables: Tables, count: int) -> Plan:
    rows = 1_000_000
    columns = (*COLUMNS, *MORE)
    source = tables.file("wide", rows, "parquet")
    plan = plan_of(tables, source, columns[:count], scaled(tables, rows))
    plan["method"]["budget"] = {"seconds": SECONDS}
    plan["columns"] |= dict.fromkeys((*columns[count:], "i"), "identifier")
    return plan


def of_independent(tables: Tables, beta: int = 0) -> Plan:
    plan = plan_of(tables, tables.file("independent", 1_000_000, "csv"), COLUMNS, 5)
    if beta:
        plan["columns"][SENSITIVE] |= {"role": "sensitive"}
        plan["privacy"].append({"model": "beta-likeness", "beta": beta, "attribute": SENSITIVE})
    return plan


def of_buckets(tables: Tables, rows: int, method: str) -> Plan:
    plan = plan_of(tables, tables.file("repeated", rows, "parquet"), (), 5, method=method)
    roles = dict.fromkeys(COLUMNS, "quasi-identifier")
    plan["columns"] = roles | {SENSITIVE: "sensitive", "salary-class": "insensitive"}
    plan["columns"]["i"] = "identifier"
    del plan["suppression"]
    return plan | {"publish": "open/published.parquet"}


def of_cuts(tables: Tables) -> Plan:
    plan = plan_of(tables, tables.file("cuts", 20_020, "csv"), (), 20, method="dimension-splitting")
    numeric = {"role": "quasi-identifier", "type": "numeric"}
    return plan | {"columns": {"number": numeric, "note": "insensitive"}}


CASES = (
    Case("version", "`--version`", "import", command=("--version",)),
    Case("clinic-check", "clinic, `check`", "import", command=("check", "plan.yml")),
    Case("clinic-run", "clinic, `run`", "import"),
    Case("adult", "Adult, nine quasi-identifiers", "query", of_adult, other="arx"),
    *(
        Case(f"adult-{objective}", f"the same by `{objective}`", "query",
             partial(of_adult, method={"name": "optimal", "objective": objective}))
        for objective in ("height", "discernibility", "average-class-size")
    ),
    Case("mondrian", "Adult, `mondrian`", "copy", partial(of_adult, method="mondrian"),
         other="qiyuangong"),
    Case("passes", "Adult, `passes` and `refine`", "copy", partial(of_adult, method=PASSES)),
    *(
        Case(f"optimal-{name}-{suffix}", f"{title} rows, {form}, `optimal`", "query",
             partial(of_rows, rows=rows, suffix=suffix), other="arx" if suffix == "csv" else "",
             curve=("rows" if suffix == "parquet" else "", rows))
        for name, title, rows, suffix, form in (
            ("1m", "1 million", 1_000_000, "parquet", "Parquet"),
            ("10m", "10 million", 10_000_000, "parquet", "Parquet"),
            ("10m", "10 million", 10_000_000, "csv", "CSV"),
            ("30m", "30 million", 30_000_000, "parquet", "Parquet"),
        )
    ),
    Case("passes-10m", "10 million rows, Parquet, `passes` and `refine`", "copy",
         partial(of_rows, rows=MANY, suffix="parquet", method=PASSES)),
    Case("number-10m", "10 million rows and a number, Parquet", "copy",
         partial(of_rows, rows=MANY, suffix="parquet", number="insensitive")),
    Case("mean-10m", "the same with its mean in each class", "copy",
         partial(of_rows, rows=MANY, suffix="parquet",
                 number={"role": "insensitive", "publish": "mean"})),
    Case("independent", "1 million independent rows, CSV", "query", of_independent, other="arx"),
    Case("likeness", "the same with 3-likeness", "query", partial(of_independent, beta=3),
         other="arx"),
    Case("dealing", "10 million rows, `stack-and-deal`", "copy",
         partial(of_buckets, rows=10_000_000, method="stack-and-deal")),
    Case("anatomy", "1 million rows, `anatomy`", "copy",
         partial(of_buckets, rows=1_000_000, method="anatomy")),
    Case("cuts", "20,020 rows, 1,000 cuts by `dimension-splitting`", "copy", of_cuts),
    *(
        Case(f"attributes-{count}", f"1 million rows, {count} attributes", "query",
             partial(of_attributes, count=count), curve=("attributes", count))
        for count in (5, 9, 12, 15, 20)
    ),
)  # fmt: skip
"""In the order of the page."""
