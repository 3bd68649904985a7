"""The source and the population as steps: rows, distinct combinations, and counted values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sqlanon.plan.column_types import TEXT
from sqlanon.plan.columns import SensitiveAttribute
from sqlanon.plan.plan import Plan
from sqlanon.source.reading import column_as_read, source_inputs
from sqlanon.sql.render import render, render_macro, templated
from sqlanon.sql.step import Step, quoted, unused


def row_count_name(plan: Plan) -> str:
    """Name of the row count in `source_combinations`, which no column of the user has."""
    return unused("row_count", plan.quasi_identifiers)


def population_count_name(plan: Plan) -> str:
    """Name of the population's row count in `source_combinations`."""
    return unused("population_count", plan.quasi_identifiers)


def unit_alias(plan: Plan) -> str:
    """Name of the unit in `source_combinations`."""
    return unused("person", plan.columns)


def placed_labels(plan: Plan, aliases: Mapping[str, str]) -> dict[str, str]:
    """The columns of `placed_combinations` with the labels of quasi-identifiers."""
    taken = [*plan.columns, *aliases.values()]
    return {name: unused(f"{aliases[name]}_label", taken) for name in plan.quasi_identifiers}


def place_name(plan: Plan) -> str:
    """The column of `person_rows` with the place of a row's class in the order of labels."""
    return unused("place", [*plan.columns, *plan.form.columns])


def person_alias(plan: Plan) -> str | None:
    """Name of the unit in `source_combinations`; None if the plan counts rows."""
    return unit_alias(plan) if plan.unit else None


def source_steps(plan: Plan) -> list[Step]:
    """The source, the columns that may leave it, and its distinct combinations."""
    counted = counted_aliases(plan)
    alias = unused("source", plan.columns)
    columns = row_columns(plan)
    return [
        templated("source/source", "view", **source_inputs(plan)),
        *population_steps(plan),
        templated(
            "source/source_rows",
            "view",
            # A missing column with the name of the table would mean whole rows.
            alias=alias if alias != "source" else "",
            columns=columns,
            plain=are_plain(columns),
            dropped=[n for n in plan.columns if n not in plan.staged_columns],
            required=required_columns(plan),
            **row_limit(plan),
        ),
        *_date_proof(plan),
        *_changes_proof(plan),
        templated(
            "source/source_combinations",
            quasi_identifiers=list(plan.quasi_identifiers),
            counted=counted,
            unit=plan.person,
            unit_alias=unit_alias(plan),
            population=plan.population is not None,
            row_count=row_count_name(plan),
            population_count=population_count_name(plan),
        ),
        *_population_proof(plan),
        templated(
            "source/source_values",
            columns=[(name, name, True) for name in plan.quasi_identifiers]
            + [
                (name, alias, False)
                for name, alias in counted
                if name in plan.hierarchies and name not in plan.quasi_identifiers
            ],
            population=plan.population is not None,
            unit_alias=unit_alias(plan) if plan.unit else None,
            row_count=row_count_name(plan),
        ),
        *counted_steps(plan),
        *_listed_proof(plan),
    ]


def row_columns(plan: Plan) -> list[tuple[str, str, str]]:
    """The columns that may leave the source: name, action of an identifier, and expression."""
    columns = plan.staged_columns
    return [(name, plan.action_on(name), column_as_read(plan, name)) for name in columns]


def are_plain(columns: Sequence[tuple[str, str, str]]) -> bool:
    """Whether every column is read by its bare name."""
    return all(not action and expression == quoted(name) for name, action, expression in columns)


def required_columns(plan: Plan) -> list[str]:
    """The columns without a missing value in any row, because such rows are dropped."""
    return [
        name
        for name, column in plan.columns.items()
        if plan.missing == "drop-rows"
        and (name in plan.quasi_identifiers or isinstance(column, SensitiveAttribute))
    ]


def row_limit(plan: Plan) -> dict[str, Any]:
    """The column of persons, and which rows are read: the sample, and at most so many of a person.

    `below` is empty and `most_rows` None if all are read.
    """
    return {
        "person": plan.person or "",
        "below": plan.sample.below if plan.sample else "",
        "most_rows": plan.unit.rows if plan.unit else None,
    }


def row_choice(plan: Plan, rows: str) -> str:
    """The select of the rows that are read; empty if all are.

    Args:
        rows: the select of all rows.
    """
    limit = row_limit(plan)
    names, person = list(plan.staged_columns), limit["person"]
    if limit["below"]:
        inputs = {"rows": rows, "names": names, "person": person, "below": limit["below"]}
        rows = render_macro("source/_drawn_rows.sql", "drawn", **inputs)
    if limit["most_rows"] is not None:
        inputs = {"rows": rows, "names": names, "person": person, "most": limit["most_rows"]}
        rows = render_macro("source/_most_rows.sql", "chosen", **inputs)
    return rows if limit["below"] or limit["most_rows"] is not None else ""


def population_steps(plan: Plan) -> list[Step]:
    """The population, and the number of its rows with each combination of quasi-identifiers."""
    if plan.population is None:
        return []
    read = render("source/source.sql", **source_inputs(plan, "population"))
    counted = {"population_count": population_count_name(plan)}
    names = {"quasi_identifiers": list(plan.quasi_identifiers)}
    whole = [templated("source/proof_of_whole_persons", "proof", **names, **counted)]
    return [
        Step("population", read, "view"),
        templated(
            "source/population_combinations",
            quasi_identifiers=[
                (name, column_as_read(plan, name, "population")) for name in plan.quasi_identifiers
            ],
            **counted,
        ),
        *(whole if plan.missing == "drop-rows" else []),
    ]


def _date_proof(plan: Plan) -> list[Step]:
    """The proof that all databases write the dates of a source alike."""
    if not plan.engine.has_strange_dates:
        return []
    published = [name for name, action, _ in row_columns(plan) if not action]
    tables = [("source_rows", [name for name in published if _is_date(plan, name, "source")])]
    if plan.population is not None:
        compared = [name for name in plan.quasi_identifiers if _is_date(plan, name, "population")]
        tables.append(("population", compared))
    tables = [(relation, names) for relation, names in tables if names]
    if not tables:
        return []
    return [templated("source/proof_of_dates", "proof", tables=tables)]


def _changes_proof(plan: Plan) -> list[Step]:
    """The proof that values can be made into what is published in place of them."""
    columns = [column for column in plan.changed_columns.values() if column.is_open]
    if not columns:
        return []
    inputs = {"columns": columns, "person": plan.person or "", "least": plan.least_persons}
    return [templated("source/proof_of_changed_values", "proof", **inputs)]


def _is_date(plan: Plan, name: str, table: Literal["source", "population"]) -> bool:
    return plan.type_as_read(name, table).startswith(("DATE", "TIMESTAMP"))


def _population_proof(plan: Plan) -> list[Step]:
    if plan.population is None:
        return []
    person = {"unit_alias": unit_alias(plan) if plan.unit else None}
    counted = {"quasi_identifiers": list(plan.quasi_identifiers), "row_count": row_count_name(plan)}
    people = {"population_count": population_count_name(plan)}
    changing = "proof_of_unchanging_persons"
    return [
        *([templated(f"source/{changing}", "proof", **counted, **person)] if plan.unit else []),
        templated("source/proof_of_population", "proof", **counted, **person, **people),
    ]


def counted_steps(plan: Plan, published: str = "", person: str | None = None) -> list[Step]:
    """The values of the attributes that models and measures read: coded, and listed one by one.

    Args:
        published: the relation of a published table whose values are in `source_values`; by
            default they are those of `source_combinations`.
        person: its column of persons, if they are counted there.
    """
    columns = plan.promises.columns.values()
    if not columns:
        return []
    return [
        templated(
            "source/counted_values",
            attributes=counted_aliases(plan),
            combined=not published,
            relation=published or "sqlanon.source_combinations",
            population=plan.population is not None,
            unit=person if published or plan.unit is None else unit_alias(plan),
            row_count=row_count_name(plan),
        ),
        *(
            Step(
                column.named("table_values"),
                render("source/table_values.sql", column=column),
                "view",
            )
            for column in columns
        ),
        *_number_proof(plan),
        *_alike_proof(plan),
    ]


def _alike_proof(plan: Plan) -> list[Step]:
    """The proof that no value is counted twice: neither as text, nor where numbers are compared.

    `compare: exact` says that two spellings of a number are two values. A promise that reads the
    attribute as numbers takes them for one, so both together are refused.
    """
    as_text = {
        name: column.compare == "exact"
        for name in plan.promised_columns
        if isinstance(column := plan.columns[name], SensitiveAttribute)
        and plan.type_as_read(name) == TEXT  # equal values of others have one text
    }
    numeric = {model.sensitive_attribute for model in plan.privacy if model.needs_numbers}
    attributes = [name for name, is_exact in as_text.items() if not is_exact]
    exact_numbers = [name for name, is_exact in as_text.items() if is_exact and name in numeric]
    if not attributes and not exact_numbers:
        return []
    return [
        templated(
            "source/proof_of_distinct_values",
            "proof",
            attributes=attributes,
            exact_numbers=exact_numbers,
            escaped=plan.publish.csv_formulas == "escape",
        )
    ]


def _number_proof(plan: Plan) -> list[Step]:
    numeric = sorted({m.sensitive_attribute or "" for m in plan.privacy if m.needs_numbers})
    ordered = sorted({m.sensitive_attribute or "" for m in plan.privacy if m.needs_order})
    if not numeric and not ordered:
        return []
    return [templated("source/proof_of_numbers", "proof", numeric=numeric, ordered=ordered)]


def _listed_proof(plan: Plan) -> list[Step]:
    listed = [(m.sensitive_attribute, value) for m in plan.privacy for value in m.listed_values]
    if not listed:
        return []
    return [templated("source/proof_of_listed_values", "proof", listed=list(dict.fromkeys(listed)))]


def counted_aliases(plan: Plan) -> list[tuple[str, str]]:
    """Further columns that are counted, and their names in `source_combinations`."""
    return [
        (name, unused(f"counted_{number}", plan.quasi_identifiers))
        for number, name in enumerate(plan.counted_columns, start=1)
    ]
