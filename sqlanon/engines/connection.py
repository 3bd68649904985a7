"""A plan on a caller's connection: its tables and queries, named in full."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import duckdb

from sqlanon.engines.duckdb import engine_error
from sqlanon.errors import PlanError
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source
from sqlanon.source.reading import attached_databases
from sqlanon.sql.queries import plan_query
from sqlanon.sql.render import text
from sqlanon.sql.tables import Parts, table_name, table_parts, table_sql
from sqlanon.sql.views import Catalog, refuse_macros, refuse_work_names


def on_connection(
    plan: Plan, connection: duckdb.DuckDBPyConnection, in_python: Collection[str] = ()
) -> Plan:
    """The plan, its source and population naming tables of a connection in full.

    Args:
        in_python: names of tables of Python, which stay as they are.
    """
    if not hasattr(connection, "execute"):
        raise PlanError(
            f"A {type(connection).__name__} is no connection.",
            where="connection",
            fix="open it before: connection=duckdb.connect(FILE)",
        )
    try:
        refuse_macros(connection)
        refuse_work_names(connection)
        update = {
            key: source_on_connection(plan, source, connection, plan.where(key), in_python)
            for key, source in _sources(plan).items()
        }
    except duckdb.Error as error:
        raise engine_error(error, "connection") from None
    return plan.model_copy(update=update)


def source_on_connection(
    plan: Plan,
    source: Source,
    connection: duckdb.DuckDBPyConnection,
    where: str,
    in_python: Collection[str] = (),
) -> Source:
    """A source of a plan, naming tables of a connection in full."""
    if source.table is not None and source.table not in in_python:
        parts = Catalog(connection).resolved(table_parts(source.table), where=where)
        return source.model_copy(update={"table": table_name(parts)})
    if source.query is not None:
        query = query_on_connection(plan, source.query, connection, where, in_python)
        return source.model_copy(update={"query": query})
    return source


def query_on_connection(
    plan: Plan,
    query: str,
    connection: duckdb.DuckDBPyConnection,
    where: str,
    in_python: Collection[str] = (),
) -> str:
    """A query of a plan, naming tables of a connection in full."""
    databases = attached_databases(plan)

    def named(parts: Parts) -> str:
        if parts[0].lower() in databases or table_name(parts) in in_python:  # by the engine
            return table_sql(parts)
        return table_sql(Catalog(connection).resolved(parts, where=where))

    return plan_query(query, where).text(text, named)


def named_tables(plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Iterator[tuple[str, Parts]]:
    """The tables that a plan names, each with its place in the plan."""
    for key, source in _sources(plan).items():
        if source.table is not None:
            yield plan.where(key), table_parts(source.table)
        elif source.query is not None:
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
    """
    for where, parts in named_tables(plan, hierarchies):
        if len(parts) < 3 and parts[-1].lower() in made:
            raise PlanError(
                f"'{'.'.join(parts)}' is also the name of a working table of sqlanon.",
                where=where,
                fix=f"name it with database and schema, such as memory.main.{parts[-1].lower()}",
            )


def _sources(plan: Plan) -> dict[str, Source]:
    found = {"source": plan.source, "population": plan.population}
    return {key: source for key, source in found.items() if source is not None}
