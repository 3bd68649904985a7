"""The statements of a program for psql: one transaction, as that of a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, Literal

from sqlanon.boundary.secrets import FEWEST, SHORTEST, Secret
from sqlanon.plan.tables import Destination, Source
from sqlanon.program.scripts import Script, csv_file
from sqlanon.source.settings import POSTGRESQL_SETTINGS, SAFE_SEARCH_PATH
from sqlanon.sql.postgresql_publication import published_text
from sqlanon.sql.tables import table_name, table_parts


class PostgreSQLScript(Script):
    """Everything is one transaction: an error anywhere leaves what was there before."""

    dialect: ClassVar[str] = "postgres"

    def relation(self, name: str) -> str:
        return f"{self.own}.{name}"

    def header(self, file: str) -> list[str]:
        return [
            f"run       psql -v ON_ERROR_STOP=1 -f {file}, from the plan's folder; needs PostgreSQL"
            " 13, and the connection of psql's own arguments or environment",
            f"tables    all work is done in the schema {self.own}, in one transaction: nobody else"
            " sees it, and it ends with the program",
            "publishes once all proofs hold, with owner, grants, comments of columns and indexes of"
            " an earlier table; without the mark and the manifest, by which `sqlanon run` replaces"
            " only what it wrote",
        ]

    def secret_setting(self, secret: Secret) -> str:
        return f"first, in the environment of psql: {secret.environment}=…"

    def opening(self, secrets: Iterable[Secret]) -> list[str]:
        settings = {"timezone": self.plan.time_zone, **POSTGRESQL_SETTINGS}
        statements = [
            "\\set ON_ERROR_STOP on\n\\set ON_ERROR_ROLLBACK off",
            "begin isolation level repeatable read;",
            "-- what results depend on, and what makes it fast\n"
            + "\n".join(f"set local {name} = {self.literal(v)};" for name, v in settings.items()),
            "-- names are not looked up in schemas in which others could make a function\n"
            "select pg_catalog.length(pg_catalog.set_config('search_path', path.path, true)) as"
            " path\n"
            f"from (\n{SAFE_SEARCH_PATH}\n) as path (path);",
            f"create schema {self.own};",
        ]
        for secret in secrets:
            relation = self.relation("variable")
            called = secret.variable.replace("_", ".", 1)
            name = secret.variable.removeprefix("sqlanon_")
            statements += [
                f"-- copied in, so that it stands in no log of statements\n"
                f"create unlogged table {relation} (value text);",
                f"\\copy {relation} from program 'printenv {secret.environment}'"
                " with (format csv, delimiter E'\\x01', quote E'\\x02')",
                f"select case\n    when length(value) < {SHORTEST}\n"
                f"        or (select count(distinct c) from regexp_split_to_table(value, '') as c)"
                f" < {FEWEST}\n"
                f"        then cast('sqlanon: {secret.environment} needs {SHORTEST} characters or"
                f" more, {FEWEST} different ones'\n"
                f"            || left(value, 0) as integer)\n"
                f"    else length(set_config('{called}', value, true))\n"
                f"end as {name}\nfrom {relation};",
                f"drop table {relation};",
            ]
        return statements

    def made(self, kind: Literal["view", "table"], relation: str, query: str) -> list[str]:
        if kind == "view":
            return [f"create view {self.sql(relation)} as\n{query.rstrip()};"]
        return [
            f"create unlogged table {self.sql(relation)} as\n{query.rstrip()};",
            f"analyze {self.sql(relation)};",
        ]

    def staged(self, place: Destination, path: str, query: str) -> tuple[str, list[str]]:
        *schema, _ = table_parts(place.table or "")
        relation = table_name((*schema, f"{self.own}_{len(self._staged) + 1}"))
        sql = self.sql(relation)
        return relation, [f"create table {sql} as\n{query.rstrip()};", f"analyze {sql};"]

    def file(self, relation: str, path: str, reader: str, columns: Sequence[str]) -> list[str]:
        delimiter, header = csv_file(reader, path)
        names = list(map(self.identifier, columns))
        made = ", ".join(f"{name} text" for name in names)
        options = f"format csv, header {header}, encoding 'UTF8'"
        separated = f"delimiter {self.literal(delimiter)}, force_null ({', '.join(names)})"
        if not delimiter:  # line by line: characters that no text has stand for a quote
            separated = "delimiter E'\\x01', quote E'\\x02'"
        # \copy is one line
        return [
            f"create unlogged table {self.sql(relation)} ({made});",
            f"\\copy {self.sql(relation)} from {self.literal(path)} with ({options}, {separated})",
            f"analyze {self.sql(relation)};",
        ]

    def files(self, relation: str, source: Source) -> list[str]:
        raise AssertionError("a plan that reads files is refused")

    def closing(self, proven: str, staged: Sequence[tuple[Destination, str]]) -> list[str]:
        published = [self._published(proven, place, relation) for place, relation in staged]
        return [
            *published,
            f"set local client_min_messages = warning;\ndrop schema {self.own} cascade;",
            "commit;",
        ]

    def _published(self, proven: str, place: Destination, relation: str) -> str:
        *schema, name = table_parts(place.table or "")
        final = self.sql(place.table or "")
        bare = f"quote_ident(current_schema()) || {self.literal('.' + final)}"
        note = "-- the proven rows, at their place, with what an earlier table there granted"
        text = published_text(
            called=self.literal(final) if schema else bare, final=final,
            name=self.identifier(name), staged=self.sql(relation),
            shown=self.literal(self.sql(relation)), proven=self.sql(proven),
        )  # fmt: skip
        return f"{note}\n{text}"
