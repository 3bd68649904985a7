"""Plans that are written in Python: the same checks, digests and content as in YAML."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

import sqlanon
from sqlanon import (
    InsensitiveAttribute,
    Intervals,
    KAnonymity,
    LDiversity,
    Mask,
    Mondrian,
    Plan,
    QuasiIdentifier,
    SensitiveAttribute,
)
from sqlanon.errors import PlanError
from sqlanon.hierarchies import HIERARCHY_KINDS
from sqlanon.methods import METHODS
from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.registry import default_of
from tests.oracles import hierarchies as kinds
from tests.oracles import models

IN_YAML = """
columns:
  name: {role: identifier, action: pseudonym, key: random}
  age: {role: quasi-identifier, hierarchy: {intervals: [5, 10]}}
  zip: {role: quasi-identifier, hierarchy: {mask: {characters: 3}}, weight: 2}
  sex: quasi-identifier
  ward: insensitive
  disease: sensitive
privacy:
  - {model: k-anonymity, k: 5}
  - {model: l-diversity, kind: entropy, l: 2.5}
method: {name: mondrian, cut: median}
suppression: {limit: 0.02}
publish: open.parquet
"""


def in_python() -> Plan:
    return Plan(
        columns={
            "name": sqlanon.Identifier("pseudonym", key="random"),
            "age": QuasiIdentifier(Intervals(5, 10)),
            "zip": QuasiIdentifier(hierarchy=Mask(characters=3), weight=2),
            "sex": QuasiIdentifier(),
            "ward": InsensitiveAttribute(),
            "disease": SensitiveAttribute(),
        },
        privacy=[KAnonymity(5), LDiversity(2.5, kind="entropy")],
        method=Mondrian(cut="median"),
        suppression={"limit": 0.02},
        publish="open.parquet",
    )


def test_a_plan_of_objects_is_the_plan_of_its_yaml() -> None:
    plan = in_python()
    stated = sqlanon.load_plan(yaml.safe_load(IN_YAML))
    assert plan == stated
    assert plan.sha256 == stated.sha256
    assert plan.folder == Path.cwd()
    for each in (plan, stated):
        age = each.columns["age"]
        assert isinstance(age, QuasiIdentifier)
        assert isinstance(age.hierarchy, Intervals)
        assert [type(part) for part in (*each.privacy, each.method)] == [
            KAnonymity, LDiversity, Mondrian,
        ]  # fmt: skip
    with_source = f"source: {{table: temp.source_data}}{IN_YAML}"
    assert Plan.from_yaml(with_source) == plan
    with pytest.raises(PlanError, match="'source' is missing"):
        Plan.from_yaml(IN_YAML)
    written = yaml.safe_load(plan.to_yaml())
    expected = yaml.safe_load(with_source)
    expected["privacy"][1]["attribute"] = "disease"  # the only one, which the plan has found
    assert written == expected
    assert json.loads(plan.to_json()) == expected


def test_columns_of_any_name_are_written() -> None:
    names = ("name", "role", "no", "2024", "null", "<script>", "a: b", "é")
    columns = dict.fromkeys(names, "quasi-identifier")
    plan = Plan(columns=columns, privacy=[KAnonymity(2)], publish="o.csv")
    assert Plan.from_yaml(plan.to_yaml()) == plan
    assert tuple(Plan.from_yaml(plan.to_json()).columns) == names


CLASSES: list[Any] = [
    sqlanon.Identifier, QuasiIdentifier, SensitiveAttribute, InsensitiveAttribute,
    *METHODS, *PRIVACY_MODELS,
]  # fmt: skip


def test_a_public_class_takes_its_keys_and_has_their_defaults() -> None:
    for part in (*CLASSES, *HIERARCHY_KINDS.values()):
        assert getattr(sqlanon, part.__name__) is part
    tags = {"role", "model", "name"}
    for part in CLASSES:
        parameters = inspect.signature(part).parameters
        assert parameters.keys() - tags == part.model_fields.keys() - tags
        required = {name for name, field in part.model_fields.items() if field.is_required()}
        defaults = {parameters[name].default for name in required & parameters.keys()}
        assert defaults <= {inspect.Parameter.empty}, part
        assert required or part() == part.model_validate({})


def test_objects_check_their_parameters_and_plans_as_yaml_does() -> None:
    made: list[tuple[Callable[[], Any], str]] = [
        (lambda: KAnonymity(0), "k cannot be 0"),
        (lambda: Intervals(), "widths is empty"),
        (lambda: Mask("top"), "mask.side cannot be 'top'"),  # type: ignore[arg-type]
        (lambda: QuasiIdentifier(5), "is not a hierarchy"),  # type: ignore[arg-type]
        (lambda: QuasiIdentifier(object()), "which a plan cannot hold"),  # type: ignore[arg-type]
        (lambda: Mondrian(cutt=1), "'cutt'.\nFix: Did you mean 'cut'"),  # type: ignore[call-arg]
        (lambda: sqlanon.Optimal("nc"), "Unknown objective 'nc'"),
    ]
    for make, message in made:
        with pytest.raises(PlanError, match=message):
            make()
    stated: dict[str, Any] = {
        "columns": {"age": QuasiIdentifier()},
        "privacy": [KAnonymity(5)],
        "publish": "open.csv",
    }
    changes: list[dict[str, Any]] = [
        {"columns": {}}, {"privacy": KAnonymity(5)}, {"columns": {"age": KAnonymity(5)}},
        {"publish": "x.xlsx"}, {"supression": {}}, {"method": "mondrain"}, {"unit": "nobody"},
    ]  # fmt: skip
    for change in changes:
        with pytest.raises(PlanError) as of_objects:
            Plan(**{**stated, **change})
        with pytest.raises(PlanError) as of_mapping:
            sqlanon.load_plan({**stated, **change})
        assert str(of_objects.value) == str(of_mapping.value)
    with pytest.raises(PlanError):
        Plan(**stated, name="a/b")
    replaced = {"method": sqlanon.Optimal("ncp"), "privacy": [KAnonymity(3)]}
    plan = sqlanon.load_plan(in_python(), replaced)
    assert (plan.k, plan.method.name, plan.objective.name) == (3, "optimal", "ncp")


# --- round trip

RULES = [kind.rule for kind in kinds.KINDS.values()]
NUMBERS = st.decimals("0.000001", "1", places=25)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Plans with any model, method and hierarchy, and with numbers of many digits."""
    rules = draw(st.lists(st.sampled_from([None, *RULES]), min_size=1, max_size=3))
    names = draw(st.lists(st.text("ab:#'\"-é 01<>&", min_size=1), min_size=3, max_size=3,
                          unique_by=str.lower))  # fmt: skip
    read: dict[str, Any] = {
        f"{name}_{number}": QuasiIdentifier(rule, weight=draw(st.sampled_from([1, 0.25, 3])))
        for number, (name, rule) in enumerate(zip(names, rules, strict=False))
    }
    read |= {"s": SensitiveAttribute({"mask": "left"}), "n": "insensitive"}
    promises = draw(st.lists(st.one_of(*models.RANDOM_MODELS.values()), min_size=1, max_size=2))
    try:
        return Plan(
            columns=read,
            privacy=[*promises, sqlanon.TCloseness(draw(NUMBERS), "s")],
            publish="there/open.csv",
            method={"name": default_of(draw(st.sampled_from([*METHODS])), "name")},
            population="people.parquet",
            time_zone="Europe/Berlin",
            suppression=draw(st.sampled_from([None, {"limit": Decimal("0.123456789")}])),
            attacks=draw(st.sampled_from([[], ["linkage"], [{"name": "skewness", "gain": "1.1"}]])),
        )
    except PlanError:
        assume(False)
        raise


@given(plan=plans())
def test_plans_survive_yaml_and_json(plan: Plan) -> None:
    for text in (plan.to_yaml(), plan.to_json()):
        again = Plan.from_yaml(text)
        assert again == plan
        assert again.sha256 == plan.sha256
    assert sqlanon.load_plan(plan.content()) == plan
    assert sqlanon.load_plan(plan, {"missing": "value"}) == plan
