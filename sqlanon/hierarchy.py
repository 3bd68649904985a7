"""Generalization hierarchies: from a file, or from a rule; each knows its levels and its SQL.

Level 0 is the value as in the source, the last level is one value for all. Every kind renders a
template of its own name that returns one row per value and one column per level; what comes out is
proven nested and complete by `prepare/hierarchy_problems.sql`, whatever kind it was.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)  # fmt: skip
from pydantic.json_schema import SkipJsonSchema

from sqlanon.bounds import MOST_LEVELS, Levels, PathText
from sqlanon.errors import HierarchyError

_Number = Annotated[Decimal, Field(max_digits=24, decimal_places=9)]
"""A number in a rule: up to 15 digits before the decimal point and 9 after it."""

_Text = Annotated[str, Field(min_length=1)]


def short_form(
    key: str, long: Any, *, bare: Any = str, types: tuple[type, ...] = (str,)
) -> BeforeValidator:
    """Lets a bare value stand for the mapping with this one key, also in the JSON Schema.

    Args:
        key: of the mapping.
        long: type that the mapping is read as.
        bare: type of the bare value, for the schema.
        types: Python types that a bare value may have.
    """

    def lengthen(value: Any) -> Any:
        return {key: value} if isinstance(value, types) else value

    return BeforeValidator(lengthen, json_schema_input_type=bare | long)


class Hierarchy(BaseModel):
    """A generalization hierarchy of one quasi-identifier."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    template: ClassVar[str]

    @property
    def level_count(self) -> int | None:
        """Levels, level 0 and the top included; None when only the data can tell."""
        raise NotImplementedError  # pragma: no cover - every kind states its own

    @property
    def level_titles(self) -> list[str] | None:
        """What each level above 0 and below the top holds, in words; None when unknown."""
        return None

    def with_levels(self, count: int) -> Hierarchy:
        """The same hierarchy, its number of levels fixed where only the data could tell it."""
        return self


class SuppressionHierarchy(Hierarchy):
    """The value, then `*`: what a quasi-identifier without a hierarchy gets."""

    template: ClassVar[str] = "hierarchies/suppression.sql"

    @property
    def level_count(self) -> int:
        return 2


class FileHierarchy(Hierarchy):
    """A CSV file with one row per value and one column per level, `;` or `,`, as ARX writes them.

    A path is looked up in the plan's folder first, then among the shipped hierarchies. Delimiter
    and header are found out when not given: all rows agree in the last column but a header.
    """

    template: ClassVar[str] = "hierarchies/file.sql"
    endings: ClassVar[tuple[str, ...]] = ("csv", "yml")  # of files to suggest for a missing one
    form: ClassVar[str] = "CSV in UTF-8, one row per value, one column per level"

    file: PathText = Field(description="path of a CSV file, or of a YAML file with a rule")
    delimiter: str | None = Field(None, min_length=1, max_length=1, description="; or , or another")
    header: bool | None = Field(None, description="whether the first line names the levels")

    @property
    def level_count(self) -> int | None:
        return None

    @property
    def path(self) -> str:
        """The file as the plan names it."""
        return self.file

    def looked_at(self, found: Path, path_in_sql: str, where: str) -> FoundFileHierarchy:
        """The same hierarchy with delimiter, header and number of levels read off the file.

        Args:
            where: place in the plan, for errors.

        Raises:
            HierarchyError: it is no table of two or more columns.
            UnicodeDecodeError: it is not in UTF-8.
        """
        delimiters = (self.delimiter,) if self.delimiter else (";", ",")
        look = max((_look(found, delimiter) for delimiter in delimiters), key=_likelihood)
        wrong = ""
        if look.odd_row is not None:
            line, columns = look.odd_row
            wrong = (
                f"Line {line} of '{self.file}' has {columns} column(s), the first {look.columns}."
                if columns
                else f"Line {line} of '{self.file}' has a quote out of place."
            )
        elif look.columns == 0:
            wrong = f"The hierarchy file '{self.file}' is empty."
        elif look.columns == 1:
            wrong = f"The hierarchy file '{self.file}' has one column; a level stands in each."
        elif look.columns > MOST_LEVELS:
            wrong = f"'{self.file}' has {look.columns:,} columns; a hierarchy has {MOST_LEVELS}."
        if wrong:
            raise HierarchyError(
                wrong,
                where=where,
                fix="write one row per value: the value, then its label on each level, with `;` or"
                " `,` between them; for another character give `{file: …, delimiter: …}`",
            )
        return FoundFileHierarchy(
            file=path_in_sql,
            delimiter=look.delimiter,
            header=look.has_header if self.header is None else self.header,
            columns=look.columns,
        )


class FoundFileHierarchy(FileHierarchy):
    """A hierarchy file that was found and looked at: all that SQL needs to read it is known."""

    columns: int

    @property
    def level_count(self) -> int:
        return self.columns


class _Look(NamedTuple):
    """What a file looks like with a delimiter: columns of its first row; line and columns of a
    row with another number (0: not even a row); the last cell of the first row, of the others."""

    delimiter: str
    columns: int
    odd_row: tuple[int, int] | None
    first_top: str
    other_tops: frozenset[str]

    @property
    def has_header(self) -> bool:
        """Whether the first row stands apart from all others in the last column."""
        return bool(self.other_tops) and self.first_top not in self.other_tops


def _look(path: Path, delimiter: str) -> _Look:
    with path.open(encoding="utf-8-sig", newline="") as lines:
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        rows = (row for row in reader if row)
        first: list[str] = [""]
        odd_row = None
        tops: set[str] = set()
        try:
            first = next(rows, first)
            for row in rows:
                if len(row) != len(first) and odd_row is None:
                    odd_row = reader.line_num, len(row)
                if len(tops) < 2:
                    tops.add(row[-1])
        except csv.Error:
            odd_row = reader.line_num, 0
    columns = len(first) if first != [""] else 0
    return _Look(delimiter, columns, odd_row, first[-1], frozenset(tops))


def _likelihood(look: _Look) -> tuple[bool, bool, bool, int]:
    """How much a file looks like a hierarchy: even rows, one top value, many levels."""
    even = look.odd_row is None and look.columns > 1
    return even, look.columns != 1, len(look.other_tops) == 1, look.columns


class Intervals(BaseModel):
    """Interval widths from fine to coarse; each must be a multiple of the one before."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    widths: tuple[Annotated[_Number, Field(gt=0)], ...] = Field(
        min_length=1, max_length=MOST_LEVELS
    )
    start: _Number = Field(Decimal(0), description="a number where an interval begins")
    lowest: _Number | None = Field(None, description="all below it is one open interval")
    highest: _Number | None = Field(None, description="it and all above is one open interval")

    @model_validator(mode="after")
    def _nested(self) -> Intervals:
        for finer, coarser in itertools.pairwise(self.widths):
            if coarser % finer or coarser == finer:
                raise ValueError(
                    f"width {coarser} is no larger multiple of {finer}, so its intervals would cut"
                    " across finer ones; use widths such as [5, 10, 20]"
                )
        if self.lowest is not None and self.highest is not None and self.lowest >= self.highest:
            raise ValueError(
                f"lowest {self.lowest} is not below highest {self.highest}; exchange them"
            )
        return self


class IntervalHierarchy(Hierarchy):
    """Numeric intervals of growing width, such as `[5, 10, 20]` years; open ends on request."""

    template: ClassVar[str] = "hierarchies/intervals.sql"
    intervals: Annotated[
        Intervals, short_form("widths", Intervals, bare=list[_Number], types=(list, tuple))
    ]

    @property
    def level_count(self) -> int:
        return len(self.intervals.widths) + 2

    @property
    def level_titles(self) -> list[str]:
        return [f"intervals of width {width}" for width in self.intervals.widths]


class CutPointHierarchy(Hierarchy):
    """Numeric ranges between cut points of your own, per level, with labels of your own."""

    template: ClassVar[str] = "hierarchies/cut_points.sql"
    cut_points: tuple[Annotated[tuple[_Number, ...], Field(min_length=1)], ...] = Field(
        min_length=1,
        max_length=MOST_LEVELS,
        description="per level the numbers where a range begins, from fine to coarse",
    )
    labels: tuple[tuple[_Text, ...], ...] | None = Field(
        None, description="per level one label more than cut points"
    )

    @model_validator(mode="after")
    def _nested(self) -> CutPointHierarchy:
        for points in self.cut_points:
            if list(points) != sorted(set(points)):
                raise ValueError("cut points do not rise; write each level from low to high")
        for finer, coarser in itertools.pairwise(self.cut_points):
            if not set(coarser) <= set(finer):
                new = ", ".join(str(point) for point in coarser if point not in finer)
                raise ValueError(
                    f"cut point {new} is not one of the finer level, so ranges would cut across"
                    " finer ones; a coarser level keeps some of the finer level's points"
                )
        if self.labels is not None:
            wanted = [len(points) + 1 for points in self.cut_points]
            if [len(level) for level in self.labels] != wanted:
                raise ValueError(
                    "labels and cut points differ in number; a level has one label more than cut"
                    f" points, here {', '.join(map(str, wanted))}"
                )
            for level in self.labels:
                if len(set(level)) != len(level):
                    raise ValueError("two ranges of a level have one label; name them apart")
        return self

    @property
    def level_count(self) -> int:
        return len(self.cut_points) + 2

    @property
    def level_titles(self) -> list[str]:
        return [f"ranges cut at {', '.join(map(str, points))}" for points in self.cut_points]

    @property
    def ranges(self) -> list[list[tuple[Decimal | None, str]]]:
        """Per level the ranges as (exclusive upper end or None, label), from low to high."""
        levels = []
        for number, points in enumerate(self.cut_points):
            labels = (
                self.labels[number]
                if self.labels is not None
                else (
                    f"< {points[0]}",
                    *(f"[{a}, {b})" for a, b in itertools.pairwise(points)),
                    f">= {points[-1]}",
                )
            )
            levels.append(list(zip([*points, None], labels, strict=True)))
        return levels


_Side = Literal["right", "left"]


class Mask(BaseModel):
    """Which side loses characters first, and how many characters the values have."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    side: _Side = "right"
    characters: Levels | None = Field(
        None, ge=1, description="length of the longest value; found in the data when not given"
    )


class MaskHierarchy(Hierarchy):
    """Characters replaced by `*`, one more per level, from the right or the left; then `*`."""

    template: ClassVar[str] = "hierarchies/mask.sql"
    mask: Annotated[Mask, short_form("side", Mask, bare=_Side)]

    @property
    def level_count(self) -> int | None:
        return None if self.mask.characters is None else self.mask.characters + 1

    def with_levels(self, count: int) -> MaskHierarchy:
        return MaskHierarchy(mask=Mask(side=self.mask.side, characters=count - 1))

    @property
    def level_titles(self) -> list[str] | None:
        if self.mask.characters is None:
            return None
        side = self.mask.side
        return [
            f"{n} character{'s' if n > 1 else ''} masked from the {side}"
            for n in range(1, self.mask.characters)
        ]


_Period = Literal["day", "week", "month", "quarter", "year", "decade", "century"]
_PERIODS = get_args(_Period)


class DateHierarchy(Hierarchy):
    """Dates and times by growing periods: day, week, month, quarter, year, decade, century."""

    template: ClassVar[str] = "hierarchies/date.sql"
    date: tuple[_Period, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _nested(self) -> DateHierarchy:
        places = [_PERIODS.index(period) for period in self.date]
        if places != sorted(set(places)):
            raise ValueError(f"the periods do not grow; keep the order {', '.join(_PERIODS)}")
        if "week" in self.date and self.date[-1] != "week":
            raise ValueError(
                "a week can lie in two months or years, so none of them can follow it; leave out"
                " the week or what follows it"
            )
        return self

    @property
    def level_count(self) -> int:
        return len(self.date) + 2

    @property
    def level_titles(self) -> list[str]:
        return [f"by {period}" for period in self.date]


class RoundHierarchy(Hierarchy):
    """Decimals rounded to fewer and fewer digits, for coordinates: `[2, 1, 0]`.

    Each level rounds the level below, half away from zero, so that the levels nest. Negative
    digits round to tens (-1), hundreds (-2) and so on.
    """

    template: ClassVar[str] = "hierarchies/round.sql"
    round: tuple[Annotated[int, Field(ge=-9, le=9)], ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _nested(self) -> RoundHierarchy:
        if list(self.round) != sorted(set(self.round), reverse=True):
            raise ValueError(
                "the digits do not fall from level to level; write for example [2, 1, 0]"
            )
        return self

    @property
    def level_count(self) -> int:
        return len(self.round) + 2

    @property
    def level_titles(self) -> list[str]:
        return [f"rounded to {digits} decimal places" for digits in self.round]


class QueryHierarchy(Hierarchy):
    """The rows of a query: its first column is the value, each further one a coarser level."""

    template: ClassVar[str] = "hierarchies/query.sql"
    query: _Text
    columns: Levels | None = Field(
        None, ge=1, description="how many columns it has; found out when not given"
    )

    @property
    def level_count(self) -> int | None:
        return self.columns

    def with_levels(self, count: int) -> QueryHierarchy:
        return QueryHierarchy(query=self.query, columns=count)


class TaxonomyHierarchy(Hierarchy):
    """A tree in a text file, one line `parent: child, child` per inner node.

    The file is looked up as a CSV file is. The first colon of a line ends the parent, so that other
    names may hold colons; none holds a comma. Spaces and tabs around names are trimmed, blank lines
    and lines that begin with `#` are skipped, quotes have no meaning. A leaf that is less deep than
    the deepest one keeps its own label until the level that its parent stands on.
    """

    template: ClassVar[str] = "hierarchies/taxonomy.sql"
    endings: ClassVar[tuple[str, ...]] = ("txt",)
    form: ClassVar[str] = "text in UTF-8, one line `parent: child, child` per inner node"

    taxonomy: PathText = Field(description=f"path of a file: {form}")

    @property
    def level_count(self) -> int | None:
        return None

    @property
    def path(self) -> str:
        """The file as the plan names it."""
        return self.taxonomy

    def looked_at(self, found: Path, path_in_sql: str, where: str) -> FoundTaxonomyHierarchy:
        """The same hierarchy with the number of levels counted in the file.

        Args:
            where: place in the plan, for errors.

        Raises:
            HierarchyError: it is no tree, or no text that the database reads line by line.
        """
        try:
            levels = _depth(_parts(found.read_bytes())) + 1
        except _TaxonomyFault as fault:
            place = f"Line {fault.line} of" if fault.line else "The taxonomy file"
            raise HierarchyError(
                f"{place} '{self.path}' {fault.what}.", where=where, fix=fault.fix
            ) from None
        return FoundTaxonomyHierarchy(taxonomy=path_in_sql, levels=levels)


class FoundTaxonomyHierarchy(TaxonomyHierarchy):
    """A taxonomy that was found and is a tree: all that SQL needs to read it is known."""

    levels: int

    @property
    def level_count(self) -> int:
        return self.levels


_LONGEST_LINE = 1_900_000
"""Bytes of a taxonomy's line; DuckDB stops at 2,000,000, with the line's end and what precedes."""

_DEEPEST = 100
"""Levels below a taxonomy's root; each is a join and a column in SQL."""


class _TaxonomyFault(Exception):
    """What is wrong in a line of a taxonomy (0: in the whole file), and how to mend it.

    It tells lines and places in them, no label: labels of leaves are values of a source.
    """

    def __init__(self, line: int, what: str, fix: str) -> None:
        super().__init__(what)
        self.line = line
        self.what = what
        self.fix = fix


class _Part(NamedTuple):
    """A line of a taxonomy: an inner node and the nodes right below it."""

    line: int
    parent: str
    children: list[str]


def _taxonomy_lines(content: bytes) -> list[str]:
    """The lines of a taxonomy's file, as DuckDB will read them too."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        above = len(re.findall(rb"\r\n|\r|\n", error.object[: error.start]))
        raise _TaxonomyFault(above + 1, "is not UTF-8", "save the file as UTF-8") from None
    ends = re.findall(r"\r\n|\r|\n", text)
    lines = re.split(r"\r\n|\r|\n", text)
    for number, (line, end) in enumerate(itertools.zip_longest(lines, ends), start=1):
        if end is not None and end != ends[0]:
            raise _TaxonomyFault(
                number,
                "ends with another kind of line break than line 1",
                "save the file with one kind of line breaks",
            )
        if "\0" in line:
            raise _TaxonomyFault(
                number, "has a NUL character", "save the file as plain text in UTF-8"
            )
        if len(line.encode()) > _LONGEST_LINE:
            raise _TaxonomyFault(
                number,
                f"has more than {_LONGEST_LINE:,} bytes",
                "write the hierarchy as a CSV file, one row per value, and name it by `file:`",
            )
    return lines


def _parts(content: bytes) -> Iterator[_Part]:
    """Line by line the inner nodes of a taxonomy, each line sound by itself."""
    for number, line in enumerate(_taxonomy_lines(content), start=1):
        stripped = line.strip(" \t")
        if not stripped or stripped.startswith("#"):
            continue
        before, colon, after = stripped.partition(":")
        if not colon:
            raise _TaxonomyFault(
                number,
                "has no colon",
                "write each inner node and what is right below it as `parent: child, child`",
            )
        parent = before.strip(" \t")
        children = [child.strip(" \t") for child in after.split(",")]
        if not parent:
            raise _TaxonomyFault(
                number, "has an empty name before the colon", "write the name of the inner node"
            )
        if children == [""]:
            raise _TaxonomyFault(
                number,
                "names no child",
                "leave the line out: a leaf stands among the children of its parent only",
            )
        if "" in children:
            raise _TaxonomyFault(
                number,
                f"has an empty name as child number {children.index('') + 1}",
                "write one name between two commas, and no comma at the end",
            )
        yield _Part(number, parent, children)


def _depth(parts: Iterator[_Part]) -> int:
    """How many levels the deepest leaf of a taxonomy stands below its root.

    Raises:
        _TaxonomyFault: the parts are not one tree.
    """
    inner: dict[str, _Part] = {}
    above: dict[str, _Part] = {}
    for part in parts:
        if part.parent in inner:
            raise _TaxonomyFault(
                part.line,
                f"begins with the node that line {inner[part.parent].line} begins with",
                "write all children of a node in one line",
            )
        inner[part.parent] = part
        for number, child in enumerate(part.children, start=1):
            other = above.get(child)
            if other is None:
                above[child] = part
                continue
            first = other.children.index(child) + 1
            if other is not part:
                raise _TaxonomyFault(
                    part.line,
                    f"has as child number {number} a node that is child number {first} of line"
                    f" {other.line}, so it has two parents",
                    "leave it out in one of the two lines",
                )
            raise _TaxonomyFault(
                part.line,
                f"has one node as child number {first} and number {number}",
                "leave one of them out",
            )
    if not inner:
        raise _TaxonomyFault(0, "is empty", "write one line `parent: child, child` per inner node")
    roots = [part for node, part in inner.items() if node not in above]
    if len(roots) > 1:
        raise _TaxonomyFault(
            roots[1].line,
            f"begins with a node that is no child, as does line {roots[0].line}; a tree has one"
            " root",
            "write one of the two nodes below the other, or both below a root such as `*`",
        )
    depth, level, reached = 0, roots, set[str]()
    while level:
        if depth == _DEEPEST:
            raise _TaxonomyFault(
                level[0].line,
                f"gives children to a node {_DEEPEST} levels below the root",
                f"leave out levels; a leaf stands at most {_DEEPEST} below the root",
            )
        depth += 1
        reached.update(part.parent for part in level)
        level = [inner[child] for part in level for child in part.children if child in inner]
    beside = [node for node in inner if node not in reached]
    if beside:
        # Nobody there is a root, so whoever climbs from one to its parent comes by twice.
        node, passed = beside[0], set[str]()
        while node not in passed:
            passed.add(node)
            node = above[node].parent
        raise _TaxonomyFault(
            inner[node].line,
            "begins with a node that stands below itself",
            f"take the node out of the children in line {above[node].line}",
        )
    return depth


HIERARCHY_KINDS: dict[str, type[Hierarchy]] = {
    "file": FileHierarchy,
    "intervals": IntervalHierarchy,
    "cut_points": CutPointHierarchy,
    "mask": MaskHierarchy,
    "date": DateHierarchy,
    "round": RoundHierarchy,
    "query": QueryHierarchy,
    "taxonomy": TaxonomyHierarchy,
}
"""The kinds of hierarchies, by the key that each is recognized by."""


def _kind(value: Any) -> str | None:
    if isinstance(value, Hierarchy):
        return next((k for k, v in HIERARCHY_KINDS.items() if isinstance(value, v)), "none")
    if isinstance(value, dict):  # an empty one is what SuppressionHierarchy writes of itself
        return next((key for key in HIERARCHY_KINDS if key in value), None if value else "none")
    return None


_OneHierarchy = Annotated[
    SkipJsonSchema[Annotated[SuppressionHierarchy, Tag("none")]]
    | Annotated[FileHierarchy, Tag("file")]
    | Annotated[IntervalHierarchy, Tag("intervals")]
    | Annotated[CutPointHierarchy, Tag("cut_points")]
    | Annotated[MaskHierarchy, Tag("mask")]
    | Annotated[DateHierarchy, Tag("date")]
    | Annotated[RoundHierarchy, Tag("round")]
    | Annotated[QueryHierarchy, Tag("query")]
    | Annotated[TaxonomyHierarchy, Tag("taxonomy")],
    Discriminator(
        _kind,
        custom_error_type="hierarchy_kind",
        custom_error_message="a hierarchy is a file name or one of: " + ", ".join(HIERARCHY_KINDS),
    ),
]

AnyHierarchy = Annotated[_OneHierarchy, short_form("file", _OneHierarchy)]
"""What a plan's `hierarchy` may be; a bare string is a file."""


class HierarchyFile(BaseModel):
    """The content of a shipped or own YAML file with a rule, such as `dates.yml`."""

    hierarchy: AnyHierarchy
