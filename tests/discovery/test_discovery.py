"""What is seen of a table before there is a plan: statistics of its columns, and their nature."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from sqlanon.discovery.statistics import ColumnStatistics, TableStatistics, column_statistics
from sqlanon.discovery.vocabulary import is_key_name, reason_to_generalize, reason_to_protect
from tests.discovery.plans import answer
from tests.plan.plans import plan_of
from tests.support.tables import write_csv


def statistics_of(source: str, most_rows: int = 100_000) -> TableStatistics:
    """The statistics of a file."""
    return answer(plan_of(["any"], source), partial(column_statistics, most_rows=most_rows))


def test_statistics_are_those_of_the_rows(tmp_path: Path) -> None:
    draw = random.Random(7)
    words = ["", "a", "a b", "two  words", "0123", "é"]
    rows = [
        [str(i), draw.choice(words), f"{draw.random():.2f}", f"19{draw.randrange(30, 99)}-02-03",
         str(draw.randrange(9)) if i % 7 else "", "0" + str(i % 5)]
        for i in range(1500)
    ]  # fmt: skip
    names = ["id", "Word", "share", "born", "few", "code"]
    found = statistics_of(write_csv(tmp_path / "rows.csv", [names, *rows]))
    assert (found.rows, found.sampled_rows, found.is_whole) == (1500, 1500, True)
    for place, column in enumerate(found.columns):
        values = [row[place] for row in rows if row[place]]
        assert column.name == names[place]
        assert column.missing == 1500 - len(values)
        assert column.distinct == column.sampled_distinct == len(set(values))
        assert column.sampled_once == sum(values.count(value) == 1 for value in set(values))
        assert (column.shortest, column.longest) == (min(map(len, values)), max(map(len, values)))
        assert column.mean_words == pytest.approx(sum(len(v.split()) for v in values) / len(values))
        own = [len(v.split()) for v in set(values)]
        assert column.own_words == pytest.approx(sum(own) / len(own))
    kinds = [column.kind for column in found.columns]
    assert kinds == ["whole", "text", "decimal", "date", "whole", "text"]


def test_a_sample_does_not_depend_on_the_order(tmp_path: Path) -> None:
    """A late value of another kind is seen."""
    rows = [[i % 4000, "abc def" if i % 3 else "x"] for i in range(5000)]
    one, other = (
        statistics_of(write_csv(tmp_path / "rows.csv", [["n", "w"], *ordered]), most_rows=1000)
        for ordered in (rows, rows[::-1])
    )
    assert one == other
    assert (one.rows, one.sampled_rows) == (5000, 1000)
    assert not one["n"].distinct_is_exact
    assert one["n"].distinct == pytest.approx(4000, rel=0.1)
    assert one["w"].mean_words == pytest.approx(5 / 3, rel=0.1)
    late = [[i, "2020-01-01", "1"] for i in range(9000)] + [["x", "never", "1.5"]]
    found = statistics_of(write_csv(tmp_path / "late.csv", [["n", "day", "d"], *late]))
    assert [column.kind for column in found.columns] == ["text", "text", "decimal"]


def column(name: str = "any", rows: int = 1000, **known: Any) -> ColumnStatistics:
    """A column of text, unless other things are known of it."""
    usual = {
        "name": name, "type": "VARCHAR", "rows": rows, "missing": 0, "distinct": 10,
        "distinct_is_exact": True, "shortest": 1, "longest": 9, "numbers": 0, "wholes": 0,
        "dates": 0, "sampled": rows, "sampled_distinct": 10, "sampled_once": 0,
        "mean_words": 1.0, "own_words": 1.0, "padded": 0,
    }  # fmt: skip
    return ColumnStatistics(**{**usual, **known})


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"distinct": 1000}, True),
        ({"distinct": 501}, True),
        ({"distinct": 500}, False),
        ({"distinct": 150, "missing": 800}, True),
        ({"rows": 19, "distinct": 19}, False),
        ({"rows": 0, "distinct": 0}, False),
    ],
)
def test_nearly_unique(known: dict[str, Any], expected: bool) -> None:
    assert column(**known).is_nearly_unique is expected


NOTES = {"distinct": 40, "sampled_distinct": 40, "sampled_once": 39, "own_words": 7.0}
"""Of a thousand rows 39 have a note of their own, and the others say `none`."""


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"distinct": 300, "mean_words": 6.0}, True),
        ({"distinct": 300, "longest": 140}, True),
        ({"distinct": 300, "mean_words": 3.9}, False),
        ({"distinct": 50, "mean_words": 9.0}, False),  # labels
        ({"distinct": 300, "mean_words": 6.0, "missing": 500}, True),
        ({**NOTES}, True),
        ({**NOTES, "own_words": 3.9}, False),
        ({**NOTES, "sampled_once": 20}, False),  # labels, which repeat
        ({**NOTES, "rows": 40_000}, False),  # rare labels
    ],
)
def test_free_text(known: dict[str, Any], expected: bool) -> None:
    assert column(**known).is_free_text is expected


KEYS = """patient_id PatientID PATIENT customerNo imei Versicherten-Nr device_id KVNR BSN nss
id_patient Versichertennummer Kundennr numero_securite_sociale numéro~de~sécurité~sociale
NumeroPaciente codice_fiscale id_assistito klantnummer PersNr Pers.-Nr. PersonalID MA-Nr EmpNo
emp_id Badge matricule Legajo n_socio n_tessera Ausweis"""
OTHERS = """Fallnummer numero_facture zip_code product_code account device visit_id doctor_id id
patient_age diagnosis reg badge_color person_count"""


def test_names_of_persons_keys() -> None:
    for names, expected in ((KEYS, True), (OTHERS, False)):
        for name in (each.replace("~", " ") for each in names.split()):
            assert is_key_name(name) is expected, name
            assert column(name, distinct=300).is_repeating_key is expected, name
    assert not is_key_name("")


@pytest.mark.parametrize(
    ("name", "rows", "few", "many"),
    [("patient_id", 1000, 20, 909), ("KVNR", 40, 3, None), ("KVNR", 200, 10, None),
     ("member", 1_000_000, 1000, None)],  # those of fewer are groups
)  # fmt: skip
def test_a_persons_key_repeats(name: str, rows: int, few: int, many: int | None) -> None:
    """From how few values in so many rows a column is one, and to how many."""
    counts = (few - 1, few) if many is None else (few - 1, few, many, many + 1)
    found = [column(name, rows=rows, distinct=count).is_repeating_key for count in counts]
    assert found == [False, True, True, False][: len(counts)]


ABOUT = {
    "money": "Inkomensklasse Einkommensklasse Gehaltsband credit_score",
    "health": "Diagnosegruppe Krankheitsgruppe reason_for_visit",
    "belief": "score test_score Hist-géo",
    "a circumstance of life": "Estado~civil estado_civil Uren~per~week Schulklasse",
    "age or birth": "Né(e)~le Altersgruppe",
    "a place": "estado pcode",
    "nothing": "reason Gruppe",
}


def test_what_names_are_about() -> None:
    """Sensitive groups go first, and joined names before their words; many titles are of books."""
    for about, names in ABOUT.items():
        for name in (each.replace("~", " ") for each in names.split()):
            known = reason_to_generalize(name) or (0, "nothing")
            assert (reason_to_protect(name) or known[1]).startswith(about), name
    assert reason_to_generalize("Titel", 20) == (1, "sex, which everybody knows")
    assert reason_to_generalize("Titel", 21) is None
