"""A dbt project, and a plan from a model of it: its `meta` in the manifest, where its rows are."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.plan.plan import Plan
from sqlanon.plan.yaml_file import parse, read_text
from sqlanon.sql.render import comment
from sqlanon.sql.tables import table_name

KEY = "sqlanon"
"""The key of `meta` that is read."""

SPARE = ("source", "columns")
"""Keys of a plan that the project itself gives."""


RESERVED = frozenset({
    "dbt_project", "packages", "package-lock", "dependencies", "profiles", "selectors", "dbt_cloud",
})  # fmt: skip
"""Names of YAML files in the folder of a project that dbt itself reads."""


class Described(BaseModel):
    """An entry of the manifest that may have `meta`: below `config`, or in older versions here."""

    config: dict[str, Any] | None = None
    meta: Any = None

    @property
    def properties(self) -> Any:
        """What it says under `config.meta.sqlanon`, or `meta.sqlanon`."""
        for meta in ((self.config or {}).get("meta"), self.meta):
            if isinstance(meta, Mapping) and meta.get(KEY) is not None:
                return meta[KEY]
        return None


class Model(Described):
    """A model in the manifest, as far as it is read."""

    name: str
    unique_id: str
    package_name: str
    original_file_path: str
    patch_path: str | None = None
    database: str | None = None
    schema_name: str | None = Field(None, alias="schema")
    alias: str | None = None
    version: str | int | float | None = None
    columns: dict[str, Described] = {}

    @property
    def relation(self) -> str:
        """What the database calls it."""
        return self.alias or self.name

    @property
    def description_file(self) -> str | None:
        """The YAML file that describes it."""
        return (self.patch_path or "").partition("://")[2] or None

    @property
    def plan_name(self) -> str:
        """The name of its plan; each version has one of its own."""
        version = "" if self.version is None else f"_v{self.version}".replace(".", "_")
        called = f"{self.name}{version}"
        if not re.fullmatch(r"\w[\w-]*", called) or called.lower() in RESERVED:
            raise PlanError(
                f"A plan cannot be called '{brief(called)}'"
                + (", as dbt reads a file of this name." if called.lower() in RESERVED else "."),
                where=brief(self.original_file_path),
                fix="rename the model: letters, digits, underscores and hyphens",
            )
        return called


@dataclass(frozen=True)
class DbtProject:
    """A dbt project, read from its files alone."""

    folder: Path
    settings: Mapping[str, Any]  # the content of `dbt_project.yml`

    @cached_property
    def profile(self) -> Mapping[str, Any]:
        """The default output of its profile; empty if there is none."""
        folders = [os.environ.get("DBT_PROFILES_DIR"), self.folder, Path.home() / ".dbt"]
        files = [Path(folder) / "profiles.yml" for folder in folders if folder]
        found = next((file for file in files if file.is_file()), None)
        profile = _content(found).get(str(self.settings.get("profile"))) if found else None
        if not isinstance(profile, Mapping):
            return {}
        outputs = profile.get("outputs")
        target = str(profile.get("target", "default"))
        output = outputs.get(target) if isinstance(outputs, Mapping) else None
        return output if isinstance(output, Mapping) else {}


@dataclass(frozen=True)
class Project(DbtProject):
    """A dbt project whose manifest is up to date."""

    manifest: Mapping[str, Any]  # the content of `target/manifest.json`
    manifest_file: Path
    place: str  # of that file, for readers

    @property
    def name(self) -> str:
        """The project's name."""
        return str(self.settings.get("name", ""))

    @cached_property
    def models(self) -> Mapping[str, Model]:
        """The models in the manifest by their unique ids."""
        nodes = self.manifest["nodes"]
        try:
            return {
                key: Model.model_validate(node)
                for key, node in nodes.items()
                if node["resource_type"] == "model"
            }
        except (AttributeError, KeyError, TypeError, ValidationError):
            refusal = _no_manifest("The manifest is not what dbt writes.", self.place)
        raise refusal  # outside of the handler: the error of pydantic quotes the manifest

    def model(self, name: str) -> Model:
        """The entry of a model in the manifest: of this project, or else of a package."""
        models = self.models
        found = [node for node in models.values() if node.name == name]
        found = [node for node in found if node.package_name == self.name] or found
        if name in models:
            found = [models[name]]
        if len(found) == 1:
            self._check_age(found[0])
            return found[0]
        if found:
            raise PlanError(
                f"{len(found)} models are called '{brief(name)}'.",
                where=self.place,
                fix=f"give one of {', '.join(sorted(brief(node.unique_id) for node in found))}",
            )
        names = {node.name for node in models.values()}
        raise PlanError(
            f"The project has no model '{brief(name)}'.",
            where=self.place,
            fix=did_you_mean(name, names) or "add a model, and run `dbt parse`",
        )

    def _check_age(self, node: Model) -> None:
        """Check that no file that decides on a model is newer than the manifest."""
        files = ["dbt_project.yml"]
        if node.package_name == self.name:
            files += filter(None, [node.original_file_path, node.description_file])
        written = self.manifest_file.stat().st_mtime
        for file in files:
            path = self.folder / file
            if not path.is_file() or path.stat().st_mtime > written:
                raise _no_manifest(
                    f"The manifest is older than '{brief(file)}'."
                    if path.is_file()
                    else f"The manifest names '{brief(file)}', which does not exist.",
                    self.place,
                )


def open_project(folder: Path) -> Project:
    """A dbt project and its manifest."""
    settings = project_settings(folder)
    target = os.environ.get("DBT_TARGET_PATH") or settings.get("target-path") or "target"
    place = f"{target}/manifest.json"
    manifest = folder / place
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
    except FileNotFoundError:
        content = None
    except (OSError, ValueError):
        content = {}
    if not isinstance(content, dict) or "nodes" not in content:
        lacks = content is None
        raise _no_manifest(
            "The project has no manifest." if lacks else "The manifest cannot be read.", place
        )
    return Project(folder, settings, content, manifest, place)


def _no_manifest(what: str, place: str) -> PlanError:
    return PlanError(what, where=brief(place), fix="run `dbt parse` in the project")


def project_settings(folder: Path) -> Mapping[str, Any]:
    """The content of `dbt_project.yml`."""
    file = folder / "dbt_project.yml"
    if not file.is_file():
        raise PlanError(
            "This is not a dbt project: there is no 'dbt_project.yml'.",
            where=brief(str(folder)),
            fix="give the folder of the project: --project FOLDER",
        )
    return _content(file)


def _content(file: Path) -> Mapping[str, Any]:
    """The content of a YAML file of a project."""
    try:
        data, _ = parse(read_text(file), file.name)
    except OSError as error:
        raise PlanError(
            f"The file cannot be read ({type(error).__name__}).",
            where=file.name,
            fix="check the permissions of the file",
        ) from error
    return data if isinstance(data, Mapping) else {}


def plan_content(
    project: Project, node: Model, source: str | None = None, *, inside: bool = False
) -> dict[str, Any]:
    """The keys of a plan, from the `meta` of a model and of its columns.

    The source is the path of the rows; if None, the model's table: in the DuckDB file of the
    project, or in PostgreSQL, where the plan then runs, too. A plan for a run inside dbt names
    tables as dbt's own connection knows them, and publishes to a temporary one.
    """
    where = brief(node.description_file or node.original_file_path)
    properties = node.properties
    if not isinstance(properties, Mapping):
        raise PlanError(
            f"The model '{brief(node.name)}' has no promises.",
            where=f"{where}  config.meta.{KEY}",
            fix="write what must hold, such as"
            f" `config: {{meta: {{{KEY}: {{privacy: [{{model: k-anonymity, k: 5}}]}}}}}}`",
        )
    for name in properties:
        if name in SPARE or name not in Plan.model_fields:
            raise PlanError(
                f"'{brief(name)}' cannot be set here.",
                where=f"{where}  config.meta.{KEY}",
                fix=did_you_mean(name, {*Plan.model_fields} - {*SPARE}),
            )
    roles = {name: column.properties for name, column in node.columns.items()}
    lacking = [name for name, role in roles.items() if role is None]
    if lacking or not roles:
        raise PlanError(
            f"{len(lacking)} column(s) have no role: {', '.join(map(brief, lacking[:20]))}."
            if lacking
            else f"The model '{brief(node.name)}' lists no columns.",
            where=f"{where}  columns",
            fix=f"give every column a role, such as `config: {{meta: {{{KEY}: insensitive}}}}`",
        )

    content: dict[str, Any] = dict(properties)
    if source is None and not inside and project.profile.get("type") == "postgres":
        content.setdefault("engine", "postgres")
    engine = content.get("engine")
    name = engine.get("name") if isinstance(engine, Mapping) else engine
    is_table = inside or (source is None and name not in (None, "duckdb"))

    def place(node: Model) -> Any:
        return _table_of(node, node.relation) if is_table else _place_of(project, node)

    population = content.get("population")
    if isinstance(population, Mapping) and {*population} == {"ref"}:
        content["population"] = place(project.model(str(population["ref"])))
    content |= {"source": source or place(node), "columns": roles}
    published = f"{node.plan_name}_anonymized"
    if inside:
        content.setdefault("publish", {"table": f"temp.{published}"})
    elif is_table:
        content.setdefault("publish", _table_of(node, published))
    else:
        content.setdefault("publish", f"{published}.parquet")
    order = list(Plan.model_fields)
    return {key: content[key] for key in sorted(content, key=order.index)}


def _table_of(node: Model, name: str) -> dict[str, str]:
    """A table beside that of a model, or that itself, as its database knows it."""
    known = [part for part in (node.database, node.schema_name, name) if part]
    return {"table": table_name(tuple(known))}


def _place_of(project: Project, node: Model) -> str:
    """The table of a model in the DuckDB file of the project's profile: `FILE::SCHEMA.TABLE`."""
    where, name = brief(node.original_file_path), brief(node.name)
    kind = (node.config or {}).get("materialized")
    if kind in ("view", "ephemeral"):
        raise PlanError(
            f"The model '{name}' is materialized as '{kind}', which cannot be read outside of dbt.",
            where=where,
            fix="materialize it as a table, or give --source",
        )
    path = _database_file(project)
    if path is None or Path(path).stem != node.database or not node.schema_name:
        raise PlanError(
            f"The DuckDB file of the model '{name}' is not known from the profile.",
            where=where,
            fix="give --source FILE.duckdb::SCHEMA.TABLE, or a file with the rows of the model",
        )
    return f"{path}::{node.schema_name}.{node.relation}"


def _database_file(project: Project) -> str | None:
    """The path of the DuckDB file in the profile, if it stands there."""
    if project.profile.get("type") != "duckdb":
        return None
    path = project.profile.get("path")
    is_file = isinstance(path, str) and not re.search(r"\{\{|^:memory:|^\w+:", path)
    return str(path) if is_file else None


# --- values and words in Jinja

JINJA = re.compile(r"\{(?=[{%#])")
"""The beginning of what dbt would take for Jinja."""


class Relation(str):
    """A relation of the project as Jinja has it: `ref('patients')`."""


def plain_words(text: str) -> str:
    """Words for a comment, a description or `meta`: on one line, and no Jinja."""
    return JINJA.sub("{ ", comment(text)).replace("#}", "# }")


def literal(value: Any, mark: str = "'") -> str:
    """A value as Jinja has it, texts in these quotation marks."""
    if isinstance(value, Relation):
        return value
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace(mark, f"\\{mark}").replace("\n", "\\n")
        return f"{mark}{escaped}{mark}"
    if isinstance(value, list):
        return f"[{', '.join(literal(each, mark) for each in value)}]"
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
