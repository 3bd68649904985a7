"""Thresholds of attacks: a plan's `attacks`, exit codes, and that they decide no published row."""

from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

import sqlanon
from sqlanon.attacks.base import AttackRelations, Outcome
from sqlanon.attacks.findings import finding_of
from sqlanon.attacks.membership import Membership
from sqlanon.commands.attack import exit_code
from sqlanon.plan.file import load_plan
from tests.conftest import Command

ROWS = ["block,secret", *["1,flu", "1,cold"] * 5, *["2,flu"] * 3, *["3,gout"] * 7]
"""Ten rows of two values, and ten rows in classes of one: homogeneity puts half of them at risk."""


@pytest.fixture(autouse=True)
def published(folder: Path) -> None:
    (folder / "published.csv").write_text("\n".join(ROWS) + "\n")


def plan(attacks: list[Any] | None = None, **keys: Any) -> dict[str, Any]:
    return {
        "source": "published.csv",
        "columns": {"block": "quasi-identifier", "secret": "sensitive"},
        "privacy": [{"model": "k-anonymity", "k": 2}],
        "publish": "open.csv",
        **({} if attacks is None else {"attacks": attacks}),
        **keys,
    }


def test_a_threshold_is_the_largest_share_that_is_accepted() -> None:
    """Half of the rows are at risk; in the plan, or asked for, a threshold means the same."""
    expected = {0: 1, 0.49: 1, 0.5: 0, 0.51: 0, 1: 0, None: 1}
    attacks: list[dict[str, Any]] = [
        {"name": "homogeneity", "at_most": at_most} for at_most in expected
    ]
    asked = sqlanon.attack("published.csv", plan(), attacks=attacks)
    stated = sqlanon.attack("published.csv", plan(attacks[:-1]))  # where none is stated, it is 0
    for found, attack in zip([*asked, *stated], attacks + attacks[:-1], strict=True):
        code = expected[attack["at_most"]]
        assert exit_code([found], [attack]) == exit_code([found], ()) == code
        assert (found.rows_at_risk, found.rows_not_safe, found.rows) == (10, 10, 20)
        assert found.succeeds is (code == 1)
        assert found.at_most == attack["at_most"]
        assert "at_most" not in found.parameters


def test_a_plan_that_names_attacks_has_these_tried_and_no_others() -> None:
    attacks = ["homogeneity", {"name": "skewness", "gain": 5}]
    found = sqlanon.attack("published.csv", plan(attacks))
    assert [(f.attack, f.at_most) for f in found] == [("homogeneity", 0.0), ("skewness", 0.0)]
    assert found[1].parameters == {"gain": 5}
    found = sqlanon.attack("published.csv", plan(attacks), attacks=["linkage"])
    assert {(f.attack, f.at_most) for f in found} == {("linkage", None)}
    assert len({f.attack for f in sqlanon.attack("published.csv", plan([]))}) == 8


def test_a_threshold_that_cannot_be_compared_fails() -> None:
    halves = [{"name": "homogeneity", "at_most": 0.5}, {"name": "homogeneity", "at_most": 0.1}]
    passes, succeeds = sqlanon.attack("published.csv", plan(halves))
    for attack, expected in (
        ({"name": "linkage", "attacker": "prosecutor", "at_most": 1}, 0),
        ({"name": "linkage", "at_most": 1}, 2),  # the journalist has no population
        ({"name": "similarity"}, 2),
        ({"name": "membership", "at_most": 1}, 2),
    ):
        found = sqlanon.attack("published.csv", plan([attack]))
        assert all(f.tried or f.reason for f in found)
        assert exit_code(found, ()) == exit_code([passes, *found], ()) == expected
        assert exit_code([succeeds, *found], ()) == 1, "an attack that succeeds"
    asked = {"name": "linkage", "threshold": 0.5}  # without a threshold one form is enough
    assert exit_code(sqlanon.attack("published.csv", plan(), attacks=[asked]), [asked]) == 0


def test_every_sensitive_attribute_has_to_be_tried() -> None:
    """A hierarchy of one of two attributes: similarity is tried on this one alone."""
    Path("published.csv").write_text("block,secret,other\n" + "1,flu,a\n1,cold,b\n" * 3)
    Path("tree.csv").write_text("flu,ill,*\ncold,ill,*\n")
    two = plan()
    two["columns"]["secret"] = {"role": "sensitive", "hierarchy": "tree.csv"}
    two["columns"]["other"] = "sensitive"
    for at_most, expected in ((None, 0), (1, 2)):
        attack = {"name": "similarity", "level": 1, "tau": 1, "at_most": at_most}
        found = sqlanon.attack("published.csv", two, attacks=[attack])
        assert [f.tried for f in found] == [True, False]
        assert exit_code([replace(f, succeeds=False) for f in found], [attack]) == expected
        assert exit_code(found[1:], [attack]) == 2


def test_rows_that_are_not_decided_count_as_at_risk() -> None:
    """What the threshold compares is an outcome's `rows_not_safe`, exactly."""
    outcome = Outcome(1, 1, 10, 1, 1, measured={}, rows_not_safe=3)
    relations = AttackRelations(class_key=("block",), classes="classes")
    for at_most, succeeds in ((None, True), ("0.1", True), ("0.29", True), ("0.3", False)):
        attack = Membership(at_most=None if at_most is None else Decimal(at_most))
        found = finding_of(attack, relations, outcome)
        assert found.succeeds is succeeds
        assert (found.share, found.rows_not_safe) == (0.1, 3)


def test_what_contradicts_the_table_or_is_not_in_it_does_not_pass() -> None:
    """A background that rules out every value of a class; a value that is misspelled."""
    known = ["block,secret,weight", "1,flu,0.5", "1,cold,0.5", "3,gout,0", "3,flu,1"]
    Path("known.csv").write_text("\n".join(known) + "\n")
    weights = {"name": "background-knowledge", "knowledge": "weights"}
    found = sqlanon.attack("published.csv", plan([weights]), background="known.csv")
    assert [(f.rows_at_risk, f.rows_not_safe, f.rows) for f in found] == [(0, 20, 20)]
    assert exit_code(found, ()) == 1
    Path("people.csv").write_text("\n".join(["block", *"1" * 10, *"2" * 3, *"3" * 7]) + "\n")
    for value, expected in (("cold", 0), ("clod", 2)):
        attack = {"name": "minimality", "form": "algorithm", "values": [value]}
        found = sqlanon.attack("published.csv", plan([attack]), population="people.csv")
        assert exit_code(found, ()) == expected


def test_attacks_decide_nothing_that_is_published() -> None:
    """A plan is the same with and without them: its digest, its solution, its rows."""
    with_attacks = plan(["linkage", {"name": "homogeneity", "at_most": 0.5}])
    before, after = load_plan(plan()), load_plan(with_attacks)
    assert before.sha256 == after.sha256
    assert before != after
    Path("plan.yml").write_text(yaml.safe_dump(plan()))
    sqlanon.run("plan.yml")
    rows, solution = Path("open.csv").read_bytes(), Path("plan.solution.json").read_bytes()
    Path("plan.yml").write_text(yaml.safe_dump(with_attacks))
    sqlanon.run("plan.yml", sqlanon.Options(locked=True))
    assert Path("open.csv").read_bytes() == rows
    assert Path("plan.solution.json").read_bytes() == solution
    assert sqlanon.diff("plan.yml", "plan.solution.json").is_same


def test_the_gate_says_what_it_compares(command: Command) -> None:
    def called(*arguments: str) -> tuple[int, str]:
        return command("attack", "published.csv", "--plan", "plan.yml", *arguments)[:2]

    gate = [{"name": "homogeneity", "at_most": 0.5}, {"name": "skewness", "at_most": 0.1}]
    Path("plan.yml").write_text(yaml.safe_dump(plan(gate)))
    status, output = called()
    assert status == 1
    may = "10 of 20 rows may be at risk"
    assert f"homogeneity on secret: {may}, within the threshold of 0.5" in output
    assert f"skewness on secret: {may}, more than the threshold of 0.1" in output
    status, output = called("--json", "--set", "attacks.1.at_most=0.5")
    assert status == 0
    assert [(f["at_most"], f["succeeds"]) for f in json.loads(output)] == [(0.5, False)] * 2
    Path("plan.yml").write_text(yaml.safe_dump(plan()))
    assert "  linkage journalist/marketer, membership, minimality: needs --pop" in called()[1]
