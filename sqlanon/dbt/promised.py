"""The promises of a plan as calls of the dbt package: tests in YAML, guards in hooks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from sqlanon.dbt.project import JINJA, Relation, literal
from sqlanon.errors import PlanError, brief
from sqlanon.plan.plan import Plan
from sqlanon.privacy_models.base import PrivacyModel
from sqlanon.sql.render import CONTROL

APART = ("model", "attribute", "mode", "reference")
"""Fields of models that are not arguments of their own: `table` says what a reference is."""


class Related(NamedTuple):
    """The relations that tests read beside the candidate."""

    rows: Relation  # that the promises are about
    population: Relation | None  # with the labels of the candidate
    # by sensitive attribute the seed of its hierarchy, and its columns of levels
    hierarchies: Mapping[str, tuple[Relation, list[str]]]
    # columns of tables whose labels are looked up: the table, the column, the seed
    labels: list[tuple[Relation, str, Relation]]


class Call(NamedTuple):
    """A test of the package and its arguments, which are also those of its guard."""

    name: str  # of the test in the project, without the model
    test: str
    arguments: Mapping[str, Any]

    @property
    def relations(self) -> list[Relation]:
        """The relations that it reads beside the model."""
        return [value for value in self.arguments.values() if isinstance(value, Relation)]

    def in_yaml(self, model: str) -> dict[str, Any]:
        """The test of a model, as the YAML file of models has it."""
        arguments = {name: _plain(value) for name, value in self.arguments.items()}
        return {
            f"sqlanon.{self.test}": {
                "name": f"{model}__{self.name}",
                "arguments": arguments,
                "config": {"severity": "error"},
            }
        }

    def guard(self, model: Relation) -> str:
        """The guard of a model, as a call in Jinja."""
        arguments = "".join(f", {name}={literal(value)}" for name, value in self.arguments.items())
        return f"sqlanon.guard_{self.test}({model}{arguments})"


def calls_of(plan: Plan, related: Related) -> list[Call]:
    """The tests of a plan: its promises, its limit of suppression, and its labels."""
    calls = []
    for name, model in zip(plan.promises.names, plan.privacy, strict=True):
        test, arguments = test_of(model.model), _arguments(plan, model, related)
        if model.compares_with_published:
            calls.append(Call(f"{name}_in_published", test, arguments))
        if model.compares_with_table:
            arguments = {**arguments, "table": related.rows}
        calls.append(Call(name, test, arguments))
    share = (plan.suppression.limit or 0) if plan.may_suppress else 0
    arguments = {"table": related.rows, "max_share": share}
    calls.append(Call("suppression", "suppression", arguments))
    for number, (table, column, seed) in enumerate(related.labels, start=1):
        arguments = {"column": column, "hierarchy": seed, "table": table}
        calls.append(Call(f"labeled_{number}", "labeled", arguments))
    _check(plan, list(plan.published_columns))  # the YAML file of the models names all of them
    for call in calls:
        for value in call.arguments.values():
            _check(plan, value)
    return calls


def test_of(model: str) -> str:
    """The name of the test of a model."""
    return model.replace("-", "_")


def _arguments(plan: Plan, model: PrivacyModel, related: Related) -> dict[str, Any]:
    """The arguments of the test of a model, without the table that it compares with."""
    arguments: dict[str, Any] = {"quasi_identifiers": list(plan.form.class_key)}
    attribute = model.sensitive_attribute
    if attribute is not None:
        arguments["attribute"] = attribute
    fields = [each for each in type(model).model_fields.items() if each[0] not in APART]
    for name, field in sorted(fields, key=lambda each: not each[1].is_required()):
        value = getattr(model, name)
        if field.is_required() or value != field.default:
            arguments[name] = list(value) if isinstance(value, tuple) else value
    if model.is_joint:
        others = [name for name in plan.promises.sensitive if name != attribute]
        arguments |= {"mode": "joint", "known": others}
    if model.needs_value_levels and attribute is not None:
        seed, levels = related.hierarchies[attribute]
        arguments |= {"hierarchy": seed, "levels": levels}
    if model.needs_population:
        arguments["population"] = related.population
    if plan.person is not None:
        arguments["unit"] = plan.person
    return arguments


def _check(plan: Plan, value: Any) -> None:
    """Check that dbt reads a value of a YAML file as it is."""
    for each in value if isinstance(value, list) else [value]:
        if isinstance(each, str) and not isinstance(each, Relation):
            called = re.match(r"\s*(env_var|ref|var|source|doc)\s*\(", each)
            if JINJA.search(each) or called or CONTROL.search(each):
                raise PlanError(
                    "dbt would take the name of a column or a listed value for Jinja."
                    if JINJA.search(each) or called
                    else "dbt would change a line break in the name of a column or a listed value.",
                    where=brief(plan.file),
                    fix="rename the column in a `source: {query: …}`; or run the plan with"
                    " `sqlanon run`",
                )
        elif isinstance(each, Decimal) and Decimal(repr(float(each))) != each:
            raise PlanError(
                "dbt would round a number of a promise.",
                where=plan.where("privacy"),
                fix="write it with 15 digits or fewer",
            )


def _plain(value: Any) -> Any:
    """A value as YAML has it."""
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else float(value)
    return str(value) if isinstance(value, str) else value


def hooks(calls: list[Call], model: Relation) -> Iterator[str]:
    """The guards as strings of Jinja that hold Jinja."""
    for call in calls:
        yield literal(f"{{{{ {call.guard(model)} }}}}", '"')
