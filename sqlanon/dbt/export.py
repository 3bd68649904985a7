"""A solved plan as files of a dbt project: candidate, tests, publication, seeds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sqlanon.dbt.project import JINJA, Relation, literal, plain_words
from sqlanon.dbt.promised import Call, Related, calls_of, hooks
from sqlanon.dbt.seeds import seeds_of
from sqlanon.dialects.dialect import dialect_of
from sqlanon.dialects.steps import one_query
from sqlanon.dialects.transpile import NamedTable, transpile
from sqlanon.families.header import source_title
from sqlanon.families.persons import person_inputs
from sqlanon.families.placing import LeveledSolution
from sqlanon.families.release_query import (
    changed_release,
    labels_of,
    node_lines,
    population_inputs,
    release_sql,
)
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.column_types import TEXT
from sqlanon.plan.columns import Identifier
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Source
from sqlanon.plan.yaml_file import written
from sqlanon.source.frequency_set import Shape
from sqlanon.source.hierarchies import level_titles
from sqlanon.source.tables import place_name, required_columns
from sqlanon.sql.render import render
from sqlanon.sql.step import PLACED_ROWS, Rows, Step, mark

AS_TEXT = "ENUM"
"""A type whose columns are cast to text: a reader of CSV files makes text of any column, too."""


@dataclass(frozen=True)
class Place:
    """Where an export goes, and what it reads there."""

    name: str  # of the publication
    models: str  # folders in the project
    seeds: str
    private: str  # the schema of everything but the publication
    dialect: str
    source: Relation  # stands for the table of the plan
    population: Relation | None

    def model(self, kind: str = "") -> str:
        """The name of a model."""
        return f"{self.name}__{kind}" if kind else self.name

    @property
    def digests(self) -> str:
        """The path of the file that lists the files of the export with their digests."""
        return f"{self.models}/_{self.name}.sha256"


class Export:
    """The files of an export of a plan with types of its columns, and hierarchies as found."""

    def __init__(self, plan: Plan, shape: Shape, solution: LeveledSolution, place: Place) -> None:
        self.plan, self.solution, self.place = plan, solution, place
        self.shape = shape
        self.seeds = seeds_of(plan, shape.hierarchies, labels_of(plan, shape, solution), place.name)
        rules = [hierarchy.inputs for hierarchy in shape.hierarchies.values()]
        self._mark = mark("sqlanon_relation", plan.model_dump(), solution.model_dump(), rules)
        self._relations: dict[str, Relation] = {}

    def _marked(self, relation: Relation) -> str:
        """A name that stands for a relation in SQL, until the SQL is written."""
        for name, known in self._relations.items():
            if known == relation:
                return name
        name = f"{self._mark}_{len(self._relations) + 1}"
        self._relations[name] = relation
        return name

    @cached_property
    def _reading(self) -> tuple[Plan, Shape]:
        """The plan and its hierarchies, read from relations of the project."""
        plan, types = self.plan, {}
        tables = {"source": plan.source, "population": plan.population}
        relations = {"source": self.place.source, "population": self.place.population}
        changed = {}
        for key, table in tables.items():
            relation = relations[key]
            if table is not None and relation is not None:
                changed[key] = Source.model_validate({"table": self._marked(relation)})
                is_text = table.is_file and table.file_format == "csv"
                types[key] = {
                    name: AS_TEXT if is_text and kind == TEXT else kind
                    for name, kind in plan.types.get(key, {}).items()
                }
        hierarchies: dict[str, Hierarchy] = dict(self.shape.hierarchies)
        for seed in self.seeds:
            hierarchies[seed.attribute] = seed.reading(self._marked(_ref(seed.name)))
        read = plan.model_copy(update=changed).with_types(types)
        return read, Shape(hierarchies, self.shape.words)

    def files(self, rows: Mapping[str, Rows]) -> dict[str, str]:
        """The files by their paths in the project, without headers, given rows of seeds."""
        place, files = self.place, {}
        for seed in self.seeds:
            files[f"{place.seeds}/{seed.name}.csv"] = seed.content(self.plan, rows[seed.name])
        if self.seeds:
            files[f"{place.seeds}/_{place.name}_seeds.yml"] = self._seeds_yml()
        for kind, sql in self._private_models().items():
            files[f"{place.models}/{place.model(kind)}.sql"] = sql
        files[f"{place.models}/{place.name}.sql"] = self._publication()
        files[f"{place.models}/_{place.name}.yml"] = written({"models": self._described()})
        return files

    # --- models

    def _sql(self, sql: str) -> str:
        """A query in the dialect of the project, with its relations as Jinja has them."""
        dialect = self.place.dialect
        if dialect != "duckdb":
            types = {
                str(self.place.source): self.plan.types.get("source", {}),
                str(self.place.population): self.plan.types.get("population", {}),
                str(self._candidate): {**self.plan.staged_types, place_name(self.plan): "BIGINT"},
                **{f"{_ref(seed.name)}": dict.fromkeys((c for _, c in seed.columns), TEXT)
                   for seed in self.seeds},
            }  # fmt: skip
            tables = {
                name: NamedTable(name, types.get(relation, {}))
                for name, relation in self._relations.items()
            }
            sql = transpile(sql, dialect, tables)
        sql = re.sub(JINJA.pattern + "(.)", lambda found: f'{{{{ "{{{found[1]}" }}}}', sql)
        for name, relation in self._relations.items():
            jinja = f"{{{{ {relation} }}}}".replace("\\", "\\\\")
            sql = re.sub(rf"([\"`]?)\b{name}\b\1", jinja, sql)
        return sql.rstrip("\n") + "\n"

    def _private_models(self) -> dict[str, str]:
        plan, shape = self._reading
        place, made = self.place, {}
        private = f"schema={literal(place.private)}"
        if required_columns(plan):
            columns = [n for n in plan.columns if n in plan.staged_columns]
            sql = render(
                "dbt/_rows.sql", name=place.model("rows"), source=self._marked(place.source),
                columns=columns, required=required_columns(plan),
            )  # fmt: skip
            made["rows"] = f"{_config('view', private)}\n{self._sql(sql)}"
        if plan.population is not None and self.plan.population is not None:
            sql = render(
                "dbt/_population.sql", name=place.model("population"),
                title=f"{source_title(plan.population)}",
                **population_inputs(plan, shape, self.solution),
            )  # fmt: skip
            made["population"] = f"{_config('table', private)}\n{self._sql(sql)}"
        candidate = release_sql(plan, shape, self.solution)
        if plan.changed_columns:
            lines = node_lines(plan, shape, self.solution)
            changed = changed_release(plan, shape, lines)
            steps = [Step(PLACED_ROWS, candidate), Step("candidate", changed)]
            candidate = one_query(steps, "candidate")
        made["candidate"] = f"{_config('table', private)}\n{self._sql(candidate)}"
        return made

    def _publication(self) -> str:
        plan, name = self.plan, self.place.name
        candidate = self._candidate
        sql = render(
            "dbt/_publication.sql", name=name, candidate=self._marked(candidate),
            **_published(plan),
        )  # fmt: skip
        others = {str(r): None for call in self._calls for r in call.relations}
        needed = "".join(f"-- depends_on: {{{{ {relation} }}}}\n" for relation in others)
        guards = ",\n        ".join(hooks(self._calls, candidate))
        config = _config("table", f"pre_hook=[\n        {guards},\n    ]")
        return f"{config}\n{needed}{self._sql(sql)}"

    # --- what is said of them

    @property
    def _candidate(self) -> Relation:
        return _ref(self.place.model("candidate"))

    @cached_property
    def _calls(self) -> list[Call]:
        plan, place = self.plan, self.place
        rows = place.source
        if required_columns(plan):
            rows = _ref(place.model("rows"))
        people = None
        if plan.population is not None:
            people = _ref(place.model("population"))
        seeds = {seed.attribute: seed for seed in self.seeds}
        refs = {name: _ref(seed.name) for name, seed in seeds.items()}
        tables = [rows, *([place.population] if place.population is not None else [])]
        looked_up = [
            (table, name, refs[name])
            for name, seed in seeds.items() if seed.is_looked_up for table in tables
        ]  # fmt: skip
        levels = {name: (refs[name], [c for _, c in seed.columns]) for name, seed in seeds.items()}
        return calls_of(plan, Related(rows, people, levels, looked_up))

    def _described(self) -> list[dict[str, Any]]:
        plan, place = self.plan, self.place
        private: list[dict[str, Any]] = []
        for kind, description in (
            ("rows", "The rows that the promises are about: none has a missing value."),
            ("population", "The population with the labels of the candidate."),
        ):
            if any(place.model(kind) in call for c in self._calls for call in c.relations):
                private.append({"name": place.model(kind), "description": description})
        candidate = {
            "name": place.model("candidate"),
            "description": "Rows that could be published; private until the tests hold.",
            "data_tests": [call.in_yaml(place.name) for call in self._calls],
        }
        kinds = {name: self._type(kind) for name, kind in plan.release_types.items()}
        is_quotable = not any('"' in name for name in kinds)  # dbt doubles no quotes
        is_typed = is_quotable and all(kinds.values()) and place.dialect in ("duckdb", "postgres")
        promises = [plain_words(promise) for promise in plan.promises.sentences]
        file = plain_words(plan.file)
        meta = {"plan": file, "promises": promises}
        publication = {
            "name": place.name,
            "description": f"Anonymized by {file}: {'; '.join(promises)}.",
            "config": {
                **({"contract": {"enforced": True}} if is_typed else {}),
                "meta": {"sqlanon": meta},
            },
            "columns": [self._column(name, kind) for name, kind in kinds.items()],
        }
        return [*private, candidate, publication]

    def _column(self, name: str, kind: str) -> dict[str, Any]:
        column = self.plan.columns.get(name)
        meta: dict[str, Any] = {"role": column.role} if column is not None else {}
        if column is None:
            meta["title"] = "the number of persons of the class"
        if name in self.plan.changed_columns:
            meta["title"] = self.plan.changed_columns[name].words
        elif name in self.plan.quasi_identifiers:
            levels = sorted({node[name] for node in self.solution.nodes})
            titles = level_titles(self.shape.hierarchies[name], self.shape.level_count(name))
            title = "; or ".join(plain_words(titles[level]) for level in levels)
            meta |= {"level": levels[0] if len(levels) == 1 else levels, "title": title}
        elif isinstance(column, Identifier):
            meta["title"] = "'*' in every row"
        typed = {"data_type": kind} if kind else {}
        spelled = {"quote": True} if dialect_of(self.place.dialect).quotes(name) else {}
        return {"name": name, **spelled, **typed, "config": {"meta": {"sqlanon": meta}}}

    def _type(self, kind: str) -> str:
        """A type in the dialect of the project; empty if it is not known there."""
        dialect = dialect_of(self.place.dialect)
        if kind == TEXT:
            return dialect.types["text"]
        if dialect.family == "duckdb":
            return kind.lower()
        bare, bracket, digits = kind.lower().partition("(")
        return f"{dialect.types[bare]}{bracket}{digits}" if bare in dialect.types else ""

    def _seeds_yml(self) -> str:
        text = dialect_of(self.place.dialect).types["text"]
        seeds = [
            {
                "name": seed.name,
                "description": plain_words(f"The generalization hierarchy of {seed.attribute}."),
                "config": {
                    "schema": self.place.private,
                    "quote_columns": True,
                    "column_types": {name: text for _, name in seed.columns},
                },
            }
            for seed in self.seeds
        ]
        return written({"seeds": seeds})


def _published(plan: Plan) -> dict[str, Any]:
    """Template variables for the columns of the publication, and for their order."""
    if plan.hides_persons:
        return person_inputs(plan)
    order = [*plan.quasi_identifiers, *plan.kept_columns]
    columns = list(plan.published_columns)
    return {"columns": columns, "order": order, "persons": "", "place": "", "key": ""}


def _ref(name: str) -> Relation:
    return Relation(f"ref({literal(name)})")


def _config(kind: str, *others: str) -> str:
    """The configuration of a model."""
    return (
        "{{ config(\n"
        + "".join(f"    {each},\n" for each in (f"materialized={literal(kind)}", *others))
        + ") }}"
    )
