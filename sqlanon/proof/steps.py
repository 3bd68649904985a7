"""The proofs as steps: each returns the violations, and holds if there are none."""

from __future__ import annotations

from typing import Any

from sqlanon.proof.publication import Publication
from sqlanon.search.slicing import text_rows_step
from sqlanon.sql.render import render
from sqlanon.sql.step import Step, StepKind, quoted, unused

_CLASSES = "sqlanon.published_equivalence_classes"


def verify_steps(publication: Publication, *, with_models: bool = True) -> list[Step]:
    """The proofs of a publication: each is a table of violations, and holds if it is empty.

    Args:
        with_models: make the proofs of the models; without them, measures can still be asked, but
            not in comparison with the published rows.
    """
    steps = _row_steps(publication)
    if publication.promises.population:
        steps += _region_steps(publication) if publication.located else _level_steps(publication)
    steps += _class_steps(publication)
    if publication.sliced and with_models:
        groups = [group for each in publication.sliced for group in each.every_group]
        columns = list(dict.fromkeys(name for group in groups for name in group))
        steps.append(text_rows_step("published_text", "sqlanon.published_rows", columns))
        steps += [each.proof_step("sqlanon.published_text") for each in publication.sliced]
    return [*steps, *_model_steps(publication)] if with_models else steps


def classes_step(
    publication: Publication, name: str = "published_equivalence_classes", *, persons: str = ""
) -> Step:
    """The classes of a publication, and their sizes.

    Args:
        persons: the published column with the number of persons of a class; empty to count.
    """
    return _step(
        name,
        template="published_equivalence_classes",
        name=name,
        class_key=publication.class_key,
        unit=publication.unit,
        persons=persons,
        population=publication.promises.population,
        linked=publication.promises.linked,
    )


def regions_step(publication: Publication, name: str, population: str) -> Step:
    """The published regions that contain the persons of a relation, read from `label_ranges`.

    Args:
        population: the relation in the working catalog, with columns as `population_combinations`.
    """
    return _step(
        name,
        template="population_regions",
        name=name,
        population=population,
        population_count=publication.population_count,
        **_region_inputs(publication),
    )


def measure_steps(
    publication: Publication, table_values: str = "sqlanon.table_values"
) -> list[Step]:
    """For each model, the query for its measure of the publication; after `verify_steps`."""
    return [
        _step(
            f"measured_{one.name}",
            "rows",
            "measured",
            name=f"measured_{one.name}",
            classes=_CLASSES,
            class_key=publication.class_key,
            model_sql=one.select,
            column=quoted(one.model.deciding_measure[0]),
            aggregate=one.model.deciding_measure[1],
            sides=one.model.bounds_measured,
        )
        for one in publication.judged(table_values=table_values)
    ]


def failing_step(
    publication: Publication, number: int, table_values: str, most: int, *, with_values: bool
) -> Step:
    """The question for the largest classes that fail a promise.

    Args:
        number: of the promise, from 0.
        table_values: the values to which classes are compared.
        most: how many classes.
        with_values: whether with their quasi-identifiers.
    """
    one = publication.judged(table_values=table_values)[number]
    name = f"failing_classes_of_{one.name}"
    return _step(
        name,
        "rows",
        "failing_classes",
        name=name,
        classes=_CLASSES,
        class_key=publication.class_key,
        model_sql=one.select,
        column=quoted(one.model.deciding_measure[0]),
        most=most,
        with_values=with_values,
    )


def _step(step: str, kind: StepKind = "table", template: str = "", **inputs: object) -> Step:
    """A step of the template of its name, or of another one."""
    return Step(step, render(f"proof/{template or step}.sql", **inputs), kind)


def _proof(step: str, template: str = "", **inputs: object) -> Step:
    return _step(f"proof_of_{step}", "proof", template, **inputs)


def _row_steps(publication: Publication) -> list[Step]:
    """The published rows and what is proven of each, up to their one pass."""
    persons, tables, promises = publication.persons, publication.tables, publication.promises
    steps = [
        _step("published_rows", "view", relation=publication.relation, columns=[]),
        _proof("rows"),
    ]
    if tables is not None:
        steps.append(
            _proof(
                "tables", rows=tables.rows, counts=tables.counts, count=tables.count,
                attribute=tables.attribute,
            )
        )  # fmt: skip
    if persons is not None and persons.rows:
        side = unused("side", persons.columns)
        steps.append(
            _proof(
                "person_rows", rows=persons.rows, columns=persons.columns, is_text=persons.is_text,
                side=side,
            )
        )  # fmt: skip
    steps += publication.row_proofs
    if promises.linked:
        renames, unit = publication.renames, promises.unit
        steps.append(_step("published_histories", quasi_identifiers=renames, unit=unit))
    combinations = _step(
        "published_combinations",
        quasi_identifiers=publication.renames,
        attributes=publication.carried,
        rows=publication.counted_rows,
        unit=publication.unit,
        persons=publication.shown_count,
        linked=promises.linked,
    )
    return [*steps, combinations]


def _level_steps(publication: Publication) -> list[Step]:
    """The population by the published labels: of one level for each column, or of passes."""
    names, nodes = publication.quasi_identifiers, publication.nodes
    if nodes is not None and len(nodes) > 1:
        levels = [
            (name, alias, sorted({node[name] for node in nodes}))
            for name, alias in publication.renames
        ]
        return [
            _step(
                "population_classes", template="placed_population", quasi_identifiers=levels,
                population_count=publication.population_count, size=publication.placed_from,
                nodes=[[node[name] for name in names] for node in nodes],
            )
        ]  # fmt: skip
    return [
        _step(
            "population_labels", quasi_identifiers=names, chosen=nodes is None,
            levels=[level for node in nodes or () for level in node.items()],
        ),
        _proof("places", quasi_identifiers=names),
        _step(
            "population_classes", quasi_identifiers=publication.renames,
            population_count=publication.population_count,
        ),
    ]  # fmt: skip


def _region_steps(publication: Publication) -> list[Step]:
    """The population by the published regions, which are read from the labels."""
    inputs = _region_inputs(publication)
    return [
        _step("label_ranges", quasi_identifiers=publication.located, sets=publication.sets),
        regions_step(publication, "population_regions", "population_combinations"),
        _proof("regions"),
        _step("population_classes", template="region_classes", **inputs),
    ]


def _region_inputs(publication: Publication) -> dict[str, Any]:
    aliases = dict(publication.renames)
    return {
        "quasi_identifiers": [(name, aliases[name]) for name in publication.located],
        "key": list(publication.renames),
    }


def _class_steps(publication: Publication) -> list[Step]:
    """The published classes, what is proven of them, and the values that they have."""
    persons, promises = publication.persons, publication.promises
    steps = [classes_step(publication, persons=publication.shown_count)]
    if publication.needs_cover:
        steps.append(_proof("cover", population_count=publication.population_count))
    if promises.unit is not None and (publication.unit or publication.shown_count):
        steps.append(
            _proof(
                "persons",
                is_hidden=persons is not None,
                is_known=persons is None or bool(persons.rows),
                count=persons.count if persons is not None else "",
                quasi_identifiers=publication.renames,
            )
        )
    if publication.most_rows is not None:
        steps.append(_proof("row_limit", most=publication.most_rows))
    for column in publication.sensitive:
        name = column.named("values")
        steps.append(_proof(name, template="proof_of_values", column=column))
    for values in promises.class_values():
        inputs: dict[str, Any] = {
            "values": values,
            "class_key": publication.class_key,
            "unit": publication.unit,
        }
        template = "published_class_values"
        steps.append(_step(f"published_{values.name}", template=template, **inputs))
        if values.is_joint:
            template = "published_joint_classes"
            steps.append(_step(f"published_{values.totals}", template=template, **inputs))
    return steps


def _model_steps(publication: Publication) -> list[Step]:
    """The proofs of the models, and the values of all rows, to which some compare classes."""
    promises = publication.promises
    compared = {m.sensitive_attribute for m in promises.models if m.compares_with_table}
    steps = [
        _step(
            one.named("published_table_values"),
            template="published_table_values",
            column=one,
            unit=publication.unit,
        )
        for one in publication.sensitive
        if one.name in compared
    ]
    return steps + [
        _proof(
            name,
            template="proof",
            name=name,
            promise=one.model.promise(promises.members),
            source=one.model.source,
            classes=_CLASSES,
            class_key=publication.class_key,
            model_sql=one.select,
            column=quoted(one.model.deciding_measure[0]),
        )
        for name, one in publication.proven()
    ]
