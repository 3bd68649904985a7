"""Verify against a manifest: the very bytes, rows, columns and types that a run published."""

from __future__ import annotations

import contextlib
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
from tests.proof.test_rearranged import people, plan, published, write

MANIFEST = Path("target/out/manifest.json")


@pytest.fixture(autouse=True)
def own_source(folder: Path) -> None:
    (folder / "open").mkdir()
    write(people(60, 1))


DEALT = plan("stack-and-deal")


@pytest.fixture(scope="module")
def dealt_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("dealt")
    with contextlib.chdir(place):
        Path("open").mkdir()
        write(people(60, 1))
        Path("out.yml").write_text(json.dumps(DEALT))
        sqlanon.run("out.yml")
    return place


@pytest.fixture
def dealt(dealt_once: Path) -> None:
    """The current folder has what a run of the plan left."""
    shutil.copytree(dealt_once, ".", dirs_exist_ok=True)


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
        with pytest.raises(PrivacyViolation, match=message):
            sqlanon.verify("out.parquet", planned)
        if "union" not in select:
            assert sqlanon.verify("out.parquet", planned, manifest=False)[0].satisfied


@pytest.mark.usefixtures("dealt")
def test_a_copy_is_compared_where_the_manifest_is_named() -> None:
    copy = shutil.copy("open/out.csv", "copy.csv")
    assert sqlanon.verify(copy, DEALT, manifest=MANIFEST)[0].satisfied
    append_byte(copy)
    assert sqlanon.verify(copy, DEALT)[0].satisfied  # the manifest names another table
    with pytest.raises(PrivacyViolation, match="digest"):
        sqlanon.verify(copy, DEALT, manifest=MANIFEST)


def test_a_file_is_found_from_another_folder_than_the_plans() -> None:
    Path("plans").mkdir()
    shutil.move("rows.csv", "plans/rows.csv")
    Path("plans/plan.yml").write_text(json.dumps(DEALT))
    sqlanon.run("plans/plan.yml")
    assert sqlanon.verify("plans/open/out.csv", "plans/plan.yml")[0].satisfied
    append_byte("plans/open/out.csv")
    with pytest.raises(PrivacyViolation, match="digest"):
        sqlanon.verify("plans/open/out.csv", "plans/plan.yml")


def test_both_tables_of_anatomy_are_compared() -> None:
    _, planned = published("anatomy")
    assert sqlanon.verify("open/out.csv", planned)[0].satisfied
    append_byte("open/out_values.csv")
    with pytest.raises(PrivacyViolation, match="digest of the file of the table of values"):
        sqlanon.verify("open/out.csv", planned)
    content = json.loads(MANIFEST.read_text(encoding="utf-8"))
    del content["published"]["values"]
    MANIFEST.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(PrivacyViolation, match=r"there are 2 table\(s\), not 1"):
        sqlanon.verify("open/out.csv", planned)


def test_a_table_of_a_database_is_compared_by_its_rows() -> None:
    place, table = "p.duckdb::open.people", "open.people"
    planned = plan("stack-and-deal", publish=place)
    sqlanon.run(planned)
    with duckdb.connect("p.duckdb") as connection:
        connection.execute(f"create table again as from {table} order by hash(zip, age)")
        connection.execute(f"delete from {table}")
        connection.execute(f"insert into {table} from again")
    assert sqlanon.verify(place, planned)[0].satisfied  # in whatever order
    with duckdb.connect("p.duckdb") as connection:
        connection.execute(f"update {table} set job = '' where job is null")
    with pytest.raises(PrivacyViolation, match="other rows"):
        sqlanon.verify(place, planned)


def test_as_many_rows_of_other_kinds_are_other_rows() -> None:
    """The same distinct rows, and as many in all: one more of one, one less of another."""
    Path("rows.csv").write_text("town,illness\n" + "x,flu\n" * 3 + "x,gout\n" * 4)
    planned = {
        "source": "rows.csv",
        "columns": {"town": "quasi-identifier", "illness": "insensitive"},
        "privacy": [{"model": "k-anonymity", "k": 3}],
        "publish": "p.duckdb::people",
    }
    sqlanon.run(planned)
    with duckdb.connect("p.duckdb") as connection:
        found = connection.execute("select rowid from people where illness = 'gout'").fetchone()
        assert found is not None
        connection.execute("update people set illness = 'flu' where rowid = ?", list(found))
    with pytest.raises(PrivacyViolation, match="other rows"):
        sqlanon.verify("p.duckdb::people", planned)


def test_a_table_of_a_connection_is_compared_by_its_rows() -> None:
    planned = plan("stack-and-deal", publish={"table": "people"})
    options = Options(connection=duckdb.connect())
    sqlanon.run(planned, options)
    assert sqlanon.verify("people", planned, options)[0].satisfied
    assert options.connection is not None
    options.connection.execute("update people set job = 'spy' where bucket = 1")
    with pytest.raises(PrivacyViolation, match="other rows") as caught:
        sqlanon.verify("people", planned, options)
    assert "spy" not in str(caught.value)


@pytest.mark.usefixtures("dealt")
def test_a_broken_manifest_is_refused() -> None:
    """Or one of another version of the plan."""
    weaker = plan("stack-and-deal", [{"model": "k-anonymity", "k": 2}])
    with pytest.raises(PlanError, match="another version of the plan"):
        sqlanon.verify("open/out.csv", weaker)
    whole = json.loads(MANIFEST.read_text())
    for content in (
        "{",
        "[]",
        *(json.dumps(without(whole, name)) for name in ("columns", "sha256")),
    ):
        MANIFEST.write_text(content)
        with pytest.raises(PlanError, match="manifest cannot be read"):
            sqlanon.verify("open/out.csv", DEALT)
        assert sqlanon.verify("open/out.csv", DEALT, manifest=False)[0].satisfied


def without(manifest: dict[str, Any], name: str) -> dict[str, Any]:
    kept = {key: value for key, value in manifest["published"].items() if key != name}
    return {**manifest, "published": kept}


def change_rows(**counts: int) -> None:
    """Other numbers of rows in the manifest."""
    manifest = json.loads(MANIFEST.read_text())
    MANIFEST.write_text(json.dumps({**manifest, "rows": {**manifest["rows"], **counts}}))


def test_suppression_is_held_to_its_limit_and_masked_rows_are_there() -> None:
    rows = [{"a": "x", "b": "1"}] * 18 + [{"a": "y", "b": "1"}] * 2
    planned = {
        "source": "rows.csv",
        "columns": {"a": "quasi-identifier", "b": "quasi-identifier"},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "suppression": {"limit": 0.1, "rows": "mask"},
        "publish": "open/out.csv",
    }
    write([*rows, {"a": "z", "b": "2"}, {"a": "z", "b": "3"}])
    manifest = sqlanon.run(planned).manifest
    assert manifest["rows"]["suppressed"] == 2  # of 22 rows, a tenth of them being 2
    assert sqlanon.verify("open/out.csv", planned)[0].satisfied
    change_rows(suppressed=3, published=19)
    with pytest.raises(PrivacyViolation, match="more rows are suppressed than the plan allows"):
        sqlanon.verify("open/out.csv", planned)
    write([*rows, *rows[-2:]])
    assert sqlanon.run(planned, Options(overwrite=True)).manifest["rows"]["suppressed"] == 0
    change_rows(suppressed=2, published=20)
    with pytest.raises(PrivacyViolation, match="2 rows were masked, but the table has only 0"):
        sqlanon.verify("open/out.csv", planned)


@pytest.mark.usefixtures("dealt")
def test_options_of_the_command_line(command: Command) -> None:
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
    planned = {
        "source": "rows.csv",
        "columns": {"a": "quasi-identifier", "s": "sensitive"},
        "privacy": [{"model": "t-closeness", "t": 0.3, "attribute": "s", "reference": "published"}],
        "suppression": {"limit": 0.9},
        "publish": "open/out.csv",
    }
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
