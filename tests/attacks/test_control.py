"""The control of attacks: what they get right of people whose rows were kept out of the run."""

from __future__ import annotations

import json
import math
import random
import re
from pathlib import Path
from typing import Any

import pytest

import sqlanon
from sqlanon.attacks.control import excess, success_rate
from sqlanon.errors import PlanError
from tests.conftest import Command
from tests.plan import plans
from tests.support.tables import write_records


@pytest.mark.parametrize(
    ("right", "trials", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611),
     (1, 29, 0.0061, 0.1718)],
)  # fmt: skip
def test_intervals_are_those_of_newcombe(right: int, trials: int, low: float, high: float) -> None:
    """Newcombe 1998, Two-sided confidence intervals for the single proportion, table I, method 3.

    They are also where (p - observed)^2 is as many squared deviations as 95 % allow.
    """
    rate = success_rate(right, trials)
    assert round(rate.value - rate.error, 4) == low
    assert round(rate.value + rate.error, 4) == high
    for p in (rate.value - rate.error, rate.value + rate.error):
        deviations = (p - right / trials) ** 2 / (p * (1 - p) / trials) if p > 1e-12 else 1.96**2
        assert deviations == pytest.approx(1.96**2, rel=1e-3)


def test_excess_is_zero_where_the_control_is_as_good() -> None:
    same = success_rate(30, 100)
    assert excess(same, same).value == 0
    assert excess(success_rate(10, 100), same).value == 0
    found = excess(success_rate(100, 100), success_rate(0, 100))
    assert 0.9 < found.low < found.value < found.high == 1
    # by hand, of 60 of 100 and 20 of 100: the middles 0.5963 and 0.2111, half the widths 0.0942
    # and 0.0778; (0.5963 - 0.2111) / 0.7889, and the error by both slopes
    found = excess(success_rate(60, 100), success_rate(20, 100))
    error = math.hypot(0.09424 / 0.78890, 0.07777 * 0.40370 / 0.78890**2)
    assert found.value == pytest.approx(0.48827, abs=1e-4)
    assert found.high - found.value == pytest.approx(error, abs=1e-4)


JOBS = {"clerk": "indoors", "nurse": "indoors", "smith": "outdoors"}


def people(count: int, seed: int) -> list[dict[str, str]]:
    """Rows in which the job depends on the age: it can be inferred of anybody, but for a few."""
    draw = random.Random(seed)
    rows = []
    for _ in range(count):
        age = draw.randint(20, 59)
        usual = [*JOBS][(age - 20) // 14]
        job = usual if draw.random() < 0.97 else draw.choice([*JOBS])
        rows.append({"age": str(age), "sex": draw.choice("FM"), "job": job})
    return rows


def write(name: str, rows: list[dict[str, str]]) -> None:
    write_records(rows, name, ";")
    Path("jobs.csv").write_text("".join(f"{job},{place},*\n" for job, place in JOBS.items()))


def plan_of(**keys: Any) -> dict[str, Any]:
    columns = {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [2, 4, 20]}},
        "sex": "quasi-identifier",
        "job": {"role": "sensitive", "hierarchy": {"file": "jobs.csv"}},
    }
    promises = [{"model": "k-anonymity", "k": 5}]
    return plans.plan_of(columns, {"path": "run.csv", "delimiter": ";"}, privacy=promises, **keys)


def fits(label: str, value: str) -> bool:
    """Whether a published label covers a value, read as a reader would."""
    found = re.fullmatch(r"([\[(])(\d+), (\d+)([\])])", label)
    if found is None:
        return label in ("*", value) or value in re.findall(r"[^{}, ]+", label)
    low, high, end = int(found[2]), int(found[3]), found[4]
    return low <= int(value) < high or (end == "]" and int(value) == high)


def disclosed(attack: dict[str, Any], jobs: list[str], table: list[str]) -> set[str]:
    """What an attack takes for the job of anybody in a class of these jobs."""
    if attack["name"] == "skewness":
        least = {job: attack["gain"] * table.count(job) * len(jobs) for job in JOBS}
        return {job for job in JOBS if jobs.count(job) * len(table) > least[job]}
    if attack["name"] == "linkage":  # whoever it is, the attacker takes the person for one of them
        return {*JOBS} if len(jobs) * attack["threshold"] < 1 else set()
    meant = JOBS if attack["name"] == "similarity" else dict(zip(JOBS, JOBS, strict=True))
    labels = [meant[job] for job in jobs]
    return {job for job in JOBS if labels.count(meant[job]) >= attack["tau"] * len(jobs)}


ATTACKS: list[dict[str, Any]] = [
    *({"name": "homogeneity", "tau": tau} for tau in (1, 0.9, 0.5)),
    {"name": "similarity", "tau": 0.9},
    {"name": "skewness", "gain": 1.5},
    {"name": "linkage", "attacker": "prosecutor", "threshold": 0.08},
]
REFINED = {"method": {"name": "optimal", "passes": "auto", "refine": True}}
KEYS: list[Any] = [{}, {"suppression": {"limit": 0.2}}, {"method": "mondrian"}, REFINED]


@pytest.mark.parametrize("keys", KEYS, ids=str)
def test_the_control_counts_what_is_guessed_of_rows_that_were_kept_out(
    keys: dict[str, Any],
) -> None:
    """Of few rows, some labels are nobody's."""
    write("run.csv", people(300, 1))
    published = sqlanon.run(plan_of(**keys)).records()
    classes: dict[tuple[str, str], list[str]] = {}
    for row in published:
        classes.setdefault((row["age"], row["sex"]), []).append(row["job"])
    table = [row["job"] for row in published]
    for kept in (people(200, 2), people(15, 2)):
        # columns that the plan does not have may be called as those of a step
        write("kept.csv", [{**row, "value_1": "all", "secret": "all"} for row in kept])
        findings = sqlanon.attack(
            "out.parquet", plan_of(**keys), hold_out="kept.csv", attacks=ATTACKS
        )
        for found, attack in zip(findings, ATTACKS, strict=True):
            assert found.attack == attack["name"]
            guessed = {key: disclosed(attack, jobs, table) for key, jobs in classes.items()}
            right = 0
            for row in kept:
                fitting = [k for k in classes if fits(k[0], row["age"]) and fits(k[1], row["sex"])]
                right += bool(fitting) and all(row["job"] in guessed[key] for key in fitting)
            at_risk = sum(row["job"] in guessed[row["age"], row["sex"]] for row in published)
            assert found.rows_at_risk == at_risk
            measured = found.measured or {}
            assert (measured["held_out"], measured["held_out_guessed"]) == (len(kept), right)
            assert right
            rates = success_rate(at_risk, len(published)), success_rate(right, len(kept))
            risk = [measured[name] for name in ("excess", "excess_low", "excess_high")]
            assert risk == pytest.approx(list(excess(*rates)))


@pytest.mark.parametrize("population", [None, "all.csv"])
def test_rows_that_were_kept_out_fit_labels_of_values_that_others_lack(
    population: str | None,
) -> None:
    """Nobody else is 40 or older, and nobody who was kept out is a man; `*` is everybody's."""
    released = {"sex": "*", "age": "*", "job": "clerk"}
    others = [] if population else [{"sex": "M", "age": "[20, 22)", "job": "nurse"}] * 4
    write_records([*[released] * 4, *others], "pub.csv", ",")
    write_records([{"age": "30", "sex": "F"}] * 4, "all.csv", ",")
    write("kept.csv", [{"age": age, "sex": "F", "job": "clerk"} for age in ("40", "41")])
    attacks: list[dict[str, Any]] = [{"name": "homogeneity", "tau": 1}]
    if population:
        linkage = {"name": "linkage", "attacker": "journalist"}
        attacks = [{"name": "membership", "dmax": 0.6}, linkage]
    findings = sqlanon.attack(
        "pub.csv", plan_of(), attacks=attacks, hold_out="kept.csv", population=population
    )
    assert [(one.measured or {})["held_out_guessed"] for one in findings] == [2] * len(attacks)


def test_what_cannot_be_compared_is_refused(command: Command) -> None:
    write("run.csv", people(300, 1))
    sqlanon.run(plan_of())
    write("kept.csv", [{"age": "30", "sex": "F", "jobs": "clerk"}])
    of_persons = plan_of(unit={"column": "id", "count": "none"})
    of_persons["columns"]["id"] = "identifier"
    with pytest.raises(PlanError, match="no column 'job'") as error:
        sqlanon.attack("out.parquet", plan_of(), hold_out="kept.csv")
    assert "Did you mean 'jobs'?" in error.value.fix
    Path("plan.yml").write_text(json.dumps(plan_of()), "utf-8")
    ended = command("attack", "out.parquet", "--plan", "plan.yml", "--hold-out", "kept.csv")
    assert (ended.code, "no column 'job'" in ended.err) == (2, True)
    with pytest.raises(PlanError, match="with `unit`"):
        sqlanon.attack("out.parquet", of_persons, hold_out="kept.csv")
    write("kept.csv", people(10, 2))
    with pytest.raises(PlanError, match="No attack that was tried"):
        sqlanon.attack("out.parquet", plan_of(), hold_out="kept.csv", attacks=["minimality"])
