"""`init` on a table as hospitals have it, in German: its roles, and what `run` publishes.

The table is invented, the same each time. Which roles are right is decided column by column, as the
officer who publishes the table would, from what the column says: not from what `init` proposes.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import sqlanon
from tests.discovery.plans import keys_of

Value = TypeVar("Value")

COLUMNS = """
Fallnummer:i KVNR:iu Nachname:i Vorname:i Telefon:iu Geburtsdatum:q! Geschlecht:q! PLZ:q! Wohnort:q
Konfession:s Aufnahmedatum:q! Aufnahmezeit:q! Entlassdatum:q Verweildauer:q! Breitengrad:q!
Laengengrad:q! Aufnahmegrund:qs Fachabteilung:q! Hauptdiagnose:qs! OPS:qs Gewicht_kg:q Groesse_cm:q
CRP:qs Rechnungsbetrag:q Versicherungsart:qs Pflegegrad:qs Raucher:qs Entlassart:qs Anmerkung:i
Mandant:qn Version:qsn
"""
"""The letters of the roles that are right; the table is published for the columns with `!`."""
ROLES = {"i": "identifier", "u": "unit", "q": "quasi-identifier", "s": "sensitive",
         "n": "insensitive"}  # fmt: skip

GIVEN = "Anna Maria Sabine Petra Lena Emma Julia Peter Thomas Michael Hans Jonas Paul"
FAMILIES = "Müller Schmidt Schneider Fischer Weber Meyer Becker Schulz Hoffmann Koch Krüger Böhm"
PLACES = (
    "80331,München=9|81541,München=8|82131,Gauting=3|83022,Rosenheim=5|85049,Ingolstadt=6|"
    "86150,Augsburg=7|87435,Kempten=3|93047,Regensburg=4|94032,Passau=2"
)
WARDS = {"C": "Onkologie", "F": "Psychiatrie", "I": "Kardiologie", "S": "Unfallchirurgie",
         "K": "Viszeralchirurgie", "M": "Orthopädie", "G": "Neurologie"}  # fmt: skip


class Draws(Random):
    """Random draws; the same seed gives the same ones."""

    def pick(self, choices: str) -> str:
        """One of `value=weight|value=weight`; without a weight it is 1."""
        parts = [choice.partition("=") for choice in choices.split("|")]
        weights = [float(weight or 1) for _, _, weight in parts]
        return self.choices([value for value, _, _ in parts], weights)[0]

    def skewed(self, values: list[Value]) -> Value:
        """One of the values: four of five draws prefer the first ones, the others none."""
        place = int(self.paretovariate(0.9)) - 1
        return self.choice(values) if place >= len(values) or self.random() < 0.2 else values[place]

    def unless(self, share: float, code: str | None, value: object) -> object:
        """The value, or in a share of the draws the code for missing."""
        return code if self.random() < share else value

    def code(self, form: str, letters: str = "") -> str:
        """The form with each 9 replaced by a digit, and each X by one of the letters."""
        drawn = {"9": lambda: str(self.randrange(10)), "X": lambda: self.choice(letters)}
        return "".join(drawn[sign]() if sign in drawn else sign for sign in form)

    def person(self) -> tuple[Any, ...]:
        number = f"{self.randrange(1, 27):02d}{self.code('99999999')}"
        sums = (sum(divmod(int(sign) * (1 + at % 2), 10)) for at, sign in enumerate(number))
        key = f"{chr(64 + int(number[:2]))}{number[2:]}{sum(sums) % 10}"  # § 290 SGB V
        last = self.skewed(FAMILIES.split())
        if self.random() < 1 / 3:
            last += "-" + self.choice(FAMILIES.split())
        age = min(max(self.gauss(60, 18), 0), 99)
        birth = date(2023, 1, 1) - timedelta(days=int(age * 365) + self.randrange(365))
        return (
            key, last, self.choice(GIVEN.split()), self.code("+49 89 9999999"), birth,
            self.pick("w=54|m=45|d=1"), *self.pick(PLACES).split(","),
            self.pick("römisch-katholisch=50|evangelisch=25|ohne=20|muslimisch=5"),
            max(self.gauss(78, 13), 41), round(self.gauss(170, 9)),
            self.pick("gesetzlich=86|privat=12|Selbstzahler=2"), self.pick("ja=21|nein=70|k.A.=9"),
        )  # fmt: skip


def decimal(value: float, decimals: int = 1) -> str:
    return f"{value:.{decimals}f}".replace(".", ",")


def discharges(draw: Draws) -> Iterator[tuple[object, ...]]:
    """ICD-10, OPS, decimal commas, codes for missing; some persons have several rows."""
    diagnoses = [draw.code("X99.9", "ACEFGIJKMNRS") for _ in range(300)]
    procedures = [draw.code("X-999.9", "13589") for _ in range(120)]
    people = [draw.person() for _ in range(3_000)]
    for number in range(5_000):
        person = people[number] if number < 3_000 else draw.choice(people)
        *who, birth, sex, zip_code, town, faith, weight, height, payer, smoker = person
        diagnosis = draw.skewed(diagnoses)
        admitted = date(2023, 1, 1) + timedelta(draw.randrange(365))
        stay = min(int(draw.expovariate(60 / (2243 - birth.year))), 60)
        note = (
            f"{draw.pick('Herr|Frau')} {who[1]} berichtet über "
            f"{draw.pick('Schmerzen|Atemnot|Schwindel|Fieber')} seit {draw.randrange(2, 15)} "
            f"Tagen, {draw.pick('Kontrolle beim Hausarzt|Angehörige informiert')}"
        )
        yield (
            f"2023{number:06d}", *who, f"{birth:%d.%m.%Y}", sex, zip_code, town, faith,
            f"{admitted:%d.%m.%Y}", f"{draw.randrange(24):02}:{draw.randrange(60):02}",
            f"{admitted + timedelta(stay):%d.%m.%Y}", stay, f"{draw.gauss(48.1, 0.1):.5f}",
            f"{draw.gauss(11.6, 0.1):.5f}",
            draw.pick("Notfall=45|Einweisung durch Arzt=45|Verlegung=8|Geburt=2"),
            WARDS.get(diagnosis[0], "Innere Medizin"), diagnosis,
            draw.unless(0.3, None, draw.skewed(procedures)),
            draw.unless(0.06, "k.A.", decimal(weight)), draw.unless(0.08, "k.A.", height),
            draw.unless(0.12, "k.A.", decimal(draw.lognormvariate(1.6, 0.9))),
            decimal(900 + 620 * stay * draw.lognormvariate(0, 0.3), 2), payer,
            draw.pick("0=40|1=5|2=25|3=20|4=8|5=2") if birth.year < 1953 else 0, smoker,
            draw.pick("nach Hause=78|Pflegeheim=9|Verlegung=7|gegen ärztlichen Rat=2|verstorben"),
            draw.unless(0.5, None, note), "01", draw.pick("4.2.0=60|4.1.3=30|4.0.1=10"),
        )  # fmt: skip


def test_nearly_all_roles_are_right_and_what_the_table_is_for_is_published(folder: Path) -> None:
    """No role lets a reader find a person, or learn exactly what others know of one."""
    columns = dict(column.split(":") for column in COLUMNS.split())
    rows = list(discharges(Draws(7)))
    with Path("entlassungen.csv").open("w", encoding="latin-1", newline="") as file:
        csv.writer(file, delimiter=";").writerows([columns, *rows])
    plan = keys_of(sqlanon.init("entlassungen.csv", "plan.yml").plan)
    assert plan["unit"] == "KVNR"
    wrong = []
    for name, letters in columns.items():
        right = [ROLES[letter] for letter in letters.removesuffix("!")]
        column = plan["columns"][name]
        role = "unit" if name == "KVNR" else column["role"]
        assert "action" not in column
        if role in ("sensitive", "insensitive") and "publish" in column:
            role = "quasi-identifier"  # no exact values
        if role not in right:
            wrong.append(f"{name} is {role}, not {' or '.join(right)}")
            assert (role, right[0]) == ("quasi-identifier", "sensitive") or role == "identifier", (
                wrong
            )
    assert len(wrong) <= 0.1 * len(columns), wrong
    published = sqlanon.run("plan.yml").published
    assert len(published) >= 0.9 * len(rows)
    for name in (name for name, letters in columns.items() if letters.endswith("!")):
        labels = published.select(name).distinct().fetchall()
        assert len(labels) > 1 or (name == "Aufnahmedatum" and labels != [("*",)]), (name, labels)
