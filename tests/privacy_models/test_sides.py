"""What is measured of a promise with two bounds: each of them, and both decide."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import duckdb
import pytest
from typer.testing import CliRunner

import sqlanon
from sqlanon.cli.options import app
from sqlanon.privacy_models import PRIVACY_MODELS
from sqlanon.privacy_models.base import ClassRelations, PrivacyModel
from sqlanon.sql.render import render
from tests.oracles.class_relations import Class, Tables, build
from tests.oracles.models import KNOWN

MODELS = {cls.model_fields["model"].default: cls for cls in PRIVACY_MODELS}
VALUES = ("1", "2", "10.5", "x", None)

Sides = Mapping[str, Any]
TWO_SIDED = {name: known for name, known in KNOWN.items() if hasattr(known.module, "of_bounds")}


def measured(connection: duckdb.DuckDBPyConnection, model: PrivacyModel) -> tuple[Sides, Any, int]:
    """The sides, the deciding measure, and the number of failing classes."""
    column, aggregate = model.deciding_measure
    sql = render(
        "proof/measured.sql",
        name="measured",
        classes="classes",
        class_key=["class"],
        model_sql=model.sql(
            ClassRelations(
                class_key=["class"],
                classes="classes",
                class_values="class_values",
                table_values="table_values",
            )
        ),
        column=column,
        aggregate=aggregate,
        sides=model.bounds_measured,
    )
    ((reported, _, failing, _, *sides),) = connection.execute(sql).fetchall()
    return dict(zip(model.bounds_measured, sides, strict=True)), reported, failing


@pytest.mark.sampled(0.1)
@pytest.mark.parametrize("name", TWO_SIDED)
def test_both_sides_are_those_of_brute_force_and_decide(
    name: str, connection: duckdb.DuckDBPyConnection
) -> None:
    known = TWO_SIDED[name]
    held = 0
    for seed in range(45):
        draw = random.Random(f"{name} {seed}")
        classes = []
        for _ in range(draw.choice([1, 2, 3])):
            values = tuple(draw.choices(VALUES, k=draw.choice([2, 4, 6, 9])))
            values = (*values, *draw.choice([(), ("1", "2", "10.5")]))
            classes.append(Class(values, len(values) + draw.choice([0, 1, 3, 9])))
        build(connection, Tables({("p", f"{n}"): c for n, c in enumerate(classes)}))
        given = known.module.BOUNDS[""](draw)
        attribute = {"attribute": "s"} if known.about_values else {}
        model = MODELS[name].model_validate({**attribute, **given})
        expected, holds = known.module.of_bounds(model, classes)
        sides, reported, failing = measured(connection, model)
        assert sides == pytest.approx({k: float(v) for k, v in expected.items()}), (seed, given)
        assert (failing == 0) == holds, (seed, given)
        if name != "l-diversity":
            assert reported in sides.values()
        held += holds
    assert 2 < held < 43


def test_only_these_promises_have_two_sides() -> None:
    reference = {name: cls.reference_bounds[-1] for name, cls in MODELS.items()}
    two_sided = {name for name, given in reference.items() if MODELS[name](**given).bounds_measured}
    assert two_sided == TWO_SIDED.keys() - {"l-diversity"}


# --- where it is reported


@pytest.fixture
def drugs() -> dict[str, Any]:
    """TUM seminar on l-diversity, Table 3: two blocks of six; (4/6, 6)-anonymous."""
    blocks = {1: ["Tamoxifen"] * 4 + ["E", "C"], 2: ["Pepcid"] * 3 + ["S", "S", "C"]}
    lines = [f"{block},{drug}" for block, values in blocks.items() for drug in values]
    Path("drugs.csv").write_text("\n".join(["block,drug", *lines]) + "\n")
    return {
        "source": "drugs.csv",
        "columns": {
            "block": {"role": "quasi-identifier", "hierarchy": {"mask": {}}},
            "drug": "sensitive",
        },
        "privacy": [
            {"model": "alpha-k-anonymity", "alpha": 0.7, "k": 3},
            {"model": "k-anonymity", "k": 3},
        ],
        "publish": "published.csv",
    }


def test_manifest_and_terminal_tell_both_sides(drugs: dict[str, Any]) -> None:
    """Of a promise with one bound there are none."""
    both, one = sqlanon.run(drugs).manifest["privacy"]
    assert both["measured"] == pytest.approx(4 / 6)
    assert both["measured_sides"] == {"alpha": pytest.approx(4 / 6), "k": 6}
    assert one["measured"] == 6
    assert "measured_sides" not in one
    finding, _ = sqlanon.verify("published.csv", drugs)
    assert finding.measured_sides == {"alpha": pytest.approx(4 / 6), "k": 6}
    Path("published.yml").write_text(json.dumps(drugs))
    shown = CliRunner().invoke(app, ["run", "published.yml"])
    assert "alpha 0.666667, k 6 holds" in " ".join(shown.output.split())
    listed = ["verify", "published.csv", "--plan", "published.yml"]
    shown = CliRunner().invoke(app, listed)
    assert "alpha 0.666667, k 6" in " ".join(shown.output.split())
    as_json = CliRunner().invoke(app, [*listed, "--json"])
    assert json.loads(as_json.stdout)[0]["measured_sides"]["k"] == 6
    drugs["privacy"] = [{"model": "alpha-k-anonymity", "alpha": 0.7, "k": 7}]
    Path("published.yml").write_text(json.dumps(drugs))
    shown = CliRunner().invoke(app, [*listed, "--no-manifest"])
    assert "measured alpha 0.666667, k 6" in str(shown.exception)


def test_in_joint_mode_the_sides_are_of_the_parts() -> None:
    """Who knows the ward knows the part of the class: of wards x and y it has three values."""
    rows = [("x", 1), ("x", 5), ("x", 9), ("x", 9), ("y", 2), ("y", 3), ("y", 11)]
    lines = [f"1,{ward},{amount}" for ward, amount in rows]
    Path("rows.csv").write_text("\n".join(["zip,ward,amount", *lines]) + "\n")
    plan = {
        "source": "rows.csv",
        "columns": {"zip": "quasi-identifier", "ward": "sensitive", "amount": "sensitive"},
        "privacy": [
            {"model": "k-e-anonymity", "attribute": "amount", "mode": "joint", "k": 2, "e": 5}
        ],
        "publish": "published.csv",
    }
    (finding,) = sqlanon.verify("rows.csv", plan)
    assert finding.satisfied
    assert finding.measured_sides == {"k": 3, "e": 8}
