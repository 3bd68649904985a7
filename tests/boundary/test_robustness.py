"""No traceback, no hang, no word of a foreign object, whatever a plan, option or file is."""

from __future__ import annotations

import gzip
import inspect
import json
import logging
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import duckdb
import pytest

import sqlanon
from sqlanon.boundary import guarded
from sqlanon.boundary.text import DEEPEST
from sqlanon.bounds import LEAST_MEMORY, MOST_THREADS
from sqlanon.errors import (
    EngineError,
    InternalError,
    PlanError,
    PublishError,
    SqlanonError,
    brief,
    did_you_mean,
)
from sqlanon.plan.yaml_file import parse
from tests.conftest import Command
from tests.fuzz.plans import PLANS
from tests.paths import ROOT
from tests.support.secret_texts import KEY

_Result = TypeVar("_Result")

CANARY = "Ada Lovelace, hiv positive"

PLAN: dict[str, Any] = {
    **PLANS[0],
    "suppression": {"limit": 0.1},
    "population": {"path": "population.csv", "header": True},
    "privacy": [{"model": "k-anonymity", "k": 2}, PLANS[1]["privacy"][0]],
    "method": {"name": "optimal", "objective": {"name": "loss"}, "budget": {"nodes": 100}},
}


class Odd:
    """An object that can be a key and prints a cell."""

    def __repr__(self) -> str:
        return CANARY

    __str__ = __repr__


class Frame(Odd):
    """As a data frame: prints its rows, has columns, can be iterated, cannot be compared."""

    columns = (CANARY,)

    def __format__(self, spec: str) -> str:
        return CANARY

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __eq__(self, other: object) -> bool:
        raise ValueError(CANARY)

    def __hash__(self) -> int:
        raise TypeError(CANARY)


FOREIGN: list[Any] = [Frame(), Odd(), CANARY.encode(), {CANARY}, ValueError(CANARY)]


def shown(error: BaseException) -> str:
    """All that can be read of an exception, and of all that stands behind it."""
    words = traceback.format_exception(error)
    waiting: list[BaseException | None] = [error]
    for one in waiting:
        if one is None or one in waiting[: waiting.index(one)]:
            continue
        words += [str(one), repr(one), repr(one.args), repr(vars(one))]
        waiting += [one.__cause__, one.__context__]
        assert isinstance(one, SqlanonError | OSError), f"{type(one).__name__} is left in the chain"
    return "\n".join(words)


def error_of(call: Callable[[], Any]) -> SqlanonError:
    with pytest.raises(SqlanonError) as caught:
        call()
    assert CANARY not in shown(caught.value)
    assert caught.value.fix
    return caught.value


def places(content: Any, keys: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a plan, from the outside in."""
    yield keys
    if isinstance(content, dict | list):
        for key in content if isinstance(content, dict) else range(len(content)):
            yield from places(content[key], (*keys, key))


def put(content: Any, keys: tuple[Any, ...], value: Any) -> Any:
    """The plan with this value in a place."""
    if not keys:
        return value
    copied = content.copy()
    copied[keys[0]] = put(content[keys[0]], keys[1:], value)
    return copied


@pytest.fixture(autouse=True)
def own_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"'Ada,{20 + n % 4},1234,{'flu' if n % 2 else 'hiv'}\n" for n in range(40))
    Path("rows.csv").write_text(f"name,age,zip,disease\n{rows}", encoding="utf-8")


SMALL: dict[str, Any] = {
    "source": "rows.csv",
    "columns": {
        "name": "identifier", "age": "quasi-identifier", "zip": "quasi-identifier",
        "disease": "sensitive",
    },
    "privacy": [{"model": "k-anonymity", "k": 2}],
    "publish": "out.parquet",
}  # fmt: skip


# --- foreign objects


@pytest.mark.parametrize("keys", list(places(PLAN)), ids=str)
def test_no_word_of_a_foreign_object_is_shown(
    keys: tuple[Any, ...], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for foreign in FOREIGN:
        for value in (foreign, [foreign], {"x": foreign}, {Odd(): 1}):
            error_of(partial(sqlanon.load_plan, put(PLAN, keys, value)))
    assert CANARY not in caplog.text


def test_a_data_frame_in_place_of_the_source() -> None:
    error = error_of(lambda: sqlanon.run({**SMALL, "source": Frame()}))
    assert (type(error), error.where) == (PlanError, "source")
    assert "This is a Frame" in error.what
    odd: Any = Odd()
    for function, arguments, keys in (
        (sqlanon.verify, [Frame(), SMALL], {}),
        (sqlanon.run, [odd], {}),
        (sqlanon.show_hierarchy, [SMALL, odd], {}),
        (sqlanon.explain, [odd], {}),
        (sqlanon.measure, [SMALL], {"node": {odd: odd}}),
        (sqlanon.attack, [odd, SMALL], {}),
        (sqlanon.attack, ["rows.csv", SMALL], {"attacks": [odd]}),
        (sqlanon.attack, ["rows.csv", SMALL], {"attacks": [{"name": odd}]}),
        (sqlanon.promised, [{"path": "rows.csv"}, ["age"], [], [odd]], {}),
        (sqlanon.promised, [{"path": odd}, ["age"], [], SMALL["privacy"]], {}),
        (sqlanon.Options, [], {"threads": odd}),
        (sqlanon.Options, [], {"memory_limit": odd}),
    ):
        assert error_of(partial(function, *arguments, **keys)).exit_code in (2, 70)


def test_long_values_are_cut() -> None:
    error = error_of(lambda: sqlanon.load_plan(put(PLAN, ("privacy", 0, "k"), "x" * 50_000)))
    assert "(50,000 characters)" in error.what
    assert len(str(error)) < 300
    known = [f"column_{n}" for n in range(5_000)]
    assert did_you_mean("zzzzz", known).endswith("and 4,980 more.")
    assert len(did_you_mean("zzzzz", ["n" * 3_000])) < 200
    assert brief("x" * 60) == "x" * 60
    assert SqlanonError("\x1b[2Jw" + "x" * 9_000, where="", fix="f").what.startswith("\\x1b[2Jw")


def test_results_print_no_cells() -> None:
    result = sqlanon.run(SMALL)
    roles = {**SMALL["columns"], "name": "insensitive"}
    strict = {**SMALL, "columns": roles, "privacy": [{"model": "k-anonymity", "k": 39}]}
    findings = sqlanon.verify("rows.csv", strict, list_failing=5, with_values=True)
    assert findings[0].failing[0]["zip"] == "1234"
    attacks = sqlanon.attack("out.parquet", SMALL, with_values=True)
    printed = [repr(each) for each in (result, result.plan, str(result.plan), *findings, *attacks,
               sqlanon.profile(SMALL), sqlanon.solve(SMALL),
               sqlanon.Options(overrides=["seed=77777"]))]  # fmt: skip
    for words in ("1234", "flu", "hiv", "123456789", "77777"):
        assert not [one for one in printed if words in one and "threshold" not in one], words


# --- the boundary


def test_every_public_function_is_guarded() -> None:
    offered = {name: getattr(sqlanon, name) for name in sqlanon.__all__}
    functions = {name: f for name, f in offered.items() if inspect.isfunction(f)}
    assert {"run", "verify", "attack", "load_plan"} <= functions.keys()
    for name, function in functions.items():
        assert hasattr(function, "__wrapped__"), name
        assert function.__doc__ == function.__wrapped__.__doc__
        assert inspect.signature(function) == inspect.signature(function.__wrapped__)


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (ValueError(CANARY), InternalError),
        (duckdb.ConversionException(CANARY), InternalError),
        (MemoryError(CANARY), EngineError),
        (RecursionError(CANARY), PlanError),
        (PermissionError(13, CANARY, "/somewhere/file.sql"), PublishError),
        (UnicodeDecodeError("utf-8", CANARY.encode(), 0, 1, CANARY), InternalError),
    ],
)
def test_what_no_module_expected(raised: Exception, kind: type[SqlanonError]) -> None:
    def fails() -> None:
        raise raised

    error = error_of(guarded(fails))
    assert (type(error), error.__context__) == (kind, None)
    if kind is InternalError:
        assert error.exit_code == 70
        assert type(raised).__name__ in error.what
        assert "report" in error.fix


def test_an_internal_error_tells_the_place(
    monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise KeyError(CANARY)

    monkeypatch.setattr("sqlanon.plan.plan.check_columns", broken)
    error = error_of(lambda: sqlanon.load_plan(SMALL))
    assert isinstance(error, InternalError)
    assert "KeyError in sqlanon.plan.plan:" in error.what
    monkeypatch.setattr(sqlanon, "schema", broken)  # which nothing guards but the command line
    code, _, shown = command("schema")
    assert code == 70
    assert "InternalError" in shown
    assert "KeyError in" in shown
    assert CANARY not in shown
    assert "Traceback" not in shown


def test_causes_of_our_own_stay_and_others_go() -> None:
    def fails() -> None:
        try:
            try:
                raise duckdb.Error(CANARY)
            except duckdb.Error:
                raise EngineError("engine", where="", fix="f") from None
        except EngineError as error:
            raise PublishError("publish", where="", fix="f") from error

    error = error_of(guarded(fails))
    assert isinstance(error.__cause__, EngineError)
    assert error.__cause__.__context__ is None

    def stopped() -> None:
        try:
            raise duckdb.Error(CANARY)
        except duckdb.Error:
            raise KeyboardInterrupt from None

    with pytest.raises(KeyboardInterrupt) as caught:
        guarded(stopped)()
    assert caught.value.__context__ is None


def test_errors_of_the_database_leave_nothing_behind() -> None:
    bad = {**SMALL, "source": {"query": f"select error('{CANARY}') as age, 1 as zip, 2 as name,"
                                        " 3 as disease"}}  # fmt: skip
    for call in (sqlanon.run, sqlanon.solve, sqlanon.profile, sqlanon.check_hierarchies):
        error_of(partial(call, bad))
    result = sqlanon.run(SMALL)
    Path("out.parquet").unlink()
    assert isinstance(error_of(lambda: result.published), EngineError)


# --- YAML


def with_little_work(work: Callable[[], _Result], most: int = 6_000_000) -> _Result:
    """What the work returns, after at most so many calls of functions: on any machine the same."""
    calls = 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")
        assert calls <= most

    sys.setprofile(counted)
    try:
        return work()
    finally:
        sys.setprofile(None)


MANY = "a: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"b{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)
)
MERGED = "b0: &a0 {" + ", ".join(f"k{n}: 1" for n in range(100)) + "}\n" + "".join(
    f"b{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 100)}]}}\n" for n in range(1, 9)
)  # fmt: skip


@pytest.mark.parametrize(
    ("content", "place", "what"),
    [
        ("a: 1\nb: !!int abc\n", ":2", "does not have the type that its tag names"),
        ("a: !!int", ":1", "its tag names"),
        ("a: 1\nb: !!python/object/apply:os.system [ls]", ":2", "The tag 'python/object/apply"),
        ("a: !!map x", ":1", "The tag 'map'"),
        ("a: !!str [x]", ":1", "The tag 'str'"),
        ("a: " + "[" * 900 + "]" * 900, ":1", f"more than {DEEPEST} levels deep"),
        ("".join(" " * n + "a:\n" for n in range(600)), f":{DEEPEST}", "deep"),
        ("a: 1\nk: " + "9" * 5_000, ":2", "5,000 characters"),
        ("a: 1\nq: " + "x" * 10_000_000, "", "larger than 512 KiB"),
        ("a: 1\nq: " + "x" * 70_000, ":2", "70,000 characters"),
        ("a:\n" + "".join(f"  c{n}: d\n" for n in range(20_000)), ":12500", "25,000"),
        (MANY, ":5", "25,000 keys and values"),
        (MERGED, ":3", "25,000 keys and values"),
        ("a: 1\nb: &a [*a]", ":2", "inside the value that it refers to"),
        ("!" + "x" * 300_000 + " y", ":1", "(300,001 characters)"),
    ],
    ids=lambda value: value[:30],
)  # fmt: skip
def test_yaml_that_is_refused_early(content: str, place: str, what: str) -> None:
    error = with_little_work(lambda: error_of(lambda: parse(content.encode(), "p.yml")))
    assert (type(error), error.where.split()[0]) == (PlanError, f"p.yml{place}")
    assert error.__context__ is None
    assert what in error.what
    assert len(str(error)) < 400


# --- keys, texts and numbers


def age(**keys: Any) -> dict[str, Any]:
    """The columns, whose age is a quasi-identifier with these keys."""
    return {**SMALL["columns"], "age": {"role": "quasi-identifier", **keys}}


def columns(*names: str, role: str = "insensitive") -> dict[str, Any]:
    return {"columns": {**SMALL["columns"], **dict.fromkeys(names, role)}}


INSIDE: list[Any] = []
INSIDE.append(INSIDE)
DEEP: Any = 1
for _ in range(900):
    DEEP = [DEEP]

REFUSED: list[tuple[str | dict[str, Any], str]] = [
    *(({"seed": value}, what) for value, what in (
        (INSIDE, "deep"), (DEEP, "deep"), ("x" * 70_000, "70,000 characters"),
        (10**5_000, "digits"), ("a\0b", "NUL"), ("\ud800", "surrogate"),
        ("a\u202eb", "direction of writing"), ("\u2066", "direction of writing"),
        ({1: 2}, "A key must be text, not a int"),
    )),
    *((columns(name), "columns") for name in ("a\x07b", "a\0b", "\ud800", "a\x9bb", "a\u202eb")),
    (columns(*map(str, range(50_000))), "25,000 keys"),
    (columns(*map(str, range(2_000)), role="quasi-identifier"), "give at most 2,000"),
    # texts of --set
    ("seed=" + "9" * 5_000, "5,000 characters"),
    ("source=" + "x" * 70_000, "more than 65,536"),
    ("source=a\0b", "NUL"),
    ("a." * 900 + "b=1", "does not set a key"),
    ("privacy." + "9" * 5_000 + ".k=2", "privacy is a list with 1 item(s)"),
    ("seed=!!int abc", "its tag names"),
    ("columns.a\u202eb=sensitive", "direction of writing"),
    # paths, and characters of readers
    ({"source": "a\nb.csv"}, "cannot be printed"),
    ({"publish": "x" * 5_000 + ".csv"}, "more than 255 bytes"),
    ({"source": "x/" * 4_000 + "a.csv"}, "4,096"),
    ({"columns": age(hierarchy={"taxonomy": "\x07"})}, "cannot be printed"),
    ({"source": {"path": "rows.csv", "delimiter": "||"}}, "is too long"),
    ({"source": {"path": "rows.csv", "escape": "\\\\"}}, "is too long"),
    # numbers
    ({"privacy": [{"model": "k-anonymity", "k": 10**30}]}, "give 1,000,000,000 or less"),
    ({"privacy": [{"model": "k-anonymity", "k": "9" * 5_000}]}, "whole number"),
    ({"privacy": [{"model": "beta-likeness", "beta": "1e-999999999"}]}, "at most 25 digits"),
    ({"privacy": [{"model": "beta-likeness", "beta": "1e999999999"}]}, "1,000,000 or less"),
    ({"privacy": [{"model": "beta-likeness", "beta": "sNaN"}]}, "give a number"),
    ({"suppression": {"limit": "1e-999999"}}, "at most 25 digits"),
    ({"method": {"name": "optimal", "budget": {"seconds": float("inf")}}}, "or less"),
    ({"method": {"name": "slicing", "bins": 10**9}}, "10,000 or less"),
    ({"method": {"name": "stack-and-deal", "within": {"age": 10**9}}}, "250 or less"),
    ({"method": {"objective": {"name": "average-class-size", "k": 10**30}}}, "or less"),
    ({"columns": age(weight=1e308)}, "1,000,000 or less"),
    ({"columns": age(weight=5e-324)}, "give weights such as 1"),
    ({"columns": age(hierarchy={"query": "select 1, 2", "columns": 10**9})}, "250 or less"),
    ({"columns": age(hierarchy={"intervals": [2**n for n in range(40)] * 8})}, "at most 250"),
    ({"columns": age(hierarchy={"intervals": ["1e-10"]})}, "at most 9 digits"),
    ({"columns": age(hierarchy={"intervals": ["1e999999999"]})}, "at most 15 digits"),
    ({"columns": age(hierarchy={"round": [10**9]})}, "9 or less"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "what"), REFUSED, ids=lambda value: value[:20] if isinstance(value, str) else ""
)
def test_a_plan_beyond_reason_is_refused(given: str | dict[str, Any], what: str) -> None:
    plan, overrides = (SMALL, [given]) if isinstance(given, str) else ({**SMALL, **given}, [])
    error = with_little_work(lambda: error_of(lambda: sqlanon.load_plan(plan, overrides)))
    assert isinstance(error, PlanError)
    assert what in str(error)
    assert len(str(error)) < 1_000


def test_what_a_plan_may_have() -> None:
    plan = sqlanon.load_plan({**SMALL, "source": Path("rows.csv"), "publish": Path("o.parquet")})
    assert (plan.source.path, plan.publish.path) == ("rows.csv", "o.parquet")
    many = columns(*map(str, range(1_996)), role="quasi-identifier")
    assert len(sqlanon.load_plan({**SMALL, **many}).columns) == 2_000
    data, _ = parse(b"a: =\nb: 2020-99-99\nc: ~\n", "p.yml")
    assert data == {"a": "=", "b": "2020-99-99", "c": None}


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("threads", count) for count in (0, MOST_THREADS + 1, 2.5, True, "4")),
        *(("memory_limit", text) for text in ("1KB", "63MB", "1e9GB", "4", "", "9" * 5_000 + "GB")),
        ("memory_limit", "\N{FULLWIDTH DIGIT FOUR}GB"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_threads_and_memory_that_no_machine_has(option: str, value: Any) -> None:
    error = error_of(lambda: sqlanon.Options(**{option: value}))
    assert (type(error), error.where) == (PlanError, "--" + option.replace("_", "-"))
    assert len(str(error)) < 300


def test_the_largest_numbers_run() -> None:
    """At the end of its range a number is still one that the database can count with."""
    limits = sqlanon.Options(memory_limit=f"{LEAST_MEMORY // 1000**2} mb", threads=MOST_THREADS)
    assert sqlanon.run(SMALL, limits).manifest["rows"]["input"] == 40
    number = "0." + "3" * 25
    kept: list[dict[str, Any]] = [
        {"model": "beta-likeness", "beta": "999999." + "3" * 25},
        {"model": "delta-disclosure", "delta": 64},
        {"model": "l-diversity", "kind": "entropy", "l": "1." + "3" * 25},
        {"model": "average-risk", "threshold": number},
        {"model": "prosecutor-risk", "threshold": number, "share": number},
        {"model": "t-closeness", "t": number},
    ]
    for broken in (
        {"model": "alpha-k-anonymity", "alpha": number, "k": 2},
        {"model": "k-anonymity", "k": 10**9},
        {"model": "l-diversity", "kind": "recursive", "l": 10**9, "c": 10**9},
    ):
        with pytest.raises(sqlanon.NoSolutionError):
            sqlanon.solve({**SMALL, "privacy": [broken]})
    widths: list[list[Any]] = [["0.000000001"], ["999999999999999"], [1e-9, 10**14]]
    for place, aggregate in enumerate(("mean", "geometric-mean", "max", "sum", "rank")):
        own = age(weight=1e6, hierarchy={"intervals": widths[place % 3]})
        own["zip"] = {"role": "quasi-identifier", "weight": 1e-6}
        method = {"objective": {"name": "loss", "aggregate": aggregate}}
        privacy = SMALL["privacy"] if place else kept
        sqlanon.run({**SMALL, "columns": own, "privacy": privacy, "method": method})


# --- files


def test_a_damaged_page_of_parquet_names_its_file() -> None:
    rows = "select zip, name, age, disease from 'rows.csv', range(500)"
    duckdb.execute(f"copy ({rows}) to 'damaged.parquet' (compression zstd)")
    content = Path("damaged.parquet").read_bytes()
    spoilt = content[:20] + bytes(byte ^ 255 for byte in content[20:60]) + content[60:]
    Path("damaged.parquet").write_bytes(spoilt)
    error = error_of(lambda: sqlanon.run({**SMALL, "source": "damaged.parquet"}))
    assert (type(error), error.exit_code) == (PlanError, 2)
    assert error.what == "The Parquet file 'damaged.parquet' is damaged."


WHOLE = gzip.compress(b"name,age,zip,disease\n" + b"a,30,1234,flu\n" * 50)


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize(
    "content",
    [WHOLE[:-8] + b"\0\0\0\0" + WHOLE[-4:], WHOLE[:-4] + b"\0\0\0\0", WHOLE[:-9]],
    ids=["checksum", "length", "end"],
)
@pytest.mark.parametrize("how", ["source", "query", "glob", "view"])
def test_a_damaged_gzip_file_is_not_published(how: str, content: bytes) -> None:
    source: Any = {
        "source": "bad.csv.gz", "glob": "b*.csv.gz", "view": {"table": "people"},
        "query": {"query": "select * from 'bad.csv.gz'"},
    }[how]  # fmt: skip
    connection = duckdb.connect() if how == "view" else None
    Path("bad.csv.gz").write_bytes(WHOLE)
    if connection is not None:
        connection.execute("create view people as from 'bad.csv.gz'")
    sqlanon.run({**SMALL, "source": source}, connection=connection)
    Path("bad.csv.gz").write_bytes(content)
    error = error_of(lambda: sqlanon.run({**SMALL, "source": source}, connection=connection))
    assert (type(error), error.where) == (PlanError, "bad.csv.gz")
    assert "is damaged" in str(error)


SOURCES = ("pipe.csv", "pipe.parquet", "pipe.duckdb::t", "folder.csv", "folder.parquet",
           "empty.csv", "empty.parquet", "broken.parquet", "zero.csv", "loop.csv",
           "loop.duckdb::t")  # fmt: skip
NO_FILES = ("pipe.yml", "folder.yml", "empty.yml", "zero.yml", "/dev/zero", "/dev/stdin", ".",
            "", "x" * 5_000, "a\0b", "\udcff.yml")  # fmt: skip


@pytest.mark.parametrize("place", [*SOURCES, *NO_FILES])
def test_what_is_no_file_is_refused(place: str) -> None:
    """As a source, a population, a hierarchy, a publication, or a plan."""
    for name in ("csv", "yml", "parquet", "duckdb"):
        os.mkfifo(f"pipe.{name}")
        Path(f"folder.{name}").mkdir()
        Path(f"empty.{name}").touch()
        Path(f"zero.{name}").symlink_to("/dev/zero")
        Path(f"loop.{name}").symlink_to(f"loop.{name}")
    Path("broken.parquet").write_bytes(b"PAR1" + CANARY.encode() + b"PAR1")
    source: Any = {"path": place, "format": "csv"} if place.startswith("/dev/") else place
    plans: list[Any] = [
        {**SMALL, "source": source},
        {**SMALL, "population": source, "privacy": [{"model": "k-map", "k": 2}]},
        *({**SMALL, "columns": age(hierarchy=rule)} for rule in (place, {"taxonomy": place})),
    ]
    if place in NO_FILES:
        plans.append(place)
    else:
        assert isinstance(error_of(partial(sqlanon.check, plans[0])), PlanError)
        if place == "loop.csv":
            into = sqlanon.Options(target=Path(place))
            assert error_of(lambda: sqlanon.run(SMALL, into)).exit_code == 5
        named: Any = {"quasi_identifiers": ["age"]}
        for read in (sqlanon.attack, sqlanon.verify, sqlanon.risk):
            error = error_of(partial(read, place, SMALL))
            assert isinstance(error, PlanError)
            assert place in str(error)
        for alone in (sqlanon.verify, sqlanon.risk):
            assert isinstance(error_of(partial(alone, place, k=2, **named)), PlanError)
    if place.startswith("pipe"):
        plans.append({**SMALL, "publish": place})
    for plan in plans:
        error = error_of(partial(sqlanon.run, plan))
        assert isinstance(error, PlanError)
        assert len(str(error)) < 1_000


def test_hierarchies_of_too_many_levels() -> None:
    Path("wide.csv").write_text("\n".join(";".join([str(n)] + ["*"] * 250) for n in range(20, 24)))
    Path("long.csv").write_text("name,age,zip,disease\n" + f"Ada,{'1' * 251},30,flu\n" * 3)
    for source, hierarchy in (
        ("rows.csv", "wide.csv"),
        ("rows.csv", {"query": "select " + ", ".join(["'*'"] * 251)}),
        ("long.csv", {"mask": "right"}),
    ):
        plan = {**SMALL, "source": source, "columns": age(hierarchy=hierarchy)}
        assert "250" in error_of(partial(sqlanon.run, plan)).what


def test_what_needs_no_key_of_pseudonyms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SQLANON_PSEUDONYM_KEY", raising=False)
    plan = put(SMALL, ("columns", "name"), {"role": "identifier", "action": "pseudonym"})
    sqlanon.check(plan)
    sqlanon.check_hierarchies(plan)
    sqlanon.profile(plan)
    sqlanon.show_hierarchy(plan, "age")
    assert "need a key" in error_of(lambda: sqlanon.run(plan)).what
    monkeypatch.setenv("SQLANON_PSEUDONYM_KEY", KEY)
    sqlanon.run(plan)
    monkeypatch.delenv("SQLANON_PSEUDONYM_KEY")
    sqlanon.verify("out.parquet", plan)
    sqlanon.verify("out.parquet", plan, with_source=True)
    sqlanon.attack("out.parquet", plan)
    sqlanon.measure(plan)


# --- round trips


EXAMPLES = sorted(
    file for folder in ("examples", "benchmarks", "docs")
    for file in (ROOT / folder).rglob("*.yml")
    if b"source:" in file.read_bytes()
)  # fmt: skip


@pytest.mark.parametrize(
    "plan", [*EXAMPLES, PLAN, *PLANS], ids=lambda plan: getattr(plan, "name", "")
)
def test_plans_round_trip(plan: Any) -> None:
    loaded = sqlanon.load_plan(plan)
    for mode in ("python", "json"):
        again = sqlanon.load_plan(loaded.model_dump(mode=mode))
        assert again == loaded
        assert again.sha256 == loaded.sha256
    assert sqlanon.load_plan(json.loads(loaded.model_dump_json())) == loaded


# --- the command line


def apart(
    *arguments: str, code: str = "", stdout: int = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    """A command, or code of Python, in a process of its own."""
    what = ["-c", code] if code else ["-m", "sqlanon", *arguments]
    return subprocess.run(
        [sys.executable, *what], stdin=subprocess.DEVNULL, stdout=stdout, stderr=subprocess.PIPE,
        check=False, timeout=120, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip


def test_options_that_are_none(command: Command) -> None:
    Path("p.yml").write_text(json.dumps(SMALL), encoding="utf-8")
    verify = ["verify", "rows.csv", "--quasi-identifiers", "age"]
    for arguments, words in [
        (["run", "p.yml", "--memory-limit", "1KB"], "64MB or more"),
        (["nonsense"], "nonsense"),
        ([*verify, "--promise", "[" * 900], "deep"),
        (["attack", "rows.csv", "--plan", "p.yml", "--attack", "!!int x"], "its tag names"),
        (["measure", "p.yml", "--node", "age=" + "9" * 5_000], "does not give a level"),
        (["verify", "/dev/stdin", "--plan", "p.yml"], "not a regular file"),
    ]:
        code, _, shown = command(*arguments)
        shown = " ".join(shown.split())
        assert code == 2, (arguments[:3], shown[-2_000:])
        assert words in shown, (arguments[:3], shown[-2_000:])
        assert "Traceback" not in shown
        assert len(shown) < 3_000
    done = apart(*verify, "--promise", b"\xff".decode(errors="surrogateescape"))
    assert done.returncode == 2
    assert b"surrogate" in done.stderr


def test_an_output_that_nobody_reads() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    for arguments in (["schema"], ["--help"]):
        done = apart(*arguments, stdout=writing)
        assert (done.returncode, done.stderr) == (141, b"")
    os.close(writing)
    with open("/dev/full", "wb") as full:
        done = apart("schema", stdout=full.fileno())
    assert done.returncode == 5
    assert b"could not be written" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.sampled(0.01, by=("number", "times"))
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("delay", [-0.001, -0.3, 0.0, 0.05, 0.15, 0.4])
def test_signals_end_a_run_cleanly(
    number: signal.Signals, delay: float, times: int, tmp_path: Path
) -> None:
    """While it imports, and from when the run makes its folder; once, and twice in a row."""
    Path("p.yml").write_text(json.dumps(SMALL), encoding="utf-8")
    Path("out.parquet").write_bytes(b"earlier")
    Path("tmp").mkdir()
    child = subprocess.Popen(
        [sys.executable, "-m", "sqlanon", "run", "p.yml", "--overwrite"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path / "tmp")},
    )  # fmt: skip

    def has_begun() -> bool:
        """It has a folder, or has at least come to where it answers signals."""
        status = Path(f"/proc/{child.pid}/status").read_text(encoding="ascii")
        caught = int(status.split("SigCgt:")[1].split()[0], 16)
        return Path("target").exists() or (delay < 0 and bool(caught >> (signal.SIGTERM - 1) & 1))

    while child.poll() is None and not has_begun():
        time.sleep(0.01)
    time.sleep(abs(delay))
    for _ in range(times):
        child.send_signal(number)
        time.sleep(0.05)
    _, stderr = child.communicate(timeout=120)
    assert child.returncode in (0, 128 + number), stderr
    assert child.returncode == 0 or stderr.decode().strip().endswith("Stopped.")
    assert b"Traceback" not in stderr
    assert b"Exception ignored" not in stderr
    published = Path("out.parquet").read_bytes()
    assert published == b"earlier" or published.endswith(b"PAR1")
    assert not [*Path().rglob("staged*"), *Path("tmp").iterdir()]


THIRD = (
    "try: os.kill(os.getpid(), signal.SIGINT); time.sleep(5)\n"
    "except KeyboardInterrupt: pass\n"
    "os.kill(os.getpid(), signal.SIGINT); print('cleaning', flush=True)\n"
    "os.kill(os.getpid(), signal.SIGTERM); time.sleep(5); print('late')\n"
)
DROPPED = (
    "class Gone:\n"
    "    def __del__(self): os.kill(os.getpid(), signal.SIGTERM); time.sleep(0.01)\n"
    "try:\n    gone = Gone(); del gone; time.sleep(5); print('lost')\n"
    "except KeyboardInterrupt: print('stopped', stop.received)\n"
)


def test_a_third_signal_ends_it_at_once_and_one_that_python_dropped_comes_again() -> None:
    begun = "import sqlanon.__main__ as m, signal, time, os\n"
    begun += "stop = m._Stop(); stop.is_running = True\n"
    for code, expected in ((THIRD, (143, b"cleaning\n")), (DROPPED, (0, b"stopped 15\n"))):
        done = apart(code=begun + code)
        assert (done.returncode, done.stdout) == expected
        assert b"Traceback" not in done.stderr
