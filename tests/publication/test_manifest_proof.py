"""Verify against a manifest: the very bytes, rows, columns and types that a run published."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.commands.options import Options
from sqlanon.commands.session import open_session
from sqlanon.errors import PlanError, PrivacyViolation
from sqlanon.plan.file import load_plan
from sqlanon.plan.tables import Source
from sqlanon.proof.publication import publication_of
from sqlanon.proof.steps import verify_steps
from sqlanon.source.columns import read_source
from tests.conftest import Command
from tests.plan.plans import plan_of
from tests.proof.test_rearranged import people, plan, published, write

MANIFEST = Path("target/out/manifest.json")
DEALT = plan("stack-and-deal")


@pytest.fixture(autouse=True)
def own_source(folder: Path) -> None:
    (folder / "open").mkdir()
    write(people(60, 1))


def dealt() -> None:
    """Run a plan."""
    Path("out.yml").write_text(json.dumps(DEALT))
    sqlanon.run("out.yml")


def refused(table: str, planned: Any, match: str, *options: Options, **more: Any) -> None:
    with pytest.raises(PrivacyViolation, match=match) as caught:
        sqlanon.verify(table, planned, *options, **more)
    assert "spy" not in str(caught.value)


def append_byte(place: str) -> None:
    Path(place).write_bytes(Path(place).read_bytes() + b"\n")


def test_a_file_that_is_not_what_was_published() -> None:
    planned = plan("stack-and-deal", publish="out.parquet")
    sqlanon.run(planned)
    assert sqlanon.verify("out.parquet", planned)[0].satisfied
    good = Path("out.parquet").rename("good.parquet")
    for select, message in (
        ("from '{0}' order by zip desc, age", "another digest of the file"),
        ("from '{0}' union all from '{0}' where bucket = 1", "rows and not 60"),
        (
            "select * replace (cast(bucket as bigint) as bucket) from '{0}'",
            "another name or type of column 5",
        ),
        ("select age, zip, job, illness, bucket from '{0}'", "name or type of column 1"),
    ):
        duckdb.execute(f"copy ({select.format(good)}) to 'out.parquet' (format parquet)")
        refused("out.parquet", planned, message)
        if "union" not in select:
            assert sqlanon.verify("out.parquet", planned, manifest=False)[0].satisfied


def test_a_file_is_compared_where_it_was_published_or_the_manifest_is_named() -> None:
    """It is found from another folder than the plan's."""
    Path("plans").mkdir()
    shutil.move("rows.csv", "plans/rows.csv")
    file, named = Path("plans/plan.yml"), Path("plans") / "target/plan/manifest.json"
    file.write_text(json.dumps(DEALT))
    sqlanon.run(file)
    copy = shutil.copy("plans/open/out.csv", "copy.csv")
    assert sqlanon.verify("plans/open/out.csv", file)[0].satisfied
    assert sqlanon.verify(copy, file, manifest=named)[0].satisfied
    append_byte(copy)
    append_byte("plans/open/out.csv")
    assert sqlanon.verify(copy, file)[0].satisfied  # the manifest names another table
    refused(copy, file, "digest", manifest=named)
    refused("plans/open/out.csv", file, "digest")


def test_both_tables_of_anatomy_are_compared() -> None:
    _, planned = published("anatomy")
    assert sqlanon.verify("open/out.csv", planned)[0].satisfied
    append_byte("open/out_values.csv")
    refused("open/out.csv", planned, "digest of the file of the table of values")
    content = json.loads(MANIFEST.read_text(encoding="utf-8"))
    del content["published"]["values"]
    MANIFEST.write_text(json.dumps(content), encoding="utf-8")
    refused("open/out.csv", planned, r"there are 2 table\(s\), not 1")


@pytest.mark.parametrize("is_file", [True, False])
def test_a_table_is_compared_by_its_rows_in_whatever_order(is_file: bool) -> None:
    """One more of one kind and one less of another, both of which are still there, are others."""
    Path("rows.csv").write_text("town,illness\n" + "x,flu\n" * 3 + "x,spy\n" * 4 + "x,\n")
    place = "p.duckdb::people" if is_file else "people"
    options = Options(connection=None if is_file else duckdb.connect())
    columns = {"town": "quasi-identifier", "illness": "insensitive"}
    planned = plan_of(columns, "rows.csv", publish=place if is_file else {"table": place})
    sqlanon.run(planned, options)
    turned = "create table again as from people order by illness desc; delete from people;"
    one = "(select rowid from people where illness = 'spy' limit 1)"
    for change, is_held in (
        (f"{turned} insert into people from again", True),
        ("update people set illness = '' where illness is null", False),
        ("update people set illness = null where illness = ''", True),
        (f"update people set illness = 'flu' where rowid = {one}", False),
    ):
        (options.connection or duckdb.connect("p.duckdb")).execute(change)
        if is_held:
            assert sqlanon.verify(place, planned, options)[0].satisfied
        else:
            refused(place, planned, "other rows", options)


def test_a_broken_manifest_is_refused() -> None:
    """Or one of another version of the plan."""
    dealt()
    weaker = plan("stack-and-deal", [{"model": "k-anonymity", "k": 2}])
    with pytest.raises(PlanError, match="another version of the plan"):
        sqlanon.verify("open/out.csv", weaker)
    published = json.loads(MANIFEST.read_text())["published"]
    for missing in ("columns", "sha256", "{", "[]"):
        if missing in published:
            change(published={key: value for key, value in published.items() if key != missing})
        else:
            MANIFEST.write_text(missing)
        with pytest.raises(PlanError, match="manifest cannot be read"):
            sqlanon.verify("open/out.csv", DEALT)
        assert sqlanon.verify("open/out.csv", DEALT, manifest=False)[0].satisfied


def change(**keys: Any) -> None:
    """Other entries in the manifest."""
    MANIFEST.write_text(json.dumps({**json.loads(MANIFEST.read_text()), **keys}))


def test_suppression_is_held_to_its_limit_and_masked_rows_are_there() -> None:
    rows = [{"a": "x", "b": "1"}] * 18 + [{"a": "y", "b": "1"}] * 2
    masked = {"limit": 0.1, "rows": "mask"}
    planned = plan_of("ab", "rows.csv", suppression=masked, publish="open/out.csv")
    write([*rows, {"a": "z", "b": "2"}, {"a": "z", "b": "3"}])
    found = sqlanon.run(planned).manifest["rows"]
    assert found["suppressed"] == 2  # of 22 rows, a tenth of them being 2
    assert sqlanon.verify("open/out.csv", planned)[0].satisfied
    change(rows={**found, "suppressed": 3, "published": 19})
    refused("open/out.csv", planned, "more rows are suppressed than the plan allows")
    write([*rows, *rows[-2:]])
    found = sqlanon.run(planned, Options(overwrite=True)).manifest["rows"]
    assert found["suppressed"] == 0
    change(rows={**found, "suppressed": 2, "published": 20})
    refused("open/out.csv", planned, "2 rows were masked, but the table has only 0")


def test_options_of_the_command_line(command: Command) -> None:
    dealt()
    append_byte("open/out.csv")
    manifest = ("--manifest", str(MANIFEST))
    by_plan = ("--plan", "out.yml")
    for arguments, expected in (
        (by_plan, 1),
        ((*by_plan, *manifest), 1),
        ((*by_plan, "--no-manifest"), 0),
        ((*by_plan, "--no-manifest", *manifest), 2),
        (("--quasi-identifiers", "bucket", "--k", "3", *manifest), 2),
        ((*by_plan, "--manifest", "none.json"), 2),
    ):
        code, _, errors = command("verify", "open/out.csv", *arguments)
        assert code == expected, arguments
        assert ("digest" in errors) == (code == 1)


def test_every_promise_against_the_published_rows_has_a_proof_of_its_own() -> None:
    """Against the source the classes hold t; among the published rows they do not."""
    promise = {"model": "t-closeness", "t": 0.3, "attribute": "s", "reference": "published"}
    columns = {"a": "quasi-identifier", "s": "sensitive"}
    planned = plan_of(columns, "rows.csv", privacy=[promise], suppression={"limit": 0.9})
    write([{"a": "x", "s": s} for s in "1" * 10 + "0" * 10])
    ones = {"x": 7, "y": 2, "z": 7, "w": 7}
    write(
        [{"a": a, "s": str(int(n < one))} for a, one in ones.items() for n in range(10)], "bad.csv"
    )
    relation = f"read_csv('{Path.cwd()}/bad.csv', all_varchar = true)"
    publication = publication_of(load_plan(planned), relation)
    proofs = {step.name for step in verify_steps(publication) if step.kind == "proof"}
    assert {"proof_of_t_closeness", "proof_of_t_closeness_among_published"} <= proofs
    session = open_session(planned, Options())
    with session.engine(Source(path="bad.csv")) as engine:
        session.bind(engine, read_source)
        broken = {step.name for step in verify_steps(publication) if engine.execute(step)}
    assert broken == {"proof_of_t_closeness_among_published"}
