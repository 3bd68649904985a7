"""The draw of an ordinary run: a share of the cases, and of every kind one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from sampling import IN_TURN, SAMPLE, TURNS, example_count, kinds, ordinary, out_of_turn, sample


def case(**parameters: Any) -> list[str]:
    """What a case is by its model and by its method."""
    return kinds(parameters, ("model", lambda each: each["method"][0]))


def test_every_kind_is_kept() -> None:
    told = [case(model=n % 7, method=f"{n % 5} of five") for n in range(70)]
    for turn in range(50):
        kept = sample(told, 0.01, turn, "test")
        assert {told[place][0] for place in kept} == {repr(n) for n in range(7)}
        assert {told[place][1] for place in kept} == {repr(str(n)) for n in range(5)}
        assert 7 <= len(kept) <= 12


def test_the_share_is_kept_where_there_are_fewer_kinds() -> None:
    told = [case(model=n % 2, method="one") for n in range(40)]
    assert len(sample(told, 0.25, 1, "test")) == 10
    assert len(sample(told, 0.01, 1, "test")) == 2
    assert len(sample([[] for _ in told], 0.01, 1, "test")) == 1
    assert sample(told, 1, 1, "test") == set(range(40))
    assert len(sample([[], []], 0.1, 1, "test")) == 1


def test_every_case_is_drawn_in_its_turn() -> None:
    for count in (1, 2, 3, 9, 10, 11, 30, 37):
        for share in (0.08, 0.1, 0.15, 0.3, 0.5):
            told: list[list[str]] = [[] for _ in range(count)]
            turns = [sample(told, ordinary(share), turn, "test") for turn in range(739940, 739980)]
            for start in range(20):
                days = 2 * TURNS + 6 if share < 1 / TURNS else 2 * TURNS - 1
                assert set().union(*turns[start : start + days]) == set(range(count))
            assert max(map(len, turns)) - min(map(len, turns)) <= 1
    assert sample(told, 0.1, 1, "test") != sample(told, 0.1, 1, "another test")


def test_no_case_is_left_out_of_the_turns_from_the_first_to_the_last() -> None:
    told: list[list[str]] = [[] for _ in range(37)]
    drawn = [sample(told, 0.1, turn, "test") for turn in range(2 * TURNS)]
    for turns in (drawn[:TURNS], drawn[TURNS:]):
        assert sorted(place for kept in turns for place in kept) == list(range(37))
    assert drawn[:TURNS] != drawn[TURNS:]


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
