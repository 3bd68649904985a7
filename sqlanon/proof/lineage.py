"""The proof that no identifier can flow into a publication, from the SQL alone, before it runs.

A program leaks no identifier if (1) only selects of one plain form read the source: they name its
columns one by one, and read no identifier except a pseudonym's column inside its keyed hash; (2)
these are the step `source_rows`, or one select of a release that is a single query; (3) no other
select reads anything but what earlier steps or the query itself made; and (4) no hierarchy that
reads the source itself reads an identifier. SQL for which this cannot be proven is refused.

The proof also returns what it found: where each published column comes from, and which columns
decide which rows are kept.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.scope import traverse_scope

from sqlanon.display.blocks import Block, Table
from sqlanon.display.tabular import Tabular
from sqlanon.errors import EngineError
from sqlanon.hierarchies.base import Hierarchy
from sqlanon.plan.columns import Identifier
from sqlanon.plan.draft import BUCKET
from sqlanon.plan.plan import Plan
from sqlanon.proof.input_lineage import Look, prove_hierarchies
from sqlanon.proof.publication import row_aliases
from sqlanon.proof.query_lineage import (
    NO_NAMES,
    Cell,
    QueryReader,
    Readable,
    Relation,
    bare,
    called,
    check_source_rows,
    keyed_hash,
    refusal,
    row_choices,
)
from sqlanon.source.hierarchies import Generalized, hierarchy_name
from sqlanon.source.reading import column_as_read
from sqlanon.source.tables import place_name, placed_labels, source_steps, unit_alias
from sqlanon.sql.paths import file_to_read
from sqlanon.sql.queries import query_in_sql
from sqlanon.sql.step import PERSON_ROWS, PLACED_ROWS, QUERIES, RELEASE, WORK_CATALOG, Step, quoted

_INPUTS = frozenset({"source", "population", "population_combinations"})
"""Steps that read what the plan names; only the quasi-identifiers of a population are passed on."""

_UNREADABLE = frozenset({"source", "population"})
"""Relations that only the step that selects their columns may read."""

CHANGED_CLASSES = "changed_classes"
"""The step with the published classes, and the one value that they have of some columns."""

_COUNTED, _CLASSES, _ORDERED = "source_combinations", "published_classes", "ordered_rows"
"""The rows as they are counted, the classes that are published, and their rows in order."""

_COMBINATIONS = "placed_combinations"
"""The labels of combinations in the pass that places them."""

_PLACED = frozenset((_COUNTED, _COMBINATIONS, _CLASSES, _ORDERED, CHANGED_CLASSES, PLACED_ROWS,
                     PERSON_ROWS, RELEASE))  # fmt: skip
"""The steps of a release that reads ordered or placed rows, and not the source."""

_FROM = ("from_", "joins")
"""The clauses of a select that name relations."""

_LABELS = frozenset({"hierarchy_levels", "value_codes", "chosen_node"})
"""Tables of the node that a program finds by itself, and of its labels: a release may read them."""

_COPIES = frozenset({RELEASE, "published_values"})
"""Steps that write the publication."""

_FUNCTIONS = frozenset(
    {"epoch", "error", "hash", "isfinite", "nfc_normalize", "range", "try_strptime"}
)
"""Functions in templates that sqlglot does not know; none reads a table or a variable."""

_SEED = sqlglot.parse_one("getvariable('sqlanon_permutation_seed')", dialect="duckdb")
"""The only variable that a step may read; the key of pseudonyms is not allowed."""


@dataclass(frozen=True)
class ColumnLineage:
    """Where a published column comes from.

    Attributes:
        sources: the source columns on which its value can depend.
        how: what becomes of the values, in words.
        expression: the SQL that makes them.
    """

    name: str
    sources: tuple[str, ...]
    how: str
    expression: str


@dataclass(frozen=True)
class Decider:
    """A source column that decides which rows are kept, and why."""

    name: str
    why: str


@dataclass(frozen=True)
class Lineage(Tabular):
    """Where a publication comes from.

    Attributes:
        columns: the published columns, in order.
        deciding: the columns that decide which rows are kept.
    """

    columns: tuple[ColumnLineage, ...]
    deciding: tuple[Decider, ...]

    def records(self) -> list[dict[str, Any]]:
        """One row for each published column."""
        return [
            {"column": one.name, "sources": ", ".join(one.sources), "how": one.how}
            for one in self.columns
        ]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def displayed(self) -> Sequence[Block]:
        columns = [
            [one.name, ", ".join(one.sources) or None, one.how, one.expression]
            for one in self.columns
        ]
        deciding = [[one.name, one.why] for one in self.deciding]
        return [
            Table("published columns", ["column", "from", "how", "expression"], columns),
            Table("columns that decide which rows are kept", ["column", "why"], deciding),
        ]

    @property
    def sources(self) -> dict[str, list[str]]:
        """For each published column, the source columns on which it can depend."""
        return {column.name: list(column.sources) for column in self.columns}


def prove_no_identifier_flows(
    plan: Plan,
    steps: Iterable[Step],
    hierarchies: Mapping[str, Hierarchy] | None = None,
    look: Look | None = None,
    labels: Mapping[str, Generalized] | None = None,
) -> Lineage:
    """Where each published column comes from, after proving that no identifier reaches it.

    Args:
        hierarchies: the hierarchies of the plan with their files found; by default, as in the plan.
        look: returns what a table or view reads; without it, only names are compared.
        labels: what the solution makes of quasi-identifiers, if the plan is solved.

    Raises:
        EngineError: an identifier's value could reach the publication, or the SQL is of a form
            whose lineage cannot be proven.
        PlanError: a hierarchy could put an identifier into labels.
    """
    hierarchies = plan.hierarchies if hierarchies is None else hierarchies
    prove_hierarchies(plan, hierarchies, look)
    known: set[str] = set()
    made = {step.name: step for step in source_steps(plan)}
    readable = _readable(plan, hierarchies)
    queries = {hierarchy_name(name) for name, hierarchy in hierarchies.items() if hierarchy.select}
    seen_source, released, of_persons = False, None, _person_rows_as_made(plan)
    placed: dict[str, Relation] = {}
    steps = list(steps)
    is_placed = any(step.name in (_ORDERED, PLACED_ROWS) for step in steps)
    for step in steps:
        _check_kind(step, known)
        if step.name in _INPUTS:
            if step.name not in made or step.sql != made[step.name].sql:
                raise refusal(step.name, "is not the plan's source")
        elif step.name == "source_rows":
            if "source" not in known:
                raise refusal(step.name, "comes before the source")
            check_source_rows(plan, _parse(step), step.name)
            seen_source = True
            rows = {n.lower(): Cell(frozenset({n}), exp.column(n)) for n in plan.staged_columns}
            placed[step.name] = Relation(rows)
        elif step.name in QUERIES and _reads_itself(tree := _parse(step), readable):
            released = of_persons = prove_release_query(plan, tree, hierarchies, step, known)
            placed[step.name] = released
            _check_placed(plan, step, released)
            seen_source = True
        elif step.name not in queries:  # the plan decides what its own queries read
            _check_reads(tree := _parse(step), known - _UNREADABLE, step, readable)
            if released is not None or step.name in QUERIES:
                counted = _counted(plan, tree, step, of_persons)
                released = released and counted
            if is_placed and step.name == _COMBINATIONS and plan.method.refines:
                placed[step.name] = _refined(plan)
            elif is_placed and step.name in _PLACED:
                placed[step.name] = _followed(plan, tree, replace(readable, tables=placed), step)
                _check_placed(plan, step, placed[step.name])
                of_persons = placed.get(PERSON_ROWS, of_persons)
                released = placed.get(RELEASE)
        known.add(step.name.lower())
    if not seen_source:
        raise EngineError(
            "The program has no step that names the source's columns.",
            where="lineage",
            fix="report this as a bug of sqlanon",
        )
    columns = _column_lineages(plan, labels, released)
    return Lineage(tuple(columns), deciding_columns(plan))


def _column_lineages(
    plan: Plan, labels: Mapping[str, Generalized] | None, released: Relation | None
) -> Iterator[ColumnLineage]:
    """The published columns: as a release that is one query makes them, or as the plan says."""
    quasi_identifiers = tuple(plan.quasi_identifiers)
    for name, (how, expression) in _column_changes(plan, labels).items():
        read = quasi_identifiers if name in plan.form.class_key else (name,)
        if name == plan.persons_column and plan.person is not None:
            read = (plan.person, *quasi_identifiers)
        if expression == "'*'":
            read = ()
        if released is not None:
            cell = released.columns[name.lower()]
            read = tuple(other for other in plan.columns if other in cell.sources)
            expression = _plain_sql(cell.tree)
        yield ColumnLineage(name, read, how, expression)


def _column_changes(plan: Plan, labels: Mapping[str, Generalized] | None) -> dict[str, Generalized]:
    """What is done to every published column, in order.

    Args:
        labels: what the solution makes of quasi-identifiers; None as long as there is none.
    """
    if labels is None:
        names = plan.form.labeled
        labels = {name: Generalized("generalized", quoted(name)) for name in names}
    found = {}
    for name in plan.published_columns:
        column, read = plan.columns[name], column_as_read(plan, name)
        if isinstance(column, Identifier) and column.action == "star":
            found[name] = Generalized("one value for all", "'*'")
        elif isinstance(column, Identifier):
            found[name] = Generalized("keyed hash", keyed_hash(plan, name))
        elif name in plan.changed_columns:
            found[name] = Generalized(plan.changed_columns[name].words, read)
        elif name in labels:
            found[name] = labels[name]
        elif plan.form.bucket:
            found[name] = Generalized("as in the source, exchanged within a bucket", read)
        else:
            found[name] = Generalized("as in the source", read)
    for name, ends in plan.form.bounds.items():
        for end, which in zip(ends, ("lower", "upper"), strict=True):
            found[end] = Generalized(f"{which} end of the interval of {name}", quoted(end))
    if plan.persons_column is not None:
        count = f"count(distinct {quoted(plan.person or '')})"
        found[plan.persons_column] = Generalized("number of persons of the class", count)
    if plan.form.bucket:
        found[BUCKET] = Generalized("number of the bucket", BUCKET)
    return {name: found[name] for name in plan.form.columns}


def deciding_columns(plan: Plan) -> tuple[Decider, ...]:
    """The columns that decide which rows are kept."""
    why: dict[str, list[str]] = defaultdict(list)
    if plan.form.leveled:
        for name in plan.quasi_identifiers:
            why[name].append("rows with the same labels are one class")
        for model in plan.privacy:
            about = (model.sensitive_attribute,) if model.sensitive_attribute else ()
            for name in (*about, *(plan.sensitive_attributes if model.is_joint else ())):
                why[name].append(f"{model.model} judges the values of a class")
        if plan.person is not None:
            why[plan.person].append("persons are counted, not rows")
    for name, reason in _left_out(plan):
        why[name].append(reason)
    return tuple(
        Decider(name, "; ".join(dict.fromkeys(why[name]))) for name in plan.columns if name in why
    )


def _left_out(plan: Plan) -> Iterator[tuple[str, str]]:
    """The columns by which rows are left out before anything is counted, and why."""
    if plan.sample is not None:
        for name in plan.published_columns if plan.person is None else [plan.person]:
            yield name, "a keyed hash draws the sample"
    if plan.unit is not None and plan.unit.rows is not None:
        for name in plan.published_columns:
            rows = plan.unit.rows
            yield name, f"a keyed hash of the row chooses the {rows} rows of a person"
    if plan.missing == "drop-rows":
        for name in (*plan.quasi_identifiers, *plan.sensitive_attributes):
            yield name, "rows without a value are not published"


def _check_kind(step: Step, known: Collection[str]) -> None:
    """Check that a step makes a relation of its own, or writes the publication."""
    if step.name.lower() in known:
        raise refusal(step.name, "is made twice")
    if step.kind == "attach" or (step.kind == "copy" and step.name not in _COPIES):
        raise refusal(step.name, "writes something other than the publication")


def _counted(plan: Plan, tree: exp.Query, step: Step, rows: Relation) -> Relation | None:
    """Check that a step only counts persons; return the columns of a release without their key.

    Args:
        rows: the columns of `person_rows`.
    """
    if not plan.hides_persons:
        return None
    check_key_is_counted(plan, tree, step)
    if step.name != RELEASE:
        return None
    readable = Readable(tables={PERSON_ROWS: rows})
    found = QueryReader(plan, readable, step.name).relation(tree)
    counted = (plan.persons_column or "").lower()
    for name, cell in found.columns.items():
        if name == counted and not isinstance(cell.tree, exp.Count):
            raise refusal(step.name, f"does not count '{name}'")
        is_label = plan.method.makes_passes and name in map(str.lower, plan.quasi_identifiers)
        is_changed = is_label or any(name == one.lower() for one in plan.changed_columns)
        if name != counted and plan.person in cell.sources and not is_changed:
            raise refusal(step.name, f"computes '{name}' from the key of persons")
    _check_published(plan, found, step)
    return found


def check_key_is_counted(plan: Plan, tree: exp.Query, step: Step) -> None:
    """Check that a step passes the key of persons on under its own name, counts or numbers it."""
    within = dict(row_aliases(plan)).get(plan.person or "", "")
    named = {name.lower() for name in (plan.person or "", unit_alias(plan), within)}
    keys = named
    if {table.name for table in tree.find_all(exp.Table) if table.db} == {PLACED_ROWS}:
        # The other name may be that of a column of the step's own.
        keys = {unit_alias(plan).lower(), within.lower()}
    for select in tree.find_all(exp.Select):
        for projection in select.expressions:
            if isinstance(projection, exp.Subquery) or projection.find(exp.Subquery):
                continue  # its own select is looked at, too
            for column in projection.find_all(exp.Column):
                if column.name.lower() not in keys:
                    continue
                is_named = projection.alias_or_name.lower() in named
                inner = projection.this if isinstance(projection, exp.Alias) else projection
                window = column.find_ancestor(exp.Window)
                numbers = window is not None and isinstance(window.this, exp.DenseRank)
                counts = numbers or column.find_ancestor(exp.Count)
                if not (counts or (inner is column and is_named)):
                    raise refusal(step.name, f"computes '{projection.alias_or_name}' from the key")


def _check_placed(plan: Plan, step: Step, found: Relation) -> None:
    """Check that the rows of published classes have the key of persons as it is, and nowhere else.

    One value a class depends on whose rows there are; it must not be made of who they are.
    """
    if step.name != PLACED_ROWS or plan.person is None:
        return
    aliases = dict(row_aliases(plan))
    own = {"place", aliases[plan.person].lower()}
    if plan.method.makes_passes:  # a pass counts persons, and decides about labels
        own |= {aliases[name].lower() for name in plan.quasi_identifiers}
    for name, cell in found.columns.items():
        if plan.person in cell.sources and name not in own:
            raise refusal(step.name, f"computes '{name}' from the key of persons")


def _refined(plan: Plan) -> Relation:
    """The columns of the labels that are refined: by all that is counted for them."""
    persons = () if plan.person is None else (plan.person,)
    sources = frozenset([*plan.quasi_identifiers, *persons])
    names = [*plan.quasi_identifiers, *placed_labels(plan, dict(row_aliases(plan))).values()]
    return Relation({name.lower(): Cell(sources, exp.column(name)) for name in names})


def _followed(plan: Plan, tree: exp.Query, readable: Readable, step: Step) -> Relation:
    """The columns of a step that makes the release from working tables.

    Which rows `source_combinations` has, and how many it counts, decides nothing, as all of them
    are counted.
    """
    tree = _with_labels(tree, readable.tables)
    found = QueryReader(plan, readable, step.name).relation(tree)
    if step.name == RELEASE:
        _check_published(plan, found, step)
    if step.name != _COUNTED:
        return found
    columns = {
        name: replace(cell, sources=frozenset()) if isinstance(cell.tree, exp.Count) else cell
        for name, cell in found.columns.items()
    }
    return Relation(columns)


def _with_labels(tree: exp.Query, tables: Mapping[str, Relation]) -> exp.Query:
    """A release with the labels of each row's class in place of lists in which it looks them up.

    A list of the labels of the published classes by place has, at the place of a row, the label of
    its class, whatever decides which classes are published: if the place is that of the class.

    Args:
        tables: the working tables that earlier steps made.
    """
    made = tree.copy()
    classes = CHANGED_CLASSES if CHANGED_CLASSES in tables else _CLASSES
    of_class, of_row = _place(tables, classes), _place(tables, _ORDERED)
    if [part.alias for part in made.ctes] != ["labels"] or of_row is None or of_row != of_class:
        return tree
    lists = made.ctes[0].this
    for cast in [*lists.find_all(exp.Cast)]:
        if cast.to.this == exp.DataType.Type.USERDEFINED:
            cast.replace(cast.this)
    names = {column.args["alias"].sql("duckdb"): column.alias for column in lists.expressions}
    listed = ", ".join(f"list({name} order by place) as {name}" for name in names)
    listed = f"select {listed} from sqlanon.{classes}"
    known = [_query(listed), _query(f"{listed} where place > 0")]
    plain = _query("select 1 from sqlanon.ordered_rows cross join labels")
    if lists not in known or any(made.args[part] != plain.args[part] for part in _FROM):
        return tree
    for name, column in names.items():
        label = exp.column(column, table=classes)
        looked_up = _query(f"select labels.{name}[ordered_rows.place]").expressions[0]
        for place in [*made.find_all(exp.Bracket)]:
            if place == looked_up:
                place.replace(label.copy())
    made.args["joins"][0].set("this", exp.table_(classes, db=WORK_CATALOG))
    made.set("with_", None)
    return made


def _place(tables: Mapping[str, Relation], name: str) -> exp.Expr | None:
    """The expression that makes the column `place` of a table; None if it has none."""
    cell = tables[name].columns.get("place") if name in tables else None
    return None if cell is None else cell.tree


def _query(sql: str) -> exp.Expr:
    return sqlglot.parse_one(sql, dialect="duckdb")


def _person_rows_as_made(plan: Plan) -> Relation:
    """The columns of `person_rows`, each as if it were one of the source."""
    names = (place_name(plan), *plan.staged_columns, *sum(plan.form.bounds.values(), ()))
    return Relation({name.lower(): Cell(frozenset({name}), exp.column(name)) for name in names})


def prove_release_query(
    plan: Plan,
    tree: exp.Query,
    hierarchies: Mapping[str, Hierarchy],
    step: Step,
    known: Collection[str] = (),
) -> Relation:
    """The columns of a release that is one query, proven to be the plan's, and no identifier.

    Exactly one select reads the source, in the plain form. Everything else reads only parts of the
    query, hierarchies, the population, or the node that earlier steps found.

    Args:
        known: the names of earlier steps, in lower case.
    """
    # Which node a program chose depends on all that its search counts; a label, on its value.
    labels = Relation({}, others=frozenset(plan.quasi_identifiers))
    tables = {name: labels for name in known if name in _LABELS}
    if _COMBINATIONS in known:
        tables[_COMBINATIONS] = _refined(plan)
    readable = replace(_readable(plan, hierarchies), tables=tables)
    reader = QueryReader(plan, readable, step.name)
    found = reader.relation(tree)
    if len(reader.reads) != 1:
        raise refusal(step.name, f"reads the source {len(reader.reads)} times")
    parts = [*reader.reads, *reader.of_plan, *row_choices(plan, tree)]
    own = {id(function) for part in parts for function in part.find_all(exp.Func)}
    _check_functions((f for f in tree.find_all(exp.Func) if id(f) not in own), step)
    if step.name == RELEASE:
        _check_published(plan, found, step)
    return found


def _check_published(plan: Plan, found: Relation, step: Step) -> None:
    """Check what the published columns of a release that is one query are made of."""
    if [*found.columns] != [name.lower() for name in plan.form.columns]:
        raise refusal(step.name, "does not publish the columns of the plan")
    deciding = {decider.name for decider in deciding_columns(plan)}
    # The persons of a class are counted by what it publishes, and joined to its rows.
    joined = {*plan.form.class_key} if plan.persons_column is not None else set()
    if plan.form.leveled and found.rows - deciding - joined:
        raise refusal(step.name, f"chooses rows by '{min(found.rows - deciding - joined)}'")
    # Of which rows one value is made, or where values end, depends on what decides which there are.
    changed = {name: {name, *deciding} for name in plan.changed_columns}
    for name in plan.kept_columns:
        cell = found.columns.get(name.lower())
        others = (cell.sources if cell is not None else NO_NAMES) - changed.get(name, {name})
        if others:
            raise refusal(step.name, f"computes '{name}' from '{min(others)}'")
    # Which pass places a row, and whether it is masked, decides about its labels.
    masked = deciding if plan.suppression.rows == "mask" else set()
    counted = {plan.person, *(name for name, _ in _left_out(plan))}
    placed = counted if plan.method.makes_passes else set()
    for name in plan.quasi_identifiers if plan.form.leveled else ():
        allowed = {*plan.quasi_identifiers, *masked, *placed, *changed.get(name, ())}
        others = found.columns[name.lower()].sources - allowed
        if others:
            raise refusal(step.name, f"computes '{name}' from '{min(others)}'")


def _readable(plan: Plan, hierarchies: Mapping[str, Hierarchy]) -> Readable:
    """What a release that is one query may read; of it, other steps may read hierarchies."""
    made = {step.name: step for step in source_steps(plan)}
    queries = [
        query_in_sql(hierarchy.select, f"columns.{name}.hierarchy")
        for name, hierarchy in hierarchies.items()
        if hierarchy.select
    ]
    trees = [sqlglot.parse_one(f"from (\n{query}\n)", dialect="duckdb") for query in queries]
    files = [file_to_read(one.file_path) for one in hierarchies.values() if one.file_path]
    return Readable(
        source=(_from(_parse(made["source"])), exp.table_("source", db=WORK_CATALOG)),
        population=_from(_parse(made["population"])) if "population" in made else None,
        queries=tuple(_from(tree) for tree in trees if isinstance(tree, exp.Query)),
        files=frozenset(sqlglot.parse_one(file, dialect="duckdb").name for file in files),
    )


def _from(tree: exp.Query) -> exp.Expr:
    """What a query reads, without its alias."""
    return bare(tree.args["from_"].this)


def _reads_itself(tree: exp.Query, readable: Readable) -> bool:
    """Whether any select of a query reads the source."""
    return any(bare(start.this) in readable.source for start in tree.find_all(exp.From, exp.Join))


def _plain_sql(tree: exp.Expr) -> str:
    """An expression as text, without the names of relations, in lower case but for quoted parts.

    Nor has it the types of labels, which change no text.
    """
    plain = tree.copy()
    while isinstance(plain, exp.Cast) and plain.to.this == exp.DataType.Type.USERDEFINED:
        plain = plain.this.unnest()
    for column in plain.find_all(exp.Column):
        column.set("table", None)
    parts = re.split(r"('(?:[^']|'')*'|\"(?:[^\"]|\"\")*\")", plain.sql(dialect="duckdb"))
    return "".join(part if place % 2 else part.lower() for place, part in enumerate(parts))


def _parse(step: Step) -> exp.Query:
    try:
        trees = sqlglot.parse(step.sql, dialect="duckdb")
    except SqlglotError:
        raise refusal(step.name, "cannot be parsed") from None
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        raise refusal(step.name, "is not one select")
    return trees[0]


def _check_reads(tree: exp.Query, known: Collection[str], step: Step, readable: Readable) -> None:
    """Check that every table that any part of the select reads was made by an earlier step.

    Args:
        known: the tables of earlier steps.
        readable: has the queries of hierarchies, which are left out: the plan decides what they
            read.
    """
    own = tree.find_all(exp.Subquery) if readable.queries else ()
    left_out = {id(node) for part in own if bare(part) in readable.queries for node in part.walk()}
    nodes = [node for node in tree.walk() if id(node) not in left_out]
    read = {
        id(source)
        for scope in traverse_scope(tree)
        for source in scope.sources.values()
        if isinstance(source, exp.Table)
    }
    if any(isinstance(node, exp.Columns) for node in nodes):
        raise refusal(step.name, "does not name its columns")
    for table in nodes:
        if isinstance(table, exp.Table):
            _check_table(table, id(table) in read, known, step, readable.files)
    _check_functions((node for node in nodes if isinstance(node, exp.Func)), step)


def _check_functions(functions: Iterable[exp.Func], step: Step) -> None:
    """Check that no function is called that could read a table, a file or a variable."""
    for function in functions:
        if function == _SEED or not isinstance(function, exp.Anonymous | exp.AnonymousAggFunc):
            continue
        if (name := called(function)) not in _FUNCTIONS:
            raise refusal(step.name, f"calls {name}")


def _check_table(
    table: exp.Table, is_read: bool, known: Collection[str], step: Step, files: Collection[str]
) -> None:
    if not isinstance(table.this, exp.Identifier):
        function, name = table.this, called(table.this)
        is_hierarchy_file = isinstance(function, exp.ReadCSV) and (
            step.name.startswith(hierarchy_name("")) or function.name in files
        )
        if not is_hierarchy_file and name not in ("range", "generate_series"):
            raise refusal(step.name, f"reads by {name}")
    elif table.catalog or table.db:
        made_by_step = (
            not table.catalog and table.db == WORK_CATALOG and table.name.lower() in known
        )
        if not made_by_step:
            raise refusal(step.name, f"reads {table.name}, which no earlier step made")
    elif is_read:
        raise refusal(step.name, f"reads {table.name}, which is not a working table")
