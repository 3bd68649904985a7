"""The statements of a program for spark-sql: temporary views, and rows that are kept in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Literal

from sqlanon.boundary.secrets import FEWEST, SHORTEST, Secret
from sqlanon.plan.tables import Destination, Source
from sqlanon.program.scripts import Script, csv_file
from sqlanon.source.settings import SPARK_SETTINGS
from sqlanon.sql.paths import is_pattern


class SparkScript(Script):
    """Working relations are temporary views; staged rows are in the target folder."""

    dialect: ClassVar[str] = "spark"
    most_plans: ClassVar[float] = 1000  # a cached relation is planned wherever it is read

    def relation(self, name: str) -> str:
        return f"{self.own}_{name}"

    def header(self, file: str) -> list[str]:
        return [
            f"run       spark-sql -f {file}, from the plan's folder; needs Spark 4.0",
            f"tables    all work is done in temporary views of the session, {self.own}_…; what is"
            " kept in memory and lost with an executor is computed again, so the source must not"
            " change meanwhile",
            "publishes once all proofs hold, but not in one step: a reader may see no rows for a"
            " moment, where `sqlanon run` swaps them; without the mark and the manifest, by which"
            " `sqlanon run` replaces only what it wrote",
        ]

    def secret_setting(self, secret: Secret) -> str:
        return f"first, by spark-sql -i FILE: declare variable {secret.variable} string default '…'"

    def opening(self, secrets: Iterable[Secret]) -> list[str]:
        statements = [
            "-- what results depend on\n"
            + "\n".join(f"set {name} = {value};" for name, value in SPARK_SETTINGS.items())
            + f"\nset time zone {self.literal(self.plan.time_zone)};"
        ]
        for secret in secrets:
            value = f"system.session.{secret.variable}"
            statements.append(
                f"select case\n    when coalesce(length({value}), 0) < {SHORTEST}\n"
                f"        or size(array_distinct(split({value}, ''))) < {FEWEST}\n"
                f"        then raise_error('sqlanon: {secret.variable} needs {SHORTEST} characters"
                f" or more, {FEWEST} different ones')\n"
                f"    else 'set'\nend as {secret.variable.removeprefix('sqlanon_')};"
            )
        return statements

    def made(self, kind: Literal["view", "table"], relation: str, query: str) -> list[str]:
        made = "create temporary view" if kind == "view" else "cache table"
        return [f"{made} {self.sql(relation)} as\n{query.rstrip()};"]

    def staged(self, place: Destination, path: str, query: str) -> tuple[str, list[str]]:
        relation = self.relation(
            f"staged_{'values' if path.endswith('_values.parquet') else 'rows'}"
        )
        return relation, [
            f"insert overwrite directory {self.literal(path)} using parquet\n{query.rstrip()};",
            self._parquet(relation, {"path": path}),
        ]

    def file(self, relation: str, path: str, reader: str, columns: Sequence[str]) -> list[str]:
        delimiter, header = csv_file(reader, path)
        names = ", ".join(f"{self.identifier(name)} string" for name in columns)
        if not delimiter:
            return [
                f"create temporary view {self.sql(relation)} ({names})\n"
                f"using text options ({self._options({'path': path})});"
            ]
        options = {
            "path": path,
            "header": header,
            "sep": delimiter,
            "quote": '"',
            "escape": '"',
            "multiLine": "true",
            "mode": "FAILFAST",
        }
        return [
            f"create temporary view {self.sql(relation)} ({names})\n"
            f"using csv options ({self._options(options)});"
        ]

    def files(self, relation: str, source: Source) -> list[str]:
        path = source.path or ""
        options = {"path": path, "recursiveFileLookup": "true"}
        if is_pattern(path) or not path.endswith((".parquet", ".pq")):
            options["mergeSchema"] = "true"  # else columns of later files go unseen
        return [self._parquet(relation, options)]

    def closing(self, proven: str, staged: Sequence[tuple[Destination, str]]) -> list[str]:
        return [
            text for place, relation in staged for text in self._published(proven, place, relation)
        ]

    def _published(self, proven: str, place: Destination, relation: str) -> list[str]:
        note = "-- the proven rows, at their place\n"
        rows = (
            f"select staged.*\nfrom {self.sql(relation)} as staged\n"
            f"where (select count(*) from {self.sql(proven)}) = 1;"
        )
        if place.table is None:
            path = self.literal(place.path or "")
            return [f"{note}insert overwrite directory {path} using parquet\n{rows}"]
        table = self.sql(place.table)
        empty = f"select *\nfrom {self.sql(relation)}\nwhere false;"
        return [
            f"-- no row yet\ncreate table if not exists {table} using parquet as\n{empty}",
            f"{note}insert overwrite table {table} by name\n{rows}",
        ]

    def _parquet(self, relation: str, options: Mapping[str, str]) -> str:
        return (
            f"create temporary view {self.sql(relation)}\n"
            f"using parquet options ({self._options(options)});"
        )

    def _options(self, options: Mapping[str, str]) -> str:
        return ", ".join(
            f"{self.literal(name)} = {self.literal(value)}" for name, value in options.items()
        )
