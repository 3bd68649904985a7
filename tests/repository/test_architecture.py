"""The shape of the package: who imports whom, where SQL and printing live, one name everywhere.

The tables below say what there is today, exactly. A new import is a line in `IMPORTS`, to be
looked at; an import that is gone has to leave it, too.
"""

from __future__ import annotations

import ast
import graphlib
import importlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import jinja2.nodes
import pytest
import sqlglot
from sqlglot import exp
from sqlglot.dialects.duckdb import DuckDB

import sqlanon
from sqlanon import attacks, hierarchies, methods, privacy_models
from sqlanon.attacks.base import Attack
from sqlanon.errors import InternalError
from sqlanon.hierarchies.base import Hierarchy, SuppressionHierarchy
from sqlanon.methods.base import Method
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.registry import default_of
from sqlanon.sql.render import comment, render, shipped
from sqlanon.sql.step import MISREAD_WORDS, RESERVED_WORDS, quoted
from sqlanon.utility.base import UtilityMeasure
from sqlanon.utility.measures import UTILITY_MEASURES
from tests import sizes
from tests.paths import ROOT

PACKAGE = Path(sqlanon.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))


def module_name(file: Path) -> str:
    """`methods.base`, `methods` for its `__init__`, and an empty name for the package's own."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


TREES = {module_name(file): ast.parse(file.read_text(encoding="utf-8")) for file in FILES}

# --- who imports whom


def imports(tree: ast.AST) -> Iterator[str]:
    """The names of all imported modules, and of what is imported from the package itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            ours = [f"sqlanon.{alias.name}" for alias in node.names]
            yield from ours if node.module == "sqlanon" else [node.module or ""]


def package_of(module: str) -> str:
    """The package that a module is in, or the module itself."""
    return module.split(".")[0]


def is_ours(name: str) -> bool:
    return name == "sqlanon" or name.startswith("sqlanon.")


def inner_imports(module: str) -> set[str]:
    """Modules of the package that a module imports."""
    found = filter(is_ours, imports(TREES[module]))
    return {name.removeprefix("sqlanon").lstrip(".") for name in found}


def test_imports_point_down() -> None:
    """Also: every package is in a layer of docs/architecture.md, as low as its imports allow."""
    packages = {package_of(module) for module in TREES}
    assert len(TREES) == len(FILES) >= 40
    top, *lower = [line.split() for line in sizes.layers()]
    layers = [*lower[::-1], [""], top]  # the lowest first; the empty name is the package's own
    assert sorted(name for layer in layers for name in layer) == sorted(packages)
    number_of = {name: number for number, layer in enumerate(layers) for name in layer}
    for name in packages:
        below = {package_of(other) for module in TREES if package_of(module) == name
                 for other in inner_imports(module)} - {name}  # fmt: skip
        assert number_of[name] == max((number_of[other] + 1 for other in below), default=0), name


def test_no_import_leads_in_a_circle() -> None:
    graph = {module: inner_imports(module) - {module} for module in TREES}
    assert {other for found in graph.values() for other in found} <= graph.keys()
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError


REGISTRIES: dict[str, tuple[Any, ...]] = {
    "privacy_models": privacy_models.PRIVACY_MODELS,
    "methods": methods.METHODS,
    "hierarchies": tuple(hierarchies.HIERARCHY_KINDS.values()),
    "attacks": attacks.ATTACKS,
}
"""The packages that hold one module a kind of thing."""


def test_who_knows_nothing_of_whom() -> None:
    """Registered modules share what a base offers; what asks is sent rows by any engine."""
    for classes in REGISTRIES.values():
        own = {cls.__module__.removeprefix("sqlanon.") for cls in classes}
        for module in own:
            assert not inner_imports(module) & (own - {module})
    for module in TREES:
        if package_of(module) in {"attacker", "families", "program"}:
            assert "engines" not in {package_of(other) for other in inner_imports(module)}


OTHERS = {
    "duckdb": {"commands", "engines", "pages", "publication", "sql"},
    "jinja2": {"pages", "sql"},
    "markupsafe": {"pages"},
    "psycopg": {"engines"},
    "py4j": {"engines"},
    "pyarrow": {"engines"},
    "pyspark": {"engines"},
    "pygments": {"pages"},
    "rich": {"cli"},
    "sqlglot": {"dialects", "proof"},
    "typer": {"cli"},
    "yaml": {"discovery", "plan"},
}
"""Rooms that import what is not in the standard library; pydantic is used in all."""


def test_other_packages_stay_in_their_packages() -> None:
    found: dict[str, set[str]] = {}
    for module, tree in TREES.items():
        tops = {name.split(".")[0] for name in imports(tree) if not is_ours(name)}
        for other in tops - sys.stdlib_module_names - {"pydantic", "pydantic_core"}:
            found.setdefault(other, set()).add(package_of(module))
    assert found == OTHERS


KINDS_OF_THINGS = re.compile(r"\w*(Method|Problem|Hierarchy|Solution)")


def test_things_know_themselves() -> None:
    """No module asks which method, problem, hierarchy or solution it has, but the one that maps
    methods to families."""
    asking = set()
    for module, tree in TREES.items():
        for node in ast.walk(tree):
            asked: ast.expr | None = node.cls if isinstance(node, ast.MatchClass) else None
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                asked = node.args[1]
            names = [n.id for n in ast.walk(asked) if isinstance(n, ast.Name)] if asked else []
            if any(map(KINDS_OF_THINGS.fullmatch, names)):
                asking.add(module)
    assert asking == {"hierarchies", "families.families"}


IMPORTED_WHEN_USED = {
    "commands.run": {
        f"sqlanon.commands.{name}" for name in ("attack", "compile", "report", "verify")
    },
    "commands.session": {"sqlanon.engines.runner"},
}
"""What a run of most plans does without, by who imports it not at the top: reports, and the engines
and dialects of others. `test_a_run_imports_what_it_uses` says what for."""


def test_imports_stand_at_the_top() -> None:
    for module in TREES.keys() - {""}:
        tree = TREES[module]
        everywhere = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
        if package_of(module) != "cli":
            inside: list[ast.stmt] = [node for node in everywhere if node not in tree.body]
            expected = IMPORTED_WHEN_USED.get(module, set())
            assert set(imports(ast.Module(inside, []))) == expected, module
        names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        names |= {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
        assert "TYPE_CHECKING" not in names | {a.name for n in everywhere for a in n.names}, module


def loaded_by(code: str, folder: Path) -> set[str]:
    """The modules that a program of Python has imported at its end."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\ntry:\n    {code}\nfinally: print(*sys.modules)"],
        cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
    )  # fmt: skip
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], [], ["run", "--help"]])
def test_help_needs_no_database(arguments: list[str], tmp_path: Path) -> None:
    main = "import sqlanon.__main__ as m"
    loaded = loaded_by(f"{main}; sys.argv = ['sqlanon', *{arguments}]; m.main()", tmp_path)
    assert "typer" in loaded
    assert not loaded & {"duckdb", "sqlglot", "jinja2", "yaml"}
    if arguments != ["run", "--help"]:  # with which typer itself imports pydantic
        assert "pydantic" not in loaded
    assert "duckdb" not in loaded_by("import sqlanon", tmp_path)  # so Ctrl-C is answered at once


UNUSED_BY_A_RUN = """
altair phonenumbers psycopg pyarrow pygments pyspark vl_convert
sqlanon.attacker sqlanon.commands.attack sqlanon.commands.compile sqlanon.commands.report
sqlanon.dialects.dialect sqlanon.dialects.transpile sqlanon.engines.postgresql
sqlanon.engines.runner sqlanon.engines.shapes sqlanon.engines.spark sqlanon.pages
sqlanon.program.scripts sqlanon.program.translation
sqlglot.dialects.bigquery sqlglot.dialects.postgres sqlglot.dialects.presto
"""
"""Modules that only reports, attacks, phone numbers, and other databases need."""


def test_a_run_imports_what_it_uses(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("age,illness\n" + "30,flu\n31,cold\n" * 5)
    (tmp_path / "plan.yml").write_text(
        "source: rows.csv\n"
        "columns: {age: quasi-identifier, illness: sensitive}\n"
        "privacy: [{model: k-anonymity, k: 2}]\n"
        "publish: released.parquet\n"
    )
    loaded = loaded_by("import sqlanon; sqlanon.run('plan.yml')", tmp_path)
    assert {"duckdb", "sqlanon.commands.session"} <= loaded
    assert (tmp_path / "released.parquet").is_file()
    assert not loaded & set(UNUSED_BY_A_RUN.split())


# --- where SQL lives

SELECTS_IN_CODE = {
    "columns, rows or violations of a relation, or an engine's own statements": """
        commands.run discovery.standards discovery.statistics engines.duckdb engines.postgresql
        engines.python_tables engines.runner engines.shapes engines.spark engines.tables
        proof.external_tables publication.manifest source.columns sql.views sql.step""",
    "a question of one row": """
        hierarchies.mask hierarchies.query proof.rearrangement search.partition source.checks
        source.frequency_set""",
    "to be parsed or compared, and never run": "dialects.steps proof.lineage sql.queries",
    "the statements around the steps of a program": """
        families.search_program program.postgresql_script program.program program.spark_script""",
    "what an error advises the author of a plan to write": "plan.column_types",
}
"""Modules with SQL in an f-string, each for a reason; everything else is a template."""


def test_select_stands_in_templates() -> None:
    found = set()
    for module, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                parts = [str(v.value) for v in node.values if isinstance(v, ast.Constant)]
                if "select " in "".join(parts).lower():
                    found.add(module)
    assert found == set(" ".join(SELECTS_IN_CODE.values()).split())


def is_model_name(node: ast.expr) -> bool:
    """Whether an expression is the name of a privacy model."""
    names = {default_of(cls, "model") for cls in privacy_models.PRIVACY_MODELS}
    if isinstance(node, ast.Attribute):
        return node.attr == "model"
    return any(isinstance(n, ast.Constant) and n.value in names for n in ast.walk(node))


def test_no_module_branches_on_a_model() -> None:
    classes = {cls.__name__ for cls in privacy_models.PRIVACY_MODELS}
    for module in (m for m in TREES if package_of(m) != "privacy_models"):
        for node in ast.walk(TREES[module]):
            named = getattr(node, "id", None) or getattr(node, "attr", None)
            assert named not in classes, module
            compared = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
            compared += [node.subject] if isinstance(node, ast.Match) else []
            assert not any(map(is_model_name, compared)), module


# --- one name in all packages


def snake(name: str) -> str:
    """A plan's name as that of a file."""
    return name.replace("-", "_")


def templates_of(cls: type[PrivacyModel]) -> set[str]:
    """The templates of a model: one, or one of each of its variants."""
    return {cls.model_validate(parameters).template for parameters in cls.reference_bounds}


def test_one_name_in_all_packages() -> None:
    """Modules, templates and golden files are called as what a plan can name; none is without."""
    modules, files = set(), {"hierarchies/suppression.sql"}
    golden = set()
    for cls in privacy_models.PRIVACY_MODELS:
        name = snake(default_of(cls, "model"))
        modules.add(f"privacy_models.{name}")
        files |= templates_of(cls)
        golden.add(f"privacy_models/{name}.sql")
    for measure in UTILITY_MEASURES:
        name = snake(default_of(measure, "name"))
        files.add(f"utility/{name}.sql")
        if measure.on_regions == "labels":  # what labels cover differs; class sizes do not
            assert (shipped("sql_templates") / f"partition/{name}.sql").is_file()
    for key in hierarchies.HIERARCHY_KINDS:
        modules.add(f"hierarchies.{key}")
        files.add(f"hierarchies/{key}.sql")
        golden.add(f"hierarchies/{key}.sql")
    modules |= {f"methods.{snake(default_of(cls, 'name'))}" for cls in methods.METHODS}
    assert not modules - TREES.keys()
    folders = [shipped("sql_templates") / n for n in ("privacy_models", "utility", "hierarchies")]
    there = [file for folder in folders for file in folder.glob("*.sql") if file.name[0] != "_"]
    assert {f"{file.parent.name}/{file.name}" for file in there} == files
    missing = sorted(file for file in golden if not (ROOT / "tests/golden" / file).is_file())
    assert not missing, "SQLANON_UPDATE_GOLDEN=1 pytest tests/program/test_golden_sql.py"


@pytest.mark.parametrize(
    ("registry", "base"),
    [
        (privacy_models.PRIVACY_MODELS, PrivacyModel),
        (UTILITY_MEASURES, UtilityMeasure),
        (methods.METHODS, Method),
        (attacks.ATTACKS, Attack),
        ((*hierarchies.HIERARCHY_KINDS.values(), SuppressionHierarchy), Hierarchy),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_registries_are_complete(registry: tuple[type[Any], ...], base: type[Any]) -> None:
    """A class in another module than those of its folder is found all the same, and named."""
    for file in FILES:
        if package_of(module_name(file)) != "engines":  # which need the extra of their database
            importlib.import_module(".".join(("sqlanon", module_name(file))).rstrip("."))
    assert len(set(registry)) == len(registry)
    ours = {cls for cls in below(base) if cls.__module__.startswith("sqlanon.")}
    missing = sorted(f"{cls.__module__}.{cls.__name__}" for cls in ours - set(registry))
    place = "UTILITY_MEASURES" if base is UtilityMeasure else "its folder"
    assert set(registry) == ours, f"not found in {place}: {', '.join(missing)}"


def below(cls: type[Any]) -> set[type[Any]]:
    """The classes below this one that a plan has a name for."""
    found = {other for sub in cls.__subclasses__() for other in {sub} | below(sub)}
    names = {"name", "model", "key"}
    return {cls for cls in found if names & {*cls.__annotations__, *vars(cls)}}


# --- what is said about each


@pytest.mark.parametrize(
    "cls", [*privacy_models.PRIVACY_MODELS, *UTILITY_MEASURES, *methods.METHODS, *attacks.ATTACKS]
)
def test_what_explain_tells(cls: Any) -> None:
    assert cls.__doc__, "a docstring of its own, not of the class that it extends"
    name = default_of(cls, "model" if "model" in cls.model_fields else "name")
    found = sqlanon.explain(name)
    assert found["text"].startswith(cls.__doc__.partition("\n")[0])
    assert found["source"] == cls.source != ""
    if cls in attacks.ATTACKS:
        assert found["kind"] == "attack"
        for field, info in cls.model_fields.items():
            assert field == "name" or f"{field}: {info.description}" in found["parameters"]


def test_exported_names() -> None:
    homes = {name: module for module, names in sqlanon._MODULES.items() for name in names}
    assert sqlanon.__all__ == sorted(homes.keys() | {"__version__"})
    assert set(sqlanon.__all__) <= set(dir(sqlanon))
    for name, module in homes.items():
        defined = getattr(importlib.import_module(f"sqlanon.{module}"), name)
        assert getattr(sqlanon, name) is defined, "not the module of this name"
    shown = {alias.name for node in ast.walk(TREES[""]) if isinstance(node, ast.If)
             for inner in ast.walk(node) if isinstance(inner, ast.ImportFrom)
             for alias in inner.names}  # fmt: skip
    assert shown == homes.keys(), "what type checkers see"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sqlanon.nothing  # noqa: B018


def test_quoted_names_are_taken_by_duckdb() -> None:
    connection = duckdb.connect()
    words = dict(connection.execute(
        "select keyword_name, keyword_category <> 'unreserved' from duckdb_keywords()"
    ).fetchall())  # fmt: skip
    assert {word for word, is_reserved in words.items() if is_reserved} == RESERVED_WORDS
    assert len(words) > 400
    strange = ["a b", 'a"b', "A", "é", "1a", "a-b", "*", "--", ";", "a\nb", "'", "_a", "$1"]
    for word in (*words, *strange):
        name = quoted(word)
        connection.execute(f"create or replace table {name} ({name} integer)")
        where = f"where {name} is null and {name}.{name} > 0 group by {name} order by {name}"
        cursor = connection.execute(
            f"select {name}, max({name}) as {name} from memory.{name} {where}"
        )
        assert [column[0] for column in cursor.description] == [word, word]


def test_quoted_names_are_taken_by_sqlglot() -> None:
    """`alter` is German for age."""
    rows = duckdb.connect().execute("select keyword_name from duckdb_keywords()").fetchall()
    words = {row[0] for row in rows} | {w.lower() for w in DuckDB.Tokenizer.KEYWORDS if w.isalpha()}
    words |= MISREAD_WORDS
    for word in words:
        name = quoted(word)
        for query in (
            f"select {name}, b from t",
            f"select x as {name}, t.{name} from t group by 1",
        ):
            tree = sqlglot.parse_one(query, dialect="duckdb")
            assert word in {column.name for column in tree.find_all(exp.Column)}, word


# --- templates


def test_templates_build_no_sql() -> None:
    """Of the filters, only six let a plan's words into SQL, and none lets them in as they are."""
    allowed = {
        "comment", "file", "files", "first", "float", "ident", "indent", "int", "join", "last",
        "length", "list", "map", "max", "min", "number", "reject", "rejectattr", "reverse",
        "selectattr", "string", "sum", "text", "trim", "unique",
    }  # fmt: skip
    environment = jinja2.Environment()
    environment.filters.update(dict.fromkeys(allowed, str))
    for file in shipped("sql_templates").rglob("*.sql"):
        tree = environment.parse(file.read_text(encoding="utf-8"))
        assert {node.name for node in tree.find_all(jinja2.nodes.Filter)} <= allowed, file.name


def test_a_template_that_lacks_a_value_is_refused() -> None:
    with pytest.raises(jinja2.UndefinedError):
        render("privacy_models/k_anonymity.sql", classes="c", class_key=["a"], excess=False)
    with pytest.raises(InternalError, match=r"no template sql_templates/privacy_models/none\.sql"):
        render("privacy_models/none.sql")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\0", "\x0b", "\x85", "\u2028", "\u202e"])
def test_a_comment_is_one_line(end: str) -> None:
    reported = comment(f"a{end}drop table b")
    assert reported == "a drop table b"
    assert len(f"-- {reported}".splitlines()) == 1
