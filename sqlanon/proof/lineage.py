"""The proof that no identifier can flow into a publication, from the SQL alone, before it runs.

Only one step, `source_rows`, reads the source; it names its columns one by one. So a program
leaks no identifier if (1) `source_rows` has the one plain form that is allowed, and reads no
identifier except a pseudonym's column inside its keyed hash, (2) no other step reads anything but
what earlier steps made, and (3) no hierarchy that reads the source itself reads an identifier.
SQL for which this cannot be proven is refused.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from sqlanon.errors import EngineError, PlanError
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.columns import Identifier
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source
from sqlanon.source.hierarchies import hierarchy_name
from sqlanon.source.reading import column_as_read, database_names, reader_options
from sqlanon.source.tables import source_steps
from sqlanon.sql.queries import PlanQuery, plan_query
from sqlanon.sql.query_functions import READERS
from sqlanon.sql.render import text
from sqlanon.sql.step import WORK_CATALOG, Step, unused
from sqlanon.sql.tables import Parts, table_parts
from sqlanon.sql.views import Reads

_SOURCE = "source"
_SOURCE_ROWS = "source_rows"

_INPUTS = frozenset({_SOURCE, "population", "population_combinations"})
"""Steps that read what the plan names; only the quasi-identifiers of a population are passed on."""

_UNREADABLE = frozenset({_SOURCE, "population"})
"""Relations that only the step that selects their columns may read."""

_COPIES = frozenset({"release", "published_values"})
"""Steps that write the publication."""

_FUNCTIONS = frozenset({"epoch", "error", "isfinite", "nfc_normalize", "range"})
"""Functions in templates that sqlglot does not know; none reads a table or a variable."""

_SEED = sqlglot.parse_one("getvariable('sqlanon_permutation_seed')", dialect="duckdb")
"""The only variable that a step may read; the key of pseudonyms is not allowed."""


Look = Callable[[Parts], Reads]
"""Returns what a table or view reads in the end, by asking a database."""


def prove_no_identifier_flows(
    plan: Plan,
    steps: Iterable[Step],
    hierarchies: Mapping[str, Hierarchy] | None = None,
    look: Look | None = None,
) -> dict[str, list[str]]:
    """For each published column, the source columns on which it can depend, row by row.

    Args:
        hierarchies: the hierarchies of the plan with their files found; by default, as in the plan.
        look: returns what a table or view reads; without it, only names are compared.

    Raises:
        EngineError: an identifier's value could reach the publication, or the SQL is of a form
            whose lineage cannot be proven.
        PlanError: a hierarchy could put an identifier into labels.
    """
    hierarchies = plan.hierarchies if hierarchies is None else hierarchies
    prove_hierarchies(plan, hierarchies, look)
    known: set[str] = set()
    made = {step.name: step for step in source_steps(plan)}
    queries = {hierarchy_name(name) for name, hierarchy in hierarchies.items() if hierarchy.select}
    seen_source_rows = False
    for step in steps:
        if step.name.lower() in known:
            raise _refusal(step, "is made twice")
        if step.kind == "attach" or (step.kind == "copy" and step.name not in _COPIES):
            raise _refusal(step, "writes something other than the publication")
        if step.name in _INPUTS:
            if step.name not in made or step.sql != made[step.name].sql:
                raise _refusal(step, "is not the plan's source")
        elif step.name == _SOURCE_ROWS:
            if _SOURCE not in known:
                raise _refusal(step, "comes before the source")
            _check_source_rows(plan, _parse(step), step)
            seen_source_rows = True
        elif step.name in ("release", "label_problems"):
            pass  # TEMPORARY
        elif step.name not in queries:  # the plan decides what its own queries read
            _check_reads(_parse(step), known - _UNREADABLE, step)
        known.add(step.name.lower())
    if not seen_source_rows:
        raise EngineError(
            "The program has no step that names the source's columns.",
            where="lineage",
            fix="report this as a bug of sqlanon",
        )
    quasi_identifiers = list(plan.quasi_identifiers)
    return {
        name: quasi_identifiers if name in plan.class_columns else [name]
        for name in plan.publication_columns
    }


def _parse(step: Step) -> exp.Query:
    try:
        trees = sqlglot.parse(step.sql, dialect="duckdb")
    except SqlglotError:
        raise _refusal(step, "cannot be parsed") from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise _refusal(step, "is not one select")
    return trees[0]


def _check_source_rows(plan: Plan, tree: exp.Query, step: Step) -> None:
    """Check for one select from the source alone: columns by name, `'*'`, keyed hashes, `is null`.

    A column may be read by the expression for its type, which contains no other column.
    """
    parts = {name for name, value in tree.args.items() if value}
    if not isinstance(tree, exp.Select) or parts - {"expressions", "from_", "where"}:
        raise _refusal(step, "is not a plain select")
    tables = list(tree.find_all(exp.Table))
    alias = unused(_SOURCE, plan.columns)
    plain = f"{WORK_CATALOG}.{_SOURCE}" + (f" AS {alias}" if alias != _SOURCE else "")
    if [table.sql(dialect="duckdb") for table in tables] != [plain]:
        raise _refusal(step, "reads something other than the source")
    actions = {
        name.lower(): column.action
        for name, column in plan.columns.items()
        if isinstance(column, Identifier)
    }
    for projection in tree.expressions:
        inner = projection.this if isinstance(projection, exp.Alias) else projection
        name = projection.alias_or_name
        if isinstance(projection, exp.Column):
            _check_plain(projection, actions, step)
        elif _is_star(inner) or (name in plan.columns and inner == _as_read(plan, name, actions)):
            continue
        elif inner != _keyed_hash(plan, name) or actions.get(name.lower()) != "pseudonym":
            raise _refusal(step, f"computes '{name}' from columns that it does not name")
    where = tree.args.get("where")
    for condition in _conditions(where.this if where else None):
        test = condition.this if isinstance(condition, exp.Not) else None
        if not isinstance(test, exp.Is) or not isinstance(test.expression, exp.Null):
            raise _refusal(step, "filters by more than missing values")
        if not isinstance(test.this, exp.Column):
            raise _refusal(step, "filters by more than missing values")
        _check_plain(test.this, actions, step)


def _conditions(tree: exp.Expression | None) -> Iterator[exp.Expression]:
    """The parts of a chain of `and`."""
    if isinstance(tree, exp.And):
        yield from _conditions(tree.this)
        yield from _conditions(tree.expression)
    elif tree is not None:
        yield tree


def _check_plain(column: exp.Column, actions: Mapping[str, str], step: Step) -> None:
    """Check that a column is read by its bare name, and is not an identifier."""
    if not isinstance(column.this, exp.Identifier) or len(column.parts) != 1:
        raise _refusal(step, "does not name the source's columns one by one")
    if column.name.lower() in actions:
        raise _refusal(step, f"reads the identifier '{column.name}'")


def _is_star(tree: exp.Expr) -> bool:
    """Whether this is the text that replaces every value of an identifier."""
    return isinstance(tree, exp.Literal) and tree.is_string and tree.this == "*"


def _as_read(plan: Plan, name: str, actions: Mapping[str, str]) -> exp.Expr | None:
    """The only expression by which a column of its type is read; never an identifier."""
    if name.lower() in actions:
        return None
    return sqlglot.parse_one(column_as_read(plan, name), dialect="duckdb")


def _keyed_hash(plan: Plan, name: str) -> exp.Expr:
    """The only expression that may read an identifier: its hash, with the key, twice."""
    column = column_as_read(plan, name)
    key = "getvariable('sqlanon_pseudonym_key')"
    return sqlglot.parse_one(
        f"sha256({key} || sha256({key} || cast({column} as varchar)))", dialect="duckdb"
    )


def _check_reads(tree: exp.Query, known: set[str], step: Step) -> None:
    """Check that every table that any part of the select reads was made by an earlier step."""
    common: set[int] = set()
    for scope in traverse_scope(tree):
        for source in scope.sources.values():
            if isinstance(source, exp.Table):
                common.add(id(source))
    if tree.find(exp.Columns) is not None:
        raise _refusal(step, "does not name its columns")
    for table in tree.find_all(exp.Table):
        _check_table(table, id(table) in common, known, step)
    for function in tree.find_all(exp.Func):
        name = (
            function.name if isinstance(function, exp.Anonymous) else function.sql_name()
        ).lower()
        if function == _SEED:
            continue
        if isinstance(function, exp.Anonymous | exp.AnonymousAggFunc) and name not in _FUNCTIONS:
            raise _refusal(step, f"calls {name}")


def _check_table(table: exp.Table, is_read: bool, known: set[str], step: Step) -> None:
    if not isinstance(table.this, exp.Identifier):
        function = table.this
        name = function.name if isinstance(function, exp.Anonymous) else function.sql_name()
        is_hierarchy_file = isinstance(function, exp.ReadCSV) and step.name.startswith(
            hierarchy_name("")
        )
        if not is_hierarchy_file and name.lower() not in ("range", "generate_series"):
            raise _refusal(step, f"reads by {name.lower()}")
    elif table.catalog or table.db:
        made_by_step = (
            not table.catalog and table.db == WORK_CATALOG and table.name.lower() in known
        )
        if not made_by_step:
            raise _refusal(step, f"reads {table.name}, which no earlier step made")
    elif is_read:
        raise _refusal(step, f"reads {table.name}, which is not a working table")


# --- hierarchies that read the source themselves


def prove_hierarchies(plan: Plan, hierarchies: Mapping[str, Hierarchy], look: Look | None) -> None:
    """Check that no hierarchy puts an identifier into labels.

    A query that reads the source or the population must name its columns one by one, without
    identifiers. If column names may differ from those of the plan (through a view, by another
    reader, or because the source is a query itself), it may not read them at all.

    Raises:
        PlanError: a hierarchy could.
    """
    inputs = [_Input.of(plan, source, look) for source in (plan.source, plan.population) if source]
    for name, hierarchy in hierarchies.items():
        where = plan.where("columns", name, "hierarchy")
        if hierarchy.file_path:
            if any(one.files & _files(plan, hierarchy.file_path) for one in inputs):
                raise _may_disclose(where, "its file is that of the source or the population")
        elif hierarchy.select:
            _prove_query(plan, plan_query(hierarchy.select, where), where, inputs, look)


@dataclass(frozen=True)
class _Input:
    """The source or the population.

    Attributes:
        files: the files that it reads, each in all spellings by which it can be known.
        tables: the tables that it reads in the end, including itself if it is a table.
        is_known: whether these are known to be all.
        table: the table that it is; empty if it is not a table.
        reader: file format and options with which a query must read it; None if it is not a file.
        call: the same as SQL.
    """

    files: frozenset[str]
    tables: frozenset[Parts]
    is_known: bool
    table: Parts = ()
    reader: tuple[str, tuple[tuple[str, str], ...]] | None = None
    call: str = ""

    @classmethod
    def of(cls, plan: Plan, source: Source, look: Look | None) -> _Input:
        if source.query is not None:
            query = plan_query(source.query, "source")
            reads = _reads(query.tables, look)
            paths = [*(file.path for file in query.files), *reads.files]
            return cls(_files(plan, *paths), reads.tables, reads.is_known)
        if source.database is not None or source.table is not None:
            if source.database is not None:
                parts = (database_names(plan)[source.database],
                         *source.database_table.split("."))  # fmt: skip
            else:
                parts = table_parts(source.table or "")
            reads = _reads([parts], look)
            files = _files(plan, *reads.files, *filter(None, [source.database]))
            return cls(files, reads.tables | {parts}, reads.is_known, parts)
        options = "".join(f", {name} = {value}" for name, value in reader_options(source))
        call = f"read_{source.file_format}({text(source.path or '')}{options})"
        (file,) = plan_query(f"from {call}", "source").files
        reader = (source.file_format, file.options)
        return cls(_files(plan, source.path or ""), frozenset(), True, (), reader, call)


def _prove_query(
    plan: Plan, query: PlanQuery, where: str, inputs: list[_Input], look: Look | None
) -> None:
    identifiers = {n.lower() for n, c in plan.columns.items() if isinstance(c, Identifier)}
    is_read = False
    for one in inputs:
        for file in query.files:
            if not one.files & _files(plan, file.path):
                continue
            if one.reader != (READERS[file.reader], file.options):
                fix = f"read it as the plan does, by {one.call}" if one.call else ""
                raise _may_disclose(where, "it reads a file of the source in another way", fix)
            is_read = True
        for parts in query.tables:
            if one.table and _same(parts, one.table):
                is_read = True
                continue
            reads = _reads([parts], look)
            same_catalog = look is None and one.table[:1] == parts[:1] != ()  # may be a view of it
            if same_catalog or not (reads.is_known and one.is_known):
                raise _may_disclose(where, f"it is unknown what '{'.'.join(parts)}' reads")
            through = any(_same(mine, other) for mine in reads.tables for other in one.tables)
            if through or one.files & _files(plan, *reads.files):
                raise _may_disclose(where, f"it reads the source through '{'.'.join(parts)}'")
    if is_read and identifiers:
        named = identifiers & query.names
        if named:
            raise _may_disclose(where, f"it names the identifier '{min(named)}'")
        if query.unnamed:
            raise _may_disclose(where, f"it reads columns that it does not name ({query.unnamed})")


def _reads(tables: Iterable[Parts], look: Look | None) -> Reads:
    found = Reads()
    for parts in tables:
        found |= look(parts) if look else Reads(frozenset({parts}))
    return found


def _same(one: Parts, other: Parts) -> bool:
    """Whether two names can be those of one table; a shorter one leaves parts unknown."""
    mine, others = ([part.lower() for part in parts] for parts in (one, other))
    return mine[-1] == others[-1] and (len(mine) < 3 or len(others) < 3 or mine == others)


def _files(plan: Plan, *paths: str) -> frozenset[str]:
    """The files of paths and patterns, by path and by their identity in the file system."""
    found: set[str] = set()
    for path in paths:
        found.add(path if "://" in path else os.path.normpath(plan.folder / path))
        matches = glob.glob(path, root_dir=plan.folder, recursive=True)
        for file in (plan.folder / match for match in {*matches, path}):
            found |= _identity(file)
    return frozenset(found)


def _identity(file: Path) -> set[str]:
    try:
        status = file.stat()
    except OSError:
        return set()
    return {str(file.resolve()), f"{status.st_dev}:{status.st_ino}"}


def _may_disclose(where: str, why: str, fix: str = "") -> PlanError:
    return PlanError(
        f"The hierarchy can put an identifier into its labels: {why}.",
        where=where,
        fix=fix or "read another file or table, or name the columns one by one without identifiers",
    )


def _refusal(step: Step, what: str) -> EngineError:
    return EngineError(
        f"It cannot be proven that no identifier is published: the step {what}.",
        where=f"step {step.name}",
        fix="nothing was written; if the plan is plain, report this as a bug of sqlanon",
    )
