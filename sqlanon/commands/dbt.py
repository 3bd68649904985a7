"""Writes a plan from a model of a dbt project."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from sqlanon.boundary import guarded
from sqlanon.boundary.text import checked_text
from sqlanon.dbt.project import open_project, plain_words, plan_content
from sqlanon.errors import PlanError, PublishError
from sqlanon.plan.file import load_plan
from sqlanon.plan.yaml_file import written
from sqlanon.system.files import write_whole

_TITLE = (
    "# Written by `sqlanon dbt plan {model}` from `meta` of the model; change that, not this file."
)


@guarded
def dbt_plan(
    model: str,
    project: str | Path = ".",
    *,
    source: str | None = None,
    inside: bool = False,
    force: bool = False,
) -> Path:
    """Write the plan of a dbt model, `MODEL.yml` in the folder of its project.

    The plan of a version of a model is `MODEL_vVERSION.yml`.

    Args:
        model: the name of a model, or its unique id.
        project: the folder of the project, whose `target/manifest.json` is read.
        source: the path of the model's rows; by default its table in the project's DuckDB file or
            PostgreSQL database, as the profile says.
        inside: the plan is for a run inside dbt: it reads the model on dbt's connection, and
            publishes to a temporary table there.
        force: replace a file that a person wrote or changed.

    Returns:
        the path of the plan.

    Raises:
        PlanError: the project, its manifest or what it says of the model is wrong, or a person
            has changed the plan.
        PublishError: the plan cannot be written.
    """
    opened = open_project(Path(checked_text(str(project), "--project")))
    node = opened.model(checked_text(model, "MODEL"))
    name = node.plan_name
    content = plan_content(opened, node, source, inside=inside)
    try:
        load_plan(content)
    except PlanError as error:
        raise PlanError(
            error.what, where=f"model {name}, meta.sqlanon: {error.where}", fix=error.fix
        ) from None
    file = opened.folder / f"{name}.yml"
    body = written(content)
    try:
        if not force and file.exists() and not _is_own(file.read_text(encoding="utf-8")):
            raise PlanError(
                "A person wrote this file, or changed it.",
                where=file.name,
                fix="put the change into `meta` of the model, and give --force to replace the file",
            )
        write_whole(file, _headed(_TITLE.format(model=plain_words(model)), body))
    except (OSError, ValueError) as error:
        raise PublishError(
            f"The plan could not be written ({type(error).__name__}).",
            where=file.name,
            fix="check that the folder of the project can be written",
        ) from error
    return file


def _headed(title: str, body: str) -> str:
    """A plan with its digest, by which the next call knows whether a person changed it."""
    digest = sha256(body.encode()).hexdigest()
    return f"{title}\n# sha256 of the lines below: {digest}\n{body}"


def _is_own(text: str) -> bool:
    """Whether a plan is as `dbt_plan` wrote it."""
    title, _, rest = text.partition("\n")
    return text == _headed(title, rest.partition("\n")[2])
