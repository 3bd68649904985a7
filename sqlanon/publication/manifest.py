"""The manifest: what was requested, found, measured and published. No value of a source row."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from sqlanon.errors import PlanError, PrivacyViolation
from sqlanon.families.solution import Solution
from sqlanon.plan.plan import Plan
from sqlanon.plan.standards import Checklist
from sqlanon.plan.tables import SOURCE_DATA
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.proof.findings import Finding, measured_alone
from sqlanon.sql.render import question
from sqlanon.sql.step import Search, Step
from sqlanon.sql.tables import rows_digest_step
from sqlanon.version import __version__

MANIFEST = "manifest.json"
"""Name of the file in the target folder."""

OUTSIDE = "publication.json"
"""Name of the file in the target folder that may be handed out with the publication."""

REPORTS: Mapping[str, str] = {"internal": "report.html", "external": "report-external.html"}
"""Names of the pages in the target folder, by edition."""


def manifest_of(
    plan: Plan,
    engine: Mapping[str, Any],
    solution: Solution,
    program_sha256: str | None,
    findings: Sequence[Finding],
    utility: dict[str, Any],
    published: Sequence[dict[str, Any]],
    seconds: dict[str, float],
    *,
    reviewed_sha256: str | None = None,
    aggregated: Mapping[str, Any] | None = None,
    standard: Checklist | None = None,
) -> dict[str, Any]:
    """The manifest of a run, in the order of its keys.

    Args:
        published: for each published table, its digest and the result of `described`.
        reviewed_sha256: digest of the solution file if the run published by it without a search.
        aggregated: what is left of the columns of which one value is published a class.
        standard: the check list of the plan's standard.
    """
    values = plan.publish.of_values
    tables = [
        {"path": place.path or place.table, **entry}
        for place, entry in zip((plan.publish, values), published, strict=False)
    ]
    return {
        "sqlanon_version": __version__,
        "engine": engine,
        "plan_sha256": plan.sha256,
        **({"source": SOURCE_DATA} if plan.source.table == SOURCE_DATA else {}),
        "program_sha256": program_sha256,
        "locked": reviewed_sha256 is not None,
        **({} if reviewed_sha256 is None else {"solution_sha256": reviewed_sha256}),
        "published": {**tables[0], **({"values": tables[1]} if len(tables) > 1 else {})},
        **_sampled(plan, solution),
        "rows": {
            "input": sum(solution.input.values()),
            "published": solution.published_rows,
            "suppressed": solution.suppressed_rows,
            "dropped": solution.input["dropped"],
            **({"cut": solution.input["cut"]} if "cut" in solution.input else {}),
        },
        **({"persons": solution.persons} if solution.persons else {}),
        "solution": solution.as_manifest,
        "privacy": [finding.as_manifest() for finding in findings],
        **({} if standard is None else {"standard": standard.as_json()}),
        "utility": utility,
        **({"aggregated": aggregated} if aggregated else {}),
        "warnings": None
        if not plan.engine.shows_texts  # nobody has looked
        else [warning.as_manifest() for warning in plan.warnings],
        "timings_seconds": seconds,
    }


def _sampled(plan: Plan, solution: Solution) -> dict[str, Any]:
    """The sample that was drawn; never its key."""
    if plan.sample is None:
        return {}
    drawn = solution.persons["input"] if solution.persons else sum(solution.input.values())
    of = "rows" if plan.unit is None else "persons"
    return {"sample": {"share": str(plan.sample.share), "of": of, "drawn": drawn}}


def outside_of(plan: Plan, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What may be handed out of a manifest: what the published rows show, and what was proven.

    It is the same for all sources that have this publication by this plan.
    """
    tables = manifest["published"]
    values = {"values": _shown(tables["values"])} if "values" in tables else {}
    compared = {
        "all rows of the source": any(model.compares_with_table for model in plan.privacy),
        "the population": any(model.needs_population for model in plan.privacy),
    }
    return {
        "sqlanon_version": manifest["sqlanon_version"],
        "published": {**_shown(tables), **values},
        "privacy": [
            _promised(plan, model, entry)
            for model, entry in zip(plan.privacy, manifest["privacy"], strict=True)
        ],
        "proven": [
            "The rows with this digest hold every promise. This was proven before they were"
            " published, on the rows themselves"
            + (" with the persons whose they are." if plan.hides_persons else "."),
            *(
                f"Promises that compare with {what} were proven in comparison with them."
                for what, is_compared in compared.items()
                if is_compared
            ),
            "No value of an identifier is among them; a pseudonym is a keyed hash.",
        ],
        **({"standard": manifest["standard"]} if "standard" in manifest else {}),
    }


def _shown(table: Mapping[str, Any]) -> dict[str, Any]:
    """The entry of one table without what only those know who published it."""
    digest = "rows_sha256" if "rows_sha256" in table else "sha256"
    return {
        "name": PurePath(table["path"]).name,
        digest: str(table[digest]),
        "rows": table["rows"],
        "columns": table["columns"],
    }


def _promised(plan: Plan, model: PrivacyModel, entry: Mapping[str, Any]) -> dict[str, Any]:
    """A promise with its bounds, which are numbers or words; a list would name values."""
    measured, sides = measured_alone(plan, model, entry)
    bounds = {
        name: value
        for name, value in entry["parameters"].items()
        if name != "attribute" and isinstance(value, int | float | str)
    }
    return {
        "model": model.model,
        "promise": model.promise(plan.promises.members),
        "parameters": bounds,
        "attribute": entry["attribute"],
        "measured": _rounded(measured),
        **({"measured_sides": {name: _rounded(side) for name, side in sides.items()}}
           if sides else {}),
    }  # fmt: skip


def _rounded(measured: Any) -> Any:
    """A measure without its last digits, which depend on the order in which rows were added."""
    return float(f"{measured:.9g}") if isinstance(measured, float) else measured


def described(relation: str, *, in_database: bool) -> Search[dict[str, Any]]:
    """The number of rows of a published table, and its columns and their types in order.

    Args:
        in_database: also a digest of its rows in any order: a table has no file of its own.
    """
    columns = yield Step("published_columns", f"select *\nfrom {relation}", "columns")
    counted = f"select count(*)\nfrom {relation}"
    ((rows,),) = yield Step("published_row_count", counted, "rows")
    entry: dict[str, Any] = {
        "rows": rows,
        "columns": [{"name": name, "type": kind} for name, kind in columns],
    }
    if in_database:
        entry["rows_sha256"] = yield from _rows_sha256(relation, [name for name, _ in columns])
    return entry


def _rows_sha256(relation: str, columns: Sequence[str]) -> Search[str]:
    ((digest,),) = yield rows_digest_step(relation, columns)
    return str(digest)


class _Column(BaseModel):
    name: str
    type: str


class _Table(BaseModel):
    """The entry of one table in a manifest; rows_sha256 only for a table in a database."""

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
    cut: int = 0


class Manifest(BaseModel):
    """What a manifest records about the publication for which it was written."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    plan_sha256: str
    published: _Published
    rows: _Counts

    def compare(
        self, relations: Sequence[str], places: Sequence[str], digest: Callable[[str], str | None]
    ) -> Search[None]:
        """Prove that a table is the one that was published, and also the second one, if any.

        Args:
            relations: SQL that reads each table.
            places: what each is called.
            digest: finds the digest of the files at a place; None if it has no files.
        """
        tables = [self.published, *([self.published.values] if self.published.values else [])]
        differences = []
        if len(tables) != len(relations):
            differences.append(f"there are {len(relations)} table(s), not {len(tables)}")
        for entry, relation, place in zip(tables, relations, places, strict=False):
            of_values = " of the table of values" if entry is not self.published else ""
            found = yield from self._differences(entry, relation, place, digest)
            differences += [difference + of_values for difference in found]
        if differences:
            raise PrivacyViolation(
                f"The table is not the one that the manifest describes: {'; '.join(differences)}.",
                where=places[0],
                fix="do not use it: it was changed after it was proven; publish it again, or give"
                " the manifest of the run that made it",
            )

    def _differences(
        self, entry: _Table, relation: str, place: str, digest: Callable[[str], str | None]
    ) -> Search[list[str]]:
        found = yield from described(relation, in_database=False)
        differences = []
        if found["rows"] != entry.rows:
            differences.append(f"{found['rows']:,} rows and not {entry.rows:,}")
        columns = [(column["name"], column["type"]) for column in found["columns"]]
        planned = [(column.name, column.type) for column in entry.columns]
        if len(columns) != len(planned):
            differences.append(f"{len(columns)} columns and not {len(planned)}")
        for number, (name, _) in enumerate(planned, start=1):
            if columns[number - 1 : number] != planned[number - 1 : number]:
                differences.append(f"another name or type of column {number} ('{name}')")
                break
        if differences:
            return differences
        if entry.rows_sha256 is not None:
            names = [name for name, _ in planned]
            if (yield from _rows_sha256(relation, names)) != entry.rows_sha256:
                differences.append("other rows, by their digest")
            return differences
        found_digest = digest(place)
        if found_digest is None:
            raise PlanError(
                "The manifest has the digest of a file, but the table is not given as a file.",
                where=place,
                fix="verify the published file, or leave out the manifest (--no-manifest)",
            )
        if found_digest != entry.sha256:
            differences.append("another digest of the file")
        return differences

    def compare_suppressed(self, plan: Plan, relation: str, table: str) -> Search[None]:
        """Prove that no more rows are suppressed than the plan allows; masked ones are present."""
        counts, masked = self.rows, plan.suppression.rows == "mask"
        rows = counts.input - counts.dropped - counts.cut
        limit = plan.suppression.limit
        if (
            counts.published + counts.suppressed != rows
            or self.published.rows != counts.published + (counts.suppressed if masked else 0)
            or (limit is not None and counts.suppressed > plan.suppression.limit_rows(rows))
        ):
            raise PrivacyViolation(
                "According to the manifest, more rows are suppressed than the plan allows, or rows"
                " are missing.",
                where=table,
                fix="publish the table again; the manifest does not match the plan",
            )
        if masked and counts.suppressed:
            inputs = {"relation": relation, "quasi_identifiers": list(plan.quasi_identifiers)}
            ((found,),) = yield question("proof/masked_rows", **inputs)
            if found < counts.suppressed:
                raise PrivacyViolation(
                    f"{counts.suppressed:,} rows were masked, but the table has only {found:,}.",
                    where=table,
                    fix="do not use this table; publish it again",
                )


def read_manifest(path: Path) -> Manifest:
    """The manifest in a file; a PlanError if it cannot be read, or is incomplete."""
    try:
        return Manifest.model_validate(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, ValidationError, RecursionError):
        raise PlanError(
            "The manifest cannot be read, or does not describe a publication.",
            where=path.name,
            fix="run the plan again, which rewrites it, or leave it out (--no-manifest)",
        ) from None


def require_current(manifest: Manifest, plan: Plan, path: Path) -> None:
    """Check that the manifest was written for this version of the plan."""
    if manifest.plan_sha256 != plan.sha256:
        raise PlanError(
            "The manifest belongs to another version of the plan.",
            where=path.name,
            fix="run the plan again, give the plan that published the table, or leave out the"
            " manifest (--no-manifest)",
        )


def json_text(data: Mapping[str, Any]) -> str:
    """The text of a JSON file."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
