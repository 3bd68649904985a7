"""Asks for the risk of a table whose classes have been made, and puts its figures together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlanon.errors import PlanError
from sqlanon.privacy_models.estimated_k_map import least_class_size
from sqlanon.risks.figures import Figure, Risk
from sqlanon.risks.population_uniques import Estimate, Sample, estimates, unique_chance
from sqlanon.risks.special_uniques import SudaScores, special_uniques
from sqlanon.sql.render import question, render, templated
from sqlanon.sql.step import Search, Step

CLASSES = "sqlanon.published_equivalence_classes"

K_MAP_ERROR = 0.05
"""The probability with which a class that is taken to be large enough may not be."""

POPULATION_UNIQUES = "population uniques"

_INDIVIDUAL = "Benedetti and Franconi"
_EQUAL = "Benedetti and Franconi, equal weights"


@dataclass(frozen=True)
class Questions:
    """What is asked of a table, besides its classes.

    Attributes:
        population_size: persons of the population; None if that is not known.
        population_count: the column of counts in `population_combinations`; empty if there is no
            table of the population.
        k: persons of the population that k-map asks for.
        largest_set: columns of the largest sets on which rows may be alone.
        weight: the column of sampling weights; empty if there is none.
        household: the column of households; empty if there is none.
    """

    population_size: int | None
    population_count: str
    k: int
    largest_set: int
    weight: str = ""
    household: str = ""


@dataclass(frozen=True)
class Classes:
    """Where the classes and rows of a table are.

    Attributes:
        names: its quasi-identifiers, and their names in classes and combinations; empty if nothing
            is asked but the sizes of classes.
        members: what class sizes count: rows or persons.
        rows: the relation of its rows, which only weights and households need.
        relation: the relation of its classes.
        combinations: the relation of its combinations.
        in_combinations: `names`, if the columns have other names there than in the classes.
        row_count, person: columns of the combinations; `person` is empty if they have none.
        overlap: whether a person can be in several classes.
        by_history: whether classes are histories of persons, and not combinations.
        title: what the names of relations begin with.
    """

    names: Sequence[tuple[str, str]]
    members: str
    rows: str = ""
    relation: str = CLASSES
    combinations: str = "sqlanon.published_combinations"
    in_combinations: Sequence[tuple[str, str]] = ()
    row_count: str = "row_count"
    person: str = ""
    overlap: bool = False
    by_history: bool = False
    title: str = ""


def class_size_counts(
    title: str, relation: str, key: Sequence[str] = (), members: str = "class_size"
) -> Search[dict[int, int]]:
    """Ask how many classes there are of each size.

    Args:
        key: the columns that distinguish classes; empty if a row of the relation is one.
        members: SQL for the size of a class.
    """
    inputs = {"relation": relation, "key": list(key), "members": members}
    sql = render("risks/class_size_counts.sql", title=title, **inputs)
    return {int(size): int(count) for size, count in (yield Step(title, sql, "rows"))}


def table_risk(classes: Classes, questions: Questions, sizes: Mapping[int, int]) -> Search[Risk]:
    """Ask for the risk of a table.

    Args:
        sizes: the number of classes of each size, by size.

    Raises:
        PlanError: the population is smaller than the table or lacks its persons, a weight is
            missing or below 1, or there are too many sets of columns.
    """
    if classes.members != "rows" and (questions.weight or questions.household):
        raise PlanError(
            "Weights and households are of rows, and the plan counts persons.",
            where="--weight" if questions.weight else "--household",
            fix="leave it out, or give a table with one row a person and no plan",
        )
    rows = sum(size * count for size, count in sizes.items())
    note = "in several classes, counted in each" if classes.overlap else ""
    figures = [*class_figures(sizes, classes.members, questions.k, note)]
    warnings = []
    population, sample = questions.population_size, None
    if questions.population_count:
        counted = yield from population_size(questions.population_count)
        population = population or counted
        figures += yield from _linked(counted)
    if population is not None and population < rows:
        raise PlanError(
            f"The population has {population:,} persons, and the table {rows:,} {classes.members}.",
            where="--population-size",
            fix="give the number of persons from whom the table was drawn",
        )
    if population is not None and not classes.overlap:
        sample = Sample(sizes, population)
        figures += sample_figures(sample, questions.k)
        if classes.names and not classes.by_history:
            figures += yield from independence_figures(classes, sample)
    elif population is not None:
        warnings.append(
            "A person can be in several classes, so no model estimates population uniques."
        )
    else:
        warnings.append(
            "The size of the population is not known, so nothing is estimated of it; give"
            " --population-size."
        )
    if classes.names and (questions.weight or sample is not None):
        figures += yield from _individual(classes, questions, sample)
    if questions.weight:
        warnings += yield from _weight_warnings(classes, questions.weight, sizes.get(1, 0))
    found = SudaScores()
    if classes.names:
        if sizes.get(1):  # whoever is alone on a set is alone in the class
            found = yield from special_uniques(
                classes.in_combinations or classes.names, questions.largest_set,
                classes.combinations, classes.row_count, classes.person, classes.title,
            )  # fmt: skip
        members = "persons" if classes.person else "rows"
        figures += _special(found, members, sample, questions.largest_set)
    return Risk(figures, found.columns, found.sets, questions.largest_set, warnings)


def class_figures(
    sizes: Mapping[int, int], members: str, k: int, note: str = ""
) -> Iterator[Figure]:
    """What class sizes show, also of classes of fewer than k; the note is of the first figure."""
    rows, count = sum(size * count for size, count in sizes.items()), sum(sizes.values())
    uniques = sizes.get(1, 0)
    yield Figure(members, rows, members, "proven", note=note)
    yield Figure("classes", count, "classes", "proven")
    yield Figure("smallest class", min(sizes), members, "proven")
    yield Figure("sample uniques", uniques, members, "proven", note="alone in their class")
    yield Figure("share of sample uniques", uniques / rows, "share", "proven")
    below = sum(size * count for size, count in sizes.items() if size < k)
    yield Figure(f"{members} in classes of fewer than {k}", below, members, "proven")
    note = "of a person known to be in the table: 1 / smallest class"
    yield Figure("highest prosecutor risk", 1 / min(sizes), "share", "proven", note=note)
    note = f"classes / {members}"
    yield Figure("average prosecutor risk", count / rows, "share", "proven", note=note)


def population_size(population_count: str) -> Search[int]:
    """Ask for the persons of the population, counted in this column of its combinations."""
    ((persons,),) = yield question("risks/population_size", population_count=population_count)
    return int(persons)


def _linked(persons: int) -> Search[list[Figure]]:
    """What linking the classes with the population finds, of so many persons."""
    ((larger, highest, share),) = yield question("risks/population_risk")
    if larger:
        raise PlanError(
            f"{larger:,} class(es) of the table are larger than those of the population.",
            where="population",
            fix="give a population that contains the persons of all rows",
        )
    return [
        Figure("persons of the population", persons, "persons", "measured"),
        Figure("highest journalist risk", highest, "share", "measured",
               note="of any person of the population"),
        Figure("marketer risk", share, "share", "measured",
               note="of the rows, those that linking all of them gets right"),
    ]  # fmt: skip


def sample_figures(sample: Sample, k: int) -> Iterator[Figure]:
    """What models estimate of the population from class sizes alone."""
    found = estimates(sample)
    (chosen,) = [one for one in found if one.chosen]
    for one in found:
        yield _uniques(POPULATION_UNIQUES, one, one.model, one.error)
    yield _uniques(
        POPULATION_UNIQUES, chosen, "Dankar's rule", f"takes {chosen.model} for this sample"
    )
    yield Figure(
        "sample uniques that are population uniques",
        sample.count(1) * unique_chance(sample),
        "rows",
        "estimated",
        "Zayatz",
        "too high for small samples",
    )
    intrusion = data_intrusion(sample)
    yield Figure(
        "correct matches among unique ones",
        intrusion,
        "share",
        "estimated",
        "data intrusion simulation",
        "no row is unique" if intrusion is None else "",
    )
    for model, truncated in (("Poisson", False), ("zero-truncated Poisson", True)):
        least = least_class_size(k, sample.share, K_MAP_ERROR, truncated=truncated)
        below = sum(size * count for size, count in sample.sizes.items() if size < least)
        error = K_MAP_ERROR if least < k else 0
        note = f"taken for {k}-map: classes of {least} or more, each wrong in {error:.0%} of cases"
        yield Figure(f"rows that are not {k}-map", below, "rows", "estimated", model, note)


def _uniques(name: str, one: Estimate, model: str, note: str) -> Figure:
    return Figure(name, one.uniques, "persons", "estimated", model, note)


def data_intrusion(sample: Sample) -> float | None:
    """P(correct match | unique match), by data intrusion simulation; None without sample uniques.

    Source: Skinner and Elliot, A measure of disclosure risk for microdata, Journal of the Royal
    Statistical Society B 64(4), 2002.
    """
    correct = sample.share * sample.count(1)
    other = 2 * (1 - sample.share) * sample.count(2)
    return correct / (correct + other) if correct else None


def independence_figures(classes: Classes, sample: Sample) -> Search[list[Figure]]:
    """What sample uniques disclose, if columns are independent of each other."""
    columns = [alias for _, alias in classes.names]
    inputs = {"columns": columns, "rows": sample.rows, "population": sample.population}
    found = yield question("risks/independence", relation=classes.relation, **inputs)
    ((uniques, matches),) = found
    model, note = "independence", "columns that depend on each other make it too high or too low"
    return [
        Figure("sample uniques that are population uniques", uniques, "rows", "estimated", model,
               note),
        Figure("correct matches of sample uniques", matches, "rows", "estimated", model, note),
    ]  # fmt: skip


def _individual(
    classes: Classes, questions: Questions, sample: Sample | None
) -> Search[list[Figure]]:
    """The risk of each person, given how many of the population a class stands for."""
    weight, relation, model = questions.weight, classes.relation, _EQUAL
    columns = ["history"] if classes.by_history else [alias for _, alias in classes.names]
    if weight:
        relation, model = "sqlanon.weighted_classes", _INDIVIDUAL
        inputs = {"relation": classes.rows, "columns": list(classes.names), "weight": weight}
        yield templated("risks/weighted_classes", **inputs)
        ((missing,),) = yield question("risks/missing_weights")
        if missing:
            raise PlanError(
                f"{missing:,} rows have no weight, or one that is no number of 1 or more.",
                where=f"--weight {weight}",
                fix="give how many persons of the population each row stands for",
            )
    share = 0.0 if sample is None else sample.share
    risks = f"{classes.title}individual_risks"
    sql = render(
        "risks/individual_risks.sql", title=risks, relation=relation, columns=columns, share=share,
        weight=weight and "weight",
    )  # fmt: skip
    yield Step(risks, sql)
    ((highest, expected),) = yield question("risks/individual_risk", risks=risks)
    note = "the expected 1 / persons of the population in the class"
    found = [
        Figure("highest individual risk", highest, "share", "estimated", model, note),
        Figure("rows that are expected to be found", expected, "rows", "estimated", model),
    ]
    if questions.household:
        ((count, highest, expected),) = yield question(
            "risks/household_risk", relation=classes.rows, columns=list(classes.names),
            class_key=columns, household=questions.household,
        )  # fmt: skip
        found += [
            Figure("highest household risk", highest, "share", "estimated", model,
                   "some member is found, members being independent"),
            Figure("households that are expected to be found", expected, "households", "estimated",
                   model, f"of {count:,}"),
        ]  # fmt: skip
    return found


def _weight_warnings(classes: Classes, weight: str, uniques: int) -> Search[list[str]]:
    """The warning that a weight tells rows apart, if it does."""
    columns = [name for name, _ in classes.names]
    inputs = {"relation": classes.rows, "columns": columns, "weight": weight}
    ((alone,),) = yield question("risks/weight_uniques", **inputs)
    if alone <= uniques:
        return []
    return [
        f"The weight is a quasi-identifier: with it {alone:,} rows are alone, without it"
        f" {uniques:,}. Do not publish it, or publish it rounded or the same in each class."
    ]


def _special(
    found: SudaScores, members: str, sample: Sample | None, largest: int
) -> Iterator[Figure]:
    """What singles rows out, all columns together."""
    title = f"alone on {largest} column{'s' if largest > 1 else ''} or fewer"
    yield Figure(f"{members} {title}", found.rows, members, "proven")
    yield Figure("minimal sample uniques", found.minimal_sets, "sets", "proven",
                 note=f"each a row and a set of up to {largest} columns")  # fmt: skip
    yield Figure("highest SUDA score", found.highest_score, "score", "proven",
                 note="counted in the rows; what it says of risk is a heuristic")  # fmt: skip
    intrusion = None if sample is None else data_intrusion(sample)
    if sample is not None and intrusion:
        score = found.dis_suda(sample.count(1), intrusion)
        yield Figure("highest DIS-SUDA score", score, "share", "estimated", "DIS-SUDA",
                     "a heuristic")  # fmt: skip
