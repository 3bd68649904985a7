"""The end of a run: digests of the staged rows, their entries in the manifest, and publishing.

DuckDB stages rows in files, which are renamed. Another database has the rows itself, and puts them
at their place.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sqlanon.engines.base import Engine, drive
from sqlanon.engines.database import StagedRows
from sqlanon.engines.duckdb import DuckDBEngine
from sqlanon.engines.translating import TranslatingEngine
from sqlanon.errors import EngineError, PublishError
from sqlanon.plan.plan import Plan
from sqlanon.proof.publication import file_relation
from sqlanon.publication.manifest import described
from sqlanon.publication.place import (
    Staged,
    changed_rows,
    check_standing,
    publications,
    unchanged,
)
from sqlanon.publication.publish import publish, publish_tables
from sqlanon.publication.ready import Ready
from sqlanon.system.files import sha256_of


class Publishing(ABC):
    """What becomes of the staged rows of a run.

    Args:
        plan: what is published.
        paths: the staged files, as SQL names them.
    """

    def __init__(self, plan: Plan, paths: Sequence[str]) -> None:
        self.plan = plan
        self.relations = [file_relation(path) for path in paths]

    @abstractmethod
    def seal(self) -> None:
        """Take the digests of the staged rows, before they are proven."""

    @abstractmethod
    def entries(self) -> list[dict[str, Any]]:
        """The digest, rows and columns of every staged table, as in the manifest."""

    @abstractmethod
    def publish(self, ready: Ready, manifest: Callable[[], str]) -> None:
        """Replace the earlier publication by the proven rows, and what describes it.

        Args:
            ready: what describes the proven rows, but for the manifest.
            manifest: returns the text of the manifest; called when only the renames are left.

        Raises:
            PrivacyViolation: the staged rows are not those that were sealed.
            PublishError: the place cannot be written; the earlier publication is unchanged, unless
                the message says otherwise.
        """


class FilePublishing(Publishing):
    """Staged files, which DuckDB wrote.

    Args:
        files: the staged files.
    """

    def __init__(
        self, plan: Plan, paths: Sequence[str], engine: DuckDBEngine, files: Sequence[Path]
    ) -> None:
        super().__init__(plan, paths)
        self._engine, self._files = engine, files
        self._staged: list[Staged] = []

    def seal(self) -> None:
        self._staged = [
            Staged(place, file, sha256_of(file))
            for place, file in zip(publications(self.plan), self._files, strict=True)
        ]

    def entries(self) -> list[dict[str, Any]]:
        place = self.plan.publish
        in_database = place.path is None or place.database is not None
        return [
            {
                "sha256": each.sha256,
                **drive(self._engine, described(relation, in_database=in_database)),
            }
            for each, relation in zip(self._staged, self.relations, strict=True)
        ]

    def publish(self, ready: Ready, manifest: Callable[[], str]) -> None:
        unchanged(self._staged)
        publish(self._engine, self.plan, self._staged, ready, manifest)


class DatabasePublishing(Publishing):
    """Staged rows that another database has.

    Args:
        engine: executes steps.
        rows: the engine that has the rows; the same, or a part of it.
    """

    def __init__(
        self, plan: Plan, paths: Sequence[str], engine: Engine, rows: TranslatingEngine
    ) -> None:
        super().__init__(plan, paths)
        self._engine, self._rows = engine, rows
        self._staged: list[StagedRows] = []

    def check(self, target: Path, *, overwrite: bool) -> None:
        """Check that publishing replaces nothing that sqlanon did not write.

        Args:
            target: the plan's target folder, which may have the manifest of an earlier run.
            overwrite: whether anything may be replaced.

        Raises:
            PublishError: something else is at the place.
        """
        found = [self._rows.standing(place) for place in publications(self.plan)]
        check_standing(self.plan, target, found, overwrite=overwrite)

    def seal(self) -> None:
        self._staged = self._rows.staged(self.relations)

    def entries(self) -> list[dict[str, Any]]:
        entries = []
        for each, relation in zip(self._staged, self.relations, strict=True):
            entry = drive(self._engine, described(relation, in_database=False))
            if each.of_rows:
                entry["rows_sha256"] = each.sha256
            entries.append({"sha256": each.sha256, **entry})
        return entries

    def publish(self, ready: Ready, manifest: Callable[[], str]) -> None:
        if not self._rows.is_unchanged(self._staged):
            raise changed_rows("the place of the publication")
        try:
            publish_tables(ready, manifest, lambda: self._rows.publish(self._staged))
        except (OSError, EngineError) as error:
            refused = self._refused(error)
        else:
            return
        raise refused

    def _refused(self, error: OSError | EngineError) -> PublishError:
        why, fix = type(error).__name__, "check that the target folder can be written"
        if isinstance(error, EngineError):
            why, fix = error.what, error.fix
        return PublishError(
            f"The publication could not be written; the earlier one is unchanged. {why}",
            where=self.plan.where("publish"),
            fix=fix,
        )
