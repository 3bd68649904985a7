"""What a run has to itself, what it may touch, and what it leaves: rows, files, folders, modes."""

from __future__ import annotations

import errno
import itertools
import json
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb
import pytest

import sqlanon
from sqlanon.boundary import locks as claims
from sqlanon.boundary.files import sha256_of
from sqlanon.commands.options import Options
from sqlanon.commands.session import open_session
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.errors import EngineError, PlanError, PrivacyViolation, PublishError, SqlanonError
from sqlanon.publication.ready import Ready
from sqlanon.sql.paths import PathMap, file_to_read, literal_pattern
from sqlanon.sql.render import shipped
from sqlanon.sql.step import Step

Plan = dict[str, Any]

ANATOMY: dict[str, Any] = {
    "columns": {
        "name": "identifier",
        "age": "quasi-identifier",
        "town": "quasi-identifier",
        "illness": "sensitive",
    },
    "privacy": [{"model": "l-diversity", "attribute": "illness", "l": 3}],
    "method": "anatomy",
}

TOWNS = "adult/sex.csv"
"""A shipped hierarchy, which is copied to the target folder."""


@pytest.fixture(autouse=True)
def own_source(folder: Path) -> None:
    write(60)


def write(count: int, place: str | Path = "rows.csv", town: str = "T") -> None:
    """A source: `count` rows, five of each age."""
    lines = [f"n{n},{n // 5},{town},d{n % 3}" for n in range(count)]
    Path(place).write_text("\n".join(["name,age,town,illness", *lines]) + "\n")


def plan(k: int = 5, *, town: Any = None, **keys: Any) -> Plan:
    """A plan over it, perhaps with a hierarchy of towns."""
    by = {"role": "quasi-identifier", "hierarchy": town} if town else "quasi-identifier"
    return {
        "source": "rows.csv",
        "columns": {
            "name": "identifier",
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [2, 4, 100]}},
            "town": by,
            "illness": "insensitive",
        },
        "privacy": [{"model": "k-anonymity", "k": k}],
        "publish": "open.parquet",
        **keys,
    }


def as_files(*places: str) -> None:
    """The source again, in files of the formats that their names say."""
    for place in places:
        rows = "from read_csv('rows.csv', all_varchar = true)"
        duckdb.execute(f"copy ({rows}) to '{place}' (format {place.rpartition('.')[2]})")


def towns(planned: Any, **options: Any) -> list[Any]:
    """The towns that a run publishes."""
    return [row[1] for row in sqlanon.run(planned, **options).published.fetchall()]


def rows_of(place: str = "open.parquet") -> list[tuple[Any, ...]]:
    """The rows of a published file."""
    reader = "select * from read_parquet($1, hive_partitioning = false)"
    return duckdb.execute(reader, [literal_pattern(place)]).fetchall()


def queried(query: str, file: str = ":memory:") -> list[tuple[Any, ...]]:
    with duckdb.connect(file) as connection:
        return connection.execute(query).fetchall()


def refused(
    planned: Any, match: str | None, kind: type[SqlanonError] = PublishError, **options: Any
) -> None:
    with pytest.raises(kind, match=match):
        sqlanon.run(planned, Options(**options))


def described() -> dict[str, bytes]:
    """The publication, and what describes it: the solution, and files of the target folder."""
    files = [*Path("target/open").rglob("*"), Path("open.solution.json"), Path("open.parquet")]
    return {str(file): file.read_bytes() for file in files if file.is_file()}


def manifest_of(name: str = "open") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(f"target/{name}/manifest.json").read_text())
    return found


def hidden() -> list[str]:
    """Names of locks and private folders."""
    return sorted(path.name for path in Path().rglob(".*"))


def no_room_for(
    monkeypatch: pytest.MonkeyPatch, name: str, number: int = errno.ENOSPC, times: int = 99
) -> None:
    """From now on no file of this name is put in place, so many times."""
    real, left = os.replace, [times]

    def fail(source: Any, target: Any) -> None:
        if Path(target).name == name and ".run_" not in str(target) and left[0]:
            left[0] -= 1
            raise OSError(number, os.strerror(number))
        real(source, target)

    monkeypatch.setattr(os, "replace", fail)


@pytest.mark.parametrize("name", ["open", "other"])
def test_the_second_run_waits_and_says_for_whom(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Two runs of one plan, or to one place: each publishes what it proved, of k = 60 or 5."""
    inside, go = threading.Event(), threading.Event()

    def first_stops(progress: sqlanon.Progress) -> None:
        if progress.step == "release":
            inside.set()
            assert go.wait(60)

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(sqlanon.run, plan(60), Options(progress=first_stops))
        assert inside.wait(60)
        other = sqlanon.load_plan(plan(5), name=name)
        second = pool.submit(sqlanon.run, other, Options(overwrite=True))
        deadline = time.monotonic() + 60
        while not caplog.records and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not second.done()
        go.set()
        measured = [run.result().manifest["privacy"][0]["measured"] for run in (first, second)]
    assert f"Waiting for open (process {os.getpid()}" in caplog.text
    assert measured == [60, min(Counter(row[:2] for row in rows_of()).values())] == [60, 5]
    assert manifest_of(name)["published"]["sha256"] == sha256_of(Path("open.parquet"))
    assert hidden() == []


def test_a_run_without_a_result_leaves_what_describes_the_publication(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No node satisfies the plan, or the staged rows change after the proof."""
    sqlanon.run(plan())
    earlier = described()
    as_files("bad.parquet")
    refused(plan(100), None, SqlanonError)
    real = DuckDBEngine.is_unchanged

    def overwrite(staged: Path) -> None:
        staged.write_bytes(Path("bad.parquet").read_bytes())

    def exchange(staged: Path) -> None:
        staged.unlink()
        staged.symlink_to(Path("bad.parquet").absolute())

    for fault in (overwrite, exchange, Path.unlink):

        def changed(engine: DuckDBEngine, staged: Any, fault: Any = fault) -> bool:
            fault(staged[0].file)
            return real(engine, staged)

        monkeypatch.setattr(DuckDBEngine, "is_unchanged", changed)
        refused(plan(10), "after they were", PrivacyViolation)
        assert described() == earlier
        assert hidden() == []


def test_nobody_else_can_look_into_the_folder_of_a_run() -> None:
    """And a link at the name of its file is not followed."""
    seen: list[int] = []
    Path("precious").write_text("mine")
    claims.claim(Path("target/open"))
    for name in ("staged.parquet", "tmp_staged.parquet", "manifest.json.part"):
        Path("target/open", name).symlink_to(Path("precious").absolute())

    def look(progress: sqlanon.Progress) -> None:
        if progress.step == "published_rows" and progress.seconds is None:
            (run,) = Path("target/open").glob(".run_*")
            assert (run / "staged.parquet").is_file()
            seen.append(stat.S_IMODE(run.stat().st_mode))

    sqlanon.run(plan(), Options(progress=look))
    assert seen == [0o700]
    assert Path("precious").read_text() == "mine"


@pytest.mark.parametrize(
    ("place", "mode"), [("open.parquet", 0o600), ("open.csv", 0o640), ("open.duckdb::rows", 0o664)]
)
def test_who_could_read_the_earlier_publication_can_read_the_new_one(
    place: str, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And its bytes were confirmed before its name was given to them."""
    confirmed = set[int]()
    monkeypatch.setattr(os, "fsync", lambda number: confirmed.add(os.fstat(number).st_ino))
    planned = plan(publish=place)
    file = Path(place.partition("::")[0])
    sqlanon.run(planned)
    file.chmod(mode)
    sqlanon.run(planned)
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert file.stat().st_ino in confirmed


def test_the_next_run_removes_what_a_killed_one_left(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(folder / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    places = ["target/open/.run_", "tmp/sqlanon_", claims.BESIDE]
    dead = [folder / f"{place}0123456789abcdef" for place in places]
    for each in dead:
        each.mkdir(mode=0o700, parents=True)
        (each / "staged.parquet").write_text("secret rows")
    killed = {"process": 1, "holder": "open", "since": "00:00:00"}
    for lock in ("target/open/.sqlanon_run.lock", ".sqlanon_open.parquet.lock"):
        (folder / lock).write_text(json.dumps(killed))
    theirs = [folder / ".sqlanon_notes", folder / "target/open/.run_2"]
    theirs[0].mkdir(mode=0o700)
    theirs[1].mkdir(mode=0o755)
    (folder / "target/open/.run_1").symlink_to(folder)
    with claims.private_folder(folder / "tmp", "sqlanon_x") as living:
        sqlanon.run(plan())
        assert living.is_dir()  # somebody holds it
    assert not [left for left in dead if left.exists()]
    assert all(each.is_dir() for each in theirs)
    assert hidden() == [".run_1", ".run_2", ".sqlanon_notes"]


MINE = {"manifest.json": "mine", "release.sql": "mine", "sql/01_mine.sql": "mine"}


def write_mine(place: str) -> None:
    Path(place, "sql").mkdir(parents=True)
    for file, content in MINE.items():
        Path(place, file).write_text(content)


def test_a_name_that_leads_elsewhere_is_refused(folder: Path) -> None:
    """A plan called `...yml` would have its own folder as its target."""
    write_mine(".")
    for name in ("..", ".", "..notes", ".hidden"):
        planned = folder / f"{name}.yml"
        planned.write_text(json.dumps(plan()))
        for command in (sqlanon.check, sqlanon.compile, sqlanon.run):
            with pytest.raises(PlanError, match="cannot be the name of a plan"):
                command(planned)
        assert sqlanon.load_plan(planned, name="called").name == "called"
    assert {file: Path(file).read_text() for file in MINE} == MINE
    assert not Path("target").exists()


@pytest.mark.parametrize("way", ["a link", "the option", "a folder"])
def test_a_target_folder_with_files_of_somebody_else_is_refused(way: str, folder: Path) -> None:
    options = Options(target=Path("mine") if way == "the option" else None)
    place = Path("target/open" if way == "a folder" else "mine")
    write_mine(str(place))
    if way == "a link":
        Path("target").mkdir()
        Path("target/open").symlink_to(folder / "mine")
    write(60, town="Male")
    for planned in (plan(), plan(town=TOWNS)):
        for command in (sqlanon.run, sqlanon.solve, sqlanon.compile):
            with pytest.raises(PublishError, match="files that sqlanon did not write"):
                command(planned, options)
    assert {name: (place / name).read_text() for name in MINE} == MINE
    assert len(list(place.rglob("*"))) == len(MINE) + 1
    assert not Path("open.parquet").exists()
    (place / claims.MARK).touch()  # the user says that they may be replaced
    sqlanon.run(plan(), options)
    assert json.loads((place / "manifest.json").read_text())["rows"]["input"] == 60


def test_a_lock_of_somebody_else_stays() -> None:
    """And files beside those of a run."""
    other = Path(".open.parquet.lock")  # as another program would call its lock
    other.touch()
    sqlanon.run(plan())
    earlier = described()
    for place, content in itertools.product(
        (".sqlanon_open.parquet.lock", "target/open/.sqlanon_run.lock"), ("mine", "{}", "[]")
    ):
        Path(place).write_text(content)
        refused(plan(10), "FileExistsError")
        assert Path(place).read_text() == content
        Path(place).unlink()
    assert described()["open.parquet"] == earlier["open.parquet"]
    beside = ("notes.md", "sql/signed.txt", "sql/mine.sql")
    for name in beside:
        Path("target/open", name).write_text("mine")
    sqlanon.run(plan(10))
    assert {Path("target/open", name).read_text() for name in beside} == {"mine"}
    assert other.exists()


def test_a_run_that_fails_leaves_what_describes_the_publication(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sqlanon.run(plan())
    Path("target/open/sql/signed.txt").write_text("by me")
    (dead := Path("target/open/report.html")).write_text("a page")
    earlier = described()
    names = ("manifest.json", "release.sql", "sql", "search.sql", "open.solution.json")
    for name in ("open.parquet", *names):
        with monkeypatch.context() as patch:
            # the last one cannot be restored, either, which keeps no other from it
            no_room_for(patch, name, times=1 + (name == "manifest.json"))
            refused(plan(10), "earlier one is unchanged")
        assert described() == earlier, name
    real, left = os.replace, {"manifest.json": 0, "release.sql": 1}

    def fail(source: Any, target: Any) -> None:
        """The manifest is not put in place, and the release not put back."""
        if ".run_" not in str(target) and (name := Path(target).name) in left:
            left[name] -= 1
            if left[name] < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", fail)
        refused(plan(10), "could not be put back")
    assert {name for name, content in described().items() if content != earlier[name]} == {
        "target/open/release.sql"
    }
    result = sqlanon.run(plan(10))
    after = described()
    solution = json.loads(after["open.solution.json"])
    assert solution["plan_sha256"] == result.manifest["plan_sha256"]
    assert result.manifest == json.loads(after["target/open/manifest.json"])
    assert sha256_of(Path("target/open/sql/program.sql")) == result.manifest["program_sha256"]
    assert after["target/open/sql/signed.txt"] == b"by me"
    assert not dead.exists()
    assert hidden() == []


def test_a_link_that_leads_nowhere_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    sqlanon.run(plan())
    link = Path("target/open/release.sql")
    link.unlink()
    link.symlink_to("gone.sql")
    no_room_for(monkeypatch, "manifest.json")
    refused(plan(10), "earlier one is unchanged")
    assert link.readlink() == Path("gone.sql")


@pytest.mark.parametrize("keys", [{}, ANATOMY], ids=["file", "folder"])
def test_a_manifest_of_another_place_lets_nothing_be_replaced(keys: dict[str, Any]) -> None:
    """The same bytes, which are somebody's copy where the plan did not publish before."""
    planned = plan(publish="open/o.parquet", **keys)
    sqlanon.run(planned)
    shutil.copytree("open", "mine")
    refused(plan(publish="mine/o.parquet", **keys), "already exists")
    if keys:  # both files must be the earlier ones
        shutil.copy("open/o.parquet", "open/o_values.parquet")
        refused(planned, "already exists")


def test_a_folder_in_the_place_of_a_file_is_noticed_before_a_transaction() -> None:
    """A transaction cannot be undone afterwards."""
    queried("create table other as select 1 as one", "open.duckdb")
    planned = plan(publish="open.duckdb::rows")
    sqlanon.run(planned)
    earlier = queried("from rows", "open.duckdb")
    write(120)
    for name in ("release.sql", "manifest.json"):
        place = Path("target/rows", name)
        content = place.read_bytes()
        place.unlink()
        place.mkdir()
        refused(planned, "earlier one is unchanged", overwrite=True)
        assert queried("from rows", "open.duckdb") == earlier
        place.rmdir()
        place.write_bytes(content)


def test_the_exchange_of_folders_is_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    planned = plan(publish="open/o.parquet", **ANATOMY)
    sqlanon.run(planned)
    earlier = {file.name: file.read_bytes() for file in Path("open").iterdir()}
    write(120)
    no_room_for(monkeypatch, "manifest.json")
    refused(planned, "earlier one is unchanged")
    assert {file.name: file.read_bytes() for file in Path("open").iterdir()} == earlier


def test_a_path_with_a_pattern_is_all_files_that_fit() -> None:
    """Or the one of this name."""
    Path("parts").mkdir()
    for n in range(3):
        write(20, f"parts/p[{n}].csv", f"t{n}")
        write(20, f"parts/p{n}.csv", "wrong")
    write(20, "parts/p[?].csv", "right")
    found = Counter(towns(plan(source="parts/p[?].csv")))
    assert found == {"t0": 20, "t1": 20, "t2": 20, "right": 20}
    assert PathMap(Path("/x")).resolved(file_to_read("s3://b/[1]")) == "'s3://b/[[]1]'"
    named = plan(source={"path": "parts/p[?].csv", "glob": False})
    assert towns(named) == ["right"] * 20
    program, _ = sqlanon.compile(named)
    with duckdb.connect() as connection:  # the reviewed text reads it, too
        connection.execute(program.sql)
    assert {row[1] for row in rows_of()} == {"right"}


@pytest.mark.sampled(0.3)
@pytest.mark.parametrize("kind", ["csv", "parquet", "json"])
def test_folders_named_like_columns_are_no_columns(kind: str) -> None:
    Path("town=nowhere").mkdir()
    as_files(f"town=nowhere/rows.{kind}")
    planned = plan(source=f"town=nowhere/rows.{kind}", publish="town=nowhere/open.parquet")
    assert {*towns(planned)} == {"T"}
    assert sqlanon.verify("town=nowhere/open.parquet", planned)[0].satisfied
    named = {**planned, "source": {"path": planned["source"], "hive_partitioning": True}}
    assert {*towns(named)} == {"nowhere"}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("line=*", "csv"),
        ("p?[p]", "parquet"),
        ("level_0=7", "parquet"),
        (':p"a\\b', "csv"),
        (f"age=it's {{a}}, [b]* {'long ' * 30}", "duckdb"),
    ],
)
def test_a_plan_and_its_folder_are_called_like_patterns_or_columns(
    name: str, kind: str, folder: Path
) -> None:
    place = folder / name
    place.mkdir()
    write(60, place / "rows.csv")
    places = {"duckdb": "open.duckdb::rows", "csv": "~open.csv", "parquet": "s3:open.parquet"}
    publish = places[kind]
    (place / "h.csv").write_text("T;*\n")
    (place / "h.txt").write_text("*: T\n")
    town = {"taxonomy": "h.txt"} if kind == "csv" else "h.csv"
    (place / f"{name}.yml").write_text(json.dumps(plan(publish=publish, town=town)))
    assert towns(place / f"{name}.yml") == ["T"] * 60
    assert (place / "target" / name / "manifest.json").is_file()
    found = sqlanon.verify(f"{place}/{publish}", place / f"{name}.yml")
    assert found[0].measured == 5


def test_hierarchies_are_not_copied_out_of_the_target_folder(folder: Path) -> None:
    (folder / "outside.csv").write_text("T;x;*\n")
    climbing = os.path.relpath(folder / "outside.csv", shipped("hierarchies").resolve())
    place = folder / "deep/er"
    place.mkdir(parents=True)
    write(20, place / "rows.csv")
    for path in (climbing, "../../../../../../../../etc/passwd"):
        (place / "p.yml").write_text(json.dumps(plan(town=path)))
        if not (place / path).is_file():  # which would be an input like any other
            refused(place / "p.yml", "was not found in the plan's folder", PlanError)


def test_what_a_plan_reads_is_not_published_over(folder: Path) -> None:
    (folder / "sub").mkdir()
    as_files("rows.parquet", "part1.parquet", "part2.parquet")
    Path("link.parquet").symlink_to("rows.parquet")
    os.link("rows.parquet", "hard.parquet")
    Path("h.csv").write_text("T;x;*\n")
    Path("towns.csv").write_text("town\nT\n")
    write(60, "people.csv")
    queried("create table t as from read_csv('rows.csv', all_varchar = true)", "s.duckdb")
    os.link("s.duckdb", "other.duckdb")
    before = {file: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    places = ("rows.parquet", "link.parquet", "hard.parquet", "sub/../rows.parquet")
    queries = ("from 'rows.parquet'", "select * from read_parquet(['rows.parquet'])")
    for planned in (
        *(plan(source="rows.parquet", publish=place) for place in places),
        plan(source="part*.parquet", publish="part2.parquet"),
        plan(source={"query": "from read_parquet('part*.parquet')"}, publish="part3.parquet"),
        plan(town="h.csv", publish="h.csv"),
        plan(population="people.csv", publish="people.csv"),
        plan(source="s.duckdb::t", publish="s.duckdb::open"),
        plan(source="s.duckdb::t", publish="other.duckdb::open"),
        plan(publish="target/open/open.parquet"),
        *(plan(source={"query": query}, publish="rows.parquet") for query in queries),
        plan(town={"query": "select town, '*' from 'towns.csv'"}, publish="towns.csv"),
    ):
        for overwrite in (False, True):
            refused(planned, None, PlanError, overwrite=overwrite)
    assert {file: file.read_bytes() for file in before} == before


def test_what_a_connection_reads_is_not_published_over() -> None:
    as_files("rows.parquet")
    with duckdb.connect() as connection:
        connection.execute("attach 'w.duckdb' as w")
        connection.execute("create table w.mine as from read_csv('rows.csv', all_varchar = true)")
        connection.execute("create view inner_view as from 'rows.parquet'")
        connection.execute("create view seen as select * from inner_view")
        connection.execute("create view other as select * from w.mine")
        for name, place in (
            ("seen", "rows.parquet"),
            ("w.mine", "w.duckdb::open"),
            ("w.mine", {"table": "w.main.mine"}),
            ("w.mine", {"table": "W.MINE"}),
            ("other", {"table": "w.mine"}),
        ):
            for source in ({"table": name}, {"query": f"select * from {name} where age <> 'x'"}):
                refused(
                    plan(source=source, publish=place), "publishing would replace it", PlanError,
                    overwrite=True, connection=connection,
                )  # fmt: skip


@pytest.mark.parametrize("kind", ["file", "connection"])
def test_what_no_run_of_the_plan_wrote_is_not_overwritten(kind: str) -> None:
    connection = duckdb.connect() if kind == "connection" else None
    if connection is not None:
        connection.execute("create table mine as select 1 as one")
    Path("mine.parquet").write_text("mine")
    Path("folder.parquet").mkdir()
    for overwrite in (False, True):
        refused(plan(publish="folder.parquet"), None, overwrite=overwrite)
    planned = plan(publish={"table": "mine"} if connection else "mine.parquet")
    refused(planned, "--overwrite", connection=connection)
    result = sqlanon.run(planned, Options(overwrite=True, connection=connection))
    assert len(result.published.fetchall()) == 60
    again = sqlanon.run(planned, connection=connection)  # now it is the plan's own
    assert again.manifest["published"] == result.manifest["published"]
    if kind == "file":
        Path("mine.parquet").write_text("edited")
        refused(planned, "--overwrite")


@pytest.mark.parametrize("is_there", [True, False])
def test_the_log_of_a_killed_program_is_not_replayed_into_the_publication(is_there: bool) -> None:
    made = "c = duckdb.connect('open.duckdb'); c.execute('create table people (one integer)')"
    killed = f"import duckdb, os; {made}; os._exit(0)"
    subprocess.run([sys.executable, "-c", killed], check=True)
    assert Path("open.duckdb.wal").stat().st_size
    if not is_there:
        Path("open.duckdb").unlink()
    sqlanon.run(plan(publish="open.duckdb::people"), Options(overwrite=True))
    with duckdb.connect("open.duckdb") as connection:
        assert len(connection.execute("from people").fetchall()) == 60


def test_no_byte_of_earlier_rows_is_left_in_a_database() -> None:
    """5,000 values that no later publication has, looked for in the bytes of the file."""
    for word in ("earlier", "later"):
        lines = [f"n{n},{n // 5},T,{word}{n:05d}" for n in range(5000)]
        Path("rows.csv").write_text("\n".join(["name,age,town,illness", *lines]) + "\n")
        sqlanon.run(plan(publish="open.duckdb::rows"))
    assert re.findall(rb"earlier\d{5}", Path("open.duckdb").read_bytes()) == []
    assert not Path("open.duckdb.wal").exists()
    found = queried("select count(*), min(illness) from rows", "open.duckdb")
    assert found == [(5000, "later00000")]


def test_an_own_engine_is_closed(folder: Path) -> None:
    session = open_session(plan(), Options())
    Path("other.csv").write_text("a\n1\n")
    duckdb.connect("other.duckdb").close()
    with session.working_files() as ready, session.embedded() as engine:
        for number, sql in enumerate((
            "select * from read_csv('rows.csv')",
            f"select * from read_csv('{folder}/rows.csv')",
            f"select 1 as written_by_a_query from read_csv('{folder}/rows.csv')",
        )):  # fmt: skip
            engine.execute(Step(f"allowed_{number}", sql, "rows"))
        for statement in (
            f"select * from read_csv('{folder}/other.csv')",
            f"select * from read_text('{folder}/*')",
            "select * from glob('*')",
            f"copy (select 1) to '{folder}/stray.csv'",
            f"copy (select 1) to '{folder}/target/stray.csv'",
            f"attach '{folder}/other.duckdb' as other",
            "install httpfs",
            "set threads = 1",
            "set enable_external_access = true",
            "reset allowed_directories",
            "export database 'x'",
        ):
            with pytest.raises(EngineError):
                engine._in_worker(lambda s=statement: engine._sql(s), "refused")  # type: ignore[misc]
        engine.execute(Step("x", "select 1 as i", "copy", f"{ready.private}/x.csv", "format csv"))
    assert not list(folder.rglob("stray*"))


@pytest.mark.parametrize(
    "source",
    [
        {"path": "rows.csv", "types": {"age": "integer"}},
        {"query": "select name, cast(age as integer) as age, town, illness from 'rows.parquet'"},
    ],
    ids=["types", "query"],
)
def test_an_error_of_the_engine_has_no_raw_text_behind_it(source: dict[str, Any]) -> None:
    Path("rows.csv").write_text("name,age,town,illness\n" + "n,CANARY,T,d\n" * 9)
    as_files("rows.parquet")
    with pytest.raises(SqlanonError) as caught:
        sqlanon.run(plan(source=source))
    error: BaseException | None = caught.value
    while error is not None:
        assert "CANARY" not in str(error) + repr(error)
        error = error.__cause__ or error.__context__


def test_a_run_that_is_stopped_before_its_manifest_is_in_place(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    place = "shared.duckdb::rows"
    queried("create table other as select 1 as one", "shared.duckdb")
    planned = plan(publish=place)
    sqlanon.run(planned)
    write(80)
    real, stopped = Ready.put, [False]

    def stop(ready: Ready) -> None:
        if not stopped[0]:
            stopped[0] = True
            raise KeyboardInterrupt
        real(ready)

    monkeypatch.setattr(Ready, "put", stop)
    with pytest.raises(KeyboardInterrupt):
        sqlanon.run(planned)
    assert "its rows are proven and published" in caplog.text
    assert manifest_of("rows")["published"]["rows"] == 80
    assert sqlanon.verify(place, planned)[0].satisfied
    write(60)
    assert sqlanon.run(planned).manifest["published"]["rows"] == 60
    assert hidden() == []


def test_a_pair_of_files_is_replaced_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader of the folder finds both tables of one run, whenever it looks.

    The names of both are on the disk before the folder gets its own; others can look into it.
    """
    refused(plan(**ANATOMY), r"publish: open/open\.parquet", PlanError)
    confirmed = set[int]()
    monkeypatch.setattr(os, "fsync", lambda number: confirmed.add(os.fstat(number).st_ino))
    planned = plan(publish="open/rows.parquet", **ANATOMY)
    sqlanon.run(planned)
    first = os.stat("open").st_ino
    sqlanon.run(planned)
    second = os.stat("open")
    assert second.st_ino != first
    assert {first, second.st_ino} <= confirmed
    assert stat.S_IMODE(second.st_mode) == 0o755
    assert sorted(os.listdir("open")) == ["rows.parquet", "rows_values.parquet"]
    Path("open/notes.txt").write_text("mine")
    for overwrite in (False, True):
        refused(planned, "other files", overwrite=overwrite)
    assert Path("open/notes.txt").read_text() == "mine"
