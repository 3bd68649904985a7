"""The problem that partitioning methods solve: places of values, cells, and questions about cuts.

This module does for regions what `full_domain` does for lattices. Regions are boxes of places that
are cut in two, or into the children of a label. Methods ask their questions only through
`PartitionProblem`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlanon.privacy_models.k_anonymity import of_class_size
from sqlanon.privacy_models.promises import CountedColumn, ModelCheck, Promises
from sqlanon.search.decisions import counted_inputs
from sqlanon.search.parts import Parts, row_keys
from sqlanon.search.scales import CutAttribute, Interval, Scale, Split, SplitOutcome
from sqlanon.sql.render import question, render, templated
from sqlanon.sql.step import CSV_OPTIONS, Search, Step, quoted, unused

Cut = Literal["median", "median-both", "quantiles", "any"]
"""Which cuts of an attribute are tried, in which order."""

ROWS_EACH = 32
"""Rows for each class, or distinct row, from which on looking it up is faster than a join."""

PARTITION_TREE = "partition_tree.csv"
"""File in the target folder that shows the cuts of a partition."""

NO_END = 2_147_483_647
"""Represents the last place of an attribute in a cut: the right side extends to the end."""


@dataclass(frozen=True)
class Cutting:
    """How regions are cut.

    Attributes:
        cut: which cuts are tried.
        relaxed: whether rows with the value of the cut are dealt to both sides.
        by_population: whether widths and quantiles are those of the population, not of the table.
    """

    cut: Cut = "median-both"
    relaxed: bool = False
    by_population: bool = False


@dataclass(frozen=True)
class Judged:
    """The result of checking a whole partition.

    Attributes:
        class_count: number of classes with rows of the table.
        smallest_class: rows in the smallest class; persons if the plan counts persons.
        failing_classes, failing_rows: classes that break a promise, and the rows in them.
        rounds: rounds of cuts, if the cuts were made for this check.
        covers: whether every person of the population who must fall into a class does.
    """

    class_count: int
    smallest_class: int
    failing_classes: int
    failing_rows: int
    rounds: int | None
    covers: bool


@dataclass(frozen=True)
class PartitionProblem:
    """A table of cells to be cut, and what must hold for every class.

    Attributes:
        attributes: the quasi-identifiers, in the order of the plan.
        promises: the privacy models.
        row_count: rows of the input; 0 if only SQL is written.
        k: smallest class size that the plan requires.
        limit_rows: rows that may be suppressed; 0, because a partition keeps every row.
        cutting: how regions are cut; None if attributes are cut, or rows are dealt.
        columns: the published columns.
        release: digest of the plan; the order of shuffled rows depends on it.
        beside: other relations, with their columns, on which the order of shuffled rows depends.
    """

    attributes: tuple[CutAttribute, ...]
    promises: Promises
    row_count: int = 0
    k: int = 1
    limit_rows: int = 0
    cutting: Cutting | None = None
    columns: tuple[str, ...] = ()
    release: str = ""
    beside: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def trees(self) -> list[int]:
        """Numbers of the attributes that are cut along a hierarchy."""
        return [a.number for a in self.attributes if a.kind == "categorical"]

    @property
    def has_dealt_rows(self) -> bool:
        """Whether the class of each row is in `dealt_rows`, because rows of one cell are parted."""
        return self.is_relaxed

    @property
    def has_kinds(self) -> bool:
        """Whether `class_cells` have one class for all buckets of a kind (`bucket_kinds`)."""
        return False

    @property
    def is_relaxed(self) -> bool:
        """Whether rows with the value of a cut are dealt to both of its sides.

        Only cuts in two are relaxed; cuts of categories into labels leave nothing to deal.
        """
        relaxed = self.cutting is not None and self.cutting.relaxed
        return relaxed and len(self.trees) < len(self.attributes)

    @property
    def counted(self) -> list[CountedColumn]:
        """Every counted attribute."""
        return [*self.promises.columns.values()]

    def model_checks(
        self, promises: Promises, key: Sequence[str], *, scoped: bool = False, excess: bool = False
    ) -> list[ModelCheck]:
        """The selects of these promises over classes of cells.

        Args:
            scoped: whether the key identifies a publication, too.
            excess: whether rows are to be counted that no finer classes can keep.
        """
        scope = key if scoped else ()
        return promises.model_checks(key, scope=scope, excess=excess)

    def by_class_size(self, k: int) -> Promises:
        """Only the promise of k rows (or persons) per class, instead of those of the plan."""
        return replace(self.promises, models=(of_class_size(k),))

    def regions_step(self, promises: Promises | None = None) -> Step:
        """All rounds in one statement."""
        return templated("partition/regions", **self.cut_inputs(promises))

    def first_round_step(self) -> Step:
        """The step that makes the whole table one region."""
        return Step("regions_of_round_0", render("partition/first_round.sql", **self.cut_inputs()))

    def next_round_step(self, number: int, promises: Promises | None = None) -> Step:
        """The step that cuts every region once more if a cut is allowable."""
        sql = render("partition/next_round.sql", round=number, **self.cut_inputs(promises))
        return Step(f"regions_of_round_{number}", sql)

    def rounds_step(self, number: int) -> Step:
        """All rounds up to this one as one relation."""
        return Step("regions", render("partition/rounds.sql", rounds=number), "view")

    def cut_inputs(self, promises: Promises | None = None) -> dict[str, Any]:
        """Variables of the templates that cut.

        Args:
            promises: what must hold on every side of a cut; by default, the promises of the plan.
        """
        wanted, cutting = promises or self.promises, self.cutting or Cutting()
        counted = counted_inputs(wanted)
        key = ["cut_number", "side"]
        by_size = not (counted["carried"] or wanted.unit or self.promises.population)
        return {
            "promises": wanted.sentences,
            "attributes": self.attributes,
            "trees": self.trees,
            "unit": wanted.unit is not None,
            "population": self.promises.population,
            "by_population": cutting.by_population,
            "relaxed": self.is_relaxed,
            # If only sizes matter, the two cuts around the median are the most even ones.
            "cut": "median-both" if cutting.cut == "any" and by_size else cutting.cut,
            "relaxed_quarters": [2, 1, 3] if cutting.cut == "quantiles" else [2],
            "needs_cover": any(model.needs_cover for model in wanted.models),
            "model_checks": self.model_checks(wanted, key, scoped=True),
            "no_end": NO_END,
            "carried": counted_inputs(self.promises)["carried"],
            "kinds": self.has_kinds,
            "cut_carried": counted["carried"],
            "values_counted": counted["values_counted"],
        }

    @property
    def is_monotone(self) -> bool:
        """Whether a class that breaks a promise can never be cut into classes that all hold it."""
        return all(map(self.promises.is_monotone, self.promises.models))

    def cut_cells(self, number: int) -> Search[int]:
        """Ask how many cells are in regions that were cut in this round."""
        sql = f"select count(*)\nfrom sqlanon.regions_of_round_{number}"
        ((cells,),) = yield Step("is_cut", sql, "rows")
        return int(cells)

    def round_count(self) -> Search[int]:
        """Ask for the number of rounds of cuts."""
        ((rounds,),) = yield Step("round_count", "select max(round)\nfrom sqlanon.regions", "rows")
        return int(rounds)

    def class_cells_step(self) -> Step:
        """The step that makes the cells of the regions that are not cut again."""
        return templated("partition/class_cells", **self.cut_inputs())

    @property
    def row_names(self) -> dict[str, str]:
        """Names of the generated columns of `row_combinations` that the source does not use."""
        return {name: unused(name, self.columns) for name in ("combination", "digest", "row_count")}

    def row_steps(self, parts: Parts) -> list[Step]:
        """The distinct rows, and every row with keys that each shuffle the rows independently."""
        names = self.row_names
        return [
            templated("buckets/row_combinations", columns=list(self.columns), names=names),
            templated("buckets/release_key", release=self.release, beside=self.beside, names=names),
            self._keyed_step("keyed_rows", row_keys(parts)),
        ]

    def repeats_rows(self) -> Search[bool]:
        """Ask, after `row_steps`, whether a distinct row stands for many rows on average.

        The number of distinct rows is not asked for: recorded, it would reveal who has a row.
        """
        row_count = quoted(self.row_names["row_count"])
        many = f"count(*) * {ROWS_EACH} <= sum({row_count})"
        sql = f"select {many}\nfrom sqlanon.row_combinations"
        ((repeats,),) = yield Step("repeated_rows", sql, "rows")
        return bool(repeats)

    def _keyed_step(self, name: str, keys: Sequence[str]) -> Step:
        """Every row with these keys."""
        inputs = {"name": name, "keys": list(keys), "names": self.row_names}
        return Step(name, render("buckets/keyed_rows.sql", **inputs), "view")

    def relaxed_cell_steps(self) -> list[Step]:
        """Every row with its turn in dealing, and the cells of these turns; for relaxed cuts."""
        (key,) = row_keys(())
        inputs = {"attributes": self.attributes, "counted": self.counted}
        return [
            *self.row_steps(()),
            templated("partition/turned_rows", names=self.row_names, key=key, **inputs),
            Step("cells", render("partition/relaxed_cells.sql", **inputs)),
        ]

    def relaxed_rows_step(self) -> Step:
        """Every row with the class it was dealt to; after `class_cells`, for relaxed cuts."""
        (key,) = row_keys(())
        return Step("dealt_rows", render("partition/relaxed_rows.sql", key=key))

    def bucketed_steps(self, parts: Parts) -> list[Step]:
        """Every row with its bucket, and with a key for each of its parts; after `class_cells`."""
        key, *keys = row_keys(parts)
        if self.is_relaxed:
            sql = render("buckets/relaxed_buckets.sql", key=key, keys=keys)
            return [
                self.relaxed_rows_step(),
                self._keyed_step("part_keys", [key, *keys]),
                Step("bucketed_rows", sql),
            ]
        inputs = {
            "attributes": self.attributes,
            "pairs": [(a.place, a.place) for a in self.attributes],
            "names": self.row_names,
            "keys": keys,
        }
        return [*self.row_steps(parts), templated("buckets/bucketed_rows", **inputs)]

    @property
    def splits_attributes(self) -> bool:
        """Whether whole attributes are cut into intervals, for all rows at once."""
        return self.cutting is None

    @property
    def made(self) -> str:
        """How the classes are made, in words."""
        if self.splits_attributes:
            return "whole columns are cut into intervals (step intervals)"
        return "the table is cut repeatedly (step regions)"

    def tree_steps(self) -> list[Step]:
        """The cuts of regions in the order in which they were made, and the rows on each side."""
        if self.cutting is None:
            return []
        return [templated("partition/partition_tree", population=self.promises.population)]

    def measured_steps(self) -> list[Step]:
        """What measures read, and the release does not."""
        return self.tree_steps()

    def reader_steps(self, folder: str, *, with_values: bool) -> list[Step]:
        """Copies to files in a folder that show how classes were made; after `measures`."""
        if self.cutting is None:
            return []
        sql = render(
            "partition/shown_tree.sql",
            with_values=with_values,
            population=self.promises.population,
        )
        file = f"{folder}/{PARTITION_TREE}"
        return [Step("shown_tree", sql, "copy", target=file, copy_options=CSV_OPTIONS)]

    def measures(self) -> Search[dict[str, Any]]:
        """Measures of its own, by name, for the manifest."""
        return {}
        yield  # no question

    def intervals_step(self, intervals: Sequence[Interval]) -> Step:
        """The intervals of all attributes, if whole attributes are cut."""
        return templated("partition/intervals", intervals=list(intervals))

    def intervals_proof_step(self) -> Step:
        """The proof that every value is in exactly one interval."""
        inputs = {"attributes": self.attributes}
        return templated("partition/proof_of_intervals", "proof", **inputs)

    def split_cells_step(self) -> Step:
        """The cells with the intervals that contain them."""
        inputs = {"attributes": self.attributes, **self.judged_inputs()}
        return Step("class_cells", render("partition/split_cells.sql", **inputs))

    def judged(self) -> Search[Judged]:
        """Ask what the classes of `class_cells` hold; one statement."""
        inputs = {**self.cut_inputs(), **self.judged_inputs()}
        return (yield from _judged(cells="sqlanon.class_cells", nested=False, **inputs))

    def judged_for(self, promises: Promises) -> Search[Judged]:
        """Ask what the classes would hold if other promises decided the cuts; one statement."""
        inputs = self.cut_inputs(promises)
        nested = {f"cut_{name}": inputs[name] for name in _PER_PROMISE}
        inputs |= {**self.judged_inputs(), **nested}
        return (yield from _judged(cells="class_cells", nested=True, **inputs))

    def judged_inputs(self) -> dict[str, Any]:
        """Variables of the templates that check whole classes."""
        counted = counted_inputs(self.promises)
        return {
            "unit": self.promises.unit is not None,
            "population": self.promises.population,
            "model_checks": self.model_checks(self.promises, ["class"]),
            "cut_model_checks": [],
            "cut_values_counted": [],
            "cut_needs_cover": False,
            "needs_cover": any(model.needs_cover for model in self.promises.models),
            **counted,
        }

    def one_class_sql(self) -> str:
        """The query for what the models measure if all rows form one class."""
        inputs = self.judged_inputs()
        inputs["model_checks"] = self.model_checks(self.promises, ["class"], excess=True)
        return render("partition/one_class.sql", **inputs)

    def scales(self) -> Search[list[Scale]]:
        """Ask for places, counts and positions of every attribute, and what its labels cover."""
        inputs = {"attributes": self.attributes, "population": self.promises.population}
        rows = yield question("partition/scales", **inputs)
        covered = yield Step(
            "covered_places",
            "select attribute_number, place, first_place, last_place\n"
            "from sqlanon.label_places\norder by attribute_number, place, level",
            "rows",
        )
        scales = []
        for attribute in self.attributes:
            is_tree = attribute.number in self.trees
            own = [row[1:] for row in rows if row[0] == attribute.number]
            labels: dict[int, list[tuple[int, int]]] = {}
            places = {row[0] for row in own}
            for number, place, first, last in covered:
                if is_tree and number == attribute.number and place in places:
                    labels.setdefault(place, []).append((first, last))
            place_count, position_range = own[0][3:]
            scales.append(
                Scale(
                    number=attribute.number,
                    kind=attribute.kind,
                    weight=attribute.weight,
                    last_place=place_count - 1,
                    position_range=position_range,
                    counts={place: count for place, _, count, *_ in own if count},
                    positions={place: position for place, position, *_ in own},
                    labels=labels,
                )
            )
        return scales

    def try_splits(
        self, intervals: Sequence[Interval], splits: Sequence[Split]
    ) -> Search[list[SplitOutcome]]:
        """Ask what the classes would hold after each of these splits; one statement."""
        key = ["split", *(a.named("first_place") for a in self.attributes)]
        model_checks = self.model_checks(self.promises, key, scoped=True)
        rows = yield question(
            "partition/tried_splits",
            attributes=self.attributes,
            intervals=list(intervals),
            pieces=[(number, *p) for number, s in enumerate(splits) for p in s.pieces],
            class_key=key,
            **(self.judged_inputs() | {"model_checks": model_checks}),
        )
        _, better = self.promises.models[0].deciding_measure
        sign = -1 if better == "min" else 1
        return [SplitOutcome(holds, sign * measured) for _, holds, measured in rows]


_PER_PROMISE = ("model_checks", "values_counted", "needs_cover")
"""Variables that differ if the cuts hold other promises than the whole partition."""


def _judged(**inputs: Any) -> Search[Judged]:
    (row,) = yield question("partition/judged_partition", **inputs)
    classes, smallest, failing, failing_rows, rounds, covers = row
    return Judged(classes, smallest, failing, int(failing_rows), rounds, bool(covers))
