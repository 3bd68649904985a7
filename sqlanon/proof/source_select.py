"""The only form of a select that may read the source: columns by name, `'*'`, keyed hashes.

A column may be read by the expression for its type, which contains no other column; a row may be
left out only because a value is missing. If the plan publishes the rows in their order, the number
of a row may be read, too. Of the population, only quasi-identifiers may be read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import sqlglot
from sqlglot import exp

from sqlanon.errors import EngineError
from sqlanon.plan.columns import Identifier
from sqlanon.plan.plan import Plan
from sqlanon.proof.relations import NO_NAMES, Cell, Relation, name_of
from sqlanon.source.reading import column_as_read
from sqlanon.source.tables import row_choice
from sqlanon.sql.step import WORK_CATALOG, unused

ROW_NUMBER = sqlglot.parse_one("row_number() over ()", dialect="duckdb")
"""The order of the source, where the plan publishes it."""


def refusal(step: str, what: str) -> EngineError:
    """The error for SQL of which it cannot be proven that no identifier is published."""
    return EngineError(
        f"It cannot be proven that no identifier is published: the step {what}.",
        where=f"step {step}",
        fix="nothing was written; if the plan is plain, report this as a bug of sqlanon",
    )


def check_source_select(plan: Plan, tree: exp.Query, step: str) -> exp.Select:
    """Check that a select has this form, whatever it reads from.

    Raises:
        EngineError: it has another one.
    """
    parts = {name for name, value in tree.args.items() if value}
    if not isinstance(tree, exp.Select) or parts - {"expressions", "from_", "where"}:
        raise refusal(step, "is not a plain select")
    actions = {
        name.lower(): column.action
        for name, column in plan.columns.items()
        if isinstance(column, Identifier) and not (plan.hides_persons and name == plan.person)
    }
    for projection in tree.expressions:
        inner = projection.this if isinstance(projection, exp.Alias) else projection
        name = projection.alias_or_name
        if isinstance(projection, exp.Column):
            _check_plain(projection, actions, step)
        elif (
            is_star_text(inner)
            or (name in plan.columns and inner == _as_read(plan, name, actions))
            or (plan.order == "source" and name not in plan.columns and inner == ROW_NUMBER)
        ):
            continue
        elif (
            actions.get(name.lower()) != "pseudonym"
            or name not in plan.columns
            or inner != sqlglot.parse_one(keyed_hash(plan, name), dialect="duckdb")
        ):
            raise refusal(step, f"computes '{name}' from columns that it does not name")
    where = tree.args.get("where")
    for condition in _conditions(where.this if where else None):
        test = condition.this if isinstance(condition, exp.Not) else None
        if not isinstance(test, exp.Is) or not isinstance(test.expression, exp.Null):
            raise refusal(step, "filters by more than missing values")
        if not isinstance(test.this, exp.Column):
            raise refusal(step, "filters by more than missing values")
        _check_plain(test.this, actions, step)
    return tree


def _without_row_choice(plan: Plan, tree: exp.Query, step: str) -> exp.Query:
    """The select that reads the source, where another one around it chooses the rows of a person.

    Raises:
        EngineError: the one around it has another form.
    """
    choice = row_choice(plan, "select 1")
    if not choice:
        return tree
    around = tree.copy()
    inner = None
    start = around.args.get("from_")
    while start is not None and isinstance(start.this, exp.Subquery):
        inner = start.this
        start = inner.this.args.get("from_")
    select = None if inner is None else inner.this
    if inner is not None:
        inner.set("this", exp.select("1"))
    if not isinstance(select, exp.Query) or around != sqlglot.parse_one(choice, dialect="duckdb"):
        raise refusal(step, "does not choose the rows of a person by their keyed hashes")
    return select


def row_choices(plan: Plan, tree: exp.Query) -> list[exp.Window]:
    """The numbers of rows by which the rows of a person are chosen, where the plan limits them.

    Only these windows and the keyed hashes of pseudonyms may read the key.
    """
    choice = row_choice(plan, "select 1")
    if not choice:
        return []
    expected = sqlglot.parse_one(choice, dialect="duckdb").find(exp.Window)
    return [window for window in tree.find_all(exp.Window) if window == expected]


def check_source_rows(plan: Plan, tree: exp.Query, step: str) -> None:
    """Check for one plain select from the source alone; around it only rows may be chosen.

    Raises:
        EngineError: there is something else.
    """
    select = _without_row_choice(plan, tree, step)
    check_source_select(plan, select, step)
    tables = list(select.find_all(exp.Table))
    alias = unused("source", plan.columns)
    plain = f"{WORK_CATALOG}.source" + (f" AS {alias}" if alias != "source" else "")
    if [table.sql(dialect="duckdb") for table in tables] != [plain]:
        raise refusal(step, "reads something other than the source")


def source_columns(plan: Plan, tree: exp.Select, step: str) -> Relation:
    """The columns that a select of this form reads from the source.

    Raises:
        EngineError: it has another form, or other columns.
    """
    select = check_source_select(plan, tree, step)
    _check_named(plan, select.args["from_"].this, step)
    columns: dict[str, Cell] = {}
    for projection in select.expressions:
        inner = projection.this if isinstance(projection, exp.Alias) else projection
        named = projection.alias_or_name
        if named.lower() in columns:
            raise refusal(step, f"reads the column '{named}' twice")
        own = next((c for c in plan.columns if c.lower() == named.lower()), None)
        if own is None and inner == ROW_NUMBER:  # its place is allowed by `check_source_select`
            columns[named.lower()] = Cell(NO_NAMES, inner)
            continue
        if own is None:
            raise refusal(step, f"reads the column '{named}', which the plan does not have")
        sources = NO_NAMES if is_star_text(inner) else frozenset((own,))
        columns[named.lower()] = Cell(sources, inner)
    where = select.args.get("where")
    filtered = {c.name.lower() for c in where.find_all(exp.Column)} if where else set()
    return Relation(columns, frozenset(c for c in plan.columns if c.lower() in filtered))


def population_columns(plan: Plan, tree: exp.Select, step: str) -> Relation:
    """The columns that a plain select reads from the population: quasi-identifiers alone.

    The population may have a column of any other name, which would hide one of the same name that
    the query makes or has around it; so no other name may stand there.

    Raises:
        EngineError: the select is not plain.
    """
    if any(value and name not in ("expressions", "from_") for name, value in tree.args.items()):
        raise refusal(step, "has no plain select of the population")
    _check_named(plan, tree.args["from_"].this, step)
    known = {name.lower(): name for name in plan.quasi_identifiers}
    columns: dict[str, Cell] = {}
    for projection in tree.expressions:
        if projection.find(exp.Star, exp.Columns, exp.PositionalColumn, exp.Query):
            raise refusal(step, "does not name the population's columns one by one")
        for column in projection.find_all(exp.Column):
            if len(column.parts) != 1 or column.name.lower() not in known:
                raise refusal(step, f"reads '{column.name}' of the population")
        inner = projection.this if isinstance(projection, exp.Alias) else projection
        named = projection.alias_or_name.lower()
        if named in columns or not isinstance(projection, exp.Alias | exp.Column):
            raise refusal(step, "has a column of the population without a name of its own")
        read = frozenset(known[column.name.lower()] for column in projection.find_all(exp.Column))
        columns[named] = Cell(read, inner)  # as of the source, whose rows are in the population
    return Relation(columns)


def _check_named(plan: Plan, start: exp.Expr, step: str) -> None:
    """Check the name and alias of what is read.

    New names of columns would mean others by their place. The name of a column that is missing
    would mean whole rows if what is read had it.
    """
    alias = start.args.get("alias")
    if alias is not None and alias.columns:
        raise refusal(step, "renames the columns that it reads")
    if name_of(start) in {column.lower() for column in plan.columns}:
        raise refusal(step, f"names what it reads as its column '{name_of(start)}'")


def is_star_text(tree: exp.Expr) -> bool:
    """Whether this is the text that replaces every value of an identifier."""
    return isinstance(tree, exp.Literal) and tree.is_string and tree.this == "*"


def _conditions(tree: exp.Expression | None) -> Iterator[exp.Expression]:
    """The parts of a chain of `and`."""
    if isinstance(tree, exp.And):
        yield from _conditions(tree.this)
        yield from _conditions(tree.expression)
    elif tree is not None:
        yield tree


def _check_plain(column: exp.Column, actions: Mapping[str, str], step: str) -> None:
    """Check that a column is read by its bare name, and is not an identifier."""
    if not isinstance(column.this, exp.Identifier) or len(column.parts) != 1:
        raise refusal(step, "does not name the source's columns one by one")
    if column.name.lower() in actions:
        raise refusal(step, f"reads the identifier '{column.name}'")


def _as_read(plan: Plan, name: str, actions: Mapping[str, str]) -> exp.Expr | None:
    """The only expression by which a column of its type is read; never an identifier."""
    if name.lower() in actions:
        return None
    return sqlglot.parse_one(column_as_read(plan, name), dialect="duckdb")


def keyed_hash(plan: Plan, name: str) -> str:
    """The only expression that may read an identifier: its hash, with the key, twice."""
    column = column_as_read(plan, name)
    key = "getvariable('sqlanon_pseudonym_key')"
    return f"sha256({key} || sha256({key} || cast({column} as varchar)))"
