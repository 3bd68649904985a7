"""A plan on a caller's connection: its tables and queries, named in full."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import duckdb

from sqlanon.engines.duckdb_errors import engine_error
from sqlanon.errors import PlanError
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source
from sqlanon.source.reading import attached_databases
from sqlanon.sql.queries import plan_query
from sqlanon.sql.render import text
from sqlanon.sql.tables import Parts, table_name, table_parts, table_sql
from sqlanon.sql.views import Catalog, Reads, refuse_macros, refuse_work_names


def on_connection(
    plan: Plan, connection: duckdb.DuckDBPyConnection, given: Collection[str] = ()
) -> Plan:
    """The plan, its source and population naming tables of a connection in full.

    Args:
        given: names of tables that are given in Python, which stay as they are.

    Raises:
        PlanError: a table does not exist, a macro replaces a function of DuckDB, or a schema is
            called as the working tables.
    """
    try:
        refuse_macros(connection)
        refuse_work_names(connection)
        update = {
            key: source_on_connection(plan, source, connection, plan.where(key), given)
            for key, source in (("source", plan.source), ("population", plan.population))
            if source is not None
        }
    except duckdb.Error as error:
        raise engine_error(error, "connection") from None
    return plan.model_copy(update=update)


def source_on_connection(
    plan: Plan,
    source: Source,
    connection: duckdb.DuckDBPyConnection,
    where: str,
    given: Collection[str] = (),
) -> Source:
    """A source of a plan, naming tables of a connection in full."""
    if source.table is not None and source.table not in given:
        parts = Catalog(connection).resolved(table_parts(source.table), where=where)
        return source.model_copy(update={"table": table_name(parts)})
    if source.query is not None:
        query = query_on_connection(plan, source.query, connection, where, given)
        return source.model_copy(update={"query": query})
    return source


def query_on_connection(
    plan: Plan,
    query: str,
    connection: duckdb.DuckDBPyConnection,
    where: str,
    given: Collection[str] = (),
) -> str:
    """A query of a plan, naming tables of a connection in full."""
    databases = attached_databases(plan)

    def named(parts: Parts) -> str:
        if parts[0].lower() in databases or table_name(parts) in given:  # by the engine
            return table_sql(parts)
        return table_sql(Catalog(connection).resolved(parts, where=where))

    return plan_query(query, where).text(text, named)


def named_tables(plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Iterator[tuple[str, Parts]]:
    """The tables that a plan names, each with its place in the plan."""
    for key, source in (("source", plan.source), ("population", plan.population)):
        if source is not None and source.table is not None:
            yield plan.where(key), table_parts(source.table)
        elif source is not None and source.query is not None:
            for parts in plan_query(source.query, plan.where(key)).tables:
                yield plan.where(key), parts
    for name, hierarchy in hierarchies.items():
        if hierarchy.select:
            where = plan.where("columns", name, "hierarchy")
            for parts in plan_query(hierarchy.select, where).tables:
                yield where, parts


def refuse_names(plan: Plan, hierarchies: Mapping[str, Hierarchy], made: Collection[str]) -> None:
    """Check that no bare table name in a program is the name of one of its steps.

    On a connection every table is named in full. A program that is compiled without one finds its
    tables by itself, and looks in the working catalog first.

    Args:
        made: the names of the steps, in lower case.

    Raises:
        PlanError: one is.
    """
    for where, parts in named_tables(plan, hierarchies):
        if len(parts) < 3 and parts[-1].lower() in made:
            raise PlanError(
                f"'{'.'.join(parts)}' is also the name of a working table of sqlanon.",
                where=where,
                fix=f"name it with database and schema, such as memory.main.{parts[-1].lower()}",
            )


def reads_on(connection: duckdb.DuckDBPyConnection, table: Parts) -> Reads:
    """What a table or view of a connection reads, as far as that is known."""
    try:
        catalog = Catalog(connection)
        return catalog.sources(catalog.resolved(table, where="table"))
    except PlanError:
        return Reads(frozenset({table}), is_known=False)
