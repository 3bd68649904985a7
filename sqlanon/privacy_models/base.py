"""The base classes of privacy models: parameters, two monotonicity flags, and one template.

The template returns one row per class with the model's measure and `satisfied`, never null. Search,
release, verify and attack all use that one text; none of them knows a model's name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from sqlanon.boundary.part import Part
from sqlanon.bounds import AnyNumber, Number
from sqlanon.sql.render import is_true, render


@dataclass(frozen=True)
class ClassRelations:
    """Names of the relations that a model's template reads.

    Attributes:
        class_key: columns that identify a class.
        classes: one row per class: key, class_size, and population_size where there is one.
        class_values: one row per class and sensitive value: key, value (a code), value_count.
        table_values: one row per sensitive value of the table: value, row_count, text, number,
            place (order of the values), and table_size, the rows of the whole table.
        value_levels: one row per value and level of the sensitive hierarchy: value, level, label,
            coarser_label.
        table_scope: the columns of the key that `table_values` has too, where it holds the values
            of several publications.
        labels: SQL for the label of each quasi-identifier, by the columns of `classes`; empty if
            each class is judged by itself.
        scope: the columns of the key that identify a publication, in a batch of lattice nodes.
        excess: whether a search asks for `excess_rows` too.
        unit: whether all sizes and counts are of persons, who may have several values.
        shares_persons: whether a person may be in several classes.
    """

    class_key: Sequence[str]
    classes: str
    class_values: str = ""
    table_values: str = ""
    value_levels: str = ""
    table_scope: Sequence[str] = ()
    labels: Sequence[str] = ()
    scope: Sequence[str] = ()
    excess: bool = False
    unit: bool = False
    shares_persons: bool = False


def _plain(value: Any) -> Any:
    """A parameter as JSON has it: decimals as numbers."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return list(value) if isinstance(value, tuple) else value


def at_least(measured: float) -> str:
    """The measure to six decimals, rounded up: a bound that it keeps."""
    if math.isinf(measured):
        return "infinity"
    return f"{math.ceil(measured * 1e6 - 1e-3) / 1e6:.12g}"


def at_most(measured: float) -> str:
    """The measure to six decimals, rounded down."""
    return f"{math.floor(measured * 1e6 + 1e-3) / 1e6:.12g}"


Members = Literal["rows", "persons"]
"""What the sizes of classes count: rows, or with `unit` persons."""

MeasuredBounds = Mapping[str, tuple[str, Literal["min", "max"]]]
"""By parameter, a column of the template, and which of its class values decides."""


class PrivacyModel(Part):
    """A promise about every equivalence class of a publication, or about all of them together.

    Attributes:
        measure: the column of the template that the manifest reports, and whether the smallest
            or the largest class value is the one that decides.
        bound: the parameter that this column is compared with.
        source: the paper.
        variants: parameters that are reported even if they have their default value.
        reference_bounds: parameters to measure a table with, whose bounds do not matter.
        needs_population: whether the plan must name a population.
        compares_with_table: whether classes are compared with the values of the whole table.
        needs_numbers: whether the sensitive attribute must be numeric; missing values apart.
        rules: what must hold of parameters together, as expressions of Jinja, each with what to
            say where it is false. The tests of the dbt package check the same expressions.
    """

    model: str
    measure: ClassVar[tuple[str, Literal["min", "max"]]]
    bound: ClassVar[str]
    source: ClassVar[str]
    variants: ClassVar[tuple[str, ...]] = ()
    reference_bounds: ClassVar[tuple[Mapping[str, Any], ...]]
    needs_population: ClassVar[bool] = False
    compares_with_table: ClassVar[bool] = False
    needs_numbers: ClassVar[bool] = False
    rules: ClassVar[tuple[tuple[str, str], ...]] = ()

    @model_validator(mode="after")
    def _keeps_rules(self) -> PrivacyModel:
        for rule, message in self.rules:
            if not is_true(rule, **dict(self)):
                raise ValueError(message)
        return self

    @property
    def holds_by_upper_bounds(self) -> bool:
        """Whether a class holds the promise if it does with more persons for each value."""
        return False

    @property
    def deciding_measure(self) -> tuple[str, Literal["min", "max"]]:
        """The column of the template that decides, and which of its class values does."""
        return self.measure

    @property
    def bounds_measured(self) -> MeasuredBounds:
        """Of a promise with two bounds: what is compared with each, by the name of the bound.

        Empty for a promise with one bound, which `deciding_measure` decides.
        """
        return {}

    @property
    def monotone_under_generalization(self) -> bool:
        """Whether a node that holds the promise has only ancestors that hold it."""
        raise NotImplementedError  # pragma: no cover - every model states its own

    @property
    def monotone_under_suppression(self) -> bool:
        """Whether the rows of failing classes never grow in number on the way up."""
        raise NotImplementedError  # pragma: no cover - every model states its own

    @property
    def monotone_with_shared_persons(self) -> bool:
        """Whether both is true, too, where a person may be in several classes."""
        return False

    @property
    def judges_whole_table(self) -> bool:
        """Whether the promise is about all classes together: it is judged after all others."""
        return False

    @property
    def bounds_excess(self) -> bool:
        """Whether the template can say how many rows of a class no finer classes can keep.

        Each class of a finer node that holds the promise lies in one class of this node, and a
        union of such classes holds it too; so rows of a class that are in no part that
        holds it are lost to all nodes below. What their number is at least, the template knows.
        """
        return self.monotone_under_generalization and not self.judges_whole_table

    def reads_labels(self, count: int) -> bool:
        """Whether classes with some equal labels are counted together, of so many attributes."""
        return False

    @property
    def needs_cover(self) -> bool:
        """Whether every row of the population must fall into a class of the table."""
        return False

    @property
    def allows_suppression(self) -> bool:
        """Whether the promise can hold where rows are suppressed."""
        return True

    @property
    def sensitive_attribute(self) -> str | None:
        """The attribute whose values the model looks at, if it looks at one."""
        return None

    @property
    def is_joint(self) -> bool:
        """Whether the other sensitive attributes count as known, as quasi-identifiers do."""
        return False

    @property
    def listed_values(self) -> tuple[str, ...]:
        """Values of the sensitive attribute that the plan names."""
        return ()

    @property
    def needs_one_value(self) -> bool:
        """Whether no person may have several values in a class, where persons are counted."""
        return False

    @property
    def needs_value_levels(self) -> bool:
        """Whether the sensitive attribute needs a hierarchy."""
        return False

    @property
    def needs_order(self) -> bool:
        """Whether the sensitive values must have an order: all are numbers, or none is."""
        return False

    @property
    def compares_with_published(self) -> bool:
        """Whether the promise must also hold in comparison with the published rows alone."""
        return False

    @property
    def reads_table_values(self) -> bool:
        """Whether the template reads the values of the whole table, and not only their counts."""
        return bool(
            self.compares_with_table
            or self.needs_numbers
            or self.needs_order
            or self.needs_value_levels
            or self.listed_values
        )

    @property
    def template(self) -> str:
        """File of the model's SQL, below `sql_templates/`."""
        return f"privacy_models/{self.model.replace('-', '_')}.sql"

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters that identify the promise, and those that are not defaults."""
        parameters = {}
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            if name != "model" and (name in self.variants or value != field.default):
                parameters[name] = _plain(value)
        return parameters

    @property
    def anonymity_k(self) -> int:
        """The k of k-anonymity, if the model includes it; otherwise 1."""
        return 1

    @property
    def minimum_class_size(self) -> int:
        """Rows that a class needs at least, whatever is in it; 1 when the model does not say."""
        return self.anonymity_k

    @property
    def minimum_population(self) -> int:
        """Persons of the population that a class needs at least; 1 when the model does not say."""
        return 1

    @property
    def readings(self) -> str:
        """Both readings of a bound that can be rounded: 1/0.09 is 11.1; empty if there is one."""
        return ""

    @property
    def presence(self) -> tuple[Decimal, Decimal] | None:
        """The least and the largest chance of a person of the population to be in the table."""
        return None

    @property
    def one_row_in(self) -> Decimal | None:
        """No value has more than one row in so many; None where the model does not promise it."""
        return None

    @property
    def needed_values(self) -> int:
        """Different sensitive values that a class needs; 1 where the model says nothing."""
        return 1

    def promise(self, members: Members) -> str:
        """One sentence: what a publication that holds the model guarantees."""
        raise NotImplementedError  # pragma: no cover - every model states its own

    def suggestion(self, measured: float) -> str:
        """What could be asked for where a single class of all rows measures this."""
        if self.deciding_measure[1] == "max":
            return f"{self.bound} = {at_least(measured)} or more"
        return f"{self.bound} = {at_most(measured)} or less"

    def sql(self, relations: ClassRelations) -> str:
        """The model's select, one row per class: key, its measure, satisfied."""
        return render(
            self.template,
            **vars(relations),
            **self.model_dump(exclude={"model"}),
            promise=self.promise("persons" if relations.unit else "rows"),
            source=self.source,
        )


class SensitiveModel(PrivacyModel):
    """A promise about how the values of a sensitive attribute are spread over every class."""

    attribute: Annotated[
        str | None,
        Field(description="the sensitive attribute; may be omitted where the plan has only one"),
    ] = None
    mode: Literal["each", "joint"] = Field(
        "each",
        description="each: classes are those of the quasi-identifiers; joint: the other sensitive"
        " attributes count as known too, and divide the classes further",
    )

    @property
    def sensitive_attribute(self) -> str | None:
        return self.attribute

    @property
    def is_joint(self) -> bool:
        return self.mode == "joint"

    @property
    def monotone_under_generalization(self) -> bool:
        return True

    @property
    def monotone_under_suppression(self) -> bool:
        """A passing class that joins a failing one can make a larger failing one."""
        return False


class ReferenceModel(SensitiveModel):
    """A promise that compares the values of every class with those of the whole table."""

    compares_with_table = True
    reference: Literal["original", "published"] = Field(
        "original",
        description="original: the table is the whole input; published: the classes must also hold"
        " in comparison with the published rows, which is what others can verify",
    )

    @property
    def compares_with_published(self) -> bool:
        return self.reference == "published"


class RiskModel(PrivacyModel):
    """A bound on the chance that an attacker names the person of a published row rightly."""

    source = "El Emam 2013, Guide to the de-identification of personal health data"
    bound = "threshold"
    monotone_under_generalization: ClassVar[bool] = True

    threshold: Annotated[Number, Field(gt=0, le=1, description="highest risk, above 0 to 1")]

    def __init__(self, threshold: AnyNumber) -> None:
        self._set_keys(threshold=threshold)

    @property
    def monotone_under_suppression(self) -> bool:
        """False of shares and means: the smallest suppressed class may be larger than needed."""
        return not self.judges_whole_table


class ShareRiskModel(RiskModel):
    """A bound on risk that a share of the rows may exceed."""

    share: Annotated[
        Number,
        Field(ge=0, lt=1, description="share of rows that may exceed the threshold, 0 to 1"),
    ] = Decimal(0)

    def __init__(self, threshold: AnyNumber, share: AnyNumber = 0) -> None:
        self._set_keys(threshold=threshold, share=share)

    @property
    def readings(self) -> str:
        k = math.ceil(1 / self.threshold)
        one_in = 1 / Decimal(max(k - 1, 1))
        if self.share or 1 / Decimal(k) == self.threshold:
            return ""
        if one_in.quantize(self.threshold) != self.threshold:
            return ""
        above = one_in.quantize(Decimal("0.0001"), ROUND_CEILING).normalize()
        return (
            f"{self.threshold} is k = {k}, as 1/{k - 1} = {one_in:.4f} is above it; if it stands"
            f" for one in {k - 1}, write {above:f}"
        )

    @property
    def deciding_measure(self) -> tuple[str, Literal["min", "max"]]:
        return ("risky_share", "max") if self.share else self.measure

    @property
    def judges_whole_table(self) -> bool:
        return self.share > 0
