"""Four invented tables, as people have them, in as many languages.

The rows are the same each time, and describe no person. What `truth` says of the words of columns:
`direct`, `text`, `person`, `actor`, `known`, `traced`, `amount`, `either`, `secret`, `harmless`
and `constant` are what a column says; `date`, `number`, `code`, `coordinate`, `time` are kinds.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta

from stdnum.it import codicefiscale

from tests.discovery.draws import Draws, comma, iban
from tests.discovery.truth import InventedTable, Row, invented


@invented(
    "entlassungen.csv",
    """Fallnummer: direct, KVNR: person, Nachname: direct, Vorname: direct,
    Geburtsdatum: known date needed, Geschlecht: known needed, PLZ: known code needed,
    Wohnort: known, Aufnahmedatum: known date needed, Entlassdatum: known date,
    Verweildauer: known number needed, Aufnahmegrund: either, Fachabteilung: known needed,
    Hauptdiagnose: either code needed, Nebendiagnose: either code, OPS: either code,
    Gewicht_kg: known number, Groesse_cm: known number, CRP: either number,
    Kreatinin: either number, Haemoglobin: either number, Rechnungsbetrag: amount number,
    Versicherungsart: either, Pflegegrad: either, Raucher: either, Entlassart: either,
    Anmerkung: text, Mandant: constant""",
    units=("KVNR",), encoding="latin-1",
)  # fmt: skip
def discharges(draw: Draws) -> Iterator[Row]:
    """A hospital's discharges: ICD-10, OPS, decimal commas, latin-1."""
    diagnoses = draw.codes(300, "X99.9", "ACEFGIJKMNRS")
    procedures = draw.codes(120, "X-999.9", "13589")
    wards = {"C": "Onkologie", "F": "Psychiatrie", "I": "Kardiologie", "S": "Unfallchirurgie",
             "K": "Viszeralchirurgie", "M": "Orthopädie", "G": "Neurologie"}  # fmt: skip
    places = (
        "80331,München=9|81541,München=8|82131,Gauting=3|83022,Rosenheim=5|85049,Ingolstadt=6|"
        "86150,Augsburg=7|87435,Kempten=3|93047,Regensburg=4|94032,Passau=2"
    )
    people = []
    for _ in range(3_000):
        sex = draw.pick("F=54|M=46")
        first, last = draw.name("de", sex)
        zip_code, town = draw.pick(places).split(",")
        people.append((
            draw.kvnr(), last, first, draw.born(2023, 60),
            "d" if draw.random() < 0.01 else "w" if sex == "F" else "m", zip_code, town,
            max(draw.gauss(70 if sex == "F" else 85, 13), 41), draw.between(140, 205, 170, 9),
            draw.pick("gesetzlich=86|privat=12|Selbstzahler=2"), draw.pick("ja=21|nein=70|k.A.=9"),
        ))  # fmt: skip
    for number in range(5_000):
        person = people[number] if number < 3_000 else draw.choice(people)
        key, last, first, birth, sex, zip_code, town, weight, height, payer, smoker = person
        age, diagnosis, admitted = 2023 - birth.year, draw.skewed(diagnoses), draw.day(2023)
        stay = min(int(draw.expovariate(6 / (20 + age))) + 2 * (diagnosis[0] in "CIS"), 60)
        inflamed = draw.lognormvariate(3.4 if diagnosis[0] in "AJK" else 1.6, 0.9)
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
            draw.unless(0.35, None, draw.skewed(diagnoses)),
            draw.unless(0.3, None, draw.skewed(procedures)),
            draw.unless(0.06, "k.A.", comma(weight)), draw.unless(0.08, "k.A.", height),
            draw.unless(0.12, "k.A.", comma(inflamed)),
            draw.unless(0.12, "k.A.", comma(draw.lognormvariate(0, 0.3), 2)),
            draw.unless(0.1, "k.A.", comma(draw.gauss(13.6, 1.7))),
            comma(900 + 620 * stay * draw.lognormvariate(0, 0.3), 2, "."), payer,
            draw.pick("0=40|1=5|2=25|3=20|4=8|5=2") if age > 70 else 0, smoker,
            draw.pick("nach Hause=78|Pflegeheim=9|Verlegung=7|gegen ärztlichen Rat=2|verstorben"),
            draw.unless(0.5, None, note), "01",
        )  # fmt: skip


@invented(
    "salaris.duckdb::loonstroken",
    """medewerker_id: person, bsn: person, achternaam: direct, voornaam: direct,
    geboortedatum: known date needed, geslacht: known needed, postcode: known code,
    afdeling: known needed, functie: known, in_dienst: known date, contract: known,
    uren_per_week: known number, periode: constant, bruto_loon: amount number needed,
    bonus: amount number, iban: person, ziektedagen: either number needed, beoordeling: secret,
    leidinggevende_id: actor, kostenplaats: known""",
    units=("medewerker_id", "bsn", "iban"),
    types={"geboortedatum": "date", "in_dienst": "date", "uren_per_week": "integer",
           "bruto_loon": "decimal(10, 2)", "bonus": "decimal(10, 2)", "ziektedagen": "integer"},
)  # fmt: skip
def payroll(draw: Draws) -> Iterator[Row]:
    """A payroll in a DuckDB file: three months of each employee."""
    jobs = {
        "Productie": "monteur=6|operator=8|teamleider=1",
        "Verkoop": "adviseur=5|accountmanager=2",
        "IT": "ontwikkelaar=6|beheerder=3|architect=1",
        "Logistiek": "chauffeur=5|magazijnmedewerker=7",
    }
    managers = [draw.digits(5) for _ in range(25)]
    for _ in range(500):
        sex = draw.pick("F=42|M=58")
        first, last = draw.name("nl", sex)
        department = draw.pick("Productie=42|Logistiek=26|Verkoop=19|IT=13")
        job, birth = draw.pick(jobs[department]), draw.born(2004, 22, 10)
        hired = min(max(birth.year + 20, 2023 - int(draw.expovariate(0.12))), 2023)
        hours = int(draw.pick("40=55|36=15|32=15|24=10|16=5"))
        scale = 2_300 + 55 * (2024 - hired) + 1_400 * (job in ("architect", "teamleider"))
        pay = scale * draw.lognormvariate(0, 0.12) * hours / 40
        who = (
            draw.digits(5), draw.bsn(), last, first, birth, "V" if sex == "F" else "M",
            f"{draw.randrange(1011, 1100)} {draw.sign()}{draw.sign()}", department, job,
            date(hired, draw.randrange(1, 13), 1),
            draw.pick("onbepaalde tijd=75|bepaalde tijd=20|oproep=5"), hours,
        )  # fmt: skip
        account = iban(f"INGB{draw.digits(10)}", "NL")
        manager, grade = draw.choice(managers), draw.pick("A|B=5|C=3|D")
        for month in (1, 2, 3):
            yield (
                *who, f"2024-{month:02d}", round(pay + draw.choice([0, 0, 0, 61.4]), 2),
                draw.unless(0.8, None, round(pay * draw.uniform(0.1, 0.9), 2)), account,
                max(0, int(draw.expovariate(0.8) - 0.7)), grade, manager,
                f"KP{department[:2].upper()}{len(job)}",
            )  # fmt: skip


@invented(
    "anagrafe.csv",
    """codice_fiscale: person, id_famiglia: person, cognome: direct, nome: direct,
    data_nascita: known date needed, comune_nascita: known, sesso: known needed,
    stato_civile: known needed, cittadinanza: known needed, indirizzo: direct, cap: known code,
    comune: known needed, componenti: known number, titolo_studio: known needed,
    professione: known, confessione: secret, data_iscrizione: known date, telefono: person,
    annotazioni: text""",
)  # fmt: skip
def registry(draw: Draws) -> Iterator[Row]:
    """A civil registry: one row a person, in households; fiscal codes with their check letter."""
    births = {"Bologna": "A944", "Roma": "H501", "Napoli": "F839", "Milano": "F205", "Bari": "A662"}
    places = "4012,Bologna=8|4013,Bologna=6|4002,Imola=3|4112,Modena=4|4412,Ferrara=3"
    streets = "Via Roma|Via Garibaldi|Piazza Verdi|Via Mazzini|Corso Italia"
    works = "impiegato=30|operaio=25|insegnante=10|commerciante=10|disoccupato=8|medico|avvocato"
    for family in range(850):
        members, last = 1 + min(int(draw.expovariate(0.6)), 5), draw.name("it", "F")[1]
        street, (area, place) = draw.pick(streets), draw.pick(places).split(",")
        address = (f"{street} {draw.randrange(1, 90)}", f"{area}{draw.randrange(1, 7)}", place)
        for _ in range(members):
            sex, birth = draw.pick("F=51|M=49"), draw.born(2022, 46, 22)
            first, age = draw.name("it", sex)[0], 2022 - birth.year
            town = draw.pick("Bologna=66|Roma=8|Napoli=12|Milano=8|Bari=6")
            letters = "".join(sorted(last + first, key=lambda sign: sign in "-aeiouAEIOU"))[:6]
            month, day_of_month = "ABCDEHLMPRST"[birth.month - 1], birth.day + 40 * (sex == "F")
            fiscal = f"{letters.upper()}{birth:%y}{month}{day_of_month:02d}{births[town]}"
            status = "coniugato/a=50|divorziato/a=10|vedovo/a=10|" if age > 21 else ""
            note = (
                f"Trasferito da {town} con {draw.pick('il coniuge|i genitori|la figlia')} "
                f"{draw.name('it', 'F')[0]}, pratica {draw.randrange(9_999)} in corso"
            )
            yield (
                fiscal + codicefiscale.calc_check_digit(fiscal), f"FAM{family * 3:06d}", last,
                first, f"{birth:%d/%m/%Y}", town, sex, draw.pick(f"{status}celibe/nubile=30"),
                draw.pick("italiana=88|rumena=4|marocchina=3|albanese=3|cinese=2"), *address,
                members,
                draw.pick("licenza media=30|diploma=45|laurea=22|n.d.=3" if age > 13 else "nulla"),
                "pensionato" if age > 67 else "studente" if age < 20 else draw.pick(works),
                draw.pick("cattolica=60|nessuna=30|musulmana=5|ortodossa=4|n.d.=1"),
                f"{draw.day(1990, 32):%d/%m/%Y}",
                draw.unless(0.3, None, f"+39 3{draw.digits(2)} {draw.digits(7)}"),
                draw.unless(0.85, None, note),
            )  # fmt: skip


@invented(
    "appels.tsv",
    """id_appel: direct, numero_appelant: person, numero_appele: direct, imei: person,
    date_appel: known date needed, heure_appel: known time needed,
    duree_secondes: known number needed, type_appel: known, antenne: known,
    latitude: known coordinate needed, longitude: known coordinate needed, sexe: known,
    age: known number needed, code_postal: known code, forfait: either, montant: amount number""",
    units=("numero_appelant", "imei"), delimiter="\t",
)  # fmt: skip
def calls(draw: Draws) -> Iterator[Row]:
    """Telephone calls: tabs, times of day, the coordinates of masts."""
    masts = [
        (f"C{draw.digits(4)}", 45.75 + draw.gauss(0, 0.09), 4.85 + draw.gauss(0, 0.12))
        for _ in range(120)
    ]
    callers = [
        (f"+336{draw.digits(8)}", draw.with_luhn("35", 12), draw.pick("F|H"),
         draw.between(16, 92, 41, 16), draw.pick("69001=4|69003=6|69007=5|69100=5|69120=2|38200=1"),
         draw.pick("Mini=30|Essentiel=45|Illimité=25"), draw.sample(masts, 4))
        for _ in range(350)
    ]  # fmt: skip
    for _ in range(5_000):
        caller = callers[min(int(draw.expovariate(1 / 110)), 349)]
        number, phone, sex, age, zip_code, tariff, places = caller
        mast, north, east = draw.skewed(places)
        hour = draw.triangular(6, 24, 18)
        moment = datetime(2023, 5, 1 + draw.randrange(31)) + timedelta(hours=hour)
        kind = draw.pick("voix=60|sms=32|data=8")
        seconds = int(draw.lognormvariate(4.2, 1.1)) if kind == "voix" else 0
        yield (
            draw.digits(12), number, f"+33{draw.sign('1467')}{draw.digits(8)}", phone,
            f"{moment:%d/%m/%Y}", f"{moment:%H:%M:%S}", seconds, kind, mast, f"{north:.5f}",
            f"{east:.5f}", sex, draw.unless(0.03, "NR", age), zip_code, tariff,
            comma(0 if tariff == "Illimité" else seconds * 0.002 + 0.03, 2),
        )  # fmt: skip


TABLES: tuple[InventedTable, ...] = (discharges, payroll, registry, calls)
