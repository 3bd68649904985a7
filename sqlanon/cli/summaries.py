"""What `run` and `solve` tell at their end: columns, promises, losses, files, the next command."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import sqlanon
from sqlanon.cli.layout import SECONDARY, TITLE, WARNING, Percent, Styled
from sqlanon.cli.output import (
    measured,
    print_command,
    print_pairs,
    print_table,
    print_text,
    promise_cells,
    verdict,
)

_MOST_GROUPS = 5
"""Groups that are listed of those that suppression hits most."""


def print_run(
    result: sqlanon.RunResult, plan: Path, overrides: Sequence[str], target: Path | None
) -> None:
    """The summary of a run.

    Args:
        plan, overrides, target: as the command got them, for the next commands.
    """
    manifest = result.manifest
    solution, rows = manifest["solution"], manifest["rows"]
    published = near(result.plan.folder / manifest["published"]["path"])
    told: list[tuple[str, Any]] = [
        ("rows", f"{manifest['published']['rows']:,} of {rows['input']:,}"),
        ("suppressed", counted(rows["suppressed"], rows["input"])),
        ("classes", solution["classes"]),
        *found_by(solution),
        ("seconds", manifest["timings_seconds"]["total"]),
        *_warnings(manifest["warnings"] or ()),
    ]
    if "persons" in manifest:
        told[2:2] = _persons(manifest["persons"])
    if rows.get("cut"):
        told.insert(2, ("cut", f"{rows['cut']:,}, of persons with more rows than `unit` allows"))
    if rows["dropped"]:
        told.insert(2, ("dropped", f"{rows['dropped']:,}, for a missing value"))
    print_pairs(f"published {published}", told)
    print_text()
    print_table(
        "columns",
        ["column", "role", "published as", "loss"],
        [
            [one.name, one.role or "added", _words(one.published_as),
             None if one.loss is None else Percent(one.loss)]
            for one in result.columns
        ],
    )  # fmt: skip
    print_text()
    print_table(
        "promises",
        ["promise", "bound", "measured", "verdict"],
        [[*promise_cells(entry), measured(entry), verdict(entry["satisfied"])]
         for entry in manifest["privacy"]],
    )  # fmt: skip
    print_text()
    print_losses(manifest["utility"])
    _print_suppressed(result.suppressed_groups, Percent(rows["suppressed"] / rows["input"]))
    print_text()
    values = manifest["published"].get("values")
    print_pairs(
        "files",
        [
            ("publication", published),
            *([("values", near(result.plan.folder / values["path"]))] if values else []),
            ("release", near(result.target / "release.sql")),
            *(
                [("program", near(result.target / "sql/program.sql"))]
                if manifest["program_sha256"]
                else []
            ),
            ("manifest", near(result.target / "manifest.json")),
            ("to hand out", near(result.target / "publication.json")),
            *((file.stem, near(file)) for file in result.reports),
        ],
    )
    print_text()
    print_text("next", TITLE)
    for command in ("verify", "attack"):
        _print_next([command, published], ["--plan", str(plan)], overrides)
    if not result.reports:
        _print_next(["report", str(plan)], ["--target", str(target)] if target else [], overrides)


def print_solution(solution: Any, plan: Path, overrides: Sequence[str]) -> None:
    """The summary of a search.

    Args:
        plan, overrides: as the command got them, for the next command.
    """
    input_rows = solution.published_rows + solution.suppressed_rows
    print_pairs(
        f"solved {plan}",
        [
            *found_by(solution.as_manifest),
            ("rows to publish", f"{solution.published_rows:,} of {input_rows:,}"),
            ("to suppress", counted(solution.suppressed_rows, input_rows)),
            *(_persons(solution.persons) if solution.persons else ()),
            (solution.counted, solution.classes),
            ("solution", near(plan.with_name(f"{plan.stem}.solution.json"))),
        ],
    )
    headings, rows = solution.as_table
    if rows:
        print_text()
        print_table("levels" if "level" in headings else "cuts", headings, rows)
    print_text()
    print_text("next", TITLE)
    _print_next(["run", str(plan)], [], overrides)


def _persons(counts: Mapping[str, int]) -> list[tuple[str, Any]]:
    """The persons of whom a row is published, and those of whom none is."""
    return [
        ("persons", f"{counts['published']:,} of {counts['input']:,}"),
        ("persons suppressed", counted(counts["suppressed"], counts["input"])),
    ]


def _warnings(found: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The names of warnings, which were told at length, and of those that the plan acknowledges."""
    for title, style, is_acknowledged in (("warnings", WARNING, False), ("acknowledged", "", True)):
        names = [one["name"] for one in found if one["acknowledged"] == is_acknowledged]
        if names:
            yield title, Styled(", ".join(names), style)


def print_losses(utility: Mapping[str, Any]) -> None:
    """What was measured of the loss."""
    rows = [[name, value] for name, value in utility.items() if value is not None]
    print_table("lost", ["measure", "value"], rows)


def counted(rows: int, of: int) -> str:
    """A number of rows or persons, and its share."""
    return f"{rows:,} ({Percent(rows / of)})" if rows else "0"


def _print_next(command: list[str], option: list[str], overrides: Sequence[str]) -> None:
    """A command that one may call next."""
    options = [["--set", override] for override in overrides]
    print_command(["sqlanon", *command], *([option] if option else []), *options)


def found_by(solution: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """The method, what it states about its result, and how far it searched."""
    lattice = solution["lattice"]
    told: list[tuple[str, Any]] = [("method", solution["method"]), ("result", solution["label"])]
    if lattice["checked"] is not None:
        told.append(("nodes checked", f"{lattice['checked']:,} of {lattice['nodes']:,}"))
    if solution.get("rounds"):
        told.append(("rounds", solution["rounds"]))
    if solution.get("column_groups"):
        groups = "; ".join(", ".join(group) for group in solution["column_groups"])
        told.append(("kept together", groups))
    return told


def near(path: Path) -> str:
    """A path as one would type it here: relative, if it is in or below the current folder."""
    absolute = Path(os.path.abspath(path))
    return str(absolute.relative_to(Path.cwd())) if absolute.is_relative_to(Path.cwd()) else (
        str(absolute)
    )  # fmt: skip


def _words(published_as: str | None) -> Any:
    return Styled("left out", SECONDARY) if published_as is None else published_as


def _print_suppressed(found: Sequence[Any], share: Percent) -> None:
    """The groups of which suppression leaves out the largest shares, above the share of all."""
    groups = [
        (group.suppressed_rows / group.rows, group.rows, one.attribute, group)
        for one in found
        for group in one.groups
        if group.suppressed_rows / group.rows > share
    ]
    if not groups:
        return
    groups.sort(key=lambda entry: (-entry[0], -entry[1], entry[2], str(entry[3].label)))
    print_text()
    print_table(
        f"suppressed most ({share} of all rows are)",
        ["column", "group", "rows", "suppressed", "share"],
        [
            [attribute, "(missing)" if group.label is None else group.label, rows,
             group.suppressed_rows, Percent(portion)]
            for portion, rows, attribute, group in groups[:_MOST_GROUPS]
        ],
    )  # fmt: skip
