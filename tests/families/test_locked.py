"""`run --locked`: the reviewed solution on the data of today, counted by hand; nothing is searched.

Also that a search which replaces another solution says so.
"""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.boundary.files import sha256_of
from sqlanon.commands.options import Options
from sqlanon.errors import PlanError, PrivacyViolation
from tests.methods import test_bucket_faults, test_methods
from tests.publication.test_run_apart import rows_of

Plan = dict[str, Any]
LOCKED = Options(locked=True)
SOLUTION = Path("open.solution.json")
TOWNS = ("Aalborg", "Bergen", "Cadiz", "Delft")
ILLS = ("flu", "gout", "cough", "cold", "burn")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(ages: list[int], place: str = "rows.csv") -> None:
    """A source: a row of each age; towns and illnesses take turns."""
    lines = [f"secret{n},{age},{TOWNS[n % 4]},{ILLS[n % 5]}" for n, age in enumerate(ages)]
    Path(place).write_text("\n".join(["name,age,town,illness", *lines]) + "\n")
    tree = [f"{town},{'north' if n < 2 else 'south'},*" for n, town in enumerate(TOWNS)]
    Path("towns.csv").write_text("\n".join(tree) + "\n")


def plan(**keys: Any) -> Plan:
    """A plan over it; the town is generalized to '*' at once, unless keys say otherwise."""
    return {
        "source": "rows.csv",
        "columns": {
            "name": "identifier",
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [2, 4, 8]}},
            "town": "insensitive",
            "illness": "sensitive",
        },
        "privacy": [{"model": "k-anonymity", "k": 3}],
        "publish": "open.parquet",
        **keys,
    }


def interval(age: int, width: int) -> str:
    """The label of an age."""
    return f"[{age // width * width}, {age // width * width + width})"


def by_hand(ages: list[int], width: int, k: int = 3) -> Counter[str]:
    """Published ages: how many rows of each interval with k rows or more."""
    sizes = Counter(interval(age, width) for age in ages)
    return Counter({label: size for label, size in sizes.items() if size >= k})


def published_ages() -> Counter[str]:
    return Counter(row[0] for row in rows_of())


# --- full-domain


def test_the_reviewed_node_is_published_on_other_data() -> None:
    write([0, 1, 2, 3] * 3)
    keys = {"suppression": {"limit": 0.2}}
    assert sqlanon.solve(plan(**keys)).published_levels == {"age": 0}
    program, _ = sqlanon.compile(plan(**keys))
    reviewed = SOLUTION.read_bytes()
    ages = [0, 1, 2, 3] * 3 + [4, 5]  # now width 2 would need no suppression, but for 4 and 5
    write(ages)
    manifest = sqlanon.run(plan(**keys), LOCKED).manifest
    assert published_ages() == Counter({"0": 3, "1": 3, "2": 3, "3": 3})
    assert manifest["rows"] == {"input": 14, "published": 12, "suppressed": 2, "dropped": 0}
    assert manifest["solution"]["node"] == {"age": 0}
    assert manifest["solution"]["label"] == "optimal, when solved"
    assert manifest["locked"] is True
    assert manifest["solution_sha256"] == sha256_of(SOLUTION)
    assert manifest["program_sha256"] == program.sha256, "what was reviewed is what ran"
    assert SOLUTION.read_bytes() == reviewed
    manifest = sqlanon.run(plan(**keys)).manifest
    assert manifest["locked"] is False
    assert "solution_sha256" not in manifest, "a digest could confirm a guess about the source"


def test_a_coarser_node_than_todays_best_is_published() -> None:
    write([0, 1, 1, 2, 3, 3, 8, 9, 9, 9])
    assert sqlanon.solve(plan()).published_levels == {"age": 1}
    ages = [0, 0, 0, 1, 1, 1, 2, 2, 2, 6, 6, 6]
    write(ages)
    sqlanon.run(plan(), LOCKED)
    assert published_ages() == by_hand(ages, 2) == {"[0, 2)": 6, "[2, 4)": 3, "[6, 8)": 3}
    assert sqlanon.run(plan()).manifest["solution"]["node"] == {"age": 0}


def test_nothing_is_searched() -> None:
    write([0, 1, 2, 3] * 3)
    sqlanon.solve(plan())
    Path("target/open/search.sql").unlink()
    shown: list[sqlanon.Progress] = []
    sqlanon.run(plan(), Options(locked=True, progress=shown.append))
    asked = [progress.step for progress in shown if progress.seconds is None]
    assert asked.count("scored_nodes") == 1
    assert "valued_nodes" not in asked, "the measures have the objective among them"
    assert "one_class" not in asked
    assert not Path("target/open/search.sql").exists()


def test_a_promise_that_fails_today_publishes_nothing() -> None:
    write([0, 1, 2, 3] * 3)
    sqlanon.run(plan())
    before, reviewed = Path("open.parquet").read_bytes(), SOLUTION.read_bytes()
    manifest = Path("target/open/manifest.json").read_bytes()
    write([0, 1, 2, 3] * 3 + [4])
    with pytest.raises(PrivacyViolation) as refusal:
        sqlanon.run(plan(), LOCKED)
    assert refusal.value.exit_code == 1
    assert "1 of 13 rows would have to be suppressed, and 0 may be (limit 0)" in str(refusal.value)
    assert refusal.value.where == "open.solution.json"
    assert Path("open.parquet").read_bytes() == before
    assert Path("target/open/manifest.json").read_bytes() == manifest
    assert SOLUTION.read_bytes() == reviewed


@pytest.mark.parametrize(
    ("illness", "what"),
    [({"kind": "distinct", "l": 2}, "12 of 12 rows"), ({"kind": "entropy", "l": 2}, "12 of 12")],
    ids=["distinct", "entropy"],
)
def test_sensitive_values_of_today_are_judged(illness: dict[str, Any], what: str) -> None:
    write([0, 1, 2, 3] * 3)
    keys = {"privacy": [{"model": "l-diversity", **illness}]}
    sqlanon.solve(plan(**keys))
    text = Path("rows.csv").read_text()
    for ill in ILLS:
        text = text.replace(ill, "flu")
    Path("rows.csv").write_text(text)
    with pytest.raises(PrivacyViolation, match=what):
        sqlanon.run(plan(**keys), LOCKED)
    assert not Path("open.parquet").exists()


def test_a_model_of_the_published_rows_is_judged() -> None:
    """t-closeness compares with the rows that are left: the limit alone does not decide."""
    write([0, 1, 2, 3] * 5)
    keys = {
        "privacy": [{"model": "t-closeness", "t": 0.3}],
        "suppression": {"limit": 0.5},
        "method": "optimal",
    }
    sqlanon.run(plan(**keys))
    write([0] * 5 + [1] * 5 + [2] * 5 + [3] * 5)
    assert sqlanon.run(plan(**keys), LOCKED).manifest["privacy"][0]["satisfied"]


def test_datafly_keeps_its_own_limit() -> None:
    """Without a stated limit it leaves out at most k rows of failing classes."""
    write([0, 1, 2, 3] * 3)
    sqlanon.solve(plan(method="datafly"))
    write([0, 1, 2, 3] * 3 + [4, 5, 6])
    manifest = sqlanon.run(plan(method="datafly"), LOCKED).manifest
    assert manifest["rows"]["suppressed"] == 3
    write([0, 1, 2, 3] * 3 + [4, 5, 6, 7])
    with pytest.raises(PrivacyViolation, match="4 of 16 rows"):
        sqlanon.run(plan(method="datafly"), LOCKED)


def test_hierarchies_are_proven_again() -> None:
    towns = {"role": "quasi-identifier", "hierarchy": "towns.csv"}
    columns = {"name": "identifier", "age": "insensitive", "town": towns, "illness": "sensitive"}
    write([1] * 20)
    sqlanon.solve(plan(columns=columns))
    Path("rows.csv").write_text(Path("rows.csv").read_text() + "x,1,Elsewhere,flu\n")
    with pytest.raises(PlanError, match="A hierarchy is not valid: town, level 0"):
        sqlanon.run(plan(columns=columns), LOCKED)
    assert not Path("open.parquet").exists()


# --- a solution that is missing, or does not fit


def test_without_a_solution_it_says_what_to_do() -> None:
    write([0] * 5)
    with pytest.raises(PlanError, match="run `sqlanon solve`, review") as refusal:
        sqlanon.run(plan(), LOCKED)
    assert refusal.value.where == "open.solution.json"
    assert not SOLUTION.exists()


def test_a_solution_of_another_plan_is_refused() -> None:
    write([0, 1, 2, 3] * 3)
    sqlanon.solve(plan())
    with pytest.raises(PlanError, match="another version of the plan"):
        sqlanon.run(plan(suppression={"limit": 0.5}), LOCKED)
    SOLUTION.write_text("{}")
    with pytest.raises(PlanError, match="cannot be read"):
        sqlanon.run(plan(), LOCKED)


def test_an_edited_node_is_proven_as_any_other() -> None:
    """A reviewer may choose another node; what it publishes is proven."""
    write([0, 1, 2, 3] * 3)
    sqlanon.solve(plan())
    stated = json.loads(SOLUTION.read_text())
    stated |= {"node": {"age": 2}, "height": 2}
    SOLUTION.write_text(json.dumps(stated))
    sqlanon.run(plan(), LOCKED)
    assert published_ages() == by_hand([0, 1, 2, 3] * 3, 4)


@pytest.mark.parametrize(
    ("kind", "match"),
    [("integer", None), ("varchar", "type of 'age' in the source is VARCHAR now, and was INTEGER")],
    ids=["same", "other"],
)
def test_a_column_of_another_type_is_refused(kind: str, match: str | None) -> None:
    def rows(kind: str) -> None:
        duckdb.execute(
            "copy (select 'n' || i as name, cast(i % 4 as "
            f"{kind}) as age, 'T' as town, 'flu' as illness from range(20) as r (i))"
            " to 'rows.parquet'"
        )

    rows("integer")
    sqlanon.solve(plan(source="rows.parquet"))
    rows(kind)
    if match is None:
        sqlanon.run(plan(source="rows.parquet"), LOCKED)
        return
    with pytest.raises(PlanError, match=match):
        sqlanon.run(plan(source="rows.parquet"), LOCKED)


def test_a_hierarchy_with_other_levels_is_refused() -> None:
    """A longer value gives a mask one more level, and the top another number."""
    masked = {"role": "quasi-identifier", "hierarchy": {"mask": "right"}}
    columns = {"name": "identifier", "age": masked, "town": "insensitive", "illness": "sensitive"}
    write([10, 11, 12] * 3)
    sqlanon.solve(plan(columns=columns))
    write([10, 11, 12, 110] * 3)
    with pytest.raises(PlanError, match="levels of the hierarchy of 'age' is 4 now, and was 3"):
        sqlanon.run(plan(columns=columns), LOCKED)


NESTED = {
    "file": ("town", "tree.csv", "tree.csv", "Aalborg,{0},*\nBergen,{1},*\nCadiz,s,*\nDelft,s,*\n"),
    "query": (
        "town",
        {"query": "select * from read_csv('tree.csv', header = false)"},
        "tree.csv",
        "Aalborg,{0},*\nBergen,{1},*\nCadiz,s,*\nDelft,s,*\n",
    ),
    "taxonomy": (
        "town",
        {"taxonomy": "tree.txt"},
        "tree.txt",
        "*: {0}, {1}x, s\n{0}: Aalborg\n{1}x: Bergen\ns: Cadiz, Delft\n",
    ),
    "rule": ("age", "rule.yml", "rule.yml", "cut_points: [[{0}, 8]]\n"),
}
"""Column, hierarchy, its file, and what that contains, with two places that reviewers look at."""


def generalizing(kind: str, method: str, *labels: object) -> Plan:
    """A plan with such a hierarchy, and its file with these labels."""
    column, hierarchy, file, content = NESTED[kind]
    Path(file).write_text(content.format(*labels))
    columns: dict[str, Any] = dict.fromkeys(("age", "town"), "insensitive")
    columns |= {"name": "identifier", "illness": "sensitive"}
    columns[column] = {"role": "quasi-identifier", "hierarchy": hierarchy}
    if column == "age" and method != "optimal":
        columns[column]["type"] = "categorical"
    return plan(
        columns=columns,
        privacy=[{"model": "l-diversity", "l": 2, "attribute": "illness"}],
        method=method,
    )


@pytest.mark.sampled(0.5, by=("method", "kind"))
@pytest.mark.parametrize("method", ["optimal", "mondrian"])
@pytest.mark.parametrize("kind", NESTED)
def test_other_labels_on_as_many_levels_are_refused(kind: str, method: str) -> None:
    """What a reviewer signed as a region would be published as something finer."""
    write([n % 16 for n in range(80)])
    made = generalizing(kind, method, 5, 5) if kind == "rule" else None
    made = made or generalizing(kind, method, "north", "n")
    sqlanon.run(made)
    before, reviewed = rows_of(), SOLUTION.read_bytes()
    sqlanon.run(made, LOCKED)
    column = NESTED[kind][0]
    generalizing(kind, method, *((1, 1) if kind == "rule" else ("secret of Aalborg", "n")))
    with pytest.raises(PlanError, match=f"labels of the hierarchy of '{column}' are others") as no:
        sqlanon.run(made, LOCKED)
    assert "secret" not in str(no.value)
    assert rows_of() == before
    found = sqlanon.diff(made, SOLUTION, solve=True)
    assert f"other labels of {column}" in found.decisions
    assert SOLUTION.read_bytes() == reviewed


def test_a_value_that_gets_a_label_of_its_own_is_refused() -> None:
    """The labels are the same, and a town moves from one to the other."""
    write([1] * 80)
    made = generalizing("file", "optimal", "s", "n")
    sqlanon.solve(made)
    generalizing("file", "optimal", "n", "s")
    with pytest.raises(PlanError, match="labels of the hierarchy of 'town' are others"):
        sqlanon.run(made, LOCKED)


def test_other_layout_of_the_same_labels_is_no_change() -> None:
    write([1] * 80)
    made = generalizing("file", "optimal", "n", "n")
    sqlanon.solve(made)
    lines = Path("tree.csv").read_text().splitlines()
    Path("tree.csv").write_text("\n".join(reversed(lines)).replace(",", ";") + "\n")
    Path("rows.csv").write_text(Path("rows.csv").read_text() + "x,1,,flu\nx,1,,gout\n" * 9)
    sqlanon.run(made, LOCKED)  # nor are missing values


@pytest.mark.parametrize(
    ("edit", "what"),
    [
        ({"node": {"age": True}}, "cannot be read"),
        ({"node": {"age": "1"}}, "cannot be read"),
        ({"node": {"age": 1.0}}, "cannot be read"),
        ({"height": 1}, "its height is not the sum of its levels, 0"),
        ({"node": {"age": 9}, "height": 9}, "'age' has no level 9, as its top is level 4"),
        ({"node": {"age": -1}, "height": -1}, "'age' has no level -1"),
        ({"suppressed_rows": -1}, "a count of rows or classes is negative"),
        ({"labels_sha256": {}}, "a hierarchy has no digest of its labels"),
    ],
    ids=str,
)
def test_what_no_search_writes_is_refused(edit: dict[str, Any], what: str) -> None:
    write([0, 1, 2, 3] * 3)
    sqlanon.solve(plan())
    stated = json.loads(SOLUTION.read_text())
    SOLUTION.write_text(json.dumps(stated | edit))
    with pytest.raises(PlanError, match=what) as refusal:
        sqlanon.run(plan(), LOCKED)
    assert refusal.value.where == "open.solution.json"
    with pytest.raises(PlanError, match="not the file of a solution" if "read" in what else what):
        sqlanon.diff(plan(), SOLUTION, solve=True)
    assert not Path("open.parquet").exists()


def test_solve_does_not_replace_a_locked_solution() -> None:
    write([0] * 5)
    with pytest.raises(PlanError, match="leave out `locked`"):
        sqlanon.solve(plan(), LOCKED)


def test_row_counts_follow_the_data_not_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node that is refused by nobody before the proof is refused by the proof."""
    write([0, 1, 2, 3] * 3)
    sqlanon.solve(plan())
    write([0, 1, 2, 3] * 3 + [4])
    from sqlanon.methods.full_domain import FullDomainMethod

    monkeypatch.setattr(FullDomainMethod, "accepts", lambda *arguments: True)
    manifest = sqlanon.run(plan(), LOCKED).manifest
    assert manifest["rows"]["published"] == 12, "the release leaves out what fails, at any limit"


# --- partitions and buckets

METHODS = {
    **{"-".join(map(str, method.values())): method for method in test_methods.PARTITIONS},
    **{
        name: method
        for name, method in test_bucket_faults.METHODS.items()
        if name != "dealt within"
    },
}
COUNTED = {"dimension-splitting", "anatomy", "permuted"}
"""Those whose solutions name places of values, or rows by the ranks of their values."""


def partitioned(method: Mapping[str, Any]) -> Plan:
    """A plan for a method that partitions."""
    name = method["name"]
    towns = {"role": "quasi-identifier", "hierarchy": "towns.csv"}
    made = plan(method=method, privacy=[{"model": "l-diversity", "l": 2, "attribute": "illness"}])
    made["columns"] = {**made["columns"], "town": towns}
    if name in ("mpalm", "combined"):
        made["population"] = "people.csv"
    if name == "combined":
        made["privacy"] = [{"model": "delta-presence", "dmin": 0, "dmax": 0.9}]
    if name == "anatomy":
        made["publish"] = "open/open.parquet"
    return made


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("title", METHODS)
def test_every_method_is_published_by_its_solution(title: str) -> None:
    ages = [n * 7 % 32 for n in range(80)]
    write(ages)
    write([*ages, 5, 6, 7, *range(32)], "people.csv")
    made = partitioned(METHODS[title])
    place = made["publish"]
    searched = sqlanon.run(made)
    rows, reviewed = rows_of(place), SOLUTION.read_bytes()
    program, _ = sqlanon.compile(made)
    manifest = sqlanon.run(made, LOCKED).manifest
    assert rows_of(place) == rows, "the same data, the same seed"
    assert manifest["program_sha256"] == program.sha256 == searched.manifest["program_sha256"]
    assert manifest["utility"] == searched.manifest["utility"]
    assert SOLUTION.read_bytes() == reviewed
    write([*ages, 5, 6, 7])
    if title in COUNTED:
        with pytest.raises(PlanError, match="numbers, and the table has changed"):
            sqlanon.run(made, LOCKED)
        assert rows_of(place) == rows
        return
    manifest = sqlanon.run(made, LOCKED).manifest
    assert manifest["rows"]["published"] == len(rows_of(place)) == 83
    assert manifest["program_sha256"] == program.sha256
    assert SOLUTION.read_bytes() == reviewed


def test_a_partition_that_breaks_a_promise_publishes_nothing() -> None:
    """Of k-mondrian the class size is reviewed; with it, today's classes have one illness."""
    made = partitioned({"name": "k-mondrian"})
    write([n * 7 % 32 for n in range(80)])
    sqlanon.run(made)
    before = rows_of()
    Path("rows.csv").write_text(
        "\n".join(["name,age,town,illness", *(f"x,{n // 3},Bergen,{ILLS[n // 20]}"
                                             for n in range(80))]) + "\n"
    )  # fmt: skip
    with pytest.raises(PrivacyViolation, match=r"\d+ of \d+ classes fail. Nothing was published"):
        sqlanon.run(made, LOCKED)
    assert rows_of() == before


def test_cuts_by_places_that_do_not_fit_are_refused() -> None:
    """As many rows, but fewer values: places that are cut at do not exist any more."""
    made = partitioned({"name": "dimension-splitting"})
    write([n * 7 % 32 for n in range(80)])
    sqlanon.run(made)
    before = rows_of()
    write([n % 4 for n in range(80)])
    with pytest.raises(PlanError, match="numbers, and the table has changed"):
        sqlanon.run(made, LOCKED)
    assert rows_of() == before


def test_an_attribute_of_another_kind_is_refused() -> None:
    made = partitioned({"name": "mondrian"})
    made["columns"]["age"] = "quasi-identifier"
    write([n * 7 % 32 for n in range(80)])
    sqlanon.solve(made)
    text = Path("rows.csv").read_text().splitlines()
    moved = [text[0], *(f"x,2020-01-{n % 28 + 1:02},Bergen,{ILLS[n % 5]}" for n in range(80))]
    Path("rows.csv").write_text("\n".join(moved) + "\n")
    with pytest.raises(PlanError, match="values of 'age' is date now, and was numeric"):
        sqlanon.run(made, LOCKED)


# --- a search that replaces another solution


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was logged since the last call."""
    shown = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    caplog.clear()
    return shown


@pytest.mark.parametrize("command", [sqlanon.run, sqlanon.solve], ids=["run", "solve"])
def test_a_replaced_solution_is_kept_and_reported(
    command: Any, caplog: pytest.LogCaptureFixture
) -> None:
    folder = Path("target/open")
    write([0, 1, 2, 3] * 3)
    sqlanon.solve(plan())
    reviewed = SOLUTION.read_bytes()
    command(plan())
    assert warnings(caplog) == []
    write([0, 1, 2, 3] * 4)
    command(plan())
    assert warnings(caplog) == [], "the same node: only counts differ"
    assert not list(folder.glob("replaced.*"))
    reviewed = SOLUTION.read_bytes()
    write([0, 1, 2, 3] * 2)
    command(plan())
    (shown,) = warnings(caplog)
    assert "replaces open.solution.json: age 0 → 1." in shown
    (kept,) = folder.glob("replaced.*.solution.json")
    assert f"target/open/{kept.name}" in shown
    assert "--locked" in shown
    assert "sqlanon diff" in shown
    assert kept.read_bytes() == reviewed
    write([0, 1, 2, 3])
    command(plan())
    assert "replaces open.solution.json: age 1 → 2." in warnings(caplog)[0]
    assert kept.read_bytes() == reviewed, "though another one has been replaced since"
    assert len(list(folder.glob("replaced.*.solution.json"))) == 2
    write([0, 1, 2, 3] * 3)
    SOLUTION.write_bytes(kept.read_bytes())
    assert sqlanon.run(plan(), LOCKED).manifest["solution"]["node"] == {"age": 0}
    assert warnings(caplog) == []


def test_a_solution_of_another_version_is_kept_and_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    write([0, 1, 2, 3] * 3)
    sqlanon.solve(plan())
    sqlanon.solve(plan(suppression={"limit": 0.5}))
    (shown,) = warnings(caplog)
    assert "it cannot be read, or belongs to another version of the plan" in shown
    assert shown.endswith("Nothing can be published by it.")


def test_cuts_that_differ_are_reported(caplog: pytest.LogCaptureFixture) -> None:
    made = partitioned({"name": "dimension-splitting"})
    write([n * 7 % 32 for n in range(80)])
    sqlanon.solve(made)
    write([n * 7 % 32 for n in range(20)])
    sqlanon.solve(made)
    (shown,) = warnings(caplog)
    assert "intervals of age" in shown
    assert "classes" in shown
    assert "secret" not in shown
