"""The keys of a plan: parameters only."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from sqlanon.attacks import AnyAttack
from sqlanon.boundary.part import Part
from sqlanon.bounds import MOST_COLUMNS, MOST_ROWS_OF_A_PERSON, Number
from sqlanon.hierarchies.base import short_form
from sqlanon.methods import AnyMethod
from sqlanon.methods.optimal import Optimal
from sqlanon.plan.columns import Column
from sqlanon.plan.engine import DuckDBKeys, EngineKeys
from sqlanon.plan.tables import Destination, Source, Text
from sqlanon.privacy_models import AnyPrivacyModel
from sqlanon.registry import default_of


class Suppression(Part):
    """How many rows may be suppressed, and what happens to them."""

    limit: Annotated[Number, Field(ge=0, le=1)] | None = Field(
        None, description="largest fraction of the input rows, 0 to 1; 0 when not given"
    )
    rows: Literal["drop", "mask"] = Field(
        "drop", description="drop: left out; mask: kept with '*' in every quasi-identifier"
    )

    def limit_rows(self, row_count: int) -> int:
        """The limit as a number of rows: floor(limit * row_count), computed exactly."""
        return math.floor((self.limit or Decimal(0)) * row_count)


class Unit(Part):
    """The person whom the promises count, where persons have several rows."""

    column: Text = Field(description="the column that identifies persons")
    count: Text = Field(
        "persons",
        description="the published column with the number of persons of the class, the same in"
        " every row of it; none: no such column",
    )
    histories: Literal["linked"] | None = Field(
        None,
        description="linked: the key is published, so the rows of a person can be joined, and the"
        " promises judge persons whose published histories are equal; when not given, no key is"
        " published, and no row of a person can be joined with another",
    )
    rows: Annotated[int, Field(ge=1, le=MOST_ROWS_OF_A_PERSON)] | None = Field(
        None,
        description="with linked histories: at most this many rows of a person are published,"
        " chosen by a keyed hash; when not given, all",
    )

    @property
    def is_linked(self) -> bool:
        """Whether the rows of a person can be joined in the publication."""
        return self.histories == "linked"

    @model_validator(mode="after")
    def _keys_of_histories(self) -> Self:
        if self.rows is not None and not self.is_linked:
            raise ValueError("only linked histories are cut to a number of rows; leave out `rows`")
        if "count" in self.model_fields_set and self.is_linked:
            raise ValueError("linked histories have a key to count persons by; leave out `count`")
        return self


def _zone(name: str) -> str:
    """The name of a time zone; whether it exists is checked later."""
    if not re.fullmatch(r"UTC|[A-Za-z]+(/[A-Za-z0-9_+-]+){1,2}", name):
        raise ValueError(
            "this is not the name of a time zone; write UTC or REGION/CITY, such as Europe/Berlin"
        )
    return name


def _with_name(method: Any) -> Any:
    """The method; a mapping without a name is `optimal`."""
    is_unnamed = isinstance(method, dict) and "name" not in method
    return {"name": default_of(Optimal, "name"), **method} if is_unnamed else method


class PlanKeys(Part):
    """The fields are the keys of the YAML file."""

    source: Annotated[Source, short_form("path", Source)]
    population: Annotated[Source, short_form("path", Source)] | None = Field(
        None,
        description="a table that contains the source's persons and others, one row each, with the"
        " same quasi-identifiers; for models that ask who else a row could belong to",
    )
    columns: dict[str, Column] = Field(
        min_length=1, max_length=MOST_COLUMNS, description="the role of every source column"
    )
    unit: Annotated[Unit, short_form("column", Unit)] | None = Field(
        None,
        description="the column that identifies persons: promises count persons, not rows; when"
        " not given, every row is a person",
    )
    missing: Literal["value", "drop-rows"] = Field(
        "value",
        description="value: NULL is one more value; drop-rows: rows with a NULL in a"
        " quasi-identifier or sensitive attribute are left out",
    )
    privacy: tuple[AnyPrivacyModel, ...] = Field(min_length=1, description="what must hold")
    method: Annotated[AnyMethod, BeforeValidator(_with_name)] = Field(
        default_factory=Optimal, description="how the publication is found; optimal when not named"
    )
    suppression: Suppression = Field(default_factory=Suppression)
    publish: Annotated[Destination, short_form("path", Destination)]
    order: Literal["sorted", "source"] = Field(
        "sorted",
        description="sorted: by the published values, as the order of the source can identify;"
        " source: the rows stay in the order of the source",
    )
    attacks: tuple[AnyAttack, ...] = Field(
        (), description="what `sqlanon attack` tries, and the share of rows that may be at risk"
    )
    engine: EngineKeys = Field(
        default_factory=lambda: DuckDBKeys(name="duckdb"),
        description="where the plan runs: duckdb, postgres or spark; the same plan publishes the"
        " same rows on each",
    )
    acknowledge: tuple[Text, ...] = Field(
        (),
        description="warnings of `check` and `run` that were looked at, each by its name, such as"
        " free-text.notes; the manifest marks them",
    )
    time_zone: Annotated[str, AfterValidator(_zone)] = Field(
        "UTC",
        description="name of the time zone, such as Europe/Berlin, in which points in time become"
        " dates and text",
    )
