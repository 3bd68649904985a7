"""From a plan to a problem: the source's frequency set, the hierarchies, and packed keys of both.

Everything here is steps; nothing is executed. `prepare` is the generator that a search starts
with; a program without a search uses the same steps with the shape that a solution recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from sqlanon.bounds import MOST_LEVELS
from sqlanon.column_types import TEXT, as_read, published_type
from sqlanon.errors import HierarchyError, PlanError
from sqlanon.full_domain import Attribute, FullDomainProblem
from sqlanon.hierarchy import (
    CutPointHierarchy,
    DateHierarchy,
    FileHierarchy,
    Hierarchy,
    IntervalHierarchy,
    MaskHierarchy,
    QueryHierarchy,
    RoundHierarchy,
    TaxonomyHierarchy,
)
from sqlanon.plan import Identifier, Plan, SensitiveAttribute, Source
from sqlanon.plan_queries import plan_query, table_parts, table_sql
from sqlanon.render import path_literal, render, text
from sqlanon.step import Rows, Search, Step, quoted, unused
from sqlanon.utility import LevelMeasures

WORD_BITS = 62
"""Bits of a packed key: a signed 64-bit integer, sign and one bit spared."""

SOURCE_DATABASE = "sqlanon_source"
"""Name under which the DuckDB file of the source is attached, read-only."""

POPULATION_DATABASE = "sqlanon_population"
"""The same for the population's file."""


@dataclass(frozen=True)
class Shape:
    """What must be known of the hierarchies to write SQL over packed keys.

    Attributes:
        hierarchies: per quasi-identifier, with a known number of levels.
        words: per quasi-identifier, which packed key it stands in, from 1.
    """

    hierarchies: Mapping[str, Hierarchy]
    words: Mapping[str, int]

    @property
    def word_count(self) -> int:
        """How many packed keys a row has."""
        return max(self.words.values())

    def level_count(self, attribute: str) -> int:
        """Levels of an attribute, level 0 and the top included."""
        return known_level_count(attribute, self.hierarchies[attribute])


def row_count_name(plan: Plan) -> str:
    """Name of the count in `source_combinations`, apart from the user's columns."""
    return unused("row_count", plan.quasi_identifiers)


def population_count_name(plan: Plan) -> str:
    """Name of the population's count there."""
    return unused("population_count", plan.quasi_identifiers)


def unit_alias(plan: Plan) -> str:
    """Name of the unit there."""
    return unused("person", plan.quasi_identifiers)


def source_steps(plan: Plan) -> list[Step]:
    """The source, the columns that may leave it, and its distinct combinations."""
    counted = counted_aliases(plan)
    alias = unused("source", plan.columns)
    columns = [
        (name, column.action if isinstance(column, Identifier) else "", column_as_read(plan, name))
        for name, column in plan.columns.items()
        if name in plan.published_columns
    ]
    required = [
        name
        for name, column in plan.columns.items()
        if plan.missing == "drop-rows"
        and (name in plan.quasi_identifiers or isinstance(column, SensitiveAttribute))
    ]
    return [
        Step("source", render("prepare/source.sql", **source_inputs(plan)), "view"),
        *population_steps(plan),
        Step(
            "source_rows",
            render(
                "prepare/source_rows.sql",
                # A column called like the table would stand for whole rows if it were missing.
                alias=alias if alias != "source" else "",
                columns=columns,
                dropped=[n for n in plan.columns if n not in plan.published_columns],
                required=required,
            ),
            "view",
        ),
        Step(
            "source_combinations",
            render(
                "prepare/source_combinations.sql",
                quasi_identifiers=list(plan.quasi_identifiers),
                counted=counted,
                unit=plan.unit,
                unit_alias=unit_alias(plan),
                population=plan.population is not None,
                row_count=row_count_name(plan),
                population_count=population_count_name(plan),
            ),
        ),
        *_population_proof(plan),
        Step(
            "source_values",
            render(
                "prepare/source_values.sql",
                columns=[(name, name, True) for name in plan.quasi_identifiers]
                + [(n, a, False) for n, a in counted if n not in plan.quasi_identifiers],
                population=plan.population is not None,
                unit_alias=unit_alias(plan) if plan.unit else None,
                row_count=row_count_name(plan),
            ),
        ),
        *counted_steps(plan),
        *_listed_proof(plan),
    ]


def column_as_read(plan: Plan, name: str, table: Literal["source", "population"] = "source") -> str:
    """The expression by which a column is read, so that equal values have one text."""
    source = plan.source if table == "source" or plan.population is None else plan.population
    kind = plan.types.get(table, {}).get(name, TEXT)
    return as_read(name, kind, collated=not source.is_file)


def population_steps(plan: Plan) -> list[Step]:
    """The population, and how many of its rows have each combination of quasi-identifiers."""
    if plan.population is None:
        return []
    return [
        Step(
            "population", render("prepare/source.sql", **source_inputs(plan, "population")), "view"
        ),
        Step(
            "population_combinations",
            render(
                "prepare/population_combinations.sql",
                quasi_identifiers=[
                    (name, column_as_read(plan, name, "population"))
                    for name in plan.quasi_identifiers
                ],
                population_count=population_count_name(plan),
            ),
        ),
    ]


def _population_proof(plan: Plan) -> list[Step]:
    if plan.population is None:
        return []
    return [
        Step(
            "population_problems",
            render(
                "prepare/population_problems.sql",
                quasi_identifiers=list(plan.quasi_identifiers),
                row_count=row_count_name(plan),
                population_count=population_count_name(plan),
            ),
            "proof",
        )
    ]


def counted_steps(plan: Plan) -> list[Step]:
    """The values of the attributes that models and measures look at: coded, and one by one."""
    numbered = list(enumerate(plan.counted_columns, start=1))
    if not numbered:
        return []
    return [
        Step(
            "counted_values",
            render("prepare/counted_values.sql", attributes=numbered),
        ),
        *(
            Step(
                f"table_values_{number}",
                render("prepare/table_values.sql", number=number, attribute=name),
                "view",
            )
            for number, name in numbered
        ),
        *_number_proof(plan),
        *_alike_proof(plan),
    ]


def _alike_proof(plan: Plan) -> list[Step]:
    types = plan.types.get("source", {})
    attributes = [
        name
        for name in plan.promised_columns
        if isinstance(column := plan.columns[name], SensitiveAttribute)
        and column.compare != "exact"
        and published_type(types.get(name, TEXT)) == TEXT  # equal values of others have one text
    ]
    if not attributes:
        return []
    return [
        Step("alike_values", render("prepare/alike_values.sql", attributes=attributes), "proof")
    ]


def _number_proof(plan: Plan) -> list[Step]:
    numeric = sorted({m.sensitive_attribute or "" for m in plan.privacy if m.needs_numbers})
    ordered = sorted({m.sensitive_attribute or "" for m in plan.privacy if m.needs_order})
    if not numeric and not ordered:
        return []
    sql = render("prepare/number_problems.sql", numeric=numeric, ordered=ordered)
    return [Step("number_problems", sql, "proof")]


def _listed_proof(plan: Plan) -> list[Step]:
    listed = [(m.sensitive_attribute, value) for m in plan.privacy for value in m.listed_values]
    if not listed:
        return []
    sql = render("prepare/listed_problems.sql", listed=list(dict.fromkeys(listed)))
    return [Step("listed_problems", sql, "proof")]


def proven_steps(plan: Plan, steps: Iterable[Step]) -> Search[None]:
    """The steps, each proof among them without a violation.

    Raises:
        PlanError: a proof of `source_steps` found something.
    """
    for step in steps:
        error = source_problem(plan, step, (yield step))
        if error:
            raise error


def source_problem(plan: Plan, step: Step, problems: Rows) -> PlanError | None:
    """The error for what a proof of `source_steps` found; None where it found nothing."""
    if not problems:
        return None
    if step.name == "population_problems":
        ((combinations, rows),) = problems
        return PlanError(
            f"The population does not contain the source: of {combinations} combination(s) of"
            f" quasi-identifiers the source has more rows ({rows} too many).",
            where=plan.where("population"),
            fix="give a population that holds every row of the source, with the same types, written"
            " the same way",
        )
    if step.name == "listed_problems":
        attribute, count = problems[0]
        return PlanError(
            f"The promises name {count} value(s) of '{attribute}' that the source does not have.",
            where=plan.where("privacy"),
            fix="check their spelling; a value that is not there would protect nobody",
        )
    if step.name == "number_problems":
        attribute = problems[0][0]
        told = "; ".join(f"{name}: {problem} ({count} values)" for name, problem, count in problems)
        return PlanError(
            f"A promise compares the values of '{attribute}' as numbers, but not all are: {told}.",
            where=plan.where("columns", attribute),
            fix="write missing values as NULL, or choose a model that needs no order",
        )
    if step.name == "alike_values":
        attribute, texts, numbers = problems[0]
        return PlanError(
            f"A promise counts values of '{attribute}' apart that people hold equal: {texts} differ"
            f" from another one in white space, case or Unicode form alone, {numbers} are a number"
            " that another one is, too.",
            where=plan.where("columns", attribute),
            fix=f'write each value in one way, as in `source: {{query: "select'
            f' lower(trim({quoted(attribute)})) as {quoted(attribute)}, …"}}`; if they do differ:'
            f" `{attribute}: {{role: sensitive, compare: exact}}`",
        )
    return None


def database_names(plan: Plan) -> dict[str, str]:
    """Under which name each DuckDB file that the plan reads is attached; one file, one name."""
    names: dict[str, str] = {}
    files: dict[Path, str] = {}
    for source, name in ((plan.source, SOURCE_DATABASE), (plan.population, POPULATION_DATABASE)):
        if source is not None and source.database is not None:
            file = (plan.folder / source.database).resolve()
            names[source.database] = files.setdefault(file, name)
    return names


def attached_databases(plan: Plan) -> dict[str, str]:
    """The DuckDB files to attach, by the names they get."""
    return {name: file for file, name in reversed(database_names(plan).items())}


def source_inputs(plan: Plan, name: Literal["source", "population"] = "source") -> dict[str, Any]:
    """Variables of `prepare/source.sql`: a reader call, a table, or a query."""
    source = plan.source if name == "source" or plan.population is None else plan.population
    inputs: dict[str, Any] = {
        "name": name,
        "plan_name": plan.name,
        "kind": "query" if source.query else "table",
        "path": source.path or "",
        "one_file": not source.is_pattern,
        "relation": [],
        "query": _query_text(source.query, plan.where(name)) if source.query else "",
        "options": [],
    }
    if source.database is not None:
        inputs["relation"] = [
            database_names(plan)[source.database],
            *source.database_table.split("."),
        ]
    elif source.table is not None:
        inputs["relation"] = table_parts(source.table)
    elif source.path is not None:
        inputs["kind"] = source.file_format
        inputs["options"] = reader_options(source)
    return inputs


def _query_text(query: str, where: str) -> str:
    """A query of the plan's as it stands in a step."""
    return plan_query(query, where).text(path_literal, table_sql)


def reader_options(source: Source) -> list[tuple[str, str]]:
    """The options, name and SQL, with which the file of a source is read."""
    folders = [("hive_partitioning", "true" if source.hive_partitioning else "false")]
    if source.file_format != "csv":
        return folders
    # All that DuckDB would guess from the first rows is given: a guess could take rows for a title
    # or a comment, and leave them out.
    options = [
        *folders,
        ("header", "true" if source.header else "false"),
        ("all_varchar", "true"),
        ("quote", text(source.quote or '"')),
        ("escape", text(source.escape or source.quote or '"')),
        ("comment", "''"),
        ("skip", "0"),
        ("strict_mode", "true"),
        ("null_padding", "false"),
        ("ignore_errors", "false"),
    ]
    for option, value in (
        ("delim", source.csv_delimiter),
        ("encoding", source.encoding),
        ("nullstr", source.null_text),
    ):
        if value is not None:
            options.append((option, text(value)))
    if source.types:
        options = [option for option in options if option[0] != "all_varchar"]
        pairs = ", ".join(f"{text(name)}: {text(kind)}" for name, kind in source.types.items())
        options += [("auto_type_candidates", "['varchar']"), ("types", "{" + pairs + "}")]
    return options


def hierarchy_steps(plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> list[Step]:
    """One table per hierarchy, all of them in one, and what is wrong with them."""
    names = [name for name in plan.columns if name in hierarchies]
    if not names:
        return []
    named = [
        {
            "name": hierarchy_name(name),
            "attribute": name,
            "level_count": known_level_count(name, hierarchies[name]),
        }
        for name in names
    ]
    return [
        *(hierarchy_step(name, hierarchies[name]) for name in names),
        Step("hierarchy_levels", render("prepare/hierarchy_levels.sql", hierarchies=named)),
        *(
            Step(
                f"value_levels_{number}",
                render("prepare/value_levels.sql", number=number, attribute=name),
                "view",
            )
            for number, name in enumerate(plan.counted_columns, start=1)
            if name in hierarchies
        ),
        Step(
            "hierarchy_problems",
            render("prepare/hierarchy_problems.sql", attributes=names),
            "proof",
        ),
    ]


def hierarchy_step(attribute: str, hierarchy: Hierarchy) -> Step:
    """The table of one hierarchy: a row per value, a column per level."""
    level_count = known_level_count(attribute, hierarchy)
    return Step(
        hierarchy_name(attribute),
        render(
            "prepare/hierarchy.sql",
            name=hierarchy_name(attribute),
            attribute=attribute,
            level_count=level_count,
            titles=level_titles(hierarchy, level_count),
            rule=render(hierarchy.template, values="known_values", **_rule_inputs(hierarchy)),
        ),
    )


def hierarchy_name(attribute: str) -> str:
    """The table that holds the hierarchy of a quasi-identifier."""
    return f"hierarchy_of_{attribute}"


def level_titles(hierarchy: Hierarchy, level_count: int) -> list[str]:
    """What each level holds, in words, level 0 first."""
    between = hierarchy.level_titles or [f"level {n} of its file or query" for n in
                                         range(1, level_count - 1)]  # fmt: skip
    top = ["one value for all"] if level_count > 1 else []
    return ["as in the source", *between, *top]


def coding_steps(plan: Plan, shape: Shape) -> list[Step]:
    """Packed keys: where levels stand in them, codes of values and labels, the frequency set."""
    words = shape.word_count
    return [
        Step("level_codes", render("prepare/level_codes.sql", words=list(shape.words.items()))),
        Step("value_codes", render("prepare/value_codes.sql", words=words)),
        Step("generalized_values", render("prepare/generalized_values.sql", words=words)),
        Step("level_measures", render("prepare/level_measures.sql")),
        Step(
            "frequency_set",
            render(
                "prepare/frequency_set.sql",
                attributes=[
                    (name, f"codes_{number}", shape.words[name])
                    for number, name in enumerate(plan.quasi_identifiers, start=1)
                ],
                counted=counted_aliases(plan),
                words=words,
                unit_alias=unit_alias(plan) if plan.unit else None,
                row_count=row_count_name(plan),
                population_count=population_count_name(plan) if plan.population else None,
            ),
        ),
    ]


def prepare(
    plan: Plan, hierarchies: Mapping[str, Hierarchy]
) -> Search[tuple[FullDomainProblem, Shape, dict[str, int]]]:
    """Build the frequency set and the coded hierarchies; ask what a search needs to know.

    Returns:
        the problem, the shape of its keys, and the rows of the input.

    Raises:
        HierarchyError: a hierarchy is not nested, lacks a value, or has no single top value.
        PlanError: the source is empty.
    """
    yield from proven_steps(plan, source_steps(plan))
    counts = yield from counted_rows(plan)
    yield from require_persons(plan)
    known = yield from with_known_levels(plan, hierarchies)
    problems = yield from hierarchy_problems(plan, known)
    if problems:
        raise hierarchy_error(plan, problems)
    yield level_bits_step()
    bits = yield Step(
        "code_widths",
        "select attribute, cast(sum(bits) as integer)\nfrom sqlanon.level_bits\n"
        "group by attribute_number, attribute\norder by attribute_number",
        "rows",
    )
    shape = Shape(known, _words(plan, bits))
    yield from proven_steps(plan, coding_steps(plan, shape))
    codes = yield Step(
        "level_masks",
        "select attribute, mask\nfrom sqlanon.level_codes\norder by attribute_number, level",
        "rows",
    )
    measures = yield Step(
        "level_costs", "select *\nfrom sqlanon.level_measures\norder by attribute, level", "rows"
    )
    attributes = tuple(
        Attribute(
            name=name,
            weight=column.weight,
            word=shape.words[name],
            masks=tuple(mask for attribute, mask in codes if attribute == name),
            measures=tuple(LevelMeasures(*row) for row in measures if row[0] == name),
        )
        for name, column in plan.quasi_identifiers.items()
    )
    rows = counts["rows"]
    allowed = all(model.allows_suppression for model in plan.privacy)
    problem = FullDomainProblem(
        attributes=attributes,
        row_count=rows,
        limit_rows=plan.suppression.limit_rows(rows) if allowed else 0,
        masked=plan.suppression.rows == "mask",
        promises=replace(
            plan.promises, overlapping=(yield from _overlapping(plan, shape.word_count))
        ),
        objective=plan.objective,
        k=plan.k,
        limit_stated=plan.suppression.limit is not None or not allowed,
        population_rows=(yield from _population_rows(plan)),
    )
    return problem, shape, counts


def require_persons(plan: Plan) -> Search[None]:
    """Every row belongs to somebody, where persons are counted.

    Raises:
        PlanError: a row belongs to nobody.
    """
    if plan.unit is None:
        return
    person = quoted(unit_alias(plan))
    ((nobody,),) = yield Step(
        "rows_of_nobody",
        f"select coalesce(sum({quoted(row_count_name(plan))}), 0)\n"
        f"from sqlanon.source_combinations\nwhere {person} is null",
        "rows",
    )
    if nobody:
        raise PlanError(
            f"{nobody} row(s) have no '{plan.unit}', so whose they are is not known.",
            where=plan.where("unit"),
            fix="leave these rows out in a `source: {query: …}`, or give them persons",
        )


def _overlapping(plan: Plan, words: int) -> Search[bool]:
    """Whether some person has rows of several combinations of quasi-identifiers."""
    if plan.unit is None:
        return False
    keys = ", ".join(f"key_{word}" for word in range(1, words + 1))
    ((several,),) = yield Step(
        "persons_of_several_combinations",
        "select count(*)\nfrom (\n    select person\n    from (\n"
        f"        select distinct person, {keys}\n        from sqlanon.frequency_set\n"
        "    ) as combinations\n    group by person\n    having count(*) > 1\n) as persons",
        "rows",
    )
    return bool(several)


def _population_rows(plan: Plan) -> Search[int]:
    if plan.population is None:
        return 0
    ((rows,),) = yield Step(
        "population_rows",
        "select sum(population_count)\nfrom sqlanon.frequency_set",
        "rows",
    )
    return int(rows)


def counted_rows(plan: Plan) -> Search[dict[str, int]]:
    """Ask for the rows of the source that count, and those that are left out for missing values.

    Nothing else of the source is recorded: a digest of its rows, or how many of them are distinct,
    would tell whoever knows the persons which of them have a row.
    """
    count = quoted(row_count_name(plan))
    ((rows,),) = yield Step(
        "counted_rows",
        f"select cast(coalesce(sum({count}), 0) as bigint)\nfrom sqlanon.source_combinations",
        "rows",
    )
    if rows == 0:
        dropped = " or every row misses a value" if plan.missing == "drop-rows" else ""
        raise PlanError(
            f"The source has no rows{dropped}.",
            where=plan.where("source"),
            fix="check the path, the reader options, and the step that writes the source",
        )
    left_out = 0
    if plan.missing == "drop-rows":
        ((total,),) = yield Step("all_rows", "select count(*)\nfrom sqlanon.source", "rows")
        left_out = int(total) - rows
    return {"rows": rows, "dropped": left_out}


def with_known_levels(
    plan: Plan, hierarchies: Mapping[str, Hierarchy]
) -> Search[dict[str, Hierarchy]]:
    """The hierarchies with their number of levels, found in the data where the plan leaves it."""
    known = dict(hierarchies)
    for name, hierarchy in hierarchies.items():
        if isinstance(hierarchy, MaskHierarchy) and hierarchy.mask.characters is None:
            (row,) = yield Step(
                "longest_value",
                "select greatest(coalesce(max(length(value)), 1), 1)\n"
                f"from sqlanon.source_values\nwhere attribute = {text(name)}",
                "rows",
            )
            _check_levels(plan, name, int(row[0]))
            known[name] = hierarchy.with_levels(int(row[0]) + 1)
        elif isinstance(hierarchy, QueryHierarchy) and hierarchy.columns is None:
            query = _query_text(hierarchy.query, plan.where("columns", name, "hierarchy"))
            (row,) = yield Step(
                "query_columns",
                f"select count(*)\nfrom (\ndescribe\nselect *\nfrom (\n{query}\n)\n)",
                "rows",
            )
            _check_levels(plan, name, int(row[0]))
            known[name] = hierarchy.with_levels(int(row[0]))
    return known


def _check_levels(plan: Plan, name: str, levels: int) -> None:
    """A hierarchy whose levels the data tell has no more of them than others may have."""
    if levels > MOST_LEVELS:
        raise HierarchyError(
            f"The hierarchy of '{name}' would have {levels:,} levels, more than {MOST_LEVELS}.",
            where=plan.where("columns", name, "hierarchy"),
            fix="shorten the values in a `source: {query: …}`, or choose another hierarchy",
        )


def hierarchy_problems(plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Search[Rows]:
    """Make these hierarchies; what is wrong with them, one row per fault, no row if nothing is."""
    problems: Rows = []
    for step in hierarchy_steps(plan, hierarchies):
        problems = yield step
    return problems


def level_bits_step() -> Step:
    """How many bits of a packed key the levels of each hierarchy need."""
    return Step("level_bits", render("prepare/level_bits.sql"))


def _words(plan: Plan, bits: Rows) -> dict[str, int]:
    """Which packed key each attribute stands in: keys are filled in the order of the plan."""
    words: dict[str, int] = {}
    word, used = 1, 0
    for attribute, width in bits:
        if attribute not in plan.quasi_identifiers:
            continue
        if width > WORD_BITS:
            raise HierarchyError(
                f"The hierarchy of '{attribute}' needs {width} bits a value; {WORD_BITS} is the"
                " most a packed key holds.",
                where=plan.where("columns", attribute, "hierarchy"),
                fix="leave out levels, or mask fewer characters",
            )
        if used + width > WORD_BITS:
            word, used = word + 1, 0
        words[attribute] = word
        used += width
    return words


def hierarchy_error(plan: Plan, problems: Rows) -> HierarchyError:
    """The error for rows of `hierarchy_problems`: attribute, level, problem and count, no value."""
    lines = [
        f"{attribute}, level {level}: {problem} ({affected})"
        for attribute, level, problem, affected in problems
    ]
    return HierarchyError(
        "Hierarchies are not sound: " + "; ".join(lines) + ".",
        where=plan.where("columns", problems[0][0], "hierarchy"),
        fix="every value needs one row, every label one coarser label, and the last level one"
        " value; `sqlanon hierarchy check` lists all problems",
    )


def known_level_count(attribute: str, hierarchy: Hierarchy) -> int:
    """Levels of a hierarchy, where they are known.

    Raises:
        PlanError: only the data can tell.
    """
    if hierarchy.level_count is None:
        raise PlanError(
            f"How many levels the hierarchy of '{attribute}' has is only known from the data.",
            where=f"columns.{attribute}.hierarchy",
            fix="run `sqlanon solve` first, or give `characters` in the mask",
        )
    return hierarchy.level_count


def counted_aliases(plan: Plan) -> list[tuple[str, str]]:
    """Columns that are counted besides, and their names in `source_combinations`."""
    return [
        (name, unused(f"counted_{number}", plan.quasi_identifiers))
        for number, name in enumerate(plan.counted_columns, start=1)
    ]


def _rule_inputs(hierarchy: Hierarchy) -> dict[str, Any]:
    """Variables of a hierarchy's template."""
    if isinstance(hierarchy, IntervalHierarchy):
        intervals = hierarchy.intervals
        digits = max(-int(n.as_tuple().exponent) for n in (*intervals.widths, intervals.start))
        unit = Decimal(1).scaleb(-max(digits, 0))
        return {
            **intervals.model_dump(exclude={"start"}),
            "unit": unit,
            "start": int(intervals.start / unit),
        }
    if isinstance(hierarchy, CutPointHierarchy):
        return {"ranges": hierarchy.ranges}
    if isinstance(hierarchy, MaskHierarchy):
        return hierarchy.mask.model_dump()
    if isinstance(hierarchy, DateHierarchy):
        return {"periods": hierarchy.date}
    if isinstance(hierarchy, RoundHierarchy):
        return {"digits": hierarchy.round}
    if isinstance(hierarchy, QueryHierarchy):
        return {"query": _query_text(hierarchy.query, "hierarchy"), "columns": hierarchy.columns}
    if isinstance(hierarchy, FileHierarchy | TaxonomyHierarchy):
        return hierarchy.model_dump()
    return {}
