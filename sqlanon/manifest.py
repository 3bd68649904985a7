"""The manifest: what was asked, found, measured and published. No value of a source row."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlanon.plan import Plan
from sqlanon.solution import Solution
from sqlanon.verify import Finding
from sqlanon.version import __version__


def manifest_of(
    plan: Plan,
    engine: tuple[str, str],
    solution: Solution,
    program_sha256: str,
    findings: Sequence[Finding],
    utility: dict[str, Any],
    digests: Sequence[str],
    seconds: dict[str, float],
) -> dict[str, Any]:
    """The manifest of a run, in the order of its keys."""
    masked = plan.suppression.rows == "mask"
    values = plan.publish.of_values
    return {
        "sqlanon_version": __version__,
        "engine": {"name": engine[0], "version": engine[1]},
        "plan_sha256": plan.sha256,
        "program_sha256": program_sha256,
        "published": {
            "path": plan.publish.path or plan.publish.table,
            "sha256": digests[0],
            "rows": solution.published_rows + (solution.suppressed_rows if masked else 0),
            **(
                {"values": {"path": values.path or values.table, "sha256": digests[1]}}
                if plan.separates_sensitive
                else {}
            ),
        },
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


def json_text(data: dict[str, Any]) -> str:
    """The text of a JSON file."""
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
