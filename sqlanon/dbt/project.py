"""A plan from a model of a dbt project: its `meta` in the manifest, and where its rows are."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlanon.errors import PlanError, brief, did_you_mean
from sqlanon.plan.plan import Plan
from sqlanon.plan.yaml_file import parse, read_text
from sqlanon.sql.tables import table_name

KEY = "sqlanon"
"""The key of `meta` that is read."""

SPARE = ("source", "columns")
"""Keys of a plan that the project itself gives."""


@dataclass(frozen=True)
class Project:
    """A dbt project whose manifest is up to date.

    Attributes:
        folder: the folder of `dbt_project.yml`.
        settings: the content of that file.
        manifest: the content of `target/manifest.json`.
        manifest_file: the path of that file.
    """

    folder: Path
    settings: Mapping[str, Any]
    manifest: Mapping[str, Any]
    manifest_file: Path

    @property
    def name(self) -> str:
        """The project's name."""
        return str(self.settings.get("name", ""))

    def model(self, name: str) -> Mapping[str, Any]:
        """The entry of a model in the manifest: of this project, or else of a package.

        Raises:
            PlanError: there is none, or it is not up to date.
        """
        models: dict[str, Mapping[str, Any]] = {
            key: node
            for key, node in self.manifest.get("nodes", {}).items()
            if node.get("resource_type") == "model"
        }
        found = [node for node in models.values() if node["name"] == name]
        found = [node for node in found if node["package_name"] == self.name] or found
        if name in models:
            found = [models[name]]
        if len(found) == 1:
            self._check_age(found[0])
            return found[0]
        if found:
            raise PlanError(
                f"{len(found)} models are called '{brief(name)}'.",
                where=self._place,
                fix=f"give one of {', '.join(sorted(node['unique_id'] for node in found))}",
            )
        names = {node["name"] for node in models.values()}
        raise PlanError(
            f"The project has no model '{brief(name)}'.",
            where=self._place,
            fix=did_you_mean(name, names) or "add a model, and run `dbt parse`",
        )

    @property
    def _place(self) -> str:
        return self.manifest_file.relative_to(self.folder).as_posix()

    def _check_age(self, node: Mapping[str, Any]) -> None:
        """Check that no file that decides on a model is newer than the manifest."""
        files = ["dbt_project.yml"]
        if node["package_name"] == self.name:
            patch = (node.get("patch_path") or "").partition("://")[2]
            files += [node["original_file_path"], *([patch] if patch else [])]
        written = self.manifest_file.stat().st_mtime
        for file in files:
            path = self.folder / file
            if not path.is_file() or path.stat().st_mtime > written:
                raise PlanError(
                    f"The manifest is older than '{file}'."
                    if path.is_file()
                    else f"The manifest names '{file}', which does not exist.",
                    where=self._place,
                    fix="run `dbt parse` in the project",
                )


def open_project(folder: Path) -> Project:
    """A dbt project and its manifest.

    Raises:
        PlanError: the folder has no project, or the project has no manifest.
    """
    settings = project_settings(folder)
    target = os.environ.get("DBT_TARGET_PATH") or settings.get("target-path") or "target"
    manifest = folder / str(target) / "manifest.json"
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
    except FileNotFoundError:
        content = None
    except (OSError, ValueError):
        content = {}
    if not isinstance(content, dict) or "nodes" not in content:
        raise PlanError(
            "The project has no manifest." if content is None else "The manifest cannot be read.",
            where=f"{target}/manifest.json",
            fix="run `dbt parse` in the project",
        )
    return Project(folder, settings, content, manifest)


def project_settings(folder: Path) -> Mapping[str, Any]:
    """The content of `dbt_project.yml`.

    Raises:
        PlanError: the folder has no project.
    """
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
    project: Project, model: str, source: str | None = None, *, inside: bool = False
) -> dict[str, Any]:
    """The keys of a plan, from the `meta` of a model and of its columns.

    Args:
        project: the project.
        model: the name of the model, or its unique id.
        source: the path of the rows; if None, the table in the DuckDB file of the project.
        inside: name tables as dbt's own connection knows them, and publish to a temporary one.

    Raises:
        PlanError: a column has no role, the model has no promises, or its rows are nowhere.
    """
    node = project.model(model)
    where = (node.get("patch_path") or "").partition("://")[2] or node["original_file_path"]
    told = _meta(node)
    if not isinstance(told, Mapping):
        raise PlanError(
            f"The model '{node['name']}' has no promises.",
            where=f"{where}  config.meta.{KEY}",
            fix="write what must hold, such as"
            f" `config: {{meta: {{{KEY}: {{privacy: [{{model: k-anonymity, k: 5}}]}}}}}}`",
        )
    for name in told:
        if name in SPARE or name not in Plan.model_fields:
            raise PlanError(
                f"'{brief(name)}' cannot be set here.",
                where=f"{where}  config.meta.{KEY}",
                fix=did_you_mean(name, {*Plan.model_fields} - {*SPARE}),
            )
    roles = {name: _meta(column) for name, column in node.get("columns", {}).items()}
    lacking = [name for name, role in roles.items() if role is None]
    if lacking or not roles:
        raise PlanError(
            f"{len(lacking)} column(s) have no role: {', '.join(map(brief, lacking[:20]))}."
            if lacking
            else f"The model '{node['name']}' lists no columns.",
            where=f"{where}  columns",
            fix=f"give every column a role, such as `config: {{meta: {{{KEY}: insensitive}}}}`",
        )

    def place(node: Mapping[str, Any]) -> Any:
        return _table_of(node) if inside else _place_of(project, node)

    others = dict(told)
    population = others.get("population")
    if isinstance(population, Mapping) and {*population} == {"ref"}:
        others["population"] = place(project.model(str(population["ref"])))
    content = {"source": source or place(node), "columns": roles, **others}
    published = f"{node['name']}_anonymized"
    content.setdefault(
        "publish", {"table": f"temp.{published}"} if inside else f"{published}.parquet"
    )
    order = list(Plan.model_fields)
    return {key: content[key] for key in sorted(content, key=order.index)}


def _meta(entry: Mapping[str, Any]) -> Any:
    """What an entry of the manifest says under `config.meta.sqlanon`, or `meta.sqlanon`."""
    for meta in ((entry.get("config") or {}).get("meta"), entry.get("meta")):
        if isinstance(meta, Mapping) and meta.get(KEY) is not None:
            return meta[KEY]
    return None


def _table_of(node: Mapping[str, Any]) -> dict[str, str]:
    """The table of a model on dbt's connection."""
    parts = (node["database"], node["schema"], node.get("alias") or node["name"])
    return {"table": table_name(parts)}


def _place_of(project: Project, node: Mapping[str, Any]) -> str:
    """The table of a model in the DuckDB file of the project's profile: `FILE::SCHEMA.TABLE`.

    Raises:
        PlanError: it is not a table there, or the profile does not show the file.
    """
    where, name = node["original_file_path"], node["name"]
    kind = (node.get("config") or {}).get("materialized")
    if kind in ("view", "ephemeral"):
        raise PlanError(
            f"The model '{name}' is materialized as '{kind}', which cannot be read outside of dbt.",
            where=where,
            fix="materialize it as a table, or give --source",
        )
    path = _database_file(project)
    if path is None or Path(path).stem != node["database"]:
        raise PlanError(
            f"The DuckDB file of the model '{name}' is not known from the profile.",
            where=where,
            fix="give --source FILE.duckdb::SCHEMA.TABLE, or a file with the rows of the model",
        )
    return f"{path}::{node['schema']}.{node.get('alias') or name}"


def _database_file(project: Project) -> str | None:
    """The path of the DuckDB file in the profile, if it stands there."""
    output = profile_output(project.folder, project.settings)
    if output.get("type") != "duckdb":
        return None
    path = output.get("path")
    is_file = isinstance(path, str) and not re.search(r"\{\{|^:memory:|^\w+:", path)
    return str(path) if is_file else None


def profile_output(folder: Path, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    """The default output of a project's profile; empty if there is none."""
    folders = [os.environ.get("DBT_PROFILES_DIR"), folder, Path.home() / ".dbt"]
    files = [Path(folder) / "profiles.yml" for folder in folders if folder]
    found = next((file for file in files if file.is_file()), None)
    profile = _content(found).get(str(settings.get("profile"))) if found else None
    if not isinstance(profile, Mapping):
        return {}
    outputs = profile.get("outputs")
    target = profile.get("target", "default")
    output = outputs.get(target) if isinstance(outputs, Mapping) else None
    return output if isinstance(output, Mapping) else {}
