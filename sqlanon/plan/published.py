"""What the publication of a plan looks like: its columns and their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import PrivateAttr

from sqlanon.plan.column_types import TEXT, published_type
from sqlanon.plan.columns import Identifier, QuasiIdentifier, SensitiveAttribute
from sqlanon.plan.keys import PlanKeys

BUCKET = "bucket"
"""The column with the number of the bucket."""

Types = Mapping[str, Mapping[str, str]]
"""The types of the columns of `source` and `population`, by name."""


class PlanColumns(PlanKeys):
    """The columns of a plan, and what becomes of them."""

    _types: Types = PrivateAttr(default_factory=dict)

    @property
    def types(self) -> Types:
        """Types of the columns of `source` and of `population`; a column without a type is text.

        For the source these are `read_columns`, for the population the quasi-identifiers.
        """
        return self._types

    def type_as_read(self, name: str, table: Literal["source", "population"] = "source") -> str:
        """The type of a column's values as sqlanon reads them from a table."""
        return published_type(self.types.get(table, {}).get(name, TEXT))

    @property
    def quasi_identifiers(self) -> dict[str, QuasiIdentifier]:
        """The quasi-identifiers, in the order of the plan."""
        return {n: c for n, c in self.columns.items() if isinstance(c, QuasiIdentifier)}

    @property
    def sensitive_attributes(self) -> tuple[str, ...]:
        """The sensitive attributes, in the order of the plan."""
        return tuple(n for n, c in self.columns.items() if isinstance(c, SensitiveAttribute))

    def escapes(self, name: str) -> bool:
        """Whether a column is read so that no text in it is a formula to a spreadsheet.

        Where a file or a query holds the labels of values, values have to be as they stand there.
        """
        column = self.columns[name]
        hierarchy = getattr(column, "hierarchy", None)
        is_listed = hierarchy is not None and bool(hierarchy.file_path or hierarchy.select)
        is_asked = self.publish.csv_formulas == "escape"
        return is_asked and not is_listed and not isinstance(column, Identifier)

    @property
    def person(self) -> str | None:
        """The column that identifies persons, whom promises then count; None if they count rows."""
        return None if self.unit is None else self.unit.column

    def action_on(self, name: str) -> str:
        """What becomes of a column where the source is read; empty if its values stay.

        A key of persons that is not published stays as it is until persons are counted.
        """
        column = self.columns[name]
        is_counted = self.hides_persons and name == self.person
        return column.action if isinstance(column, Identifier) and not is_counted else ""

    @property
    def hides_persons(self) -> bool:
        """Whether promises count persons, and no key of them is published."""
        return self.unit is not None and not self.unit.is_linked

    @property
    def persons_column(self) -> str | None:
        """The published column with the number of persons of each class, if there is one."""
        if self.unit is None or self.unit.is_linked or self.unit.count == "none":
            return None
        return self.unit.count

    @property
    def read_columns(self) -> tuple[str, ...]:
        """The columns whose values are read: all but dropped and starred identifiers.

        The column that identifies persons is read to count them, also if it is not published.
        """
        return tuple(
            n
            for n, c in self.columns.items()
            if n == self.person or not (isinstance(c, Identifier) and c.action != "pseudonym")
        )

    @property
    def staged_columns(self) -> tuple[str, ...]:
        """The columns that leave `source_rows`: the published ones, and the key of persons.

        A key that is not published only leaves it to be counted.
        """
        hidden = self.person if self.hides_persons else None
        published = {*self.published_columns}
        return tuple(n for n in self.columns if n in published or n == hidden)

    @property
    def published_columns(self) -> tuple[str, ...]:
        """The columns of the publication, in the order of the plan."""
        return tuple(
            n
            for n, c in self.columns.items()
            if not (isinstance(c, Identifier) and c.action == "drop")
        )

    @property
    def bound_columns(self) -> dict[str, tuple[str, str]]:
        """The columns with the ends of published intervals, by quasi-identifier.

        These are the attributes that the plan alone shows to be numeric or dates.
        """
        if not self.method.publishes_bounds:
            return {}
        return {
            name: (f"{name}_lo", f"{name}_hi")
            for name, column in self.quasi_identifiers.items()
            if column.kind in ("numeric", "date")
        }

    @property
    def publication_columns(self) -> tuple[str, ...]:
        """The columns of the published table.

        These are `published_columns`, the ends of intervals, the number of the bucket, and that of
        the persons of the class, without the sensitive attribute if it is published in a separate
        table.
        """
        apart = self.dealt_attribute if self.separates_sensitive else None
        columns = [
            each
            for name in self.published_columns
            if name != apart
            for each in (name, *self.bound_columns.get(name, ()))
        ]
        added = (BUCKET if self.publishes_buckets else None, self.persons_column)
        return (*columns, *filter(None, added))

    @property
    def release_types(self) -> dict[str, str]:
        """The types of the columns of the release, as `describe` names them; labels are text.

        A sensitive attribute in a separate table comes last.
        """
        read = {
            name: self.type_as_read(name)
            for name in self.types.get("source", {})
            if not isinstance(self.columns[name], Identifier)
        }
        labeled = self.labeled_in_buckets if self.publishes_buckets else self.quasi_identifiers
        ends = {
            end: "DOUBLE" if self.quasi_identifiers[name].kind == "numeric" else "TIMESTAMP"
            for name, bounds in self.bound_columns.items()
            for end in bounds
        }
        added = {self.persons_column or "": "BIGINT"}
        if self.publishes_buckets:
            added[BUCKET] = "INTEGER"
        known = {**read, **dict.fromkeys(labeled, TEXT), **ends, **added}
        apart = (self.dealt_attribute or "",) if self.separates_sensitive else ()
        return {name: known.get(name, TEXT) for name in (*self.publication_columns, *apart)}

    @property
    def publication_types(self) -> dict[str, str]:
        """The types of the columns of the staged rows; everything in a CSV file is text."""
        types = self.release_types
        return dict.fromkeys(types, TEXT) if self.publish.is_csv else types

    @property
    def escaped_columns(self) -> tuple[str, ...]:
        """The published columns of text in which no formula may stand; none unless they escape."""
        if self.publish.csv_formulas == "keep":
            return ()
        return tuple(name for name, kind in self.release_types.items() if kind == TEXT)

    @property
    def staged_types(self) -> dict[str, str]:
        """The types of the released rows, with the key of persons where it is not published."""
        types, key = self.release_types, self.person
        if key is None or not self.hides_persons:
            return types
        return {**types, key: self.type_as_read(key)}

    @property
    def class_columns(self) -> tuple[str, ...]:
        """The published columns that distinguish classes."""
        if self.publishes_buckets:
            return (BUCKET,)
        generalized = {*self.quasi_identifiers, *sum(self.bound_columns.values(), ())}
        return tuple(name for name in self.publication_columns if name in generalized)

    @property
    def publishes_buckets(self) -> bool:
        """Whether the publication has buckets with original values."""
        return self.method.publishes_buckets

    @property
    def separates_sensitive(self) -> bool:
        """Whether the publication is two tables, the second with counts of sensitive values."""
        return self.method.separates_sensitive

    @property
    def labeled_in_buckets(self) -> tuple[str, ...]:
        """The quasi-identifiers that buckets hold as labels of hierarchies."""
        is_labeled = self.publishes_buckets and self.method.cuts_along_hierarchies
        return tuple(self.quasi_identifiers) if is_labeled else ()

    @property
    def is_sliced(self) -> bool:
        """Whether column groups are permuted that may together reveal a sensitive value."""
        return self.method.is_sliced

    @property
    def dealt_attribute(self) -> str | None:
        """The sensitive attribute that the method deals by, if any."""
        return self.method.dealt_attribute

    @property
    def column_groups(self) -> tuple[tuple[str, ...], ...]:
        """The groups of published columns; each group is permuted separately in every bucket.

        There is one group where nothing is permuted, and none where only a search finds the groups.
        """
        if not self.publishes_buckets:
            return (self.published_columns,)
        roles = (*self.quasi_identifiers, *self.sensitive_attributes)
        others = [name for name in self.published_columns if name not in roles]
        return self.method.column_groups(
            tuple(self.quasi_identifiers), self.sensitive_attributes, others
        )

    def published_parts(self, groups: Sequence[Sequence[str]]) -> list[list[str]]:
        """The parts of a published row that are permuted separately, if any."""
        if not self.publishes_buckets:
            return []
        columns = self.publication_columns
        parts = [[name for name in group if name in columns] for group in groups]
        return [part for part in parts if part]

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """Published columns that are not generalized: each row keeps its values."""
        return tuple(n for n in self.published_columns if n not in self.quasi_identifiers)
