"""A plan before it is checked as a whole, and what follows from its keys."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from sqlanon.hierarchies.base import Hierarchy
from sqlanon.methods.optimal import Optimal
from sqlanon.plan.columns import Identifier, QuasiIdentifier, SensitiveAttribute
from sqlanon.plan.json_schema import PlanSchema
from sqlanon.plan.published import PlanColumns, Types
from sqlanon.plan.text import Places
from sqlanon.plan.warnings import PlanWarning
from sqlanon.privacy_models.promises import Promises
from sqlanon.utility.base import UtilityMeasure


class Draft(PlanColumns):
    """A plan whose keys are valid one by one; `Plan` is checked as a whole."""

    # Set by sqlanon.plan.checked; not part of the YAML or the schema.
    _name: str = "plan"
    _folder: Path = Path()
    _sha256: str = ""
    _places: Places = Places()
    _warnings: tuple[PlanWarning, ...] = ()  # set by a session

    def with_warnings(self, warnings: tuple[PlanWarning, ...]) -> Self:
        """The plan, and what it is warned of."""
        warned = self.model_copy()
        warned._warnings = warnings
        return warned

    @property
    def warnings(self) -> tuple[PlanWarning, ...]:
        """What `check` and `run` warn of, acknowledged or not; empty before either has looked."""
        return self._warnings

    def with_types(self, types: Types) -> Self:
        """The plan, and the types of the columns that it reads."""
        typed = self.model_copy()
        typed._types = types
        return typed

    def __eq__(self, other: object) -> bool:
        """Whether two plans have the same keys and values, wherever they were read from."""
        return isinstance(other, Draft) and self.__dict__ == other.__dict__

    def __repr_args__(self) -> Iterator[tuple[str | None, Any]]:
        """What `repr` shows of a plan: none of the values that it lists."""
        yield "name", self.name
        yield "columns", list(self.columns)

    @property
    def name(self) -> str:
        """The plan's short name: the name of its file without extensions."""
        return self._name

    @property
    def file(self) -> str:
        """The name of the plan's file, or of the plan itself if it has no file."""
        return self._places.file or self._name

    @property
    def folder(self) -> Path:
        """The folder that paths in the plan are relative to."""
        return self._folder

    @property
    def sha256(self) -> str:
        """Digest of what decides what is published.

        That is all keys but `attacks`, `acknowledge` and `engine`.
        """
        return self._sha256

    @property
    def places(self) -> Places:
        """Where the keys of the plan are, for error messages."""
        return self._places

    def where(self, *keys: str | int) -> str:
        """`file:line  key` of a place in the plan, for error messages."""
        return self._places.where(keys)

    @classmethod
    def model_json_schema(cls, *arguments: Any, **options: Any) -> dict[str, Any]:
        """The JSON Schema of plans, short forms included."""
        schema = super().model_json_schema(
            *arguments, **{"schema_generator": PlanSchema, **options}
        )
        for title, definition in schema["$defs"].items():
            tags = [k for k, v in definition.get("properties", {}).items() if "const" in v]
            if tags and title != Optimal.__name__:  # the only method that need not be named
                definition["required"] = [
                    *tags,
                    *sorted({*definition.get("required", [])} - {*tags}),
                ]
        return schema

    @property
    def k(self) -> int:
        """The smallest class size that all models of the plan allow; 1 if none sets a minimum."""
        return max(model.minimum_class_size for model in self.privacy)

    @property
    def least_persons(self) -> int:
        """How many persons must have a value for it to be printed as the end of a range."""
        return max(2, self.k)

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        """The hierarchies of quasi-identifiers and of sensitive attributes that have one."""
        return {
            name: column.hierarchy
            for name, column in self.columns.items()
            if isinstance(column, QuasiIdentifier | SensitiveAttribute)
            and column.hierarchy is not None
        }

    @property
    def is_seeded(self) -> bool:
        """Whether an order of rows depends on the seed and must stay secret."""
        return self.method.is_seeded

    @property
    def bucket_size(self) -> int:
        """The fewest rows of a dealt bucket: the largest class size or number of values needed."""
        about = [m for m in self.privacy if m.sensitive_attribute == self.dealt_attribute]
        return max(self.k, *(model.needed_values for model in about), 1)

    @property
    def has_pseudonyms(self) -> bool:
        """Whether an identifier is published as a keyed hash."""
        return any(
            isinstance(c, Identifier) and c.action == "pseudonym" for c in self.columns.values()
        )

    @property
    def reads_pseudonym_key(self) -> bool:
        """Whether steps read the key of pseudonyms: to make them, or to choose rows of a person."""
        return self.has_pseudonyms or (self.unit is not None and self.unit.rows is not None)

    @property
    def has_random_pseudonyms(self) -> bool:
        """Whether the key of pseudonyms is drawn anew in every run, and kept nowhere."""
        return not self.has_pseudonyms or any(
            isinstance(c, Identifier) and c.key == "random" for c in self.columns.values()
        )

    @property
    def objective(self) -> UtilityMeasure:
        """The measure that the method minimizes; the loss if it minimizes none."""
        return self.method.minimized

    @property
    def label_attribute(self) -> str | None:
        """The column that the objective predicts, if any."""
        return getattr(self.objective, "attribute", None)

    @property
    def counted_columns(self) -> tuple[str, ...]:
        """Further columns of the frequency set, which a model or measure reads."""
        names = [*self.promised_columns, self.label_attribute, self.dealt_attribute]
        return tuple(dict.fromkeys(name for name in names if name is not None))

    @property
    def promised_columns(self) -> tuple[str, ...]:
        """Columns whose values a promise counts or treats as known."""
        names = [model.sensitive_attribute for model in self.privacy]
        if any(model.is_joint for model in self.privacy):
            names += self.sensitive_attributes
        return tuple(dict.fromkeys(name for name in names if name is not None))

    @property
    def promises(self) -> Promises:
        """The privacy models, and what must be counted for them."""
        return Promises(
            models=self.privacy,
            counted=self.counted_columns,
            sensitive=self.sensitive_attributes,
            generalized=tuple(self.quasi_identifiers),
            unit=self.person,
            shares_persons=self.hides_persons,
            population=self.population is not None,
            linked=self.unit is not None and self.unit.is_linked,
        )
