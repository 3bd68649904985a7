"""The manifest: what was asked, found, measured and published. No value of a source row."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from sqlanon.errors import PlanError, PrivacyViolation
from sqlanon.plan.plan import Plan
from sqlanon.proof.findings import Finding
from sqlanon.solution.base import Solution
from sqlanon.sql.render import render
from sqlanon.sql.step import Rows, Search, Step
from sqlanon.system.files import sha256_of
from sqlanon.version import __version__

MANIFEST = "manifest.json"
"""Name of the file in the target folder."""


def manifest_of(
    plan: Plan,
    engine: tuple[str, str],
    solution: Solution,
    program_sha256: str,
    findings: Sequence[Finding],
    utility: dict[str, Any],
    published: Sequence[dict[str, Any]],
    seconds: dict[str, float],
) -> dict[str, Any]:
    """The manifest of a run, in the order of its keys.

    Args:
        published: of each published table its digest and what `described` tells of it.
    """
    values = plan.publish.of_values
    tables = [
        {"path": place.path or place.table, **told}
        for place, told in zip((plan.publish, values), published, strict=False)
    ]
    return {
        "sqlanon_version": __version__,
        "engine": {"name": engine[0], "version": engine[1]},
        "plan_sha256": plan.sha256,
        "program_sha256": program_sha256,
        "published": {**tables[0], **({"values": tables[1]} if len(tables) > 1 else {})},
        "rows": {
            "input": solution.input["rows"] + solution.input["dropped"],
            "published": solution.published_rows,
            "suppressed": solution.suppressed_rows,
            "dropped": solution.input["dropped"],
        },
        "solution": solution.as_manifest,
        "privacy": [finding.as_manifest() for finding in findings],
        "utility": utility,
        "timings_seconds": seconds,
    }


def described(relation: str, *, in_database: bool) -> Search[dict[str, Any]]:
    """Ask what a published table is: its rows, its columns and their types, in order.

    Args:
        relation: SQL that reads it.
        in_database: also ask for the digest of its rows, in whatever order: a table of a database
            has no file of its own.
    """
    columns = yield from _columns(relation)
    counted = f"select count(*)\nfrom {relation}"
    ((rows,),) = yield Step("published_row_count", counted, "rows")
    told: dict[str, Any] = {
        "rows": rows,
        "columns": [{"name": name, "type": kind} for name, kind in columns],
    }
    if in_database:
        told["rows_sha256"] = yield from _rows_sha256(relation, [name for name, _ in columns])
    return told


def _columns(relation: str) -> Search[Rows]:
    sql = f"select column_name, column_type\nfrom (describe select * from {relation})"
    return (yield Step("published_columns", sql, "rows"))


def _rows_sha256(relation: str, columns: Sequence[str]) -> Search[str]:
    sql = render("proof/rows_digest.sql", relation=relation, columns=list(columns))
    ((digest,),) = yield Step("rows_digest", sql, "rows")
    return str(digest)


class _Column(BaseModel):
    name: str
    type: str


class _Table(BaseModel):
    """What a manifest tells of one table; rows_sha256 where that stands in a database."""

    path: str
    sha256: str
    rows: int
    columns: list[_Column]
    rows_sha256: str | None = None


class _Published(_Table):
    values: _Table | None = None


class _Counts(BaseModel):
    input: int
    published: int
    suppressed: int
    dropped: int


class Manifest(BaseModel):
    """What a manifest tells of the publication that it was written for."""

    model_config = ConfigDict(frozen=True)

    plan_sha256: str
    published: _Published
    rows: _Counts

    def compare(
        self, relations: Sequence[str], files: Sequence[Path | None], table: str
    ) -> Search[None]:
        """Prove that a table is the very one that was published, and the second one, too.

        Args:
            relations: SQL that reads each table.
            files: the file of each; None where it stands in a database.
            table: its name, for messages.

        Raises:
            PrivacyViolation: with all that differs.
            PlanError: it was published as a file, and is not given as one.
        """
        tables = [self.published, *([self.published.values] if self.published.values else [])]
        differences = []
        if len(tables) != len(relations):
            differences.append(f"there are {len(relations)} table(s), not {len(tables)}")
        for told, relation, file in zip(tables, relations, files, strict=False):
            of_values = " of the table of values" if told is not self.published else ""
            found = yield from self._differences(told, relation, file, table)
            differences += [difference + of_values for difference in found]
        if differences:
            raise PrivacyViolation(
                f"The table is not the one that the manifest tells of: {'; '.join(differences)}.",
                where=table,
                fix="do not use it: it was changed after it was proven; publish it again, or give"
                " the manifest of the run that made it",
            )

    def _differences(
        self, told: _Table, relation: str, file: Path | None, table: str
    ) -> Search[list[str]]:
        found = yield from described(relation, in_database=False)
        differences = []
        if found["rows"] != told.rows:
            differences.append(f"{found['rows']:,} rows and not {told.rows:,}")
        columns = [(column["name"], column["type"]) for column in found["columns"]]
        planned = [(column.name, column.type) for column in told.columns]
        if len(columns) != len(planned):
            differences.append(f"{len(columns)} columns and not {len(planned)}")
        for number, (name, _) in enumerate(planned, start=1):
            if columns[number - 1 : number] != planned[number - 1 : number]:
                differences.append(f"another name or type of column {number} ('{name}')")
                break
        if differences:
            return differences
        if told.rows_sha256 is not None:
            names = [name for name, _ in planned]
            if (yield from _rows_sha256(relation, names)) != told.rows_sha256:
                differences.append("other rows, by their digest")
        elif file is None:
            raise PlanError(
                "The manifest tells the digest of a file, and the table is not given as one.",
                where=table,
                fix="verify the published file, or leave out the manifest (--no-manifest)",
            )
        elif sha256_of(file) != told.sha256:
            differences.append("another digest of the file")
        return differences

    def compare_suppressed(self, plan: Plan, relation: str, table: str) -> Search[None]:
        """Prove what the plan promises of suppression: no more rows than its limit, and masked
        rows are there.

        Raises:
            PrivacyViolation: that is not so.
        """
        counts, masked = self.rows, plan.suppression.rows == "mask"
        rows = counts.input - counts.dropped
        limit = plan.suppression.limit
        if (
            counts.published + counts.suppressed != rows
            or self.published.rows != counts.published + (counts.suppressed if masked else 0)
            or (limit is not None and counts.suppressed > plan.suppression.limit_rows(rows))
        ):
            raise PrivacyViolation(
                "More rows are suppressed than the plan allows, or rows are missing, by the numbers"
                " of the manifest.",
                where=table,
                fix="publish the table again; the manifest and the plan do not fit",
            )
        if masked and counts.suppressed:
            names = list(plan.quasi_identifiers)
            sql = render("proof/masked_rows.sql", relation=relation, quasi_identifiers=names)
            ((found,),) = yield Step("masked_rows", sql, "rows")
            if found < counts.suppressed:
                raise PrivacyViolation(
                    f"{counts.suppressed:,} rows were masked, and only {found:,} are.",
                    where=table,
                    fix="do not use this table; publish it again",
                )


def read_manifest(path: Path) -> Manifest:
    """What a manifest tells.

    Raises:
        PlanError: it cannot be read, or tells too little.
    """
    try:
        return Manifest.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError, RecursionError):
        raise PlanError(
            "The manifest cannot be read, or does not tell what was published.",
            where=path.name,
            fix="run the plan again, which writes it anew, or leave it out (--no-manifest)",
        ) from None


def require_current(manifest: Manifest, plan: Plan, path: Path) -> None:
    """The manifest was written for this version of the plan.

    Raises:
        PlanError: for another.
    """
    if manifest.plan_sha256 != plan.sha256:
        raise PlanError(
            "The manifest is of another version of the plan.",
            where=path.name,
            fix="run the plan again, give the plan that the table was published by, or leave the"
            " manifest out (--no-manifest)",
        )


def json_text(data: dict[str, Any]) -> str:
    """The text of a JSON file."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
