"""The end of a run: digests of the staged rows, their entries in the manifest, and publishing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sqlanon.engines.base import RowEngine, StagedRows, drive
from sqlanon.plan.plan import Plan
from sqlanon.plan.tables import Destination
from sqlanon.proof.publication import file_relation
from sqlanon.publication.manifest import described
from sqlanon.publication.place import changed_rows, check_existing
from sqlanon.publication.publish import publish
from sqlanon.publication.ready import Ready


class Publishing:
    """What becomes of the staged rows of a run.

    Args:
        plan: what is published.
        copies: where staged rows will be published, by their files as SQL names them.
        engine: has the staged rows, and publishes them.
    """

    def __init__(self, plan: Plan, copies: Mapping[str, Destination], engine: RowEngine) -> None:
        self._plan, self._copies, self._engine = plan, copies, engine
        self._relations = [file_relation(path) for path in copies]
        self._staged: list[StagedRows] = []

    def check(self, target: Path, *, overwrite: bool) -> None:
        """Check that publishing replaces nothing that sqlanon did not write.

        Args:
            target: the plan's target folder, which may have the manifest of an earlier run.
            overwrite: whether anything may be replaced.

        Raises:
            PublishError: something else is at the place.
        """
        found = [self._engine.existing_digest(place) for place in self._copies.values()]
        check_existing(self._plan, target, found, overwrite=overwrite)

    def seal(self) -> None:
        """Take the digests of the staged rows, before they are proven."""
        self._staged = self._engine.staged(self._copies, self._relations)

    def entries(self) -> list[dict[str, Any]]:
        """The digest, rows and columns of every staged table, as in the manifest."""
        place = self._plan.publish
        keeps_types = self._plan.engine.path_becomes == "file" and (
            place.path is None or place.database is not None
        )
        entries = []
        for each, relation in zip(self._staged, self._relations, strict=True):
            entry = drive(self._engine, described(relation, in_database=keeps_types))
            if each.of_rows:
                entry["rows_sha256"] = each.sha256
            entries.append({"sha256": each.sha256, **entry})
        return entries

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
        if not self._engine.is_unchanged(self._staged):
            raise changed_rows()
        publish(self._engine, self._plan, self._staged, ready, manifest)
