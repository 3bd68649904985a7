"""`init` on tables as people have them: the roles that it proposes, and what `run` publishes.

The tables are invented, the same each time. Which roles are right is decided column by column, as
the officer who publishes the table would, from what the column says: not from what `init` proposes.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar

import pytest
from stdnum import luhn
from stdnum.it import codicefiscale

import sqlanon
from tests.discovery.plans import keys_of

Value = TypeVar("Value")
Row = tuple[object, ...]

ROLES = {"i": "identifier", "u": "unit", "q": "quasi-identifier", "s": "sensitive",
         "n": "insensitive"}  # fmt: skip
"""The letters of the roles that are right for a column."""

NAMES = {
    "de": "Anna Maria Sabine Petra Lena Emma Julia Peter Thomas Michael Hans Jonas Paul/"
    "Müller Schmidt Schneider Fischer Weber Meyer Becker Schulz Hoffmann Koch Krüger Böhm",
    "it": "Maria Giulia Francesca Chiara Sara Marco Giuseppe Luca Andrea Giovanni Antonio/"
    "Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Gallo Conti Costa",
}


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

    def born(self, year: int, mean: float, deviation: float) -> date:
        """A date of birth of somebody who is alive in a year."""
        age = min(max(self.gauss(mean, deviation), 0), 99)
        return date(year, 1, 1) - timedelta(days=int(age * 365) + self.randrange(365))

    def name(self, language: str) -> tuple[str, str]:
        """A given name and a family name, one in three of them double."""
        given, families = (part.split() for part in NAMES[language].split("/"))
        family = self.skewed(families)
        if self.random() < 1 / 3:
            family += "-" + self.choice(families)
        return self.choice(given), family

    def code(self, form: str, letters: str = "") -> str:
        """The form with each 9 replaced by a digit, and each X by one of the letters."""
        drawn = {"9": lambda: str(self.randrange(10)), "X": lambda: self.choice(letters)}
        return "".join(drawn[sign]() if sign in drawn else sign for sign in form)

    def decimal(self, value: float, decimals: int = 1) -> str:
        """With a comma."""
        return f"{value:.{decimals}f}".replace(".", ",")


class InventedTable(NamedTuple):
    """A table, how its file is written, and the letters of the roles that are right.

    The table is published for the columns with `!`, in whatever detail. Of the keys of persons with
    several rows, `units`, one must be the `unit`, or promises do not count persons.
    """

    file: str
    columns: str
    rows: Callable[[Draws], Iterator[Row]]
    units: tuple[str, ...] = ()
    delimiter: str = ";"
    encoding: str = "utf-8"


def discharges(draw: Draws) -> Iterator[Row]:
    """A hospital's discharges: ICD-10, OPS, decimal commas, latin-1."""
    diagnoses = [draw.code("X99.9", "ACEFGIJKMNRS") for _ in range(300)]
    procedures = [draw.code("X-999.9", "13589") for _ in range(120)]
    wards = {"C": "Onkologie", "F": "Psychiatrie", "I": "Kardiologie", "S": "Unfallchirurgie",
             "K": "Viszeralchirurgie", "M": "Orthopädie", "G": "Neurologie"}  # fmt: skip
    places = (
        "80331,München=9|81541,München=8|82131,Gauting=3|83022,Rosenheim=5|85049,Ingolstadt=6|"
        "86150,Augsburg=7|87435,Kempten=3|93047,Regensburg=4|94032,Passau=2"
    )
    people: list[Any] = []
    for _ in range(3_000):
        key = f"{draw.randrange(1, 27):02d}{draw.code('99999999')}"  # check digit by § 290 SGB V
        sums = (sum(divmod(int(sign) * (1 + at % 2), 10)) for at, sign in enumerate(key))
        key = f"{chr(64 + int(key[:2]))}{key[2:]}{sum(sums) % 10}"
        people.append((
            key, *draw.name("de")[::-1], draw.born(2023, 60, 18), draw.pick("w=54|m=45|d=1"),
            *draw.pick(places).split(","), max(draw.gauss(78, 13), 41),
            round(draw.gauss(170, 9)), draw.pick("gesetzlich=86|privat=12|Selbstzahler=2"),
            draw.pick("ja=21|nein=70|k.A.=9"),
        ))  # fmt: skip
    for number in range(5_000):
        person = people[number] if number < 3_000 else draw.choice(people)
        key, last, first, birth, sex, zip_code, town, weight, height, payer, smoker = person
        diagnosis = draw.skewed(diagnoses)
        admitted = date(2023, 1, 1) + timedelta(draw.randrange(365))
        stay = min(int(draw.expovariate(60 / (2243 - birth.year))), 60)
        note = (
            f"{draw.pick('Herr|Frau')} {last} berichtet über "
            f"{draw.pick('Schmerzen|Atemnot|Schwindel|Fieber')} seit {draw.randrange(2, 15)} "
            f"Tagen, {draw.pick('Kontrolle beim Hausarzt|Angehörige informiert')}"
        )
        yield (
            f"2023{number:06d}", key, last, first, f"{birth:%d.%m.%Y}", sex, zip_code, town,
            f"{admitted:%d.%m.%Y}", f"{admitted + timedelta(stay):%d.%m.%Y}", stay,
            draw.pick("Notfall=45|Einweisung durch Arzt=45|Verlegung=8|Geburt=2"),
            wards.get(diagnosis[0], "Innere Medizin"), diagnosis,
            draw.unless(0.3, None, draw.skewed(procedures)),
            draw.unless(0.06, "k.A.", draw.decimal(weight)), draw.unless(0.08, "k.A.", height),
            draw.unless(0.12, "k.A.", draw.decimal(draw.lognormvariate(1.6, 0.9))),
            draw.decimal(900 + 620 * stay * draw.lognormvariate(0, 0.3), 2), payer,
            draw.pick("0=40|1=5|2=25|3=20|4=8|5=2") if birth.year < 1953 else 0, smoker,
            draw.pick("nach Hause=78|Pflegeheim=9|Verlegung=7|gegen ärztlichen Rat=2|verstorben"),
            draw.unless(0.5, None, note), "01",
        )  # fmt: skip


def registry(draw: Draws) -> Iterator[Row]:
    """A civil registry: one row a person, in households; fiscal codes with their check letter."""
    births = {"Bologna": "A944", "Roma": "H501", "Napoli": "F839", "Milano": "F205", "Bari": "A662"}
    for family in range(850):
        last, street = draw.name("it")[1], draw.pick("Via Roma|Via Garibaldi|Piazza Verdi")
        area, place = draw.pick("4012,Bologna=8|4002,Imola=3|4112,Modena=4|4412,Ferrara=3").split(
            ","
        )
        address = (f"{street} {draw.randrange(1, 90)}", f"{area}{draw.randrange(1, 7)}", place)
        members = 1 + min(int(draw.expovariate(0.6)), 5)
        for _ in range(members):
            sex, birth, first = draw.pick("F=51|M=49"), draw.born(2022, 46, 22), draw.name("it")[0]
            town = draw.pick("Bologna=66|Roma=8|Napoli=12|Milano=8|Bari=6")
            letters = "".join(sorted(last + first, key=lambda sign: sign in "-aeiouAEIOU"))[:6]
            month, day = "ABCDEHLMPRST"[birth.month - 1], birth.day + 40 * (sex == "F")
            fiscal = f"{letters.upper()}{birth:%y}{month}{day:02d}{births[town]}"
            note = (
                f"Trasferito da {town} con {draw.pick('il coniuge|i genitori|la figlia')} "
                f"{draw.name('it')[0]}, pratica {draw.randrange(9_999)} in corso"
            )
            yield (
                fiscal + codicefiscale.calc_check_digit(fiscal), f"FAM{family * 3:06d}", last,
                first, f"{birth:%d/%m/%Y}", town, sex,
                draw.pick("coniugato/a=50|divorziato/a=10|vedovo/a=10|celibe/nubile=30"),
                draw.pick("italiana=88|rumena=4|marocchina=3|albanese=3|cinese=2"), *address,
                members, draw.pick("licenza media=30|diploma=45|laurea=22|n.d.=3"),
                draw.pick("impiegato=30|operaio=25|insegnante=10|disoccupato=8|pensionato=30"),
                draw.pick("cattolica=60|nessuna=30|musulmana=5|ortodossa=4|n.d.=1"),
                draw.unless(0.3, None, f"+39 3{draw.code('99 9999999')}"),
                draw.unless(0.85, None, note),
            )  # fmt: skip


def calls(draw: Draws) -> Iterator[Row]:
    """Telephone calls: tabs, times of day, the coordinates of masts."""
    masts = [
        (draw.code("C9999"), 45.75 + draw.gauss(0, 0.09), 4.85 + draw.gauss(0, 0.12))
        for _ in range(120)
    ]
    callers: list[Any] = []
    for _ in range(350):
        device = draw.code("35999999999999")
        callers.append((
            draw.code("+33699999999"), device + str(luhn.calc_check_digit(device)),
            draw.pick("F|H"), min(max(round(draw.gauss(41, 16)), 16), 92),
            draw.pick("69001=4|69003=6|69007=5|69100=5|69120=2|38200=1"),
            draw.pick("Mini=30|Essentiel=45|Illimité=25"), draw.sample(masts, 4),
        ))  # fmt: skip
    for _ in range(5_000):
        caller = callers[min(int(draw.expovariate(1 / 110)), 349)]
        number, phone, sex, age, zip_code, tariff, places = caller
        mast, north, east = draw.skewed(places)
        hour = draw.triangular(6, 24, 18)
        moment = datetime(2023, 5, 1 + draw.randrange(31)) + timedelta(hours=hour)
        kind = draw.pick("voix=60|sms=32|data=8")
        seconds = int(draw.lognormvariate(4.2, 1.1)) if kind == "voix" else 0
        yield (
            draw.code("199999999999"), number, draw.code("+33X99999999", "1467"), phone,
            f"{moment:%d/%m/%Y}", f"{moment:%H:%M:%S}", seconds, kind, mast, f"{north:.5f}",
            f"{east:.5f}", sex, draw.unless(0.03, "NR", age), zip_code, tariff,
            draw.decimal(0 if tariff == "Illimité" else seconds * 0.002 + 0.03, 2),
        )  # fmt: skip


TABLES = (
    InventedTable(
        "entlassungen.csv",
        """Fallnummer:i KVNR:iu Nachname:i Vorname:i Geburtsdatum:q! Geschlecht:q! PLZ:q! Wohnort:q
        Aufnahmedatum:q! Entlassdatum:q Verweildauer:q! Aufnahmegrund:qs Fachabteilung:q!
        Hauptdiagnose:qs! OPS:qs Gewicht_kg:q Groesse_cm:q CRP:qs Rechnungsbetrag:q
        Versicherungsart:qs Pflegegrad:qs Raucher:qs Entlassart:qs Anmerkung:i Mandant:qn""",
        discharges, ("KVNR",), encoding="latin-1",
    ),
    InventedTable(
        "anagrafe.csv",
        """codice_fiscale:iu id_famiglia:iu cognome:i nome:i data_nascita:q! comune_nascita:q
        sesso:q! stato_civile:q! cittadinanza:q! indirizzo:i cap:q comune:q! componenti:q
        titolo_studio:q! professione:q confessione:s telefono:iu annotazioni:i""",
        registry,
    ),
    InventedTable(
        "appels.tsv",
        """id_appel:i numero_appelant:iu numero_appele:i imei:iu date_appel:q! heure_appel:q!
        duree_secondes:q! type_appel:q antenne:q latitude:q! longitude:q! sexe:q age:q!
        code_postal:q forfait:qs montant:q""",
        calls, ("numero_appelant", "imei"), "\t",
    ),
)  # fmt: skip


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.file)
def test_nearly_all_roles_are_right_and_what_the_table_is_for_is_published(
    table: InventedTable, folder: Path
) -> None:
    """No role lets a reader find a person, or learn exactly what others know of one."""
    columns = dict(column.split(":") for column in table.columns.split())
    rows = list(table.rows(Draws(table.file)))
    with Path(table.file).open("w", encoding=table.encoding, newline="") as file:
        csv.writer(file, delimiter=table.delimiter).writerows([columns, *rows])
    plan = keys_of(sqlanon.init(table.file, "plan.yml").plan)
    unit = plan.get("unit")
    unit = unit["column"] if isinstance(unit, dict) else unit
    assert unit in table.units or not table.units
    wrong = []
    for name, letters in columns.items():
        right = [ROLES[letter] for letter in letters.removesuffix("!")]
        column = plan["columns"][name]
        role = "unit" if name == unit else column["role"]
        assert "action" not in column
        if role in ("sensitive", "insensitive") and "publish" in column:
            role = "quasi-identifier"  # no exact values
        if role in right:
            continue
        wrong.append(f"{name} is {role}, not {' or '.join(right)}")
        assert role == "identifier" or (role, right[0]) == ("quasi-identifier", "sensitive"), wrong
    assert len(wrong) <= 0.1 * len(columns), wrong
    published = sqlanon.run("plan.yml").published
    assert len(published) >= 0.9 * len(rows)
    for name in (name for name, letters in columns.items() if letters.endswith("!")):
        labels = published.select(name).distinct().fetchall()
        assert len(labels) > 1 or (name == "Aufnahmedatum" and labels != [("*",)]), (name, labels)
