"""The draw of an ordinary run: a share of the cases, and of every kind one."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from sampling import IN_TURN, SAMPLE, TURNS, example_count, kinds, out_of_turn, sample


def case(**parameters: Any) -> list[str]:
    """What a case is by its model and by its method."""
    return kinds(parameters, ("model", lambda each: each["method"][0]))


def test_every_kind_is_kept() -> None:
    told = [case(model=n % 7, method=f"{n % 5} of five") for n in range(70)]
    for seed in range(50):
        kept = sample(told, 0.01, random.Random(seed))
        assert {told[place][0] for place in kept} == {repr(n) for n in range(7)}
        assert {told[place][1] for place in kept} == {repr(str(n)) for n in range(5)}
        assert 7 <= len(kept) <= 11


def test_the_share_is_kept_where_there_are_fewer_kinds() -> None:
    told = [case(model=n % 2, method="one") for n in range(40)]
    assert len(sample(told, 0.25, random.Random(1))) == 10
    assert len(sample(told, 0.01, random.Random(1))) == 2
    assert len(sample([[] for _ in told], 0.01, random.Random(1))) == 3
    assert sample(told, 1, random.Random(1)) == set(range(40))
    assert sample([[], []], 0.1, random.Random(1)) == {0, 1}


def test_every_case_is_drawn_some_day() -> None:
    told = [case(model=n % 3, method="one") for n in range(30)]
    drawn = [sample(told, 0.1, random.Random(f"{day} test")) for day in range(200)]
    assert set().union(*drawn) == set(range(30))
    assert sample(told, 0.1, random.Random("1 test")) == drawn[1]


def test_properties_have_some_examples() -> None:
    assert settings.default is not None
    assert example_count(3) == 3
    assert 5 <= example_count(10) <= 10
    assert example_count(100) == settings.default.max_examples


def test_slow_tests_have_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    names = sorted(f"tests/{name}[{n}]" for name in IN_TURN for n in range(3))
    tried: list[str] = []
    for day in range(TURNS):
        monkeypatch.setenv(SAMPLE, str(day))
        left = {*names} - out_of_turn([*names, "tests/test_lattice.py::test_top"])
        assert abs(len(left) - len(names) / TURNS) < 1
        tried += left
    assert sorted(tried) == names


def test_slow_tests_exist() -> None:
    for name in IN_TURN:
        file, _, function = name.partition("::")
        text = (Path(__file__).parent / file).read_text(encoding="utf-8")
        assert f"\ndef {function}(" in text, name
