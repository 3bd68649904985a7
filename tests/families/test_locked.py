"""`run --locked`: the reviewed solution on the data of today, counted by hand; nothing is searched.

Also that a search which replaces another solution says so.
"""

from __future__ import annotations

import json
import logging
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.boundary.files import sha256_of
from sqlanon.commands.options import Options
from sqlanon.errors import PlanError, PrivacyViolation, SqlanonError
from sqlanon.methods.full_domain import FullDomainMethod
from tests.methods import test_bucket_faults, test_methods
from tests.plan.plans import plan_of
from tests.publication.test_run_apart import rows_of

Plan = dict[str, Any]
LOCKED = Options(locked=True)
SOLUTION = Path("open.solution.json")
TOWNS = ("Aalborg", "Bergen", "Cadiz", "Delft")
ILLS = ("flu", "gout", "cough", "cold", "burn")
AGES = [0, 1, 2, 3] * 3
MANY = [n * 7 % 32 for n in range(80)]
ROLES = ("identifier", "insensitive", "insensitive", "sensitive")
COLUMNS: Plan = dict(zip(("name", "age", "town", "illness"), ROLES, strict=True))
AGE = {"role": "quasi-identifier", "hierarchy": {"intervals": [2, 4, 8]}}
TOWN = {"role": "quasi-identifier", "hierarchy": "towns.csv"}
DIVERSE = [{"model": "l-diversity", "l": 2, "attribute": "illness"}]


pytestmark = pytest.mark.usefixtures("folder")


def listed(lines: Iterable[str], place: str = "rows.csv") -> None:
    Path(place).write_text("\n".join([",".join(COLUMNS), *lines]) + "\n")


def write(ages: list[int], place: str = "rows.csv") -> None:
    """A source: a row of each age; towns and illnesses take turns."""
    rows = enumerate(ages)
    listed((f"secret{n},{age},{TOWNS[n % 4]},{ILLS[n % 5]}" for n, age in rows), place)
    tree = [f"{town},{'north' if n < 2 else 'south'},*" for n, town in enumerate(TOWNS)]
    Path("towns.csv").write_text("\n".join(tree) + "\n")


def plan(**keys: Any) -> Plan:
    """A plan over it; the town is generalized to '*' at once, unless keys say otherwise."""
    three = [{"model": "k-anonymity", "k": 3}]
    made = plan_of(COLUMNS | {"age": AGE}, "rows.csv", privacy=three, publish="open.parquet")
    return made | keys


def refused(made: Plan, match: str, error: type[SqlanonError] = PlanError) -> SqlanonError:
    """What a locked run says, which publishes nothing."""
    with pytest.raises(error, match=match) as refusal:
        sqlanon.run(made, LOCKED)
    return refusal.value


# --- full-domain


def test_the_reviewed_node_is_published_on_other_data() -> None:
    """Nothing is searched, though width 2 would need no suppression now, but for 4 and 5."""
    write(AGES)
    made = plan(suppression={"limit": 0.2})
    assert sqlanon.solve(made).published_levels == {"age": 0}
    program, _ = sqlanon.compile(made)
    reviewed = SOLUTION.read_bytes()
    Path("target/open/search.sql").unlink()
    write([*AGES, 4, 5])
    shown: list[sqlanon.Progress] = []
    manifest = sqlanon.run(made, Options(locked=True, progress=shown.append)).manifest
    assert Counter(row[0] for row in rows_of()) == Counter({"0": 3, "1": 3, "2": 3, "3": 3})
    assert manifest["rows"] == {"input": 14, "published": 12, "suppressed": 2, "dropped": 0}
    assert manifest["solution"]["label"] == "optimal, when solved"
    assert manifest["locked"] is True
    assert manifest["solution_sha256"] == sha256_of(SOLUTION)
    assert manifest["program_sha256"] == program.sha256, "what was reviewed is what ran"
    assert SOLUTION.read_bytes() == reviewed
    asked = {progress.step for progress in shown}
    assert asked.isdisjoint({"valued_nodes", "one_class"})
    assert not Path("target/open/search.sql").exists()
    manifest = sqlanon.run(made).manifest
    assert manifest["locked"] is False
    assert "solution_sha256" not in manifest, "a digest could confirm a guess about the source"


def test_a_promise_that_fails_today_publishes_nothing() -> None:
    write(AGES)
    sqlanon.run(plan())
    files = [Path("open.parquet"), SOLUTION, Path("target/open/manifest.json")]
    before = [file.read_bytes() for file in files]
    write([*AGES, 4])
    words = r"1 of 13 rows would have to be suppressed, and 0 may be \(limit 0\)"
    refusal = refused(plan(), words, PrivacyViolation)
    assert (refusal.exit_code, refusal.where) == (1, "open.solution.json")
    assert [file.read_bytes() for file in files] == before


def test_values_of_today_are_judged() -> None:
    write(AGES)
    made = plan(privacy=[{"model": "l-diversity", "kind": "entropy", "l": 2}])
    sqlanon.solve(made)
    Path("rows.csv").write_text(re.sub("|".join(ILLS), "flu", Path("rows.csv").read_text()))
    refused(made, "12 of 12 rows", PrivacyViolation)
    assert not Path("open.parquet").exists()
    # t-closeness compares with the rows that are left: the limit alone does not decide
    write(AGES)
    made = plan(privacy=[{"model": "t-closeness", "t": 0.3}], suppression={"limit": 0.5})
    sqlanon.run(made)
    write([n // 5 for n in range(20)])
    assert sqlanon.run(made, LOCKED).manifest["privacy"][0]["satisfied"]


def test_datafly_keeps_its_own_limit() -> None:
    """Without a stated limit it leaves out at most k rows of failing classes."""
    write(AGES)
    sqlanon.solve(plan(method="datafly"))
    write([*AGES, 4, 5, 6])
    manifest = sqlanon.run(plan(method="datafly"), LOCKED).manifest
    assert manifest["rows"]["suppressed"] == 3
    write([*AGES, 4, 5, 6, 7])
    refused(plan(method="datafly"), "4 of 16 rows", PrivacyViolation)


# --- a solution that is missing, or does not fit


def test_a_solution_of_another_plan_is_refused() -> None:
    """Or none; and no search replaces a locked one."""
    write(AGES)
    assert refused(plan(), "run `sqlanon solve`, review").where == "open.solution.json"
    assert not SOLUTION.exists()
    with pytest.raises(PlanError, match="leave out `locked`"):
        sqlanon.solve(plan(), LOCKED)
    sqlanon.solve(plan())
    refused(plan(suppression={"limit": 0.5}), "another version of the plan")
    SOLUTION.write_text("{}")
    refused(plan(), "cannot be read")


def test_an_edited_node_is_proven_as_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reviewer may choose another node than the best of today, which is 0; it is proven."""
    write(AGES)
    sqlanon.solve(plan())
    text = SOLUTION.read_text()
    SOLUTION.write_text(json.dumps(json.loads(text) | {"node": {"age": 1}, "height": 1}))
    write([*AGES, 6, 6, 6])
    sqlanon.run(plan(), LOCKED)
    assert Counter(row[0] for row in rows_of()) == Counter({"[0, 2)": 6, "[2, 4)": 6, "[6, 8)": 3})
    SOLUTION.write_text(text)
    write([*AGES, 4])
    monkeypatch.setattr(FullDomainMethod, "accepts", lambda *arguments: True)
    manifest = sqlanon.run(plan(), LOCKED).manifest
    assert manifest["rows"]["published"] == 12, "the release leaves out what fails, at any limit"


def test_a_column_that_is_another_now_is_refused() -> None:
    """A longer value gives a mask one more level, and the top another number."""
    masked = {"role": "quasi-identifier", "hierarchy": {"mask": "right"}}
    made = plan(columns=COLUMNS | {"age": masked})
    write([10, 11, 12] * 3)
    sqlanon.solve(made)
    write([10, 11, 12, 110] * 3)
    refused(made, "levels of the hierarchy of 'age' is 4 now, and was 3")
    made = plan(columns=COLUMNS | {"age": "quasi-identifier"}, method="mondrian")
    write(MANY)
    sqlanon.solve(made)
    listed(f"x,2020-01-{n % 28 + 1:02},Bergen,{ILLS[n % 5]}" for n in range(80))
    refused(made, "values of 'age' is date now, and was numeric")
    made = plan(source="rows.parquet")
    select = "select name, {} as age, town, illness from 'rows.csv'"
    write(AGES)
    duckdb.execute(f"copy ({select.format('age')}) to 'rows.parquet'")
    sqlanon.solve(made)
    duckdb.execute(f"copy ({select.format('age::varchar')}) to 'rows.parquet'")
    refused(made, "type of 'age' in the source is VARCHAR now, and was BIGINT")


TREE = "Aalborg,{0},*\nBergen,{1},*\nCadiz,s,*\nDelft,s,*\n"
QUERY = {"query": "select * from read_csv('tree.csv', header = false)"}
WORDS = "*: {0}, {1}x, s\n{0}: Aalborg\n{1}x: Bergen\ns: Cadiz, Delft\n"
NESTED: dict[str, tuple[Any, str, str]] = {
    "file": ("tree.csv", "tree.csv", TREE),
    "query": (QUERY, "tree.csv", TREE),
    "taxonomy": ({"taxonomy": "tree.txt"}, "tree.txt", WORDS),
}
"""Hierarchy of the town, its file, and what that contains, with the labels of two towns."""


def generalizing(kind: str, method: str, *labels: str) -> Plan:
    """A plan with such a hierarchy, and its file with these labels."""
    hierarchy, file, content = NESTED[kind]
    Path(file).write_text(content.format(*labels))
    columns = COLUMNS | {"town": {**TOWN, "hierarchy": hierarchy}}
    return plan(columns=columns, privacy=DIVERSE, method=method)


@pytest.mark.sampled(0.5, by=("method", "kind"))
@pytest.mark.parametrize("method", ["optimal", "mondrian"])
@pytest.mark.parametrize("kind", NESTED)
def test_other_labels_on_as_many_levels_are_refused(kind: str, method: str) -> None:
    """What a reviewer signed as a region would be published as something finer."""
    write([n % 16 for n in range(80)])
    made = generalizing(kind, method, "north", "n")
    sqlanon.solve(made)
    sqlanon.run(made, LOCKED)
    before, reviewed = rows_of(), SOLUTION.read_bytes()
    generalizing(kind, method, "secret of Aalborg", "n")
    refusal = refused(made, "labels of the hierarchy of 'town' are others")
    assert "secret" not in str(refusal)
    assert rows_of() == before
    assert "other labels of town" in sqlanon.diff(made, SOLUTION, solve=True).decisions
    assert SOLUTION.read_bytes() == reviewed
    generalizing(kind, method, "north", "n")
    with Path("rows.csv").open("a") as rows:
        rows.write("x,1,secret,flu\n")
    assert "secret" not in str(refused(made, "A hierarchy is not valid: town, level 0"))
    assert rows_of() == before


def test_a_value_that_gets_a_label_of_its_own_is_refused() -> None:
    """The labels are the same, and a town moves; another layout of the file is no change."""
    write([1] * 80)
    made = generalizing("file", "optimal", "s", "n")
    sqlanon.solve(made)
    lines = Path("tree.csv").read_text().splitlines()
    Path("tree.csv").write_text("\n".join(reversed(lines)).replace(",", ";") + "\n")
    with Path("rows.csv").open("a") as rows:
        rows.write("x,1,,flu\nx,1,,gout\n" * 9)  # nor are missing values
    sqlanon.run(made, LOCKED)
    generalizing("file", "optimal", "n", "s")
    refused(made, "labels of the hierarchy of 'town' are others")


EDITS: list[tuple[dict[str, Any], str]] = [
    ({"node": {"age": True}}, "cannot be read"),
    ({"height": 1}, "its height is not the sum of its levels, 0"),
    ({"node": {"age": 9}, "height": 9}, "'age' has no level 9, as its top is level 4"),
    ({"node": {"age": -1}, "height": -1}, "'age' has no level -1"),
    ({"suppressed_rows": -1}, "a count of rows or classes is negative"),
    ({"labels_sha256": {}}, "a hierarchy has no digest of its labels"),
]


def test_what_no_search_writes_is_refused() -> None:
    write(AGES)
    sqlanon.solve(plan())
    stated = json.loads(SOLUTION.read_text())
    for edit, what in EDITS:
        SOLUTION.write_text(json.dumps(stated | edit))
        assert refused(plan(), what).where == "open.solution.json", edit
        words = "not the file of a solution" if what == "cannot be read" else what
        with pytest.raises(PlanError, match=words):
            sqlanon.diff(plan(), SOLUTION, solve=True)
        assert not Path("open.parquet").exists(), edit


# --- partitions and buckets

METHODS: dict[str, Mapping[str, Any]] = {
    "-".join(map(str, method.values())): method for method in test_methods.PARTITIONS
}
METHODS |= test_bucket_faults.METHODS
del METHODS["dealt within"]
COUNTED = {"dimension-splitting", "anatomy", "permuted"}
"""Those whose solutions name places of values, or rows by the ranks of their values."""


def partitioned(method: Mapping[str, Any]) -> Plan:
    """A plan for a method that partitions."""
    name = method["name"]
    made = plan(method=method, privacy=DIVERSE)
    made["columns"] = {**made["columns"], "town": TOWN}
    if name in ("mpalm", "combined"):
        made["population"] = "people.csv"
    if name == "combined":
        made["privacy"] = [{"model": "delta-presence", "dmin": 0, "dmax": 0.9}]
    if name == "anatomy":
        made["publish"] = "open/open.parquet"
    return made


@pytest.mark.sampled(0.1, by=lambda case: case["title"] in COUNTED)
@pytest.mark.parametrize("title", METHODS)
def test_every_method_is_published_by_its_solution(title: str) -> None:
    write(MANY)
    write([*MANY, 5, 6, 7, *range(32)], "people.csv")
    made = partitioned(METHODS[title])
    place = made["publish"]
    searched = sqlanon.run(made)
    rows, reviewed = rows_of(place), SOLUTION.read_bytes()
    program, _ = sqlanon.compile(made)
    manifest = sqlanon.run(made, LOCKED).manifest
    assert rows_of(place) == rows, "the same data, the same seed"
    assert manifest["program_sha256"] == program.sha256 == searched.manifest["program_sha256"]
    assert manifest["utility"] == searched.manifest["utility"]
    write([*MANY, 5, 6, 7])
    if title in COUNTED:
        refused(made, "numbers, and the table has changed")
        assert rows_of(place) == rows
    else:
        manifest = sqlanon.run(made, LOCKED).manifest
        assert manifest["rows"]["published"] == len(rows_of(place)) == 83
        assert manifest["program_sha256"] == program.sha256
    assert SOLUTION.read_bytes() == reviewed


def test_a_partition_that_breaks_a_promise_publishes_nothing() -> None:
    """Of k-mondrian the class size is reviewed; with it, today's classes have one illness."""
    made = partitioned({"name": "k-mondrian"})
    write(MANY)
    sqlanon.run(made)
    before = rows_of()
    listed(f"x,{n // 3},Bergen,{ILLS[n // 20]}" for n in range(80))
    refused(made, r"\d+ of \d+ classes fail. Nothing was published", PrivacyViolation)
    assert rows_of() == before


# --- a search that replaces another solution


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged since the last call."""
    shown = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    caplog.clear()
    return shown


def test_a_replaced_solution_is_kept_and_reported(caplog: pytest.LogCaptureFixture) -> None:
    write(AGES)
    sqlanon.run(plan())
    write([0, 1, 2, 3] * 4)
    sqlanon.solve(plan())
    assert warnings(caplog) == [], "the same node: only counts differ"
    reviewed = SOLUTION.read_bytes()
    write([0, 1, 2, 3] * 2)
    sqlanon.run(plan())
    (shown,) = warnings(caplog)
    (kept,) = Path("target/open").glob("replaced.*.solution.json")
    assert "replaces open.solution.json: age 0 → 1." in shown
    assert f"target/open/{kept.name}" in shown
    assert kept.read_bytes() == reviewed
    write([0, 1, 2, 3])
    sqlanon.solve(plan())
    assert "replaces open.solution.json: age 1 → 2." in warnings(caplog)[0]
    assert kept.read_bytes() == reviewed, "though another one has been replaced since"
    write(AGES)
    SOLUTION.write_bytes(kept.read_bytes())
    assert sqlanon.run(plan(), LOCKED).manifest["solution"]["node"] == {"age": 0}
    assert warnings(caplog) == []
    sqlanon.solve(plan(suppression={"limit": 0.5}))
    (shown,) = warnings(caplog)
    assert "it cannot be read, or belongs to another version of the plan" in shown
    made = partitioned({"name": "dimension-splitting"})
    SOLUTION.unlink()
    for ages in (MANY, MANY[:20]):
        write(ages)
        sqlanon.solve(made)
    (shown,) = warnings(caplog)
    assert "intervals of age" in shown
    assert "secret" not in shown
