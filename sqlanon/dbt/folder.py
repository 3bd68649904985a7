"""The folder of a dbt project: what it holds already, and the files of an export among them."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from sqlanon.dbt.literals import JINJA, Relation, literal, plain_words
from sqlanon.dbt.owned import digest_of, headed, is_unchanged, title_of
from sqlanon.dbt.project import profile_output, project_settings
from sqlanon.dialects.dialect import DIALECTS
from sqlanon.errors import PlanError, PublishError, brief
from sqlanon.plan.yaml_file import parse
from sqlanon.system.files import write_whole
from sqlanon.system.locks import locked

_LOG = logging.getLogger("sqlanon")
_TITLE = "Written by `sqlanon dbt export {plan}`; change the plan, not this file."
_OTHER = re.compile(_TITLE.replace("{plan}", "(.*)"))
_LOCK = ".sqlanon.lock"
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
        """The folders that a key of the project names, as dbt knows them.

        Raises:
            PlanError: they are no folders of the project.
        """
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
        listed = [
            str(told)
            for name in ("packages.yml", "dependencies.yml")
            for package in _entries(_content(self.folder / name), "packages")
            for told in package.values()
        ]
        return any(re.search(r"sqlanon|\bdbt_package\b", told) for told in listed)

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
        """Keep other exports from the project; wait until none is in it.

        Args:
            plan: the name of the plan's file.
        """

        def waits(holder: str) -> None:
            _LOG.warning("Waiting for %s, which is exported to the same project.", holder)

        with locked(self.folder / _LOCK, plan, waits):
            yield

    def write(
        self,
        plan: str,
        files: Mapping[str, str],
        earlier: set[str],
        seeds: str,
        *,
        force: bool,
    ) -> Written:
        """Write the files of an export; those of an earlier one that are not among them go.

        Args:
            plan: the name of the plan's file.
            files: contents without headers, by path in the project.
            earlier: paths that an earlier export may have written.
            seeds: the path of the file with the digests of the seeds.
            force: replace and remove what a person or another plan's export wrote.

        Raises:
            PlanError: a person or another plan's export wrote one of them, or another file has
                such a name.
            PublishError: a file cannot be written.
        """
        own = {path for path in earlier if (self.folder / path).is_file()}
        self._check_names(files, own)
        title = _TITLE.format(plan=plain_words(plan))
        whole = {
            path: content if path.endswith(".csv") else headed(path, title, content)
            for path, content in files.items()
        }
        before = {path: self._text(path) for path in own}
        stated = _seed_digests(before.get(seeds, ""))
        if not force:
            self._check_own(title, {p: t for p, t in before.items() if t != whole.get(p)}, seeds)
        done = Written(
            [path for path, text in whole.items() if before.get(path) != text],
            [path for path, text in whole.items() if before.get(path) == text],
            sorted(own - whole.keys()),
        )
        try:
            # If we are killed on the way, the next export knows old and new seeds as its own.
            past = [each for each in stated if each not in _seed_digests(files.get(seeds, ""))]
            if seeds in done.written:
                self._put(seeds, headed(seeds, title, seed_digests(past) + files[seeds]))
            for path in done.written:
                if path != seeds:
                    self._put(path, whole[path])
            for path in done.removed:
                if path != seeds:
                    (self.folder / path).unlink()
            if seeds in done.removed:
                (self.folder / seeds).unlink()
            elif seeds in done.written and past:
                self._put(seeds, whole[seeds])
        except OSError as error:
            raise PublishError(
                f"A file of the export could not be written ({type(error).__name__}).",
                where=Path(error.filename or self.folder.name).name,
                fix="check that the folders of the project can be written",
            ) from error
        return done

    def _put(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        write_whole(self.folder / path, text)

    def _check_own(self, title: str, found: Mapping[str, str], seeds: str) -> None:
        """Check that files are as an export of this plan wrote them.

        Args:
            title: of the headers of this plan's files.
            found: the texts of the files that would be replaced or removed, by path.
        """
        described = self._text(seeds)
        writers = {path: _writer(path, found[path], described) for path in sorted(found)}
        changed = [path for path, writer in writers.items() if not writer]
        if changed:
            raise PlanError(
                f"A person wrote or changed {', '.join(map(repr, changed))}.",
                where=brief(str(self.folder)),
                fix="put the change into the plan, and give --force to replace the files; or move"
                " them",
            )
        for path, writer in writers.items():
            if writer != title:
                other = _OTHER.fullmatch(writer)
                raise PlanError(
                    f"'{path}' belongs to the export of another plan"
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

    def _text(self, path: str) -> str:
        return _text(self.folder / path)


def open_folder(folder: Path) -> ProjectFolder:
    """A project in a folder.

    Raises:
        PlanError: there is none.
    """
    return ProjectFolder(folder, project_settings(folder))


def seed_digests(digests: Iterable[tuple[str, str]]) -> str:
    """Comment lines with the digests of seeds, by their names.

    As text of a key they would be copied into the manifest of dbt, which `dbt docs` publishes.
    """
    return "".join(f"# sha256 of {name}.csv: {digest}\n" for name, digest in digests)


def _seed_digests(text: str) -> list[tuple[str, str]]:
    """The digests of seeds that a YAML file of an export states, by their names."""
    return re.findall(r"^# sha256 of (\w+)\.csv: (\w{64})$", text, re.M)


def _writer(path: str, text: str, described: str) -> str:
    """The title of the export that wrote a file; empty if a person wrote or changed it.

    Args:
        described: the file with the digests of the seeds, which have no header.
    """
    if path.endswith(".csv"):
        is_own = (Path(path).stem, digest_of(text)) in _seed_digests(described)
        return title_of(described) if is_own else ""
    return title_of(text) if is_unchanged(path, text) else ""


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
