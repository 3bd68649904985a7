"""`program.sql`, fed to a bare DuckDB connection, makes the table that `run` makes, or nothing.

One table of 200 people serves all cases; it is made without a random number, and holds missing
values. No test of this module knows what the rows of a publication are, only that two ways to
them agree, and that a program stops where `run` stops.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

import sqlanon
from sqlanon.errors import PlanError, SqlanonError
from sqlanon.families import release_by_place
from sqlanon.plan.engine import DuckDBKeys
from sqlanon.program.program import Program
from sqlanon.sql.step import Step
from tests.oracles.measures import MEASURES
from tests.support import searching
from tests.support.secret_texts import SEED
from tests.support.tables import write_csv

pytestmark = pytest.mark.sampled(0.1)

Mapping = dict[str, Any]
Rows = list[tuple[Any, ...]]

KEY = "a key of the tests, long enough to be one"
COLUMNS = ("patient", "age", "born", "zip", "income", "sex", "diagnosis", "visits")
TYPES = ("VARCHAR", "INTEGER", "DATE", "VARCHAR", "DECIMAL(9, 2)", "VARCHAR", "VARCHAR", "INTEGER")


def person(n: int) -> list[str | None]:
    """A row: skewed towards the first values, so that classes of many sizes come up."""
    skewed = min(n * 7 % 11, n * 13 % 17)
    return [
        f"Zanzibar-{n}",
        str(20 + skewed * 5 + n % 2),
        f"{1940 + skewed * 6}-{1 + n % 3:02d}-15" if n % 29 else None,
        f"{10 + skewed % 3}{n % 5 * 11:02d}",
        f"{1000 + skewed * 250}.{n % 4}5",
        ("f", "m", "x")[min(n % 9, 2)] if n % 41 else None,
        ("flu", "gout", "mumps")[n * n % 3] if n % 37 else None,
        str(n % 4),
    ]


PEOPLE = [person(n) for n in range(200)]
CASTS = ", ".join(f"{name}::{kind} as {name}" for name, kind in zip(COLUMNS, TYPES, strict=True))
TABLE = f"select {CASTS} from read_csv('people.csv', header = true, all_varchar = true)"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a quote in its name, the current one, with the table as CSV."""
    folder = tmp_path / "it's the plan's"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
    write_csv("people.csv", [COLUMNS, *PEOPLE])
    return folder


def write_source(planned: Mapping) -> None:
    """The table in the form, and with the names, that a plan reads."""
    source = planned["source"]
    if source == "people.parquet":
        duckdb.connect().execute(f"copy ({TABLE}) to 'people.parquet' (format parquet)")
    elif source == "people.duckdb::clinic.people":
        with duckdb.connect("people.duckdb") as connection:
            connection.execute("create schema clinic")
            connection.execute(f"create table clinic.people as {TABLE}")
    elif source == "people.json":
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in PEOPLE]
        Path("people.json").write_text(json.dumps(rows))
    else:
        write_csv("people.csv", [[*planned["columns"]], *PEOPLE])


def quasi(**hierarchy: Any) -> Mapping:
    """A quasi-identifier with a hierarchy by a rule."""
    return {"role": "quasi-identifier", "hierarchy": hierarchy}


def plan(names: Sequence[str] = COLUMNS, **keys: Any) -> Mapping:
    """A plan over the table; `keys` are keys of the plan, and override."""
    roles = ("identifier", quasi(intervals=[10, 20]), quasi(date=["year", "decade"]),
             quasi(mask={"side": "right", "characters": 4}), "insensitive", "quasi-identifier",
             "sensitive", "insensitive")  # fmt: skip
    return {
        "source": "people.csv",
        "columns": dict(zip(names, roles, strict=True)),
        "privacy": [{"model": "k-anonymity", "k": 3}],
        "suppression": {"limit": 0.2},
        "publish": "published.parquet",
        **keys,
    }


def cut(method: str | Mapping, names: Sequence[str] = COLUMNS, **keys: Any) -> Mapping:
    """The plan for a method that partitions; its columns have types and grids, so nothing is asked
    first."""
    made = plan(names, method=method, **{"suppression": {}, **keys})
    made["columns"][names[1]]["grid"] = 5
    made["columns"][names[2]]["grid"] = "year"
    kind = "nominal" if "names" in method else "ordinal"
    made["columns"][names[5]] = {"role": "quasi-identifier", "type": kind}
    if "population" in keys:  # presence is promised only of a population
        made["privacy"].append({"model": "delta-presence", "dmin": 0.1, "dmax": 0.7})
    return made


def with_column(column: str, role: str | Mapping, **keys: Any) -> Mapping:
    """The plan with another role for a column."""
    made = plan(**keys)
    made["columns"][column] = role
    return made


def feed(program: str, key: str = KEY) -> list[Rows]:
    """Execute a program, statement by statement, in a bare connection; the rows of each."""
    with duckdb.connect() as bare:
        bare.execute("set variable sqlanon_permutation_seed = $seed", {"seed": SEED})
        if key:
            bare.execute("set variable sqlanon_pseudonym_key = $key", {"key": key})
        return [bare.execute(s).fetchall() for s in bare.extract_statements(program)]


def published(planned: Mapping) -> tuple[list[str], Rows]:
    """Columns with their types, and rows, of a plan's publication, as they stand there."""
    place = planned["publish"]
    with duckdb.connect() as bare:
        if "::" in place:
            file, _, table = place.partition("::")
            bare.execute(f"attach '{file}' as publication (read_only)")
            relation = f"publication.{table}"
        elif place.endswith(".csv"):
            relation = f"read_csv('{place}', header = true, all_varchar = true)"
        else:
            relation = f"read_parquet('{place}')"
        cursor = bare.execute(f"select * from {relation}")
        columns = [f"{column[0]} {column[1]}" for column in cursor.description or ()]
        return columns, cursor.fetchall()


def take(planned: Mapping) -> tuple[list[str], Rows]:
    """The publication, which is gone afterwards."""
    found = published(planned)
    Path(planned["publish"].partition("::")[0]).unlink()
    return found


def feed_program(planned: Mapping) -> str:
    """Execute the program that was written; it ends with the copy of the proven rows."""
    (program,) = Path("target").glob("*/sql/program.sql")
    text = program.read_text(encoding="utf-8")
    results = feed(text)
    (rows,) = results[-1] or [(len(published(planned)[1]),)]  # a table is made without a count
    assert rows == (len(published(planned)[1]),)
    assert max(map(len, text[text.index("-- the proven rows") :].splitlines())) <= 100
    return text


def released(planned: Mapping) -> tuple[list[str], Rows]:
    """What release.sql makes in a bare connection, after the steps that it reads, if any."""
    (target,) = Path("target").iterdir()
    release = (target / "release.sql").read_text(encoding="utf-8").rstrip().rstrip(";")
    program = (target / "sql/program.sql").read_text(encoding="utf-8")
    query = release[release.index("\nwith ") + 1 :]
    by_place = "create table sqlanon.ordered_rows as" in program
    assert (query in program) is not by_place
    made = "create table sqlanon.published_classes" if by_place else query
    before = program[: program.index(made)].removesuffix("copy (\n")
    reads = "sqlanon." in release or "sqlanon_source" in release
    as_csv = planned["publish"].endswith(".csv")
    file = "released.csv" if as_csv else "released.parquet"
    options = "format csv, header true" if as_csv else "format parquet"
    feed(f"{before if reads else ''}copy (\n{release}\n) to '{file}' ({options})")
    return take({"publish": file})


# --- the table that run makes, row for row


MASK = {"limit": 0.3, "rows": "mask"}
HARD_NAMES = (
    'the "patient"', "*", "select", "zip code", "Ünïcödé ' β", "order by 1; --", "Group", "a\tb",
)  # fmt: skip
OWN_NAMES = (
    "node", "class_1", "key_1", "position", "row_count", "satisfied", "published", "class_size",
)  # fmt: skip
QUERY = "select * from read_csv('people.csv', all_varchar = true) where patient <> 'Zanzibar-7';"

TWICE = {
    "query": " union all ".join(["select * from read_csv('people.csv', all_varchar = true)"] * 2)
}
PSEUDONYM = {"role": "identifier", "action": "pseudonym"}
NO_GRID = cut("mondrian")
del NO_GRID["columns"]["born"]["grid"]
NOTHING_KEPT = plan(suppression=MASK)
NOTHING_KEPT["columns"] |= dict.fromkeys(("diagnosis", "income", "visits"), "identifier")
RELAXED = {"name": "mondrian", "partitioning": "relaxed"}
REGIONS = {"name": "mondrian", "labels": "region", "cut": "quantiles", "bounds": True}
SETS = {"name": "mondrian", "names": 2, "cut": "any"}
SEARCHING: dict[str, Mapping] = {
    "plain": plan(),
    "no-suppression": plan(suppression={"limit": 0}, missing="drop-rows"),
    "order-source": plan(order="source"),
    "two-models": plan(privacy=[{"model": "k-anonymity", "k": k} for k in (2, 4)]),
    "to-csv": plan(publish="published.csv"),
    "to-csv-mask-source": plan(publish="published.csv", order="source", suppression=MASK),
    "to-duckdb-schema": plan(publish="published.duckdb::open.people_k3"),
    "from-parquet": plan(source="people.parquet"),
    "from-parquet-to-duckdb": plan(source="people.parquet", publish="published.duckdb::people_k3"),
    "from-json": plan(source="people.json"),
    "from-duckdb": plan(source="people.duckdb::clinic.people"),
    "from-query": plan(source={"query": QUERY}),
    "star": with_column("patient", {"role": "identifier", "action": "star"}),
    "pseudonym": with_column("patient", PSEUDONYM, suppression=MASK, publish="published.csv"),
    "hard-names": plan(HARD_NAMES),
    "own-names-mask-source": plan(OWN_NAMES, suppression=MASK, order="source"),
    "decimals": with_column("income", quasi(round=[0, -3]), source="people.parquet"),
    "nothing-kept": NOTHING_KEPT | {"suppression": {"limit": 0.2}},
    "nothing-kept-mask": NOTHING_KEPT,
    "cut": cut("mondrian", source="people.parquet"),
    "cut-relaxed-csv": cut(RELAXED, publish="published.csv"),
    "cut-regions": cut(REGIONS, HARD_NAMES, publish="published.duckdb::people_k3"),
    "cut-sets-drop-rows": cut(SETS, missing="drop-rows"),
    "cut-population": cut("mpalm", population=TWICE),
    "cut-population-bounds": cut({"name": "mpalm", "bounds": True}, population=TWICE),
    "cut-own-names": cut(RELAXED, OWN_NAMES),
}
"""Plans whose programs search by themselves."""

ROUNDS = {"name": "mondrian", "execution": "rounds"}
SOLVED: dict[str, tuple[Mapping, str]] = {
    **{
        f"{name}-{rows}": (plan(method=name, suppression={"limit": 0.3, "rows": rows}), f"'{name}'")
        for name in ("incognito", "samarati", "datafly")
        for rows in ("drop", "mask")
    },
    "untyped": (plan(method="mondrian", suppression={}), "'sex'"),
    "no-grid": (NO_GRID, "'born'"),
    "rounds": (cut({**ROUNDS, "cut": "quantiles"}), "'mondrian'"),
    "rounds-relaxed": (cut({**ROUNDS, "partitioning": "relaxed"}), "'mondrian'"),
    "untyped-mpalm": (plan(method="mpalm", suppression={}, population=TWICE), "'sex'"),
    "k-mondrian": (cut("k-mondrian", population=TWICE), "'k-mondrian'"),
    "splitting": (cut({"name": "dimension-splitting", "names": 2}), "'dimension-splitting'"),
    "levels-of-data": (
        with_column("zip", {"role": "quasi-identifier", "hierarchy": {"mask": "right"}}),
        "hierarchy of 'zip' is only known from the data",
    ),
}
"""Plans that must be solved first, and what the refusal names."""


def kind_of(case: Mapping) -> object:
    """What a case is of: a refusal, or a method."""
    title = case["title"]
    if title in SOLVED:
        return SOLVED[title][1]
    method = SEARCHING[title].get("method")
    return method["name"] if isinstance(method, dict) else method


def words_of(case: Mapping) -> object:
    return [word for word in ("mask", "pseudonym", "source") if word in case["title"]]


@pytest.mark.sampled(0.12, by=(kind_of, words_of))
@pytest.mark.parametrize("title", [*SEARCHING, *SOLVED])
def test_program_makes_what_run_makes(
    title: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned, refusal = SOLVED.get(title, (SEARCHING.get(title), ""))
    assert planned is not None
    write_source(planned)
    searched = None
    if refusal:
        with pytest.raises(PlanError, match=rf"{refusal}[\s\S]*sqlanon solve"):
            sqlanon.compile(planned)
        assert not list(folder.glob("target/published/sql/*"))
    else:
        program, _ = sqlanon.compile(planned)
        assert feed_program(planned) == program.sql
        searched = take(planned)
    manifest = sqlanon.run(planned).manifest
    ran = take(planned)
    assert searched in (None, ran)
    assert feed_program(planned) == sqlanon.compile(planned)[0].sql
    assert take(planned) == ran
    assert released(planned) == ran
    assert sqlanon.compile(planned)[0].sha256 == manifest["program_sha256"]
    # the case is none if its rows are all as in the source, all the same, or not there
    assert len(ran[1]) == manifest["published"]["rows"] > 100
    assert 1 < manifest["solution"]["classes"] < 80
    if title in SEARCHING:  # and the same if rows are many, so that they are released in steps
        release_in_steps(monkeypatch)
        sqlanon.run(planned)
        assert take(planned) == ran
        feed_program(planned)
        assert take(planned) == ran
        assert released(planned) == ran


def release_in_steps(patch: pytest.MonkeyPatch) -> None:
    """Let few rows be released as many are, in several parts."""
    searching.release_in_steps(patch)
    patch.setattr(release_by_place, "_AT_ONCE", 2)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("masked", [False, True])
def test_columns_may_have_the_names_of_a_release_in_steps(
    masked: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows are repeated as often as they were counted, whatever a column is called."""
    names = ("row_count", "first_row", "place", "repetition")
    made = ", ".join(f"i % {n} as {name}" for n, name in enumerate(names, start=2))
    duckdb.sql(f"copy (select {made} from range(190) as r (i)) to 'names.parquet'")
    planned = plan(
        source="names.parquet",
        columns=dict.fromkeys(names, "quasi-identifier"),
        privacy=[{"model": "k-anonymity", "k": 8}],
        suppression={"limit": 0.9, "rows": "mask" if masked else "drop"},
    )
    by_query = sqlanon.run(planned).published.fetchall()
    assert len(by_query) > 100
    release_in_steps(monkeypatch)
    for keeps_order in (True, False):
        monkeypatch.setattr(DuckDBKeys, "keeps_order", keeps_order)
        result = sqlanon.run(planned, sqlanon.Options(overwrite=True))
        assert result.published.fetchall() == by_query


@pytest.mark.sampled(0.1, by="role")
@pytest.mark.parametrize("role", ["insensitive", "identifier", "sensitive", "quasi-identifier"])
def test_the_bytes_do_not_depend_on_threads_and_memory(
    role: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of several row groups: rows read again, made from few or many combinations, or dealt."""
    release_in_steps(monkeypatch)
    columns = {"age": quasi(intervals=[10]), "place": quasi(mask="right"), "note": role}
    keys: Mapping = {"source": "many.parquet", "privacy": [{"model": "k-anonymity", "k": 50}]}
    if role == "sensitive":
        columns |= dict.fromkeys(("age", "place"), "quasi-identifier")
        keys |= {"method": "stack-and-deal", "suppression": {}}
    if role == "quasi-identifier":
        columns |= {"age": quasi(intervals=[200_000]), "note": quasi(mask="right")}
    planned = plan(columns=columns, **keys)
    ages, rows = (150_000, "i % 150000") if role == "quasi-identifier" else (90, "i")
    duckdb.sql(
        f"copy (select i * 7919 % {ages} as age, 'p' || i * 31 % 400 as place,"
        f" 'n' || i * 17 % 1000 as note from (select {rows} as i from range(400000) as r (i)))"
        " to 'many.parquet'"
    )
    found = set()
    for threads, limit in ((1, None), (8, None), (2, "256MB")):
        options = sqlanon.Options(threads=threads, memory_limit=limit, overwrite=True)
        sqlanon.run(planned, options)
        found.add(Path("published.parquet").read_bytes())
    assert len(found) == 1
    ran = take(planned)
    assert len(ran[1]) > 300_000
    assert role == "sensitive" or released(planned) == ran


OBJECTIVES: list[Mapping] = [
    {"name": name, **each} for name, known in MEASURES.items() for each in known.programs
]


@pytest.mark.sampled(0.011, by=("rows", lambda case: case["objective"]["name"]))
@pytest.mark.parametrize(
    ("objective", "rows"),
    [
        *((objective, "drop") for objective in OBJECTIVES),
        *((objective, "mask") for objective in OBJECTIVES[::3]),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(map(str, value.values())),
)
def test_search_in_sql_finds_the_node_of_run(objective: Mapping, rows: str, folder: Path) -> None:
    planned = plan(
        method={"name": "optimal", "objective": objective}, suppression={"limit": 0.1, "rows": rows}
    )
    program, _ = sqlanon.compile(planned)
    with duckdb.connect() as bare:
        bare.execute("\n".join(program.opening))
        for step in takewhile(lambda step: step.name != "release", program.steps):
            for statement in step.statements():
                bare.execute(statement)
        found = bare.execute("select attribute, level from sqlanon.chosen_node").fetchall()
    assert dict(found) == sqlanon.solve(planned).as_json()["node"]


def test_plan_file_with_a_quote_in_its_name(folder: Path) -> None:
    file = folder / "o'plan.yml"
    file.write_text(yaml.safe_dump(plan(publish="o'published.csv"), sort_keys=False))
    result = sqlanon.run(file)
    ran = Path("o'published.csv").read_bytes()
    Path("o'published.csv").unlink()
    assert result.target == folder / "target/o'plan"
    program = (result.target / "sql/program.sql").read_text()
    assert "'target/o''plan/staged.csv'" in program
    feed(program)
    assert Path("o'published.csv").read_bytes() == ran


# --- the text


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "planned", [plan(), cut("mondrian"), cut("mpalm", population=TWICE)], ids=["", "cuts", "people"]
)
def test_numbered_files_hold_the_statements_of_the_program(folder: Path, planned: Mapping) -> None:
    """To compile again writes the same bytes; what is not of a program stays. Cuts follow from the
    plan: only the head of a program tells what came of them."""
    note = Path("target/published/sql/signed.txt")
    found: list[dict[str, str]] = []
    for is_solved in (False, True):
        if is_solved:
            sqlanon.solve(planned)
        program, written = sqlanon.compile(planned)
        note.write_text("by me")
        files = {file.name: file.read_text("utf-8") for file in sorted(written.iterdir())}
        numbered = [name for name in files if name[0].isdigit()]
        assert len(numbered) == len(program.steps)
        assert files.keys() == {"program.sql", "signed.txt", *numbered}
        whole = re.sub(r"^-- step \d+ of \d+\n", "", program.sql, flags=re.MULTILINE)
        before, _, after = whole.partition("\n".join(files[name] for name in numbered))
        assert before.split("\n\n") == [program.preamble, *program.opening, ""]
        assert after.strip("\n").split("\n\n") == list(program.closing)
        sqlanon.compile(planned)
        assert files == {file.name: file.read_text("utf-8") for file in written.iterdir()}
        found.append(files)
    _, texts = zip(*(files.pop("program.sql").split("\n\n", 1) for files in found), strict=True)
    assert ((found[0], texts[0]) == (found[1], texts[1])) is ("method" in planned)


def test_numbered_files_stand_in_order_beyond_a_hundred(folder: Path) -> None:
    steps = (*(Step(f"s{n}", "select 1") for n in range(120)), Step("release", "select 1", "rows"))
    written = [path.name for path in Program("-- many", (), steps, ()).write(folder)]
    numbered = [name for name in written if name[0].isdigit()]
    assert (len(numbered), numbered) == (121, sorted(numbered))


def test_bare_key_is_asked_for_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SQLANON_PSEUDONYM_KEY")  # which no program holds
    planned = with_column("patient", PSEUDONYM)
    program, _ = sqlanon.compile(planned)
    assert KEY not in program.sql
    for key in ("", "short"):
        with pytest.raises(duckdb.Error, match="sqlanon: set the variable sqlanon_pseudonym_key"):
            feed(program.sql, key)
    assert not Path("published.parquet").exists()
    feed(program.sql)
    one = take(planned)
    feed(program.sql, "another key that is just as long")
    assert take(planned) != one


# --- plans that have no program


def test_stale_solution_is_refused(folder: Path) -> None:
    sqlanon.solve(plan())
    sqlanon.compile(plan())
    with pytest.raises(PlanError, match=r"another version of the plan[\s\S]*sqlanon solve"):
        sqlanon.compile(plan(suppression={"limit": 0.1}))
    with pytest.raises(PlanError, match="another version of the plan"):
        sqlanon.measure(plan(suppression={"limit": 0.1}))
    Path("published.solution.json").write_text("{}")
    with pytest.raises(PlanError, match="cannot be read"):
        sqlanon.compile(plan())


def test_large_lattice_must_be_solved_first(folder: Path) -> None:
    planned = plan()
    mask = quasi(mask={"characters": 11})
    planned["columns"] |= dict.fromkeys(("age", "born", "zip", "income"), mask)
    planned["columns"]["sex"] = "insensitive"
    with pytest.raises(PlanError, match=r"20,736 nodes[\s\S]*20,000[\s\S]*sqlanon solve"):
        sqlanon.compile(planned)
    planned["columns"]["income"] = quasi(mask={"characters": 10})
    sqlanon.compile(planned)  # 12 * 12 * 12 * 11 = 19,008


# --- programs that stop

TOWNS = [["10", "1*", "*"], ["11", "1*", "*"], ["20", "2*", "*"], ["21", "2*", "*"]]


def town_plan(*towns: str, **keys: Any) -> Mapping:
    """A plan over one column of towns, with a hierarchy of its own and an earlier publication."""
    write_csv("towns.csv", [["town", "name"], *([t, f"Zanzibar-{n}"] for n, t in enumerate(towns))])
    write_csv("hierarchy_of_towns.csv", TOWNS)
    town = {"role": "quasi-identifier", "hierarchy": "hierarchy_of_towns.csv"}
    usual = {"privacy": [{"model": "k-anonymity", "k": 2}], "suppression": {"limit": 0.5}}
    return plan(source="towns.csv", columns={"town": town, "name": "identifier"}, **usual | keys)


def stops(program: str, message: str) -> None:
    """The program stops with a message of ours, which quotes no value; nothing is published."""
    earlier = Path("published.parquet")
    earlier.write_bytes(b"the earlier publication")
    with pytest.raises(duckdb.Error, match=f"sqlanon: {message}") as stopped:
        feed(program)
    assert "Zanzibar" not in str(stopped.value)
    with duckdb.connect() as shell:  # one that goes on after errors, as `duckdb < program.sql` does
        for statement in shell.extract_statements(program):
            with contextlib.suppress(duckdb.Error):
                shell.execute(statement)
    assert earlier.read_bytes() == b"the earlier publication"


def test_program_stops_where_nothing_can_be_published(folder: Path) -> None:
    """At a value without a hierarchy, without a node that satisfies, and at an empty source."""
    unknown = town_plan("10", "10", "Zanzibar-77")
    stops(sqlanon.compile(unknown)[0].sql, "proof_of_hierarchies found violations; nothing is pub")
    planned = town_plan("10", "11", "20", suppression={"limit": 0})
    planned["privacy"][0]["k"] = 4
    stops(sqlanon.compile(planned)[0].sql, "no solution: no lattice node holds the promise")
    Path("published.parquet").unlink()
    with pytest.raises(duckdb.Error):
        feed(sqlanon.compile(town_plan())[0].sql)
    assert not Path("published.parquet").exists()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rows", ["drop", "mask"])
def test_program_stops_when_staged_rows_break_the_promise(folder: Path, rows: str) -> None:
    towns = (*(["10"] * 4), "11", "20", "20")
    planned = town_plan(*towns, suppression={"limit": 0.5, "rows": rows}, method="samarati")
    sqlanon.solve(planned)
    program, _ = sqlanon.compile(planned)
    feed(program.sql)
    honest = "class_size >= 2 as satisfied"
    assert program.sql.count(honest) > 1  # in the release, and in the proof
    everything = program.sql.replace(honest, "true as satisfied", 1)
    stops(everything, "proof_of_k_anonymity found violations")


def test_rows_with_a_missing_value_are_a_class(folder: Path) -> None:
    planned = town_plan(*(["10"] * 3), *([""] * 3))  # an empty field of a CSV file is missing
    sqlanon.run(planned)
    ran = take(planned)
    assert ran[1] == [("10",)] * 3 + [(None,)] * 3
    assert released(planned) == ran


def test_program_stops_where_rows_are_missing(folder: Path) -> None:
    """Data in which the solved node suppresses more than the plan allows, and some rows remain, or
    none; or with a value that has no label."""
    keys = {"suppression": {"limit": 0.2}}
    sqlanon.solve(town_plan(*(["10"] * 4), *(["20"] * 4), **keys))
    for towns, message in (
        ([*["10"] * 4, "11", "20", "21"], "rows are missing; nothing is published"),
        (["10", "11", "20", "21"], "proof_of_rows found violations; nothing is published"),
        (["10", "10", "Zanzibar-77"], "proof_of_labels found violations; nothing is published"),
    ):
        stops(sqlanon.compile(town_plan(*towns, **keys))[0].sql, message)


def test_datafly_leaves_out_its_outliers_where_no_limit_is_stated(folder: Path) -> None:
    keys = {"suppression": {}, "method": {"name": "datafly", "outliers": 2}}
    sqlanon.solve(planned := town_plan(*(["10"] * 4), "20", "21", **keys))
    feed(sqlanon.compile(planned)[0].sql)
    assert take(planned)[1] == [("10",)] * 4
    more = sqlanon.compile(town_plan(*(["10"] * 4), "11", "20", "21", **keys))[0].sql
    stops(more, "rows are missing; nothing is published")


# --- no value of a source row stands in any text


SECRETS: list[list[str | None]] = [
    [f"Zanzibar-{n}", f"{771_230 + n % 4}", f"Quux-{n % 3}", f"Flu-{n % 2}-Xyzzy"]
    for n in range(24)
]
"""Rows whose every cell can be distinguished from anything that a text could hold by chance."""

SECRET = re.compile("Zanzibar|77123|Quux|Xyzzy", re.IGNORECASE)
SECRET_COLUMNS = ("patient", "income", "town", "diagnosis")


def secret_plan(rows: Sequence[Sequence[str | None]] = (), **keys: Any) -> Mapping:
    """A plan over those rows; the hierarchy of towns is a file, and names them."""
    write_csv("secrets.csv", [SECRET_COLUMNS, *(rows or SECRETS)])
    write_csv("towns.csv", [[f"Quux-{n}", "Quuxland" if n else "Land", "*"] for n in range(4)])
    columns = {
        "patient": "identifier", "income": quasi(intervals=[10, 100]),
        "town": {"role": "quasi-identifier", "hierarchy": "towns.csv"}, "diagnosis": "sensitive",
    }  # fmt: skip
    return plan(**{"source": "secrets.csv", "columns": columns, **keys})


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("optimal", "drop"), ("incognito", "star"), ("samarati", "pseudonym"), ("datafly", "drop"),
        ("optimal", "pseudonym"), ("mondrian", "star"), ("k-mondrian", "drop"),
        ("dimension-splitting", "pseudonym"),
    ],
)  # fmt: skip
def test_texts_hold_no_value(name: str, action: str, folder: Path) -> None:
    objective = {"name": "classification", "attribute": "diagnosis"}
    is_partition = "mondrian" in name or "splitting" in name
    planned = secret_plan(
        method={"name": name} | ({} if is_partition else {"objective": objective})
    )
    planned["columns"]["patient"] = {"role": "identifier", "action": action}
    if name == "mondrian":  # without it, only the data shows where ranges end
        planned["columns"]["income"]["grid"] = 10
    if name in ("optimal", "mondrian"):
        program, _ = sqlanon.compile(planned)
        assert not SECRET.search(program.sql)
    result = sqlanon.run(planned)
    published_text = str(published(planned)[1])
    assert "Xyzzy" in published_text  # the pattern does find what stands in data
    assert "Zanzibar" not in published_text
    assert KEY not in published_text
    tables = {"people.csv", "secrets.csv", "towns.csv", "published.parquet"}
    texts = {file.name: file.read_text(encoding="utf-8") for file in folder.rglob("*")
             if file.is_file() and file.name not in tables}  # fmt: skip
    assert {"manifest.json", "search.sql", "program.sql", "published.solution.json"} <= set(texts)
    for file, content in {**texts, "": json.dumps(result.manifest)}.items():
        assert not SECRET.search(content), file
        assert KEY not in content, file
    assert ("partition_tree.csv" in texts) is ("mondrian" in name)  # and it tells no value


def with_row(*cells: str) -> list[list[str | None]]:
    """The rows, and one more."""
    return [*SECRETS, list(cells)]


NO_NUMBER = with_row("Zanzibar", "Quux", "Quux-1", "Xyzzy")
TYPED = {"path": "secrets.csv", "types": {"income": "INTEGER"}}
INTEGER = "select * replace (cast(income as integer) as income) from read_csv('secrets.csv')"


def written(content: bytes, file: str = "secrets.csv", **keys: Any) -> Mapping:
    """The plan, and a file of it that has other content."""
    planned = secret_plan(**keys)
    Path(file).write_bytes(content)
    return planned


def broken_hierarchy(*row: str) -> Mapping:
    planned = secret_plan()
    write_csv("towns.csv", [*([f"Quux-{n}", "Quuxland", "*"] for n in range(4)), row])
    return planned


FAULTS: dict[str, Callable[[], Mapping]] = {
    "value-without-a-row": lambda: secret_plan(with_row("Zanzibar", "771230", "Quux-77", "Xyzzy")),
    "place-that-is-no-number": lambda: secret_plan(NO_NUMBER, method="mondrian"),
    "value-that-is-no-number": lambda: secret_plan(NO_NUMBER),
    "typed-column": lambda: secret_plan(NO_NUMBER, source=TYPED),
    "cast-in-query": lambda: secret_plan(NO_NUMBER, source={"query": INTEGER}),
    "error-in-query": lambda: secret_plan(
        source={"query": "select * replace (error(patient) as town) from read_csv('secrets.csv')"}
    ),
    "field-too-many": lambda: secret_plan(with_row("Zanzibar", "1", "Quux-1", "Xyzzy", "Quux")),
    "no-header": lambda: written(b"Zanzibar-1,771230,Quux-1,Flu-1-Xyzzy\n" * 9),
    "value-that-speaks-as-sqlanon": lambda: secret_plan(
        with_row("Zanzibar", "sqlanon: Zanzibar-77", "Quux-1", "Xyzzy"), source=TYPED
    ),
    "json": lambda: written(
        b'{"patient": "Zanzibar-1", "income": Quux}', "secrets.json", source="secrets.json"
    ),
    "encoding": lambda: written(b"patient,income,town,diagnosis\nZanzibar-\xe9,1,Quux-1,Xyzzy\n"),
    "hierarchy-with-a-value-twice": lambda: broken_hierarchy("Quux-1", "Quuxland", "*"),
    "hierarchy-not-nested": lambda: broken_hierarchy("Quux-8", "Quuxland", "Quux"),
    "hierarchy-with-a-field-too-many": lambda: broken_hierarchy("Quux-8", "Quux", "*", "Quux"),
    "no-solution": lambda: secret_plan(SECRETS[:2]),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("fault", FAULTS)
def test_messages_hold_no_value(
    fault: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    planned = FAULTS[fault]()
    Path("published.parquet").write_bytes(b"the earlier publication")
    with pytest.raises(SqlanonError) as refused:
        sqlanon.run(planned)
    seen: BaseException | None = refused.value  # and all that a traceback would print of messages
    while seen is not None:
        assert not SECRET.search(str(seen))
        seen = seen.__cause__ or (None if seen.__suppress_context__ else seen.__context__)
    assert Path("published.parquet").read_bytes() == b"the earlier publication"
    assert not list(folder.glob("target/published/staged.*"))
    assert capsys.readouterr() == ("", "")


def test_column_that_is_gone_is_no_whole_row(folder: Path) -> None:
    planned = town_plan("10", "10")
    planned["columns"]["source"] = "insensitive"
    rows = [["town", "name", "source"], ["10", "Zanzibar-1", "x"], ["10", "Zanzibar-2", "x"]]
    write_csv("towns.csv", rows)
    program, _ = sqlanon.compile(planned)
    write_csv("towns.csv", [row[:2] for row in rows])
    with pytest.raises(duckdb.Error):
        feed(program.sql)


def test_solution_with_a_node_that_is_none(folder: Path) -> None:
    """Column `town` has the levels 0 to 2."""
    planned = town_plan("10", "10", "20", "20")
    sqlanon.solve(planned)
    sqlanon.compile(planned)
    file = Path("published.solution.json")
    solution = json.loads(file.read_text(encoding="utf-8"))
    assert solution["node"] == {"town": 0}
    nodes: list[dict[str, int]] = [
        {"town": 9}, {"town": -1}, {"town": 3}, {"b": 0}, {}, {"town": 0, "b": 0}
    ]  # fmt: skip
    edits: list[Mapping] = [{"node": node, "height": sum(node.values())} for node in nodes]
    for types in ({}, {"town": "STRUCT"}, {"town": "VARCHAR", "name": "VARCHAR", "b": "DOUBLE"}):
        edits.append({"types": {"source": types} if types else {}})
    for edit in edits:
        file.write_text(json.dumps({**solution, **edit}), encoding="utf-8")
        with pytest.raises(PlanError, match=r"does not fit the plan|no solution that a search has"):
            sqlanon.compile(planned)
