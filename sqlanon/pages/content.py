"""The two editions of a report, from what is known of a publication and its source.

The external edition is given the published facts and the promises alone, and so cannot reveal more.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from sqlanon.attacks.findings import AttackFinding
from sqlanon.families.suppressed import Group, shown_from
from sqlanon.pages.charts import (
    column_chart,
    lattice_chart,
    node_words,
    sizes_chart,
    tree_chart,
)
from sqlanon.pages.counts import MOST_VALUES
from sqlanon.pages.criteria import criteria
from sqlanon.pages.facts import PublishedFacts, SourceFacts, counted_columns
from sqlanon.pages.html import Column, Table, code, page_text, percent
from sqlanon.pages.risks import risk_table, singling_tables
from sqlanon.pages.summary import summary
from sqlanon.plan.columns import Identifier
from sqlanon.plan.plan import Plan
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.privacy_models.promises import as_text
from sqlanon.proof.findings import measured_alone
from sqlanon.search.lattice import Node

MOST_PICTURES = 24
"""Columns with a picture; those of promises come first."""


@dataclass(frozen=True)
class Attempts:
    """What attacks found.

    Attributes:
        findings: one per attack, form and attribute; empty if none was tried.
        not_tried: why the others were not tried, in a sentence; empty if all were.
    """

    findings: Sequence[AttackFinding]
    not_tried: str = ""


@dataclass(frozen=True)
class Internal:
    """What only the keepers of the source may read.

    Attributes:
        facts: what the source shows.
        manifest: of the run.
        words: what becomes of each column.
        plan_text, release_sql: the texts of both files.
        releases: of nodes of the lattice the `release.sql` that each would give.
        tree: regions of the partition tree, if there is one.
    """

    facts: SourceFacts
    manifest: Mapping[str, Any]
    words: Mapping[str, str]
    plan_text: str
    release_sql: str
    releases: Mapping[Node, str] = field(default_factory=dict)
    tree: Sequence[Mapping[str, Any]] = ()


def report_page(
    plan: Plan,
    promises: Sequence[Mapping[str, Any]],
    tables: Mapping[str, Any],
    published: PublishedFacts,
    attempts: Attempts,
    internal: Internal | None = None,
    standard: Mapping[str, Any] | None = None,
) -> str:
    """The page: internal, if it is given what only the source shows; else external."""
    facts = internal.facts if internal else None
    shows_persons = internal is not None or published.row_sizes is None
    members = "persons" if plan.unit and shows_persons else "rows"
    fewest = shown_from(plan)
    kinds = "internal" if internal else "external"
    warnings = internal.manifest.get("warnings") or [] if internal else []
    promised = _promises(plan, promises, is_internal=internal is not None)
    view = facts.lattice if facts else None
    return page_text(
        "report.html",
        title=f"{_publication_name(plan)}: {kinds} report",
        edition=kinds,
        members=members,
        persons=_persons(
            plan, published, attempts.findings, facts, internal.manifest if internal else {}
        ),
        hides_persons=plan.hides_persons,
        fewest=fewest,
        promises=promised,
        summary=summary(promised, attempts.findings, warnings, published, fewest),
        counts=_counts(plan, published, internal, members),
        columns=_columns(plan, published, internal),
        pictures=_pictures(plan, published, facts),
        not_pictured=[n for n in plan.published_columns if n not in _pictured(plan)],
        sizes=sizes_chart(published.sizes, facts.sizes if facts else None, fewest, members),
        risks=risk_table(published.risk.figures, facts.risk.figures if facts else None),
        singling=singling_tables(facts.risk, members) if facts else [],
        groups=_groups(facts) if facts else [],
        hit=_most_hit(facts) if facts else None,
        suppressed=internal.manifest["rows"]["suppressed"] if internal else 0,
        lattice=lattice_chart(view, facts.titles) if facts and view and view.nodes else None,
        releases=_releases(internal) if internal else [],
        satisfying=len(view.satisfying) if view else 0,
        is_lattice_whole=bool(view and view.is_whole),
        solution=_solution(internal) if internal else [],
        passes=_passes(internal) if internal else None,
        tree=tree_chart(internal.tree) if internal and internal.tree else None,
        attacks=_attacks(attempts),
        attack_verdict=_attack_verdict(attempts),
        not_tried=_not_tried(attempts),
        warnings=warnings,
        criteria=criteria(
            plan,
            published.sizes.smallest,
            members,
            attempts.findings,
            published.risk.figures,
            standard,
        ),
        utility=_utility(internal) if internal else None,
        texts=_texts(internal) if internal else [],
        limit=float(plan.suppression.limit or 0),
        may_suppress=bool(plan.form.leveled),
        digests=[
            (
                "the rows" if "rows_sha256" in table else "the file",
                str(table.get("rows_sha256") or table["sha256"]),
            )
            for table in (tables, tables.get("values"))
            if table
        ],
        has_buckets=bool(plan.form.bucket),
        separates=bool(plan.form.apart),
        k=plan.k,
    )


def _publication_name(plan: Plan) -> str:
    """The name by which a reader knows the publication: without folders."""
    place = plan.publish
    if place.database is not None:
        return place.database_table
    return PurePath(place.path or place.table or "").name


def _promises(
    plan: Plan, entries: Sequence[Mapping[str, Any]], *, is_internal: bool
) -> list[dict[str, Any]]:
    """What was promised, and what was measured of the published rows."""
    return [
        {
            "words": promise[:1].upper() + promise[1:],
            "model": model.model,
            "bound": _bound(model),
            "measured": _measured(plan, model, entry, is_internal=is_internal),
            "holds": entry["satisfied"],
        }
        for model, promise, entry in zip(
            plan.privacy, plan.promises.sentences, entries, strict=True
        )
    ]


def _bound(model: PrivacyModel) -> str:
    """The parameters that are numbers or words; a list would name values of the source."""
    left_out = {"attribute", "mode", "reference"}
    return ", ".join(
        f"{name} = {value}"
        for name, value in model.parameters.items()
        if name not in left_out and isinstance(value, int | float | str)
    )


def _measured(
    plan: Plan, model: PrivacyModel, entry: Mapping[str, Any], *, is_internal: bool
) -> str | None:
    """What was measured; without the source only what the published rows alone show."""
    value, sides = entry["measured"], entry.get("measured_sides") or {}
    if not is_internal:
        value, sides = measured_alone(plan, model, entry)
    if sides:
        return ", ".join(f"{name} {_number(side)}" for name, side in sides.items())
    if value is None:
        return None
    return f"{model.deciding_measure[0].replace('_', ' ')} {_number(value)}"


def _number(value: Any) -> str:
    return value if isinstance(value, str) else as_text(value)


def _counts(
    plan: Plan, published: PublishedFacts, internal: Internal | None, members: str
) -> list[tuple[str, str]]:
    """The numbers of the publication."""
    counts = [("Published rows", f"{published.rows:,}")]
    if internal is not None:
        rows = internal.manifest["rows"]
        share = percent(rows["suppressed"] / rows["input"])
        counts.insert(0, ("Rows of the source", f"{rows['input']:,}"))
        counts.append(("Suppressed rows", f"{rows['suppressed']:,} ({share})"))
        if rows["dropped"]:
            counts.append(("Dropped for a missing value", f"{rows['dropped']:,}"))
    classes = "Buckets" if plan.form.bucket else "Equivalence classes"
    counts.append((classes, f"{published.sizes.classes:,}"))
    counts.append((f"{members.capitalize()} in the smallest", f"{published.sizes.smallest:,}"))
    return counts


def _columns(plan: Plan, published: PublishedFacts, internal: Internal | None) -> Table:
    """The role of every column, and what became of it; dropped ones only for insiders."""
    rows: list[tuple[Any, ...]] = []
    for name, column in plan.columns.items():
        is_published = name in plan.published_columns
        if internal is None and not is_published:
            continue
        if internal is None:
            words = filter(None, [_words_outside(plan, name), published.widths.get(name)])
            rows.append((name, column.role, "; ".join(words)))
        else:
            facts = internal.facts
            counted = facts.columns.get(name)
            distance = None if counted is None else counted.distance
            loss = facts.losses.get(name)
            rows.append((name, column.role, internal.words[name], loss, distance))
    columns = [Column("column"), Column("role"), Column("what became of it")]
    if internal is None:
        return Table("Columns of the publication", columns, rows)
    return Table("Columns", [*columns, Column("loss", "share"), Column("distance", "share")], rows)


def _words_outside(plan: Plan, name: str) -> str:
    column = plan.columns[name]
    if isinstance(column, Identifier):
        return "a keyed hash" if column.action == "pseudonym" else "'*' in every row"
    if name in plan.quasi_identifiers and (name in plan.form.labeled):
        return "generalized"
    return "published as it is"


def _pictured(plan: Plan) -> list[str]:
    """The columns with a picture: those that promises are about first, if there are too many."""
    names = counted_columns(plan)
    first = [n for n in names if n in plan.quasi_identifiers or n in plan.sensitive_attributes]
    chosen = set([*first, *names][:MOST_PICTURES])
    return [name for name in names if name in chosen]


def _pictures(plan: Plan, published: PublishedFacts, facts: SourceFacts | None) -> list[Any]:
    """For each column its name and its picture, or None where no value can be named."""
    found = []
    for name in _pictured(plan):
        after = published.columns.get(name)
        before = facts.columns.get(name) if facts else None
        if name in plan.quasi_identifiers:
            after, before = after and after.in_order, before and before.in_order
        counted = after if before is None or before.bars == () else before
        found.append(
            (
                name,
                column_chart(name, counted) if counted and counted.bars else None,
                None if counted is None else counted.distance,
            )
        )
    return found


def _groups(facts: SourceFacts) -> list[Table]:
    """Rows and suppressed rows by groups of each quasi-identifier, where any are suppressed."""
    tables = []
    for one in facts.groups:
        rows: list[tuple[Any, ...]] = [
            (_label(group), group.rows, group.suppressed_rows, group.share)
            for group in sorted(one.groups, key=lambda group: -group.share)
        ]
        if one.others:
            others = f"{one.others:,} other group{'s' if one.others > 1 else ''}"
            share = one.other_suppressed_rows / one.other_rows
            rows.append((others, one.other_rows, one.other_suppressed_rows, share))
        columns = (
            Column(one.attribute), Column("rows", "count"), Column("suppressed", "count"),
            Column("share", "share"),
        )  # fmt: skip
        title = facts.titles[one.attribute][one.level]
        tables.append(Table(f"{one.attribute}, grouped: {title}", columns, rows))
    return tables


def _most_hit(facts: SourceFacts) -> str | None:
    """The group of which most is suppressed, and the one of which least is, in a sentence."""
    named = [(one.attribute, group) for one in facts.groups for group in one.groups]
    if not any(group.suppressed_rows for _, group in named):
        return None
    attribute, most = max(named, key=lambda pair: pair[1].share)
    least = min(
        (group for name, group in named if name == attribute), key=lambda group: group.share
    )
    most_text = f"Most of all {attribute} “{_label(most)}”: {percent(most.share)} of its rows"
    return f"{most_text}, and {percent(least.share)} of “{_label(least)}”."


def _label(group: Group) -> str:
    return "missing" if group.label is None else group.label


def _releases(internal: Internal) -> list[tuple[str, Any]]:
    """The nodes whose release is shown, in words, and its text, in the order of the table."""
    facts = internal.facts
    if facts.lattice is None:
        return []
    return [
        (node_words(facts.lattice, node, facts.titles), internal.releases[node.levels])
        for node in facts.lattice.satisfying
        if node.levels in internal.releases
    ]


def _solution(internal: Internal) -> list[tuple[str, str]]:
    """The method of a solution, and what it states about it."""
    solution = internal.manifest["solution"]
    lines = [("Method", solution["method"]), ("Found", solution["label"])]
    if solution["height"] is not None:
        lines.append(("Height", f"{solution['height']}"))
    lattice = dict(solution["lattice"])
    view = internal.facts.lattice
    if view is not None and view.is_whole:
        lattice["satisfying"] = sum(node.holds for node in view.nodes)
        lattice["minimal"] = sum(node.is_minimal for node in view.nodes)
    for key, name in (
        ("nodes", "Nodes of the lattice"), ("checked", "Nodes checked"),
        ("satisfying", "Nodes that hold the promises"), ("minimal", "Minimal nodes"),
    ):  # fmt: skip
        if lattice[key] is not None:
            lines.append((name, f"{lattice[key]:,}"))
    return lines


def _passes(internal: Internal) -> Table | None:
    """What each pass did, if the solution has several nodes."""
    passes = internal.manifest["solution"].get("passes", [])
    if not passes:
        return None
    titles = internal.facts.titles
    columns = (
        Column("pass", "count"), Column("labels"), Column("rows", "count"),
        Column("mean loss", "share"),
    )  # fmt: skip
    rows = tuple(
        (
            number,
            "; ".join(f"{name}: {titles[name][n]}" for name, n in one["node"].items() if n)
            or "all as in the source",
            one["rows"],
            one["loss"],
        )
        for number, one in enumerate(passes, start=1)
    )
    return Table("Passes: the rows that each node places", columns, rows)


def _attacks(attempts: Attempts) -> Table | None:
    """What every attack that was tried found."""
    tried = [one for one in attempts.findings if one.tried]
    rows: list[tuple[Any, ...]] = [
        (_attack_name(one), one.attribute, one.rows_at_risk, one.share) for one in tried
    ]
    columns = [
        Column("attack"), Column("on"), Column("rows at risk", "count"), Column("share", "share"),
    ]  # fmt: skip
    if any(one.at_most is not None for one in tried):
        columns = [columns[0], Column("result"), *columns[1:], Column("accepted", "share")]
        verdicts = ["✗ more" if one.succeeds else "✓ within" for one in tried]
        rows = [
            (row[0], verdict, *row[1:], one.at_most)
            for row, verdict, one in zip(rows, verdicts, tried, strict=True)
        ]
    return Table("What attacks learn from the publication", columns, rows) if rows else None


def _attack_name(one: AttackFinding) -> str:
    return f"{one.attack} ({one.variant})" if one.variant else one.attack


def _attack_verdict(attempts: Attempts) -> tuple[str, str]:
    """What the plan's thresholds say of the attacks, and the class of the sentence."""
    judged = [one for one in attempts.findings if one.at_most is not None]
    if any(one.succeeds for one in judged):
        return "An attack succeeds on more rows than the plan accepts.", "bad"
    if judged:
        return "No attack succeeds on more rows than the plan accepts.", "good"
    return "The plan states no share of rows at risk that it accepts.", ""


def _not_tried(attempts: Attempts) -> list[str]:
    """Which attacks were not tried, by the reason."""
    reasons: dict[str, list[str]] = {}
    for one in attempts.findings:
        if not one.tried:
            reasons.setdefault(str(one.reason), []).append(_attack_name(one))
    lines = [
        f"Not tried: {', '.join(dict.fromkeys(names))} ({why})." for why, names in reasons.items()
    ]
    return [*lines, *([attempts.not_tried] if attempts.not_tried else [])]


def _utility(internal: Internal) -> Table:
    """The measures of the manifest."""
    rows = [
        (name.replace("_", " "), json.dumps(value) if isinstance(value, list) else value)
        for name, value in internal.manifest["utility"].items()
        if value is not None and not isinstance(value, dict)
    ]
    return Table(
        "Measures of the whole table", (Column("measure"), Column("value", "number")), rows
    )


def _texts(internal: Internal) -> list[tuple[str, str, str, Any]]:
    """Plan, release and manifest: an id, a title, a sentence, and the marked text."""
    manifest = json.dumps(dict(internal.manifest), indent=2, ensure_ascii=False)
    return [
        ("plan", "Plan", "What was asked for.", code(internal.plan_text, "yaml")),
        ("release", "release.sql", "The published rows as one query.",
         code(internal.release_sql, "sql")),
        ("manifest", "Manifest", "What was measured, and the digests of what was published.",
         code(manifest, "json")),
    ]  # fmt: skip


def _persons(
    plan: Plan,
    published: PublishedFacts,
    findings: Sequence[AttackFinding],
    source: SourceFacts | None,
    manifest: Mapping[str, Any],
) -> dict[str, Any] | None:
    """The variables of the section; None if every row is a person."""
    if plan.unit is None:
        return None
    sizes, counts, tables = published.sizes, [], []
    if plan.unit.is_linked:
        counts.append(("Published persons", f"{sizes.members:,}"))
    if source is not None or published.row_sizes is None:
        counts.append(("Persons in the smallest class", f"{sizes.smallest:,}"))
        counts.append(("Persons in the median class", f"{sizes.median:,}"))
    if source is not None:
        rows = rows_by_ranges(source.rows_of_persons, shown_from(plan))
        middle = sum(source.rows_of_persons.values()) / 2
        before = [sum(count for _, count in rows[:place]) for place in range(len(rows))]
        label = max(place for place, count in enumerate(before) if count < middle)
        counts.append(("Rows of the median person in the source", rows[label][0]))
        tables = [_persons_and_rows(manifest), _distribution(rows)]
    tried = [one for one in findings if one.attack == "histories" and one.tried]
    return {
        "column": plan.person if plan.unit.is_linked or source is not None else None,
        "is_linked": plan.unit.is_linked,
        "count": plan.persons_column,
        "most_rows": plan.unit.rows,
        "hides_presence": any(model.presence for model in plan.privacy),
        "counts": counts,
        "tables": tables,
        "histories": _histories(plan, tried) if tried else None,
        "notes": list(dict.fromkeys(note for one in tried for note in one.notes)),
    }


def rows_by_ranges(persons: Mapping[int, int], fewest: int) -> list[tuple[str, int]]:
    """Numbers of rows and the persons who have them, in ranges of enough persons, rising."""
    left = sum(persons.values())
    if len(persons) > MOST_VALUES:
        fewest = max(fewest, math.ceil(left / MOST_VALUES))
    ranges: list[tuple[str, int]] = []
    least, numbers, counted = 1, 0, 0
    for rows, count in persons.items():
        numbers, counted, left = numbers + 1, counted + count, left - count
        if left and min(counted, left) < fewest:
            continue
        label = f"{least:,} to {rows:,}" if left else f"{least:,} or more"
        ranges.append((f"{rows:,}" if numbers == 1 else label, counted))
        least, numbers, counted = rows + 1, 0, 0
    return ranges


def _distribution(ranges: Sequence[tuple[str, int]]) -> Table:
    total = sum(count for _, count in ranges)
    columns = (Column("rows of a person"), Column("persons", "count"), Column("share", "share"))
    rows = [(label, count, count / total) for label, count in ranges]
    return Table("Persons of the source by their number of rows", columns, rows)


def _persons_and_rows(manifest: Mapping[str, Any]) -> Table:
    """Persons and rows of the source, and what became of them."""
    rows, persons = manifest["rows"], manifest["persons"]
    read = "in the source" + (", without dropped rows" if rows["dropped"] else "")
    lines: list[tuple[Any, ...]] = [(read, persons["input"], rows["input"] - rows["dropped"])]
    lines += [(what, persons[what], rows[what]) for what in ("published", "suppressed")]
    if "cut" in rows:
        lines.append(("beyond the most rows of a person", None, rows["cut"]))
    columns = (Column("what"), Column("persons", "count"), Column("rows", "count"))
    return Table("Persons and rows; a person without a published row is suppressed", columns, lines)


_KNOWN = {"none": "what never changes", "number": "… and how many rows", "all": "… and all rows"}


def _histories(plan: Plan, tried: Sequence[AttackFinding]) -> Table:
    """What is left by what is known of a person; one row if it never matters which rows are."""
    rows = []
    for one in tried:
        known, first = one.parameters["rows"], one.parameters["choice"] == "first"
        known_text = f"… and {'the first ' if first else ''}{known} row{'' if known == 1 else 's'}"
        measured = {name: value and int(value) for name, value in (one.measured or {}).items()}
        figures = (measured["least_left"], one.rows_at_risk, measured["persons_alone"])
        rows.append((_KNOWN.get(known, known_text), one.rows, *figures))
    if len(rows) > 1 and len({row[1:] for row in rows}) == 1:
        rows = [("any rows", *rows[0][1:])]
    least = sorted({one.parameters["k"] or max(plan.k, 2) for one in tried})
    names = ("persons by class" if plan.hides_persons else "persons", "fewest",
             f"below {' or '.join(map(str, least))}", "one")  # fmt: skip
    columns = (Column("known"), *(Column(name, "count") for name in names))
    return Table(
        "Attack histories: persons who are left to an attacker who has rows of one", columns, rows
    )
