"""What every privacy model is: parameters, two monotonicity flags, one template of its name.

The template reads `classes` (class key, class_size) and, for models of sensitive attributes,
`class_values`; it returns one row per class with the model's measure and `satisfied`, never null.
Search, release, verify and attack all use that one text; none of them knows a model's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from sqlanon.render import render


class PrivacyModel(BaseModel):
    """A promise about every equivalence class of a publication.

    Attributes:
        monotone_under_generalization: a node that holds it has only ancestors that hold it.
        monotone_under_suppression: still so when failing classes are suppressed, that is, the
            number of suppressed rows never rises on the way up. Only then may a search prune.
        measure: the column of the template that the manifest reports, and whether the smallest
            or the largest class value is the one that decides.
        source: the paper.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    monotone_under_generalization: ClassVar[bool]
    monotone_under_suppression: ClassVar[bool]
    measure: ClassVar[tuple[str, Literal["min", "max"]]]
    source: ClassVar[str]

    @property
    def template(self) -> str:
        """File of the model's SQL, below `sql_templates/`."""
        return f"privacy_models/{self.model.replace('-', '_')}.sql"

    @property
    def parameters(self) -> dict[str, Any]:
        """The model's own parameters, as the plan gives them."""
        return self.model_dump(exclude={"model"}, mode="json")

    @property
    def minimum_class_size(self) -> int:
        """Rows that a class needs at least, whatever is in it; 1 when the model does not say."""
        return 1

    @property
    def promise(self) -> str:
        """One sentence: what a publication that holds the model guarantees."""
        raise NotImplementedError  # pragma: no cover - every model states its own

    def feasible(self, measured: float) -> str:
        """What could be asked for where a single class of all rows measures this."""
        return f"{self.model} with a parameter that {measured} meets"

    def sql(self, *, classes: str, class_key: Sequence[str]) -> str:
        """The model's select over `classes`, one row per class: key, class_size, satisfied."""
        return render(
            self.template,
            classes=classes,
            class_key=list(class_key),
            promise=self.promise,
            source=self.source,
            **self.model_dump(exclude={"model"}),
        )
