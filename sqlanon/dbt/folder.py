"""The folder of a dbt project: what it holds already, and the files of an export among them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sqlanon.dbt.project import profile_output, project_settings
from sqlanon.dbt.promised import Relation, literal, plain_words
from sqlanon.dialects.dialect import DIALECTS
from sqlanon.errors import PlanError, PublishError, brief
from sqlanon.plan.yaml_file import parse
from sqlanon.system.files import write_whole

_TITLE = "Written by `sqlanon dbt export {plan}`; change the plan, not this file."
_DIGEST = "sha256 of the lines below: {digest}"
_NAME = re.compile(r"\w[\w -]*", re.ASCII)


class Written(NamedTuple):
    """What an export did, by paths in the project."""

    written: list[str]
    unchanged: list[str]
    removed: list[str]


@dataclass(frozen=True)
class ProjectFolder:
    """A dbt project, read from its files alone."""

    folder: Path
    settings: Mapping[str, Any]

    @property
    def models(self) -> str:
        """The folder of models that an export writes to."""
        return self._paths("model-paths", "models")[0]

    @property
    def seeds(self) -> str:
        """The folder of seeds that an export writes to."""
        return self._paths("seed-paths", "seeds")[0]

    def _paths(self, key: str, default: str) -> list[str]:
        found = self.settings.get(key)
        return [str(path) for path in found] if isinstance(found, list) and found else [default]

    @property
    def dialect(self) -> str:
        """The dialect of the project's database.

        Raises:
            PlanError: the profile does not say it.
        """
        kind = str(profile_output(self.folder, self.settings).get("type", ""))
        if kind not in DIALECTS:
            raise PlanError(
                "The database of the project is not known from its profile.",
                where="profiles.yml",
                fix=f"give --dialect: {', '.join(DIALECTS)}",
            )
        return kind

    @property
    def has_package(self) -> bool:
        """Whether a file of packages names the dbt package."""
        files = [self.folder / name for name in ("packages.yml", "dependencies.yml")]
        return any(re.search(r"sqlanon|\bdbt_package\b", _text(file)) for file in files)

    def resources(self) -> Iterator[tuple[str, str]]:
        """The models, seeds and snapshots: names, and paths in the project."""
        for key, default, endings in (
            ("model-paths", "models", (".sql", ".py")),
            ("seed-paths", "seeds", (".csv",)),
            ("snapshot-paths", "snapshots", (".sql",)),
        ):
            for path in self._paths(key, default):
                for file in sorted((self.folder / path).rglob("*")):
                    if file.suffix in endings and file.is_file():
                        yield file.stem, file.relative_to(self.folder).as_posix()

    def sources(self) -> Iterator[tuple[str, str]]:
        """The sources that YAML files declare: names of sources and tables."""
        for path in self._paths("model-paths", "models"):
            for file in sorted((self.folder / path).rglob("*.y*ml")):
                try:
                    data, _ = parse(file.read_bytes(), file.name)
                except (OSError, PlanError):
                    continue  # dbt reads more than plans may have
                for source in _entries(data, "sources"):
                    for table in _entries(source, "tables"):
                        yield str(source.get("name")), str(table.get("name"))

    def relation(self, key: str, given: str | None, names: list[str]) -> Relation:
        """The relation that stands for a table of the plan.

        Args:
            key: source or population.
            given: what the user names, MODEL or SOURCE.TABLE.
            names: what it could be called, the likeliest first.

        Raises:
            PlanError: nothing of these names is in the project.
        """
        if given is not None:
            parts = given.split(".")
            if len(parts) > 2 or not all(map(_NAME.fullmatch, parts)):
                raise PlanError(
                    "This names neither a model nor a source of dbt.",
                    where=f"--{key}",
                    fix="write MODEL, or SOURCE.TABLE",
                )
            return _relation(parts)
        models = {name for name, _ in self.resources()}
        sources = list(self.sources())
        for name in filter(_NAME.fullmatch, names):
            if name in models:
                return _relation([name])
            found = [pair for pair in sources if pair[1] == name]
            if len(found) == 1 and all(map(_NAME.fullmatch, found[0])):
                return _relation(found[0])
        raise PlanError(
            f"The project has no model, and not one source, of the name of the {key}.",
            where=brief(str(self.folder)),
            fix=f"name what holds the rows: --{key} MODEL, or --{key} SOURCE.TABLE",
        )

    def write(
        self, plan: str, files: Mapping[str, str], earlier: set[str], *, force: bool
    ) -> Written:
        """Write the files of an export; those of an earlier one that are not among them go.

        Args:
            plan: the name of the plan's file.
            files: contents without headers, by path in the project.
            earlier: paths that an earlier export may have written.
            force: replace and remove what a person wrote or changed.

        Raises:
            PlanError: a person wrote or changed one of them, or another file has such a name.
            PublishError: a file cannot be written.
        """
        own = {path for path in earlier if (self.folder / path).is_file()}
        self._check_names(files, own)
        whole = {path: headed(path, plan, content) for path, content in files.items()}
        seeds = {name: digest for path in own for name, digest in _seed_digests(self._text(path))}
        changed = []
        for path in sorted(own):
            text = self._text(path)
            is_own = seeds.get(Path(path).stem) == digest_of(text) if path.endswith(
                ".csv") else _is_own(text)  # fmt: skip
            if not is_own and text != whole.get(path):
                changed.append(path)
        if changed and not force:
            raise PlanError(
                f"A person wrote or changed {', '.join(map(repr, changed))}.",
                where=brief(str(self.folder)),
                fix="put the change into the plan, and give --force to replace the files; or move"
                " them",
            )
        try:
            done = Written([], [], sorted(own - whole.keys()))
            for path, text in whole.items():
                if path in own and self._text(path) == text:
                    done.unchanged.append(path)
                    continue
                (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
                write_whole(self.folder / path, text)
                done.written.append(path)
            for path in done.removed:
                (self.folder / path).unlink()
        except OSError as error:
            raise PublishError(
                f"A file of the export could not be written ({type(error).__name__}).",
                where=Path(error.filename or self.folder.name).name,
                fix="check that the folders of the project can be written",
            ) from error
        return done

    def _check_names(self, files: Mapping[str, str], own: set[str]) -> None:
        """Check that no other model or seed has the name of one that is written."""
        names = {Path(path).stem for path in files if not path.endswith(".yml")}
        for name, path in self.resources():
            if name in names and path not in own:
                raise PlanError(
                    f"The project has a model or seed '{name}' that no export of this plan wrote.",
                    where=brief(path),
                    fix="give the export another name: --name NAME",
                )

    def _text(self, path: str) -> str:
        return _text(self.folder / path)


def open_folder(folder: Path) -> ProjectFolder:
    """A project in a folder.

    Raises:
        PlanError: there is none.
    """
    return ProjectFolder(folder, project_settings(folder))


def headed(path: str, plan: str, body: str) -> str:
    """A file with its header; a CSV file has none."""
    lines = [_TITLE.format(plan=plain_words(plan)), _DIGEST.format(digest=digest_of(body))]
    if path.endswith(".csv"):
        return body
    if path.endswith(".yml"):
        return "".join(f"# {line}\n" for line in lines) + body
    return f"{{#- {lines[0]}\n    {lines[1]} -#}}\n{body}"


def digest_of(text: str) -> str:
    """The digest of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def _is_own(text: str) -> bool:
    """Whether a file has the lines that an export wrote to it."""
    *header, body = text.split("\n", 2)
    return len(header) == 2 and digest_of(body) in header[1] and "sqlanon dbt export" in header[0]


def seed_digests(digests: Mapping[str, str]) -> str:
    """Comment lines with the digests of seeds, by their names.

    dbt copies everything else of a YAML file into its manifest, which `dbt docs` publishes, and
    whoever guesses the values of a hierarchy can try a guess on its digest.
    """
    return "".join(f"# sha256 of {name}.csv: {digest}\n" for name, digest in digests.items())


def _seed_digests(text: str) -> Iterator[tuple[str, str]]:
    """The digests of seeds that a YAML file of an export states."""
    yield from re.findall(r"^# sha256 of (\w+)\.csv: (\w{64})$", text, re.M)


def _text(file: Path) -> str:
    try:
        with file.open(encoding="utf-8", newline="") as content:
            return content.read()
    except (OSError, ValueError):
        return ""


def _relation(parts: list[str] | tuple[str, str]) -> Relation:
    given = ", ".join(map(literal, parts))
    return Relation(f"source({given})" if len(parts) == 2 else f"ref({given})")


def _entries(data: Any, key: str) -> list[Mapping[str, Any]]:
    """The mappings in a list of a YAML file."""
    found = data.get(key) if isinstance(data, Mapping) else None
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []
