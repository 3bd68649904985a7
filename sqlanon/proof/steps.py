"""The proofs as steps: each returns the violations, and holds if there are none."""

from __future__ import annotations

from sqlanon.plan.column_types import is_formula
from sqlanon.proof.publication import Publication
from sqlanon.search.slicing import text_rows_step
from sqlanon.sql.render import render
from sqlanon.sql.step import Step, quoted, unused


def verify_steps(publication: Publication, *, with_models: bool = True) -> list[Step]:
    """The proofs of a publication: each is a table of violations, and holds if it is empty.

    Args:
        publication: the rows and their promises.
        with_models: make the proofs of the models; without them, measures can still be asked, but
            not in comparison with the published rows.
    """
    promises, renames = publication.promises, publication.renames
    steps = [
        Step(
            "published_rows",
            render("proof/published_rows.sql", relation=publication.relation, columns=[]),
            "view",
        ),
        Step("proof_of_rows", render("proof/proof_of_rows.sql"), "proof"),
        *_table_proofs(publication),
        *_hidden_proofs(publication),
        *_end_proofs(publication),
        *_cells_proof(publication),
        *([publication.rearranged.digest_step()] if publication.rearranged else []),
        *([publication.dealt.proof_step()] if publication.dealt else []),
        *_history_steps(publication),
        Step(
            "published_combinations",
            render(
                "proof/published_combinations.sql",
                quasi_identifiers=renames,
                attributes=publication.carried,
                rows=counted_relation(publication),
                unit=publication.unit,
                persons=_shown_count(publication),
                linked=promises.linked,
            ),
        ),
    ]
    if promises.population:
        steps += _region_steps(publication) if publication.located else _level_steps(publication)
    steps.append(classes_step(publication, persons=_shown_count(publication)))
    if publication.needs_cover:
        sql = render("proof/proof_of_cover.sql", population_count=publication.population_count)
        steps.append(Step("proof_of_cover", sql, "proof"))
    if promises.unit is not None and (publication.unit or _shown_count(publication)):
        steps.append(_persons_proof(publication))
    if publication.most_rows is not None:
        sql = render("proof/proof_of_row_limit.sql", most=publication.most_rows)
        steps.append(Step("proof_of_row_limit", sql, "proof"))
    for attribute in publication.sensitive:
        sql = render("proof/proof_of_values.sql", number=attribute.number, attribute=attribute.name)
        steps.append(Step(f"proof_of_values_{attribute.number}", sql, "proof"))
    steps += _value_steps(publication)
    if publication.sliced and with_models:
        groups = [group for each in publication.sliced for group in each.every_group]
        columns = list(dict.fromkeys(name for group in groups for name in group))
        steps.append(text_rows_step("published_text", "sqlanon.published_rows", columns))
        steps += [each.proof_step("sqlanon.published_text") for each in publication.sliced]
    if not with_models:
        return steps
    steps += _published_value_steps(publication)
    for name, sql, model in publication.proven():
        proof = render(
            "proof/proof.sql",
            name=name,
            promise=model.promise(promises.members),
            source=model.source,
            classes="sqlanon.published_equivalence_classes",
            class_key=publication.class_key,
            model_sql=sql,
            column=quoted(model.deciding_measure[0]),
        )
        steps.append(Step(f"proof_of_{name}", proof, "proof"))
    return steps


def classes_step(
    publication: Publication, name: str = "published_equivalence_classes", *, persons: str = ""
) -> Step:
    """The classes of a publication, and their sizes.

    Args:
        name: of the step.
        persons: the published column with the number of persons of a class; empty to count.
    """
    sql = render(
        "proof/published_equivalence_classes.sql",
        name=name,
        class_key=publication.class_key,
        unit=publication.unit,
        persons=persons,
        population=publication.promises.population,
        linked=publication.promises.linked,
    )
    return Step(name, sql)


def counted_relation(publication: Publication) -> str:
    """The rows on which promises are judged: the published ones, or these with their persons."""
    known = publication.persons is not None and publication.persons.rows
    return known or "sqlanon.published_rows"


def _shown_count(publication: Publication) -> str:
    """The column with the number of persons of a class, if only it shows them; else empty."""
    persons = publication.persons
    return "" if persons is None or persons.rows else persons.count


def _hidden_proofs(publication: Publication) -> list[Step]:
    """The proof that the published rows are those that are judged, but for the key of persons."""
    persons = publication.persons
    if persons is None or not persons.rows:
        return []
    side = unused("side", persons.columns)
    sql = render("proof/proof_of_person_rows.sql", rows=persons.rows, columns=persons.columns,
                 is_text=persons.is_text, side=side)  # fmt: skip
    return [Step("proof_of_person_rows", sql, "proof")]


def _cells_proof(publication: Publication) -> list[Step]:
    """The proof that no cell is a formula, if the plan escapes formulas."""
    if not publication.escaped:
        return []
    tests = [is_formula(f"cast({quoted(name)} as varchar)") for name in publication.escaped]
    return [Step("proof_of_cells", render("proof/proof_of_cells.sql", tests=tests), "proof")]


def _persons_proof(publication: Publication) -> Step:
    """The proof of what a publication tells of the persons in its classes."""
    persons = publication.persons
    sql = render(
        "proof/proof_of_persons.sql",
        is_hidden=persons is not None,
        is_known=persons is None or bool(persons.rows),
        count=persons.count if persons is not None else "",
        quasi_identifiers=publication.renames,
    )
    return Step("proof_of_persons", sql, "proof")


def _history_steps(publication: Publication) -> list[Step]:
    """What joins the rows of each person, if their key is published."""
    promises = publication.promises
    if not promises.linked:
        return []
    sql = render(
        "proof/published_histories.sql",
        quasi_identifiers=publication.renames,
        unit=promises.unit,
    )
    return [Step("published_histories", sql)]


def _table_proofs(publication: Publication) -> list[Step]:
    """The proof that the two tables of a publication match, if there are two."""
    tables = publication.tables
    if tables is None:
        return []
    sql = render(
        "proof/proof_of_tables.sql",
        rows=tables.rows,
        counts=tables.counts,
        count=tables.count,
        attribute=tables.attribute,
    )
    return [Step("proof_of_tables", sql, "proof")]


def _end_proofs(publication: Publication) -> list[Step]:
    """The proof that ranges end at no value of too few persons, if they must not."""
    if not publication.ends:
        return []
    sql = render(
        "proof/proof_of_ends.sql",
        attributes=list(publication.ends),
        unit_alias=publication.person,
        least_persons=publication.least_persons,
    )
    return [Step("proof_of_ends", sql, "proof")]


def _level_steps(publication: Publication) -> list[Step]:
    """The population by the published labels, if each column has labels of one level."""
    renames = publication.renames
    return [
        Step(
            "population_labels",
            render(
                "proof/population_labels.sql",
                quasi_identifiers=publication.quasi_identifiers,
                chosen=publication.levels is None,
                levels=list((publication.levels or {}).items()),
            ),
        ),
        Step(
            "proof_of_places",
            render(
                "proof/proof_of_places.sql",
                quasi_identifiers=publication.quasi_identifiers,
            ),
            "proof",
        ),
        Step(
            "population_classes",
            render(
                "proof/population_classes.sql",
                quasi_identifiers=renames,
                population_count=publication.population_count,
            ),
        ),
    ]


def _region_steps(publication: Publication) -> list[Step]:
    """The population by the published regions, which are read from the labels."""
    inputs = _region_inputs(publication)
    return [
        Step(
            "label_ranges",
            render("proof/label_ranges.sql", quasi_identifiers=publication.located),
        ),
        regions_step(publication, "population_regions", "population_combinations"),
        Step("proof_of_regions", render("proof/proof_of_regions.sql"), "proof"),
        Step("population_classes", render("proof/region_classes.sql", **inputs)),
    ]


def regions_step(publication: Publication, name: str, population: str) -> Step:
    """The published regions that contain the persons of a relation, read from `label_ranges`.

    Args:
        name: name of the step.
        population: the relation in the working catalog, with columns as `population_combinations`.
    """
    sql = render(
        "proof/population_regions.sql",
        name=name,
        population=population,
        population_count=publication.population_count,
        **_region_inputs(publication),
    )
    return Step(name, sql)


def _region_inputs(publication: Publication) -> dict[str, list[tuple[str, str]]]:
    aliases = dict(publication.renames)
    return {
        "quasi_identifiers": [(name, aliases[name]) for name in publication.located],
        "key": list(publication.renames),
    }


def _value_steps(publication: Publication) -> list[Step]:
    """The values of the sensitive attributes, of the publication and of each of its classes."""
    steps = []
    unit = publication.unit
    for values in publication.values():
        inputs = {"title": values.title, "number": values.number, "attribute": values.attribute}
        steps.append(
            Step(
                values.title,
                render(
                    "proof/published_class_values.sql",
                    **inputs,
                    known=values.known,
                    is_generalized=values.is_generalized,
                    class_key=publication.class_key,
                    unit=unit,
                ),
            )
        )
        if values.totals:
            sql = render(
                "proof/published_value_classes.sql",
                title=values.totals,
                known=values.known,
                class_key=publication.class_key,
                unit=unit,
            )
            steps.append(Step(values.totals, sql))
    return steps


def _published_value_steps(publication: Publication) -> list[Step]:
    """The values of the publication as a whole, to which classes are compared."""
    steps = []
    unit = publication.unit
    models = publication.promises.models
    compared = {model.sensitive_attribute for model in models if model.compares_with_table}
    for attribute in publication.sensitive:
        if attribute.name not in compared:
            continue
        number, name = attribute.number, attribute.name
        sql = render("proof/published_table_values.sql", number=number, attribute=name, unit=unit)
        steps.append(Step(f"published_table_values_{number}", sql))
    return steps


def measure_steps(
    publication: Publication, table_values: str = "sqlanon.table_values"
) -> list[Step]:
    """For each model, the query for its measure of the publication; after `verify_steps`."""
    judged = publication.judged(table_values=table_values)
    return [
        Step(
            f"measured_{name}",
            render(
                "proof/measured.sql",
                name=f"measured_{name}",
                classes="sqlanon.published_equivalence_classes",
                class_key=publication.class_key,
                model_sql=sql,
                column=quoted(model.deciding_measure[0]),
                aggregate=model.deciding_measure[1],
                sides=model.bounds_measured,
            ),
            "rows",
        )
        for (name, sql), model in zip(judged, publication.promises.models, strict=True)
    ]
