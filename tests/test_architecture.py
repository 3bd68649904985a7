"""The shape of the package: who imports whom, where SQL and printing live, one name in all rooms.

The tables below say what there is today, exactly. A new import is a line in `IMPORTS`, to be
looked at; an import that is gone has to leave it, too.
"""

from __future__ import annotations

import ast
import graphlib
import importlib
import re
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import jinja2
import jinja2.meta
import jinja2.nodes
import pytest
from pydantic import BaseModel

import sqlanon
from sqlanon import attacks, hierarchy, methods, privacy_models, utility
from sqlanon.render import comment, render, shipped
from sqlanon.step import RESERVED_WORDS, quoted

PACKAGE = Path(sqlanon.__file__).parent
TESTS = Path(__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))


def module_name(file: Path) -> str:
    """`methods.base`, `methods` for its `__init__`, and an empty name for the package's own."""
    parts = file.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


TREES = {module_name(file): ast.parse(file.read_text(encoding="utf-8")) for file in FILES}

# --- who imports whom

LAYERS: tuple[tuple[str, ...], ...] = (
    ("__main__", "counting", "errors", "files", "lattice", "paths", "version"),
    ("boundary", "bounds", "claims", "plan_text", "secret", "step"),
    ("column_types", "hierarchy", "render"),
    (
        "column_groups",
        "membership",
        "plan_faults",
        "plan_queries",
        "privacy_models",
        "rearranged",
        "utility",
    ),
    ("attacks", "promises", "sliced"),
    ("full_domain", "verify"),
    ("partition",),
    ("combining", "dealing"),
    ("methods",),
    ("plan",),
    ("plan_file", "prepare", "search", "settings"),
    ("engines", "lineage", "partition_prepare", "presence", "search_program"),
    ("solution",),
    ("manifest", "release"),
    ("partition_release", "publish"),
    ("recoding",),
    ("program",),
    ("session",),
    ("audit", "workflow"),
    ("attack",),
    ("", "cli"),
)
"""The rooms from the ground up: each imports from those below it, none from its own layer."""

IMPORTS: dict[str, str] = {
    "": "attack audit errors plan plan_file session version workflow",
    "__main__": "",
    "attack": "attacks audit boundary engines errors methods plan plan_file plan_text "
    "privacy_models program render session solution step verify",
    "attacks": "bounds counting errors membership render step",
    "audit": "boundary column_types engines errors manifest methods partition "
    "partition_prepare paths plan plan_file plan_text prepare presence privacy_models "
    "program recoding render search session sliced solution step verify",
    "boundary": "errors version",
    "bounds": "errors",
    "claims": "files",
    "cli": "attack audit boundary errors plan plan_text session solution verify version workflow",
    "column_groups": "errors render step",
    "column_types": "step",
    "combining": "counting lattice partition render step",
    "counting": "",
    "dealing": "errors full_domain partition privacy_models render step",
    "engines": "claims errors paths plan prepare render secret settings step",
    "errors": "",
    "files": "",
    "full_domain": "errors lattice promises render step utility",
    "hierarchy": "bounds errors",
    "lattice": "",
    "lineage": "errors hierarchy plan plan_queries prepare render step",
    "manifest": "errors files plan render solution step verify version",
    "membership": "counting errors render step",
    "methods": "bounds column_groups combining counting dealing errors full_domain lattice "
    "partition render sliced step utility",
    "partition": "full_domain privacy_models promises render step",
    "partition_prepare": "dealing errors hierarchy methods partition plan prepare render step",
    "partition_release": "combining dealing methods partition partition_prepare plan release"
    " render sliced solution step",
    "paths": "",
    "plan": "bounds column_types hierarchy methods partition paths plan_text privacy_models "
    "promises utility",
    "plan_faults": "errors hierarchy plan_text",
    "plan_file": "boundary column_groups errors files hierarchy methods partition plan plan_faults "
    "plan_queries plan_text privacy_models render secret sliced",
    "plan_queries": "errors render step",
    "plan_text": "errors",
    "prepare": "bounds column_types errors full_domain hierarchy plan plan_queries render step "
    "utility",
    "presence": "membership plan prepare step verify",
    "privacy_models": "bounds render",
    "program": "files hierarchy methods paths plan prepare rearranged recoding release render "
    "secret settings sliced solution step verify version",
    "promises": "privacy_models render step",
    "publish": "claims engines errors files manifest plan",
    "rearranged": "render step",
    "recoding": "dealing errors full_domain hierarchy lattice methods partition partition_prepare "
    "partition_release plan prepare release render search_program solution step "
    "utility",
    "release": "full_domain plan prepare render solution step",
    "render": "errors paths step",
    "search": "errors full_domain methods partition plan promises step",
    "search_program": "errors full_domain lattice methods plan prepare render step utility",
    "secret": "errors",
    "session": "bounds claims column_types engines errors files hierarchy lineage paths plan "
    "plan_file plan_queries plan_text prepare program publish recoding render "
    "solution step",
    "settings": "plan",
    "sliced": "privacy_models render step",
    "solution": "column_types errors files full_domain methods partition partition_prepare plan "
    "prepare version",
    "step": "paths",
    "utility": "bounds render",
    "verify": "errors paths promises rearranged render sliced step",
    "version": "",
    "workflow": "attacks boundary engines errors files full_domain lattice manifest methods "
    "partition paths plan prepare presence privacy_models program publish recoding "
    "render search session solution step utility verify",
}
"""Which rooms (modules, packages) a room imports from."""

OTHERS: dict[str, str] = {
    "attack": "pydantic",
    "attacks.background_knowledge": "pydantic",
    "attacks.base": "pydantic",
    "attacks.homogeneity": "pydantic",
    "attacks.linkage": "pydantic",
    "attacks.membership": "pydantic",
    "attacks.minimality": "pydantic",
    "attacks.similarity": "pydantic",
    "attacks.skewness": "pydantic",
    "bounds": "pydantic",
    "cli": "rich typer",
    "engines.duckdb": "duckdb",
    "engines.tables": "duckdb",
    "hierarchy": "pydantic",
    "lineage": "sqlglot",
    "manifest": "pydantic",
    "methods": "pydantic",
    "methods.anatomy": "pydantic",
    "methods.base": "pydantic",
    "methods.combined": "pydantic",
    "methods.datafly": "pydantic",
    "methods.mondrian": "pydantic",
    "methods.slicing": "pydantic",
    "methods.stack_and_deal": "pydantic",
    "plan": "pydantic pydantic_core",
    "plan_faults": "pydantic pydantic_core",
    "plan_file": "pydantic",
    "plan_queries": "duckdb",
    "plan_text": "pydantic yaml",
    "privacy_models": "pydantic",
    "privacy_models.alpha_k_anonymity": "pydantic",
    "privacy_models.base": "pydantic",
    "privacy_models.beta_likeness": "pydantic",
    "privacy_models.delta_disclosure": "pydantic",
    "privacy_models.delta_presence": "pydantic",
    "privacy_models.k_anonymity": "pydantic",
    "privacy_models.k_e_anonymity": "pydantic",
    "privacy_models.k_map": "pydantic",
    "privacy_models.l_diversity": "pydantic",
    "privacy_models.risk": "pydantic",
    "privacy_models.sensitive": "pydantic",
    "privacy_models.t_closeness": "pydantic",
    "publish": "duckdb",
    "render": "jinja2",
    "session": "duckdb",
    "solution": "pydantic",
    "utility": "pydantic",
    "utility.base": "pydantic",
    "utility.measures": "pydantic",
    "workflow": "duckdb",
}
"""Which modules import what is not in the standard library."""


def imports(tree: ast.Module) -> Iterator[str]:
    """The names of all imported modules, and of what is imported from the package itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            module = node.module or ""
            if module == "sqlanon":
                yield from (f"sqlanon.{alias.name}" for alias in node.names)
            else:
                yield module


def room(module: str) -> str:
    """The room that a module is in: the package, or the module itself."""
    return module.split(".")[0]


def inner_imports(module: str) -> set[str]:
    """Modules of the package that a module imports."""
    return {name.removeprefix("sqlanon.") for name in imports(TREES[module]) if is_ours(name)}


def is_ours(name: str) -> bool:
    return name == "sqlanon" or name.startswith("sqlanon.")


def test_every_module_is_found() -> None:
    assert len(TREES) == len(FILES) >= 40
    assert {room(module) for module in TREES} == IMPORTS.keys()
    assert sorted(name for layer in LAYERS for name in layer) == sorted(IMPORTS)


@pytest.mark.parametrize("name", sorted(IMPORTS))
def test_imports_of_a_room(name: str) -> None:
    found: set[str] = set()
    for module in TREES:
        if room(module) == name:
            found |= {room(other) for other in inner_imports(module)} - {name}
    assert sorted(found) == IMPORTS[name].split()


def test_imports_point_one_way() -> None:
    floor = {name: number for number, layer in enumerate(LAYERS) for name in layer}
    for name, allowed in IMPORTS.items():
        for other in allowed.split():
            assert floor[other] < floor[name], f"{name} imports {other}"


def test_no_import_leads_in_a_circle() -> None:
    graph = {module: inner_imports(module) - {module} for module in TREES}
    assert {other for found in graph.values() for other in found} <= graph.keys()
    list(graphlib.TopologicalSorter(graph).static_order())  # raises CycleError


@pytest.mark.parametrize("package", ["attacks", "engines", "methods", "privacy_models", "utility"])
def test_siblings_share_only_what_a_base_offers(package: str) -> None:
    shared = ("base", "choice", "persons", "sensitive", "risk", "tables")
    bases = {f"{package}.{name}" for name in shared}
    members = {module for module in TREES if module.startswith(f"{package}.")}
    assert members - bases
    for module in members:
        assert inner_imports(module) & members <= bases
    assert inner_imports(package) <= members


def test_methods_know_no_engine() -> None:
    for name in (*(m for m in TREES if room(m) == "methods"), "full_domain", "search", "lattice"):
        assert "engines" not in {room(other) for other in inner_imports(name)}
        assert "duckdb" not in set(imports(TREES[name]))


def test_other_packages_stay_in_their_rooms() -> None:
    found = {}
    for module, tree in TREES.items():
        tops = {name.split(".")[0] for name in imports(tree) if not is_ours(name)}
        others = sorted(tops - sys.stdlib_module_names)
        if others:
            found[module] = " ".join(others)
    assert found == OTHERS


@pytest.mark.parametrize("module", sorted(TREES.keys() - {""}))
def test_imports_stand_at_the_top(module: str) -> None:
    tree = TREES[module]
    everywhere = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    assert [node for node in everywhere if node not in tree.body] == []
    assert "TYPE_CHECKING" not in {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    assert "TYPE_CHECKING" not in {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    assert "TYPE_CHECKING" not in {a.name for n in everywhere for a in n.names}


# --- where printing and SQL live


def test_the_package_imports_nothing_before_it_is_asked_for() -> None:
    """So the command line answers Ctrl-C before the database is imported."""
    tree = TREES[""]
    at_once = {name for node in tree.body for name in imports(ast.Module([node], []))
               if not isinstance(node, ast.If)}  # fmt: skip
    assert {name for name in at_once if is_ours(name)} == {"sqlanon.version"}
    script = (PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8")
    assert 'sqlanon = "sqlanon.__main__:main"' in script


@pytest.mark.parametrize("module", sorted(TREES.keys() - {"cli", "__main__"}))
def test_nothing_but_the_command_line_prints(module: str) -> None:
    for node in ast.walk(TREES[module]):
        assert not (isinstance(node, ast.Name) and node.id == "print")
        assert not (isinstance(node, ast.Attribute) and node.attr in ("stdout", "stderr"))


SELECTS_IN_CODE = {
    "column_types": "what an error tells the author of a plan to write",
    "engines.duckdb": "settings and violations: an engine's own statements",
    "engines.tables": "the staged rows as a table, and the catalog of a database",
    "partition": "questions of one row between the rounds",
    "plan_queries": "parts of a query, to be parsed and never run",
    "prepare": "questions of one row, and `describe`, between the steps",
    "program": "the copy of the staged rows to their place",
    "search_program": "limits that only the data knows, as parts of a template",
    "session": "`describe` of the source's step, and that step without rows",
    "step": "the statement that stops a program at a proof's violations",
    "workflow": "`describe` of the staged table; the rows of a hierarchy or a publication to show",
    "audit": "`describe` of a published table",
    "manifest": "`describe` and the number of rows of a published table",
    "rearranged": "a question of one row between two batches",
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
    assert found == SELECTS_IN_CODE.keys()


def is_model_name(node: ast.expr) -> bool:
    """Whether an expression is the name of a privacy model."""
    names = {cls.model_fields["model"].default for cls in privacy_models.PRIVACY_MODELS}
    if isinstance(node, ast.Attribute):
        return node.attr == "model"
    return any(isinstance(n, ast.Constant) and n.value in names for n in ast.walk(node))


@pytest.mark.parametrize("module", sorted(m for m in TREES if room(m) != "privacy_models"))
def test_no_module_branches_on_a_model(module: str) -> None:
    classes = {cls.__name__ for cls in privacy_models.PRIVACY_MODELS}
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Compare):
            assert not any(map(is_model_name, (node.left, *node.comparators)))
        elif isinstance(node, ast.Match):
            assert not is_model_name(node.subject)
        elif isinstance(node, ast.Name):
            assert node.id not in classes
        elif isinstance(node, ast.Attribute):
            assert node.attr not in classes


# --- one name in all rooms


def default(cls: type[BaseModel], field: str) -> str:
    """The name that a plan calls a class by."""
    name: str = cls.model_fields[field].default
    return name


def snake(name: str) -> str:
    """A plan's name as that of a file."""
    return name.replace("-", "_")


MODELS = [default(cls, "model") for cls in privacy_models.PRIVACY_MODELS]
MEASURES = [default(cls, "name") for cls in utility.UTILITY_MEASURES]
METHODS = [default(cls, "name") for cls in methods.METHODS]


def templates_of(name: str) -> list[str]:
    """The templates of a model: one, or one of each of its variants."""
    return [f"{snake(name)}_{variant}" for variant in VARIANTS.get(name, ())] or [snake(name)]


VARIANTS = {
    "l-diversity": ("distinct", "entropy", "frequency", "recursive"),
    "t-closeness": ("equal", "hierarchical", "ordered"),
}


@pytest.mark.parametrize("name", MODELS)
def test_privacy_model_in_all_rooms(name: str) -> None:
    assert f"privacy_models.{snake(name)}" in TREES
    for template in templates_of(name):
        assert (shipped("sql_templates") / f"privacy_models/{template}.sql").is_file()
        assert (TESTS / f"golden/privacy_models/{template}.sql").is_file()
    assert (TESTS / f"paper_tables/{snake(name)}.yml").is_file()


@pytest.mark.parametrize("name", MEASURES)
def test_utility_measure_in_all_rooms(name: str) -> None:
    assert (shipped("sql_templates") / f"utility/{snake(name)}.sql").is_file()
    assert (TESTS / f"golden/utility/{snake(name)}.sql").is_file()


@pytest.mark.parametrize("name", METHODS)
def test_method_in_all_rooms(name: str) -> None:
    assert f"methods.{snake(name)}" in TREES


def test_no_template_without_an_owner() -> None:
    def templates(folder: str) -> set[str]:
        files = (shipped("sql_templates") / folder).glob("*.sql")
        return {file.stem for file in files if not file.stem.startswith("_")}

    assert templates("privacy_models") == {file for name in MODELS for file in templates_of(name)}
    assert templates("utility") == set(map(snake, MEASURES))
    by_labels = {
        snake(default(cls, "name"))
        for cls in utility.UTILITY_MEASURES
        if cls.on_regions == "labels"
    }
    assert by_labels <= templates("partition")  # what labels cover differs; class sizes do not
    kinds = {Path(kind.template).stem for kind in hierarchy.HIERARCHY_KINDS.values()}
    assert templates("hierarchies") == kinds | {"suppression"}
    tables = {file.stem for file in (TESTS / "paper_tables").glob("*.yml")}
    assert tables <= set(map(snake, MODELS))


def members(union: Any) -> set[Any]:
    """The classes of a union, however it is annotated."""
    if isinstance(union, type):
        return {union}
    arguments = typing.get_args(union)
    if typing.get_origin(union) is typing.Annotated:
        return members(arguments[0])
    return {member for argument in arguments for member in members(argument)}


@pytest.mark.parametrize(
    ("registry", "union", "base"),
    [
        (
            privacy_models.PRIVACY_MODELS,
            privacy_models.AnyPrivacyModel,
            privacy_models.PrivacyModel,
        ),
        (utility.UTILITY_MEASURES, utility.AnyUtilityMeasure, utility.UtilityMeasure),
        (methods.METHODS, methods.AnyMethod, methods.Method),
    ],
)
def test_registries_are_complete(
    registry: tuple[type[Any], ...], union: Any, base: type[Any]
) -> None:
    assert len(set(registry)) == len(registry)
    assert set(registry) == members(union)
    ours = {cls for cls in leaves(base) if cls.__module__.startswith("sqlanon.")}
    assert set(registry) == ours


def leaves(cls: type[Any]) -> set[type[Any]]:
    """The classes below this one that have none below them."""
    below = cls.__subclasses__()
    return {leaf for other in below for leaf in leaves(other)} if below else {cls}


def test_hierarchy_kinds_are_complete() -> None:
    kinds = set(hierarchy.HIERARCHY_KINDS.values())
    made_by_us = {hierarchy.SuppressionHierarchy}
    assert set(hierarchy.Hierarchy.__subclasses__()) == kinds | made_by_us


# --- what is told about each


@pytest.mark.parametrize("module", sorted(TREES))
def test_public_things_have_a_docstring(module: str) -> None:
    tree = TREES[module]
    assert ast.get_docstring(tree)
    bare = [
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
    ]
    assert bare == []


@pytest.mark.parametrize(
    "cls",
    [
        *privacy_models.PRIVACY_MODELS,
        *utility.UTILITY_MEASURES,
        *methods.METHODS,
        *attacks.ATTACKS,
    ],
)
def test_what_explain_tells(cls: Any) -> None:
    assert cls.__doc__, "a docstring of its own, not of the class that it extends"
    name = default(cls, "model" if "model" in cls.model_fields else "name")
    assert sqlanon.explain(name)["text"].startswith(cls.__doc__.partition("\n")[0])
    assert cls.source


def test_exported_names() -> None:
    assert sqlanon.__all__ == sorted(sqlanon.__all__)
    assert set(sqlanon.__all__) <= set(dir(sqlanon))
    homes = {name: module for module, names in sqlanon._MODULES.items() for name in names}
    assert set(sqlanon.__all__) == homes.keys() | {"__version__"}
    for name, module in homes.items():
        defined = getattr(importlib.import_module(f"sqlanon.{module}"), name)
        assert getattr(sqlanon, name) is defined, "not the module of this name"
    shown = {alias.name for node in ast.walk(TREES[""]) if isinstance(node, ast.If)
             for inner in ast.walk(node) if isinstance(inner, ast.ImportFrom)
             for alias in inner.names}  # fmt: skip
    assert shown == homes.keys(), "what type checkers see"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sqlanon.nothing  # noqa: B018


def test_reserved_words_are_those_of_duckdb() -> None:
    rows = duckdb.connect().execute(
        "select keyword_name from duckdb_keywords() where keyword_category <> 'unreserved'"
    )
    assert {row[0] for row in rows.fetchall()} == RESERVED_WORDS


def test_quoted_names_are_taken_by_duckdb() -> None:
    connection = duckdb.connect()
    words = [row[0] for row in connection.execute("from duckdb_keywords()").fetchall()]
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


# --- templates

TEMPLATES = sorted(shipped("sql_templates").rglob("*.sql"))


def environment() -> jinja2.Environment:
    """What templates are parsed in."""
    made = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    names = ("ident", "text", "file", "files", "number", "comment")
    made.filters.update(dict.fromkeys(names, str))
    return made


def used_by(file: Path) -> set[str]:
    """The variables that a template, or one that it includes, takes from outside."""
    source = file.read_text(encoding="utf-8")
    used = jinja2.meta.find_undeclared_variables(environment().parse(source))
    given = set(re.findall(r"{% (?:set|import \S+ as) (\w+)", source))
    given |= {
        name.strip()
        for names in re.findall(r"{% for ([\w, ]+) in", source)
        for name in names.split(",")
    }
    for name in re.findall(r'{% (?:include|import) "([^"]+)"(?: as \w+ with context)? %}', source):
        used |= used_by(shipped("sql_templates") / name) - given
    return used


def declared_by(file: Path) -> set[str]:
    """The names that the first line declares: `inputs: name type, name type`."""
    found = re.match(r"{#-?\s*inputs: (.*?)\s*-?#}", file.read_text(encoding="utf-8"))
    flat = found[1] if found else ""
    while "[" in flat:
        flat = re.sub(r"\[[^\[\]]*\]", "", flat)
    return {part.split()[0] for part in flat.split(",") if part.strip()}


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in (t.relative_to(shipped("sql_templates")).as_posix() for t in TEMPLATES)
        if not path.rpartition("/")[2].startswith("_")
    ],
)
def test_first_line_of_a_template_declares_its_inputs(path: str) -> None:
    file = shipped("sql_templates") / path
    assert declared_by(file) == used_by(file)


def test_templates_build_no_sql() -> None:
    """Of the filters, only six let a plan's words into SQL, and none lets them in as they are."""
    allowed = {
        "comment", "file", "files", "first", "ident", "indent", "join", "last", "length", "list",
        "map", "max", "number", "reject", "rejectattr", "reverse", "selectattr", "string", "sum",
        "text", "trim", "unique",
    }  # fmt: skip
    for file in TEMPLATES:
        tree = environment().parse(file.read_text(encoding="utf-8"))
        filters = {node.name for node in tree.find_all(jinja2.nodes.Filter)}
        assert filters <= allowed, file.name


def test_a_template_that_lacks_a_value_is_refused() -> None:
    with pytest.raises(jinja2.UndefinedError):
        render("privacy_models/k_anonymity.sql", classes="c", class_key=["a"], excess=False)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\0", "\x0b", "\x85", "\u2028", "\u2029"])
def test_a_comment_is_one_line(end: str) -> None:
    told = comment(f"a{end}drop table b")
    assert told == "a drop table b"
    assert len(f"-- {told}".splitlines()) == 1
