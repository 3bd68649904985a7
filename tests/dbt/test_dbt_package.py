"""The dbt package: its macros are those of the templates, and its tests agree with `verify`."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sqlanon
from sqlanon.privacy_models.base import ClassRelations, PrivacyModel
from sqlanon.proof.publication import Publication, publication_of
from sqlanon.sql.render import comment, folded, number, text
from sqlanon.sql.step import quoted
from tests.oracles import models
from tests.oracles.models import KNOWN, RANDOM_MODELS
from tests.selection import examples
from tests.support.dbt_macros import PACKAGE, CompilerError, macros
from tests.support.dbt_package_files import module_of, package_files
from tests.support.servers import opened

UPDATE = "SQLANON_UPDATE_GOLDEN"
BY_HAND = {
    "README.md", "dbt_project.yml", "macros/checks.sql", "macros/labeled.sql",
    "macros/relations.sql", "macros/suppression.sql", "macros/values.sql",
}  # fmt: skip
"""The files that no template and no model decides."""

# --- what is generated


def test_files_are_those_of_the_templates() -> None:
    files = package_files()
    if os.environ.get(UPDATE):
        for old in (PACKAGE / "macros/generated").rglob("*.*"):
            old.unlink()
        for path, content in files.items():
            (PACKAGE / path).parent.mkdir(parents=True, exist_ok=True)
            (PACKAGE / path).write_text(content, encoding="utf-8")
    found = {
        file.relative_to(PACKAGE).as_posix(): file.read_text(encoding="utf-8")
        for file in PACKAGE.rglob("*")
        if file.is_file()
    }
    assert found.keys() == {*files, *BY_HAND}
    stale = [path for path, content in files.items() if found[path] != content]
    assert not stale, f"write them with {UPDATE}=1 pytest {Path(__file__).name}, and read them"


def tidy(sql: str) -> str:
    """A text as `render` leaves it, folded and without spaces at ends of lines; no empty lines."""
    lines = [line.rstrip() for line in sql.split("\n")]
    return folded("\n".join(filter(None, lines)))


@pytest.fixture(scope="module")
def as_templates() -> Any:
    """The macros with the filters and the words of the templates."""
    return macros(
        ident=quoted, text=text, number=number, comment=comment,
        double=lambda: "double", log2=lambda value: f"log(2, {value})",
        same_as=lambda: "is not distinct from",
    )  # fmt: skip


@pytest.mark.parametrize("title", RANDOM_MODELS)
@given(data=st.data())
@examples(100)
def test_macros_render_as_the_templates_do(
    title: str, data: st.DataObject, as_templates: Any
) -> None:
    model: PrivacyModel = data.draw(RANDOM_MODELS[title])
    keys = st.lists(
        st.sampled_from(["sex", "marital-status", "order", 'a"b', "x" * 60]), min_size=1
    )
    relations = ClassRelations(
        class_key=data.draw(keys), classes="classes", class_values="class_values",
        table_values="table_values", value_levels="value_levels",
    )  # fmt: skip
    macro = getattr(as_templates, f"{module_of(model.template)}_sql")
    inputs = {
        **vars(relations),
        **dict(model),
        "promise": model.promise("rows"),
        "source": model.source,
    }
    rendered = macro(**{name: inputs[name] for name in macro.arguments})
    wanted = model.sql(relations)
    assert tidy(rendered) == tidy(wanted)


# --- the tests and `verify` agree

Row = dict[str, str | None]


def random_rows(choose: random.Random, spread: int, count: int) -> list[Row]:
    """Two quasi-identifiers, two sensitive attributes, and a person."""
    return [
        {
            "marital-status": choose.choice(["a", None, "b", "c"][:spread]),
            "order": choose.choice(["1", "2", "10"][:spread]),
            "s": choose.choice(["1", "10", None, "2", "3.5"][: choose.choice([1, spread + 1])]),
            "u": choose.choice(["x", "y", None][: choose.choice([1, spread])]),
            "person": f"p{choose.randrange(400)}",
        }
        for _ in range(count)
    ]


def write_table(
    connection: duckdb.DuckDBPyConnection, name: str, rows: Sequence[Mapping[str, str | None]]
) -> None:
    columns = ", ".join(f"unnest(${n}::varchar[]) as {quoted(c)}" for n, c in enumerate(rows[0], 1))
    values = [[row[column] for row in rows] for column in rows[0]]
    connection.execute(f"create or replace table {quoted(name)} as select {columns}", values)


HIERARCHY = {"1": ("low", "*"), "2": ("low", "*"), "3.5": ("low", "*"), "10": ("high", "*")}


def verified(promises: list[dict[str, Any]], unit: str | None = None) -> list[int | None]:
    """The failing classes of each promise, by `verify`; None where the table itself is refused.

    Rows of persons still have their key, as those of a candidate do.
    """
    columns: dict[str, Any] = {
        "marital-status": "quasi-identifier", "order": "quasi-identifier",
        "s": {"role": "sensitive", "hierarchy": "hierarchy.csv", "compare": "exact"},
        "u": "sensitive", "person": "identifier" if unit else "insensitive",
    }  # fmt: skip
    plan = {
        "source": "table.parquet", "columns": columns, "privacy": promises,
        "publish": "other.parquet", "suppression": {"limit": 1},
        **({"unit": unit} if unit else {"population": "population.parquet"}),
    }  # fmt: skip

    def with_key(*given: Any) -> Publication:
        return replace(publication_of(*given), persons=None)

    try:
        with pytest.MonkeyPatch.context() as patch:
            if unit:
                verify = "sqlanon.commands.verify"
                patch.setattr(f"{verify}.publication_of", with_key)
                patch.setattr(f"{verify}.check_published_columns", lambda *_: iter(()))
            found = sqlanon.verify("table.parquet", plan, manifest=False)
    except sqlanon.PrivacyViolation:
        if len(promises) == 1:
            return [None]
        halves = promises[: len(promises) // 2], promises[len(promises) // 2 :]
        return [each for half in halves for each in verified(half, unit)]
    return [finding.failing_classes for finding in found]


ARGUMENTS = {
    "quasi_identifiers": ["marital-status", "order"],
    "population": '"population"',
    "hierarchy": '"hierarchy"',
    "levels": ["value", "group", "all"],
    "known": ["u"],
}


def arguments_of(promise: dict[str, Any], unit: str | None = None) -> dict[str, Any]:
    """A promise of a plan as the arguments of the dbt test."""
    cls = KNOWN[promise["model"]].cls
    model = cls.model_validate(promise)
    given = {name: value for name, value in promise.items() if name != "model"}
    wanted = ["quasi_identifiers"]
    wanted += ["population"] * model.needs_population
    wanted += ["hierarchy", "levels"] * model.needs_value_levels
    wanted += ["known"] * model.is_joint
    given |= {name: ARGUMENTS[name] for name in wanted}
    return given | ({"unit": unit} if unit else {})


def name_of(promise: dict[str, Any]) -> str:
    name: str = promise["model"].replace("-", "_")
    return name


def random_tables(
    connection: duckdb.DuckDBPyConnection, seed: int, unit: str | None = None
) -> list[tuple[dict[str, Any], int | None]]:
    """Tables in a database and the current folder: promises, and what `verify` finds of each.

    Few or many rows, in one class to a dozen, with a few values or many; the persons of the rows
    and others are the population: some may be in classes that have no row.
    """
    choose = random.Random(seed)
    rows = random_rows(choose, choose.choice([1, 2, 2, 4]), choose.choice([6, 40, 200]))
    others = random_rows(choose, choose.choice([1, 2, 4]), choose.choice([0, 60, 400]))
    each = [models.draw(title, choose) for title in models.RUNS]
    joint = [
        {**models.draw(title, choose), "mode": "joint"}
        for title in models.RUNS
        if KNOWN[title.split()[0]].may_be_joint
    ]
    promises = [  # persons of several rows are counted of no population
        promise
        for promise in (*each, *joint)
        if not (unit and KNOWN[promise["model"]].cls.model_validate(promise).needs_population)
    ]
    write_table(connection, "table", rows)
    write_table(connection, "population", [*rows, *others])
    lines = [(leaf, *up) for leaf, up in HIERARCHY.items()]
    levels = [dict(zip(ARGUMENTS["levels"], line, strict=True)) for line in lines]
    write_table(connection, "hierarchy", levels)
    Path("hierarchy.csv").write_text("".join(f"{';'.join(line)}\n" for line in lines))
    for name in ("table", "population"):
        connection.execute(f"copy \"{name}\" to '{name}.parquet'")
    return list(zip(promises, verified(promises, unit), strict=True))


def check_agrees(found: Sequence[Sequence[Any]], promise: object, expected: int | None) -> None:
    """What a proof finds are the failing classes, or anything where the table is refused."""
    failing = [row for row in found if row[0].startswith("a class")]
    if expected is None:
        assert found, promise
    else:
        assert len(failing) == expected, (promise, found)
        assert len(found) == len(failing), found


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("unit", [None, "person"])
def test_a_random_table(seed: int, unit: str | None, folder: Path) -> None:
    with duckdb.connect() as connection:
        package = macros()
        for promise, expected in random_tables(connection, seed, unit):
            proof = getattr(package, f"proof_of_{name_of(promise)}")
            sql = proof('"table"', **arguments_of(promise, unit))
            test = getattr(package, f"test_{name_of(promise)}")
            assert test('"table"', **arguments_of(promise, unit)).strip() == sql.strip()
            found = connection.execute(sql).fetchall()
            check_agrees(found, promise, expected)
            guard = getattr(package, f"guard_{name_of(promise)}")
            guarding = guard('"table"', **arguments_of(promise, unit))
            if found:
                with pytest.raises(duckdb.ConversionException, match="nothing is published"):
                    connection.execute(guarding).fetchall()
            else:
                assert connection.execute(guarding).fetchall() == [(0,)]


# --- what a test refuses


def legal_arguments(name: str) -> dict[str, Any]:
    about = {"attribute": "s"} if KNOWN[name].about_values else {}
    return arguments_of({"model": name, **about, **KNOWN[name].module.LEGAL})


@pytest.mark.parametrize("name", KNOWN)
def test_bounds_are_those_of_the_model(name: str) -> None:
    proof = getattr(macros(), f"proof_of_{name.replace('-', '_')}")
    given = legal_arguments(name)
    assert "judged_classes" in proof("t", **given)
    for parameter, values in KNOWN[name].module.ILLEGAL.items():
        for value in values:
            with pytest.raises(CompilerError, match=r"^sqlanon\.\w+: .*\b(must|needs|belong)"):
                proof("t", **{**given, parameter: value})
    for parameter, field in KNOWN[name].cls.model_fields.items():
        if field.is_required():
            for value in (None, True, "2", float("nan"), float("inf"), 10**9 + 1):
                with pytest.raises(CompilerError, match=f"{parameter} must be a "):
                    proof("t", **{**given, parameter: value})


def test_what_does_not_go_together() -> None:
    for name, changes, shown in (
        ("k_anonymity", {"quasi_identifiers": None}, "quasi_identifiers must be a list"),
        ("k_anonymity", {"quasi_identifiers": "sex"}, "quasi_identifiers must be a list"),
        ("k_anonymity", {"quasi_identifiers": []}, "must have 1 entries or more"),
        ("k_anonymity", {"quasi_identifiers": ["a", "a"]}, "has an entry twice"),
        ("k_anonymity", {"quasi_identifiers": [1]}, "put numbers in quotes"),
        ("k_anonymity", {"unit": ""}, "unit must be the name of a column"),
        ("k_map", {"population": None}, "population is missing; write it as in `population: ref"),
        ("l_diversity", {"attribute": None}, "attribute must be the name of a column"),
        ("l_diversity", {"mode": "joint", "known": []}, "mode: joint and known"),
        ("l_diversity", {"known": ["u"]}, "mode: joint and known"),
        ("alpha_k_anonymity", {"mode": "joint", "known": ["u"]}, "k would count parts of classes"),
        ("t_closeness", {"distance": "hierarchical"}, "hierarchy, and two levels or more, belong"),
        ("t_closeness", {"hierarchy": "h", "levels": ["a", "b"]}, "belong to distance"),
    ):
        arguments: dict[str, Any] = {**legal_arguments(name.replace("_", "-")), **changes}
        with pytest.raises(CompilerError, match=shown):
            getattr(macros(), f"proof_of_{name}")("t", **arguments)


# --- what fails that no class shows


def asked(name: str, sql: str, **given: Any) -> list[str]:
    """The violations of a table that a select gives."""
    arguments = {**legal_arguments(name.replace("_", "-")), **given}
    with duckdb.connect() as connection:
        connection.execute(f"create table t as {sql}")
        connection.execute("create table h (value varchar, all_values varchar)")
        connection.execute("insert into h values ('1', '*'), ('2', '*')")
        proof = getattr(macros(), f"proof_of_{name}")("t", **arguments)
        return sorted({row[0] for row in connection.execute(proof).fetchall()})


ONE_CLASS = "select 'a' as q, 'p' || i as person, {} as s from range(9) as r (i)"


def test_what_no_class_shows() -> None:
    q: dict[str, Any] = {"quasi_identifiers": ["q"]}
    rows = ONE_CLASS.format("1 + i % 2")
    assert asked("k_anonymity", rows, **q) == []
    assert asked("k_anonymity", f"{rows} where i < 0", **q) == ["the table has no rows"]
    with_nobody = ONE_CLASS.format("1").replace("'p' || i", "nullif('p' || i, 'p0')")
    assert asked("k_anonymity", with_nobody, **q, unit="person") == ["rows belong to no person"]
    shown = asked("k_map", rows, **q, population="(select 'b' as q) as p")
    assert "classes have no row of the population" in shown
    shown = asked("beta_likeness", rows, **q, beta=9, table="(select 1 as s) as o")
    assert shown == ["rows have values that the table does not have"]
    for value in ("'x'", "'inf'", "'nan'"):
        text = ONE_CLASS.format(f"case when i = 0 then {value} else cast(i as varchar) end")
        assert asked("k_e_anonymity", text, **q) == ["values are no numbers, or infinite"]
    mixed = ONE_CLASS.format("case when i = 0 then 'x' else cast(i as varchar) end")
    shown = asked("t_closeness", mixed, **q, distance="ordered")
    assert shown == ["there is text among numbers, so that there is no order"]
    tree = {"distance": "hierarchical", "hierarchy": "h", "levels": ["value", "all_values"]}
    assert asked("t_closeness", rows, **q, **tree) == []
    shown = asked("t_closeness", ONE_CLASS.format("i"), **q, **tree)
    assert shown == ["values are not once in the hierarchy"]
    twice = {**tree, "hierarchy": "(from h union all from h) as hh"}
    assert "values are not once in the hierarchy" in asked("t_closeness", rows, **q, **twice)
    no_top = {**tree, "levels": ["value", "value"]}
    assert asked("t_closeness", rows, **q, **no_top) == ["the hierarchy does not end in one value"]


def test_values_are_shown_only_if_asked_for() -> None:
    rows = 'select \'secret\' as "a""b", \'x\' as "order"'
    columns = {"quasi_identifiers": ['a"b', "order"], "k": 2}
    shown: dict[str, Any] = {
        "violation": "a class does not hold the promise", "class_size": 1, "measured": 1.0
    }  # fmt: skip
    with duckdb.connect() as connection:
        connection.execute(f"create table t as {rows}")
        for given, values in (({}, {}), ({"show_values": True}, {'a"b': "secret", "order": "x"})):
            found = connection.execute(macros().proof_of_k_anonymity("t", **columns, **given))
            names = [column[0] for column in found.description]
            assert [dict(zip(names, row, strict=True)) for row in found.fetchall()] == [
                {**shown, **values}
            ]


def test_suppression() -> None:
    proof = macros().proof_of_suppression
    with duckdb.connect() as connection:
        for name, rows in {"all_rows": 100, "three": 97, "none": 0, "more": 101}.items():
            connection.execute(f"create table {quoted(name)} as from range({rows})")

        def shown(name: str, share: float) -> list[str]:
            sql = proof(quoted(name), table="all_rows", max_share=share)
            return [row[0] for row in connection.execute(sql).fetchall()]

        assert shown("three", 0.03) == []
        assert shown("three", 0.0299) == ["too many rows are suppressed"]
        assert shown("none", 1) == ["the table has no rows"]
        assert shown("more", 1) == ["there are more rows than in the table"]
    with pytest.raises(CompilerError, match="table is missing"):
        proof("t", table=None, max_share=0)
    with pytest.raises(CompilerError, match="max_share must be a number"):
        proof("t", table="t", max_share=1.1)


def test_numbers_have_no_exponent() -> None:
    for value, shown in ((5, "5"), (0.03, "0.03"), (1e-7, "0.0000001"), (1.0, "1.0"),
                         (2.5e-10, "0.00000000025")):  # fmt: skip
        assert macros().number(value) == shown


def test_the_version_is_that_of_the_package() -> None:
    assert f"version: {sqlanon.__version__}\n" in (PACKAGE / "dbt_project.yml").read_text()


# --- on PostgreSQL and Spark, where they are installed

COLUMNS = {"q": "VARCHAR", "s": "VARCHAR"}
ROWS = [("a", "1"), ("a", "2"), ("b", "1")]


@pytest.mark.parametrize("database", ["postgres", "spark"])
def test_a_guard_guards(database: str) -> None:
    guard: str = macros(database).guard_k_anonymity("people", quasi_identifiers=["q"], k=2)
    with opened(database) as other:
        other.make("people", COLUMNS, ROWS)
        for mode in ("true", "false"):  # in which a text that is cast to an integer is null
            if database == "spark":
                other.ask(f"set spark.sql.ansi.enabled = {mode}")
            with pytest.raises(Exception, match="k_anonymity does not hold; nothing is published"):
                other.ask(guard)
        other.make("people", COLUMNS, ROWS[:2])
        assert other.ask(guard) == [(0,)]


def test_proofs_agree_with_verify_in_postgres(folder: Path) -> None:
    with opened("postgres") as other, duckdb.connect() as connection:
        promises = random_tables(connection, 4)
        for name in ("table", "population", "hierarchy"):
            table = connection.sql(f'from "{name}"')
            other.make(f'"{name}"', dict.fromkeys(table.columns, "VARCHAR"), table.fetchall())
        for promise, expected in promises:
            proof = getattr(macros("postgres"), f"proof_of_{name_of(promise)}")
            check_agrees(other.ask(proof('"table"', **arguments_of(promise))), promise, expected)


NUMBERS: dict[str, float | None] = {
    "1": 1.0, " -2.5 ": -2.5, ".5e-3": 0.0005, "5.": 5.0, "+7E+2": 700.0, "1e0250": 1e250,
    "9" * 40: 1e40, "\t3\n": 3.0,
    "8e999": None, "8e-999": None, "1e260": None, "9" * 400: None, "0." + "0" * 400 + "1": None,
    "1e99999999999": None, "\u00a05": None, "\u0665": None, "e5": None, "": None, ".": None,
    "nan": None, "inf": None, "0x1": None, "1_000": None, "1\n\n2": None,
}  # fmt: skip
"""Texts as numbers; those that are none, or whose cast would be an error that quotes them."""


def test_no_text_stops_postgres() -> None:
    with opened("postgres") as other:
        other.make("texts", {"s": "VARCHAR"}, [(each,) for each in NUMBERS])
        read = macros("postgres").as_number("s")
        found: dict[str, Any] = dict(other.ask(f"select s, {read} from texts"))
    assert found == NUMBERS
