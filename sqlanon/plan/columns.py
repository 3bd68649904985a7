"""The columns of a plan: the keys of each role."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from sqlanon.boundary.part import Part
from sqlanon.bounds import Weight
from sqlanon.hierarchies import AnyHierarchy
from sqlanon.hierarchies.base import (
    AnyForm,
    CutKind,
    Hierarchy,
    Number,
    SuppressionHierarchy,
    short_form,
)
from sqlanon.hierarchies.grid import GridPeriod
from sqlanon.plan.changes import Aggregate, Change

Action = Literal["drop", "star", "pseudonym"]

Published = Annotated[Change, short_form("aggregate", Change, bare=Aggregate)] | None


class Identifier(Part):
    """A column that identifies a person on its own; it never leaves the database as it is."""

    role: Literal["identifier"] = "identifier"
    action: Action = Field(
        "drop",
        description="drop: not published; star: every value becomes '*'; pseudonym: a keyed hash"
        " whose key is read from the environment variable SQLANON_PSEUDONYM_KEY",
    )
    key: Literal["random"] | None = Field(
        None,
        description="random: the key of pseudonyms is drawn anew in every run and kept nowhere;"
        " when not given, it is read from the environment",
    )

    def __init__(self, action: Action = "drop", **keys: Any) -> None:
        self._set_keys(action=action, **keys)

    @model_validator(mode="after")
    def _key_of_pseudonyms(self) -> Self:
        if self.key is not None and self.action != "pseudonym":
            raise ValueError("only a pseudonym has a key; add `action: pseudonym`")
        return self


class QuasiIdentifier(Part):
    """A column that identifies a person together with others; it is generalized."""

    role: Literal["quasi-identifier"] = "quasi-identifier"
    hierarchy: AnyHierarchy = Field(
        default_factory=SuppressionHierarchy,
        description="a file, or a rule; without one: the value, then '*'",
    )
    weight: Weight = Field(
        1.0, description="importance of the attribute in the loss, and among cuts; 0 or more"
    )
    type: CutKind | None = Field(
        None,
        description="how partitioning methods order and cut the values; when not given, the"
        " hierarchy decides, or else the values",
    )
    grid: Annotated[Number, Field(gt=0)] | GridPeriod | None = Field(
        None,
        description="where ranges of numbers or dates end, if the method prints such: at multiples"
        " of a width, or where periods begin; when not given, the hierarchy and the values decide",
    )

    publish: Published = Field(
        None,
        description="one value a class in place of the label: mean, median, mode, sum, interval,"
        " set",
    )

    def __init__(self, hierarchy: Hierarchy | AnyForm | None = None, **keys: Any) -> None:
        self._set_keys(hierarchy=hierarchy or {}, **keys)

    @property
    def kind(self) -> CutKind | None:
        """How the values are cut: as the plan states, or as the hierarchy implies; else None."""
        return self.type or self.hierarchy.cut_kind


class SensitiveAttribute(Part):
    """A column that nobody should learn about a person; published as is, or as `publish` says."""

    role: Literal["sensitive"] = "sensitive"
    hierarchy: AnyHierarchy | None = Field(
        None, description="needed only by models that compare how close values are to each other"
    )
    compare: Literal["exact"] | None = Field(
        None,
        description="exact: values that differ only in case, white space, Unicode form or the way"
        " a number is written are different values; when not given, they are an error",
    )
    publish: Published = Field(
        None, description="what is published in its place; not with a promise about it"
    )

    def __init__(self, hierarchy: Hierarchy | AnyForm | None = None, **keys: Any) -> None:
        self._set_keys(hierarchy=hierarchy, **keys)


class InsensitiveAttribute(Part):
    """A column that neither identifies nor harms; published as it is, or as `publish` says."""

    role: Literal["insensitive"] = "insensitive"
    publish: Published = Field(None, description="what is published in its place")


def _role(value: Any) -> Any:
    return value.get("role") if isinstance(value, dict) else getattr(value, "role", None)


_OneColumn = Annotated[
    Annotated[Identifier, Tag("identifier")]
    | Annotated[QuasiIdentifier, Tag("quasi-identifier")]
    | Annotated[SensitiveAttribute, Tag("sensitive")]
    | Annotated[InsensitiveAttribute, Tag("insensitive")],
    Discriminator(_role),
]

Column = Annotated[
    _OneColumn,
    short_form(
        "role",
        _OneColumn,
        bare=Literal["identifier", "quasi-identifier", "sensitive", "insensitive"],
    ),
]
"""A value of a plan's `columns`; a bare string is a role."""
