"""The folder of a dbt project: what it holds already, and the files of an export among them."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from sqlanon.boundary.files import sha256_of, write_whole
from sqlanon.boundary.locks import locked
from sqlanon.dbt.project import (
    JINJA,
    DbtProject,
    Relation,
    literal,
    plain_words,
    project_settings,
)
from sqlanon.dialects.dialect import DIALECTS
from sqlanon.errors import PlanError, PublishError, brief
from sqlanon.plan.yaml_file import parse

_LOG = logging.getLogger("sqlanon")
_TITLE = "Written by `sqlanon dbt export {plan}`; change the plan, not this file."
_OTHER = re.compile("# " + _TITLE.replace("{plan}", "(.*)"))
_LOCK = ".sqlanon.lock"
_NAME = re.compile(r"\w[\w -]*", re.ASCII)


class Written(NamedTuple):
    """What an export did, by paths in the project."""

    written: list[str]
    unchanged: list[str]
    removed: list[str]


class ProjectFolder(DbtProject):
    """A dbt project that an export writes to."""

    @classmethod
    def opened(cls, folder: Path) -> ProjectFolder:
        """The project in a folder."""
        return cls(folder, project_settings(folder))

    @property
    def models(self) -> str:
        """The folder of models that an export writes to."""
        return self._paths("model-paths", "models")[0]

    @property
    def seeds(self) -> str:
        """The folder of seeds that an export writes to."""
        return self._paths("seed-paths", "seeds")[0]

    def _paths(self, key: str, default: str) -> list[str]:
        """The folders of the project that a key of it names, as dbt knows them."""
        found = self.settings.get(key)
        if found is None:
            return [default]
        paths = found if isinstance(found, list) else []
        if not paths or not all(map(_is_inside, paths)):
            raise PlanError(
                f"`{key}` does not list folders inside the project.",
                where=f"dbt_project.yml  {key}",
                fix=f"list paths without Jinja and `..`, such as `{key}: [{default}]`",
            )
        return [PurePosixPath(path).as_posix() for path in paths]

    @property
    def dialect(self) -> str:
        """The dialect of the project's database, as its profile says."""
        kind = str(self.profile.get("type", ""))
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
        listed = [
            str(value)
            for name in ("packages.yml", "dependencies.yml")
            for package in _entries(_content(self.folder / name), "packages")
            for value in package.values()
        ]
        return any(re.search(r"sqlanon|\bdbt_package\b", value) for value in listed)

    @cached_property
    def resources(self) -> tuple[tuple[str, str], ...]:
        """The models, seeds and snapshots: names, and paths in the project."""
        return tuple(self._resources())

    def _resources(self) -> Iterator[tuple[str, str]]:
        for key, default, endings in (
            ("model-paths", "models", (".sql", ".py")),
            ("seed-paths", "seeds", (".csv",)),
            ("snapshot-paths", "snapshots", (".sql",)),
        ):
            for path in self._paths(key, default):
                for file in sorted((self.folder / path).rglob("*")):
                    if file.suffix in endings and file.is_file():
                        yield file.stem, file.relative_to(self.folder).as_posix()

    @cached_property
    def sources(self) -> tuple[tuple[str, str], ...]:
        """The sources that YAML files declare: names of sources and tables."""
        return tuple(self._sources())

    def _sources(self) -> Iterator[tuple[str, str]]:
        for path in self._paths("model-paths", "models"):
            for file in sorted((self.folder / path).rglob("*.y*ml")):
                for source in _entries(_content(file), "sources"):
                    for table in _entries(source, "tables"):
                        yield str(source.get("name")), str(table.get("name"))

    def relation(self, key: str, named: str | None, names: list[str]) -> Relation:
        """The relation that stands for the source or the population of the plan.

        It is what the user names, MODEL or SOURCE.TABLE; or else the first of these names that the
        project has.
        """
        if named is not None:
            parts = named.split(".")
            if len(parts) > 2 or not all(map(_NAME.fullmatch, parts)):
                raise PlanError(
                    "This names neither a model nor a source of dbt.",
                    where=f"--{key}",
                    fix="write MODEL, or SOURCE.TABLE",
                )
            return _relation(parts)
        models = {name for name, _ in self.resources}
        for name in filter(_NAME.fullmatch, names):
            if name in models:
                return _relation([name])
            found = [pair for pair in self.sources if pair[1] == name]
            if len(found) == 1 and all(map(_NAME.fullmatch, found[0])):
                return _relation(found[0])
        raise PlanError(
            f"The project has no model, and not one source, of the name of the {key}.",
            where=brief(str(self.folder)),
            fix=f"name what holds the rows: --{key} MODEL, or --{key} SOURCE.TABLE",
        )

    @contextmanager
    def claimed(self, plan: str) -> Iterator[None]:
        """Keep other exports from the project; wait until none is in it."""

        def waits(holder: str) -> None:
            _LOG.warning("Waiting for %s, which is exported to the same project.", holder)

        with locked(self.folder / _LOCK, plan, waits):
            yield

    def write(self, plan: str, files: Mapping[str, str], digests: str, *, force: bool) -> Written:
        """Write the files of an export; those of an earlier one that are not among them go.

        The contents have no headers; paths are in the project, also that of the file that lists the
        others with their digests. With force, those of a person or another plan go, too.
        """
        title = _TITLE.format(plan=plain_words(plan))
        texts = {path: _headed(path, title, text) for path, text in files.items()}
        new = {(path, sha256(text.encode()).hexdigest()) for path, text in texts.items()}
        texts[digests] = _listed(title, new)
        try:
            writer, known = self._known(digests)
            paths = {*texts, *(path for path, _ in known)}
            found = {(path, sha256_of(self.folder / path))
                     for path in paths if (self.folder / path).is_file()}  # fmt: skip
            self._check_names(files, {path for path, _ in found})
            listing = (digests, sha256(texts[digests].encode()).hexdigest())
            unchanged = found & {*new, listing}
            if not force:
                others = {path for path, _ in found - unchanged - known} - {digests}
                self._check_own(title, writer, sorted(others))
            kept = {path for path, _ in unchanged}
            done = Written(
                [path for path in texts if path not in kept],
                [path for path in texts if path in kept],
                sorted({path for path, _ in found} - texts.keys()),
            )
            # If we are killed on the way, the next export knows old and new files as its own.
            if done.written:
                self._put(digests, _listed(title, known | new))
            for path in done.written:
                if path != digests:
                    self._put(path, texts[path])
            for path in done.removed:
                (self.folder / path).unlink()
            if known - new:
                self._put(digests, texts[digests])
        except OSError as error:
            raise PublishError(
                f"A file of the export could not be read or written ({type(error).__name__}).",
                where=Path(error.filename or self.folder.name).name,
                fix="check that the folders of the project can be written",
            ) from error
        return done

    def _put(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.folder / path, text)

    def _known(self, digests: str) -> tuple[str, set[tuple[str, str]]]:
        """The title of an earlier export, and its files with their digests."""
        try:
            text = (self.folder / digests).read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return "", set()
        folder = PurePosixPath(digests).parent.name
        listed = re.findall(r"^([0-9a-f]{64})  (.+)$", text, re.M)
        known = {(path, digest) for digest, path in listed
                 if _is_inside(path) and PurePosixPath(path).parent.name == folder}  # fmt: skip
        return text.partition("\n")[0], known

    def _check_own(self, title: str, writer: str, changed: list[str]) -> None:
        """Check that an export of this plan wrote what would be replaced or removed.

        The writer is the title of the earlier export; empty if there is none.
        """
        if changed:
            raise PlanError(
                f"A person wrote or changed {', '.join(map(repr, changed))}.",
                where=brief(str(self.folder)),
                fix="put the change into the plan, and give --force to replace the files; or move"
                " them",
            )
        if writer and writer != f"# {title}":
            other = _OTHER.fullmatch(writer)
            raise PlanError(
                "Files of this name belong to the export of another plan"
                f" ({brief(other[1]) if other else 'unknown'}).",
                where=brief(str(self.folder)),
                fix="give this export another name: --name NAME; or give --force to replace"
                " the files of the other",
            )

    def _check_names(self, files: Mapping[str, str], own: set[str]) -> None:
        """Check that no other model or seed has the name of one that is written."""
        names = {Path(path).stem for path in files if not path.endswith(".yml")}
        for name, path in self.resources:
            if name in names and path not in own:
                raise PlanError(
                    f"The project has a model or seed '{name}' that no export of this plan wrote.",
                    where=brief(path),
                    fix="give the export another name: --name NAME",
                )


def _headed(path: str, title: str, text: str) -> str:
    """A file with a comment that says what wrote it; a CSV file cannot have one."""
    if path.endswith(".csv"):
        return text
    return f"# {title}\n{text}" if path.endswith(".yml") else f"{{#- {title} -#}}\n{text}"


def _listed(title: str, files: Iterable[tuple[str, str]]) -> str:
    """A file of digests, which `sha256sum --check` reads; unlike YAML, dbt publishes none of it."""
    return f"# {title}\n" + "".join(f"{digest}  {path}\n" for path, digest in sorted(files))


def _is_inside(path: Any) -> bool:
    """Whether what a project says of a folder is a path inside of it."""
    if not isinstance(path, str) or JINJA.search(path):
        return False
    parts = PurePosixPath(path).parts
    return bool(parts) and ".." not in parts and not PurePosixPath(path).is_absolute()


def _content(file: Path) -> Any:
    """The content of a YAML file; None if it cannot be read, or has more than plans may have."""
    try:
        return parse(file.read_bytes(), file.name)[0]
    except (OSError, PlanError):
        return None


def _relation(parts: list[str] | tuple[str, str]) -> Relation:
    arguments = ", ".join(map(literal, parts))
    return Relation(f"source({arguments})" if len(parts) == 2 else f"ref({arguments})")


def _entries(data: Any, key: str) -> list[Mapping[str, Any]]:
    """The mappings in a list of a YAML file."""
    found = data.get(key) if isinstance(data, Mapping) else None
    return [each for each in found if isinstance(each, Mapping)] if isinstance(found, list) else []
