"""Twelve invented tables, as people have them: six languages, twelve domains.

The rows are the same each time, and describe no person. What `truth` says of the words of columns:
`direct`, `text`, `person`, `actor`, `known`, `traced`, `amount`, `either`, `secret`, `harmless`
and `constant` are what a column says; `date`, `number`, `code`, `coordinate`, `time` are kinds.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, timedelta

from stdnum.it import codicefiscale

from tests.discovery.draws import Draws, comma
from tests.discovery.plans import iban
from tests.discovery.truth import InventedTable, Row, invented


@invented(
    "entlassungen.csv", "German",
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
    "events.parquet", "English",
    """event_id: direct, device_id: person, event_time: known date needed,
    ip_address: traced code, user_agent: traced, event_type: harmless needed,
    app_version: harmless, country: known needed, device_type: known needed,
    latency_ms: harmless number, is_subscriber: either, page: harmless, environment: constant""",
    units=("device_id",),
    types={"event_time": "timestamp", "latency_ms": "integer", "is_subscriber": "boolean"},
)  # fmt: skip
def events(draw: Draws) -> Iterator[Row]:
    """An event log of devices, some with very many rows."""
    systems = ("Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 14_4",
               "iPhone; CPU iPhone OS 17_4", "Linux; Android 14; Pixel 8")  # fmt: skip
    agents = [
        f"Mozilla/5.0 ({system}) {browser}/{version}.0"
        for version in (124, 123, 122) for system in systems for browser in ("Chrome", "Firefox")
    ]  # fmt: skip
    devices = [
        (f"d-{draw.getrandbits(48):012x}", f"{draw.randrange(60, 95)}.{draw.randrange(256)}.",
         draw.randrange(256), draw.skewed(agents), draw.random() < 0.18,
         draw.pick("US=40|GB=15|DE=12|IN=12|BR=8|CA=6|FR=5|JP=2"))
        for _ in range(350)
    ]  # fmt: skip
    for _ in range(6_000):
        place = min(int(draw.expovariate(1 / 90)), 349)
        device, network, subnet, agent, pays, country = devices[place]
        moment = datetime(2024, 1, 1) + timedelta(seconds=draw.randrange(91 * 86_400))
        yield (
            f"{draw.getrandbits(128):032x}", device, moment,
            f"{network}{subnet}.{draw.randrange(1, 255)}", agent,
            draw.pick("page_view=55|click=25|search=12|add_to_cart=5|purchase=2|sign_out=1"),
            draw.pick("4.2.0=60|4.1.3=30|4.0.1=10"), country,
            "mobile" if "iPhone" in agent or "Android" in agent else "desktop",
            draw.unless(0.15, None, int(draw.lognormvariate(4.5, 0.6))), pays,
            draw.unless(0.4, None, draw.pick("/home|/product|/help|/account")), "prod",
        )  # fmt: skip


@invented(
    "salaris.duckdb::loonstroken", "Dutch",
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
    "schulbefragung.csv", "German",
    """lfdnr: direct, schule: known needed, klasse: known, klassenstufe: known needed,
    geschlecht: known needed, geburtsjahr: known number, geburtsmonat: known,
    sprache_zuhause: known, buecher: either, q1: harmless needed, q2: harmless needed,
    q3: harmless needed, q4: harmless needed, q5: harmless needed, q6: harmless needed,
    q7: harmless needed, q8: harmless needed, q9: harmless needed, q10: harmless needed,
    note_mathe: either needed, note_deutsch: either, gemobbt: secret needed,
    foerderbedarf: either, offene_antwort: text, gewichtungsfaktor: traced number""",
    encoding="utf-8-sig",
)  # fmt: skip
def survey(draw: Draws) -> Iterator[Row]:
    """A survey in schools: codes of answers, ten items of one scale, weights."""
    for number in range(1, 1_201):
        school, grade, mood = draw.randrange(1, 15), draw.randrange(5, 11), draw.gauss(0, 1)
        signs = (1, 1, -1, 1, 1, 1, -1, 1, 1, 1)
        answers = [draw.between(1, 5, 3.3 + 0.9 * mood * sign, 0.9) for sign in signs]
        marks = [draw.between(1, 6, 3 - 0.3 * mood, 0.9) for _ in range(2)]
        answer = (
            f"{draw.pick('Ich finde|Mir gefällt|Mich stört')} dass "
            f"{draw.pick('die Pausen zu kurz sind|Frau Weber so streng ist|wir mehr Sport haben')} "
            f"{draw.pick('seit der 5. Klasse|in Mathe|jeden Tag|dieses Jahr')} "
            f"{draw.pick('und alle reden darüber|und mein Freund auch|und es hilft nie')}"
        )
        yield (
            number, f"S{school:02d}", f"{grade}{draw.sign('abc')}", grade,
            draw.pick("1=49|2=49|3=1|-9=1"), 2017 - grade - (draw.random() < 0.35),
            draw.unless(0.03, "-9", draw.randrange(1, 13)),
            draw.pick("Deutsch=74|Türkisch=8|Russisch=6|Arabisch=6|Polnisch=4|andere=2"),
            draw.unless(0.05, "-9", draw.pick("1=10|2=20|3=30|4=22|5=18")),
            *(draw.unless(0.04, "-9", draw.unless(0.02, "99", answer)) for answer in answers),
            *(draw.unless(0.06, "-9", mark) for mark in marks),
            draw.unless(0.07, "-9", int(draw.random() < 0.2 - 0.08 * min(mood, 2))),
            draw.unless(0.02, "-9", int(draw.random() < 0.07)), draw.unless(0.7, None, answer),
            comma(draw.lognormvariate(0, 0.25), 3),
        )  # fmt: skip


@invented(
    "foyers_fiscaux.csv", "French",
    """numero_fiscal: person, annee: constant, nom: direct, prenom: direct, courriel: person,
    date_naissance: known date needed, situation_familiale: known needed,
    nombre_parts: known number, personnes_a_charge: known number, code_commune: known code,
    commune: known, departement: known needed, categorie_socioprofessionnelle: known needed,
    revenu_fiscal: amount number needed, impot_net: amount number, dons: amount number,
    proprietaire: known, pension_invalidite: secret""",
    units=("numero_fiscal",),
)  # fmt: skip
def households(draw: Draws) -> Iterator[Row]:
    """Tax households of two years: thousands separated by spaces that do not break."""
    towns = (
        "69123,Lyon=9|69266,Villeurbanne=4|38185,Grenoble=5|42218,Saint-Étienne=5|"
        "63113,Clermont-Ferrand=4|74010,Annecy=3|01053,Bourg-en-Bresse=1"
    )
    jobs = "Employé=28|Ouvrier=20|Profession intermédiaire=25|Cadre=20|Artisan=6|Agriculteur=1"
    for _ in range(1_600):
        first, last = draw.name("fr", draw.pick("F|M"))
        key, birth = draw.digits(10), draw.born(2004, 32, 16)
        status = draw.pick("Célibataire=36|Marié(e)=40|Pacsé(e)=9|Divorcé(e)=10|Veuf(ve)=5")
        children = min(int(draw.expovariate(0.9)), 5) if birth.year > 1960 else 0
        shares = 1 + (status in ("Marié(e)", "Pacsé(e)")) + children / 2
        town_code, town = draw.pick(towns).split(",")
        job = "Retraité" if birth.year < 1958 else draw.pick(jobs)
        usual = draw.lognormvariate(10.6 if job == "Cadre" else 10.0, 0.45)
        mail = draw.unless(0.2, None, f"{first}.{last}{draw.randrange(99)}@exemple.fr".lower())
        owner, disabled = draw.pick("Oui=58|Non=40|n.c.=2"), draw.pick("Non=93|Oui=7")
        for year in (2021, 2022) if draw.random() < 0.9 else (2022,):
            income = usual * draw.lognormvariate(0, 0.05)
            tax, gifts = max(income - 10_800 * shares, 0) * 0.11, draw.lognormvariate(5, 1)
            yield (
                f"{key}{int(key) % 511:03d}", year, last, first, mail, f"{birth:%d/%m/%Y}", status,
                comma(shares), children, town_code, town, town_code[:2],
                draw.unless(0.04, "n.c.", job), comma(income, 2, "\u00a0"),
                comma(tax, 2, "\u00a0"), draw.unless(0.7, None, comma(gifts, 2, " ")), owner,
                disabled,
            )  # fmt: skip


@invented(
    "dispensaciones.csv", "Spanish",
    """id_receta: direct, cip: person, fecha_nacimiento: known date needed, sexo: known needed,
    codigo_postal: known code, municipio: known, fecha_dispensacion: known date needed,
    farmacia: known, num_colegiado: actor, codigo_atc: either code needed,
    principio_activo: either, envases: harmless number, dosis_mg: either number,
    importe: amount number needed, aportacion: either, tipo_usuario: either,
    cronico: either, alergias: secret needed""",
    units=("cip",),
)  # fmt: skip
def dispensing(draw: Draws) -> Iterator[Row]:
    """Drugs that pharmacies dispensed: ATC codes, the currency behind the amount."""
    stems = "ator ibu parace ome metfor amoxi lora diaze sertra simva enala losar furo insul alpra"
    ends = "statina profeno tamol prazol mina cilina tadina pam lina pril"
    drugs = [
        (code, stem + end)
        for code, (stem, end) in zip(
            draw.codes(150, "X09XX09", "ABCDGHJLMNRSV"),
            [(stem, end) for stem in stems.split() for end in ends.split()], strict=True,
        )
    ]  # fmt: skip
    places = (
        "28013,Madrid=9|28901,Getafe=4|28801,Alcalá de Henares=4|45001,Toledo=3|"
        "19001,Guadalajara=2|05001,Ávila=1"
    )
    doctors = [f"28{draw.digits(7)}" for _ in range(120)]
    people = []
    for _ in range(900):
        birth, (zip_code, town) = draw.born(2023, 58), draw.pick(places).split(",")
        kind = "pensionista" if birth.year < 1958 else draw.pick("activo=90|exento=10")
        share = {"pensionista": "10 %", "exento": "0 %"}.get(kind) or draw.pick("40 %=7|50 %=3")
        people.append((
            draw.code("BBBBXX9999999999", "BCDFGHJKLM"), birth, draw.pick("H=47|M=53"), zip_code,
            town, kind, share, draw.pick("Ninguna=82|Penicilina=9|AINE=5|Látex=2|ND=2"),
            [draw.skewed(drugs) for _ in range(5)],
        ))  # fmt: skip
    for _ in range(5_000):
        person = people[int(draw.triangular(0, 900, 50))]
        key, birth, sex, zip_code, town, kind, share, allergy, own = person
        code, drug = draw.choice(own)
        yield (
            f"R{draw.digits(11)}", key, f"{birth:%d/%m/%Y}", sex, zip_code, town,
            f"{draw.day(2023):%d/%m/%Y}", f"F{zip_code[:2]}-{draw.randrange(40):02d}",
            draw.skewed(doctors), code, drug, draw.pick("1=80|2=15|3=5"),
            draw.unless(0.05, "ND", draw.pick("5|10|20|40|100|500|600|1000")),
            f"{comma(draw.lognormvariate(2.2, 0.8), 2)} €", share, kind,
            draw.pick("Sí=60|No=40"), allergy,
        )  # fmt: skip


@invented(
    "anagrafe.csv", "Italian",
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
    "schadeclaims.csv", "Dutch",
    """claimnummer: direct, polisnummer: person, bsn: person, naam: direct,
    geboortedatum: known date needed, geslacht: known needed, postcode: known code needed,
    woonplaats: known, schadedatum: known date needed, soort_schade: either needed,
    schadebedrag: amount number needed, eigen_risico: either, kenteken: direct,
    bouwjaar: known number, kilometerstand: known number, schadevrije_jaren: either number,
    letsel: secret, vermoeden_fraude: secret, toelichting: text""",
    units=("polisnummer", "bsn"),
)  # fmt: skip
def claims(draw: Draws) -> Iterator[Row]:
    """Claims of car owners: postal codes 1234 AB, number plates, € before the amount."""
    towns = (
        "1012,Amsterdam=8|1071,Amsterdam=6|2511,Den Haag=6|3011,Rotterdam=7|3511,Utrecht=5|"
        "5611,Eindhoven=4|9711,Groningen=3"
    )
    people = []
    for _ in range(1_300):
        sex, birth = draw.pick("F|M"), draw.born(2003, 27, 15)
        district, town = draw.pick(towns).split(",")
        people.append((
            draw.digits(8), draw.bsn(), " ".join(draw.name("nl", sex)), birth,
            "v" if sex == "F" else "m", f"{district} {draw.sign()}{draw.sign()}", town,
            draw.code("X-999-XX", "BDFGHJKLRSTVX"), 2006 + int(draw.triangular(0, 17, 10)),
            max(min(2003 - birth.year, int(draw.expovariate(0.1))), 0),
        ))  # fmt: skip
    for number in range(2_600):
        person = draw.choice(people)
        policy, citizen, name, birth, sex, post_code, town, plate, built, free = person
        kind = draw.pick(
            "aanrijding=45|parkeerschade=25|ruitschade=18|diefstal=7|brand=2|letsel derden=3"
        )
        size = draw.lognormvariate({"ruitschade": 5.5, "diefstal": 8.4}.get(kind, 7.1), 0.6)
        driven = 8_000 + (2022 - built) * draw.uniform(6_000, 19_000)
        account = (
            f"{draw.pick('Op de A2|Bij de supermarkt|Voor het huis')} {draw.pick('reed|botste')} "
            f"{draw.pick('de heer|mevrouw')} {draw.name('nl', 'F')[1]} tegen "
            f"{draw.pick('mijn bumper|het portier')} om {draw.randrange(9, 24)}:30"
        )
        yield (
            f"SC-22-{number:05d}", policy, citizen, name, f"{birth:%d-%m-%Y}", sex, post_code,
            town, f"{draw.day(2022):%d-%m-%Y}", kind, f"€ {comma(size, 2, '.')}",
            draw.pick("0=20|150=50|300=20|500=10"), plate, built,
            draw.unless(0.1, "onbekend", comma(driven, 0, ".")), free,
            "ja" if kind == "letsel derden" or draw.random() < 0.05 else "nee",
            draw.pick("nee=95|ja=4|onbekend=1"), account,
        )  # fmt: skip


@invented(
    "medical_claims.csv", "English",
    """claim_id: direct, mrn: person, ssn: person, patient_name: direct, dob: known date needed,
    sex: known needed, race: known needed, zip: known code needed, state: known,
    service_date: known date needed, dx_code: either code needed, cpt_code: either,
    provider_npi: actor, place_of_service: known, billed_amount: amount number needed,
    paid_amount: amount number, bmi: either number, a1c: either number, smoker: either,
    plan_type: either""",
    units=("mrn", "ssn"), delimiter=",",
)  # fmt: skip
def medical_claims(draw: Draws) -> Iterator[Row]:
    """Claims of patients in the USA: mm/dd/yyyy, postal codes with a zero first, $1,234.50."""
    diagnoses = draw.codes(200, "X99.99", "CEFGIJKMNRSZ")
    places = (
        "02139,MA=6|02118,MA=6|01605,MA=3|10025,NY=9|10453,NY=5|06511,CT=3|07030,NJ=4|19104,PA=4"
    )
    people = []
    for _ in range(1_400):
        sex, (zip_code, state) = draw.pick("F|M"), draw.pick(places).split(",")
        first, last = draw.name("en", sex)
        people.append((
            f"MRN{draw.digits(7)}", f"{draw.randrange(100, 660)}-{draw.digits(2)}-{draw.digits(4)}",
            f"{last}, {first}", f"{draw.born(2021, 52, 20):%m/%d/%Y}", sex,
            draw.pick("White=58|Black=18|Hispanic=14|Asian=8|Native American=1|N/A=1"), zip_code,
            state, max(draw.gauss(28.5, 5.5), 15), draw.pick("N=72|Y=18|N/A=10"),
            draw.pick("HMO=40|PPO=35|Medicare=17|Medicaid=8"),
        ))  # fmt: skip
    providers = [draw.with_luhn("1", 8, before="80840") for _ in range(90)]
    for number in range(4_200):
        *who, mass, smoker, plan = people[int(draw.triangular(0, 1_400, 100))]
        diagnosis, bill = draw.skewed(diagnoses), draw.lognormvariate(6.1, 1.1)
        sugar = max(draw.gauss(7.4 if diagnosis[0] == "E" else 5.6, 0.8), 4)
        yield (
            f"CLM{10_000_000 + number * 13}", *who, f"{draw.day(2021):%m/%d/%Y}", diagnosis,
            draw.pick("99213=40|99214=25|93000=10|80053=10|36415=10|71046=5"),
            draw.skewed(providers), draw.pick("11=65|22=15|21=8|23=12"), f"${bill:,.2f}",
            draw.unless(0.03, "N/A", f"${bill * draw.uniform(0.3, 0.9):,.2f}"),
            draw.unless(0.15, "N/A", f"{mass:.1f}"), draw.unless(0.5, "N/A", f"{sugar:.1f}%"),
            smoker, plan,
        )  # fmt: skip


@invented(
    "job_applicants.csv", "English",
    """Application Ref: direct, Applicant: direct, Email: person, Mobile: person,
    NI Number: person, Date of Birth: known date needed, Gender: known needed,
    Ethnicity: either needed, Disability: either needed, Religion or Belief: either,
    Postcode: known code, Town: known, Date Applied: known date, Job Title: known needed,
    Salary Expectation: amount number, Notice Period (weeks): harmless number,
    Highest Qualification: known needed, Interview Score: either number, Outcome: either needed,
    Cover Letter: text""",
    delimiter=",",
)  # fmt: skip
def applicants(draw: Draws) -> Iterator[Row]:
    """People who applied for work in the UK: d-Mon-yy, letters in free text."""
    places = "LS1,Leeds=8|LS6,Leeds=6|BD1,Bradford=5|YO10,York=4|S10,Sheffield=5|HD1,Huddersfield=3"
    jobs = "Care Assistant=30|Data Analyst=15|Teacher=15|Cleaner=15|Nurse=15|Finance Manager=10"
    unsaid = "Prefer not to say"
    for number in range(800):
        sex, (district, town) = draw.pick("F=52|M=48"), draw.pick(places).split(",")
        first, last = draw.name("en", sex)
        birth, applied = draw.born(2006, 16, 9), draw.day(2024)
        job, score = draw.pick(jobs), draw.between(10, 100, 58, 14)
        pay = draw.lognormvariate(10.5 if job == "Finance Manager" else 10.1, 0.2)
        yield (
            f"APP-{24_000 + number}", f"{first} {last}",
            f"{first}.{last}{draw.randrange(99)}@example.co.uk".lower(),
            f"07{draw.digits(3)} {draw.digits(6)}",
            f"{draw.code('XX', 'ABCEGHJ')}{draw.digits(6)}{draw.sign('ABCD')}",
            f"{birth.day}-{birth:%b-%y}",
            draw.unless(0.03, unsaid, "Female" if sex == "F" else "Male"),
            draw.pick("White British=62|Asian British=16|Black British=9|Mixed=5|White Other=6|"
                      f"{unsaid}=2"),
            draw.pick(f"No=84|Yes=11|{unsaid}=5"),
            draw.pick(f"None=40|Christian=38|Muslim=12|Hindu=3|Sikh=2|{unsaid}=5"),
            f"{district} {draw.randrange(1, 10)}{draw.sign()}{draw.sign()}", town,
            f"{applied.day}-{applied:%b-%y}", job, draw.unless(0.2, None, f"£{pay:,.0f}"),
            draw.pick("0=15|1=20|2=10|4=40|12=15"),
            draw.pick("GCSE=20|A-level=25|Degree=40|Master's=13|PhD=2"), score,
            "Appointed" if score > 80 else draw.pick("Rejected=70|Interviewed=25|Withdrawn=5"),
            f"I am {first} and have worked as a {job.lower()} at "
            f"{draw.pick('Northgate|Hill Top|the council')} for {draw.randrange(1, 20)} years; "
            f"I {draw.pick('care for my mother|moved here in May|speak Urdu|can start soon')}.",
        )  # fmt: skip


@invented(
    "appels.tsv", "French",
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


@invented(
    "sperimentazione.csv", "Italian",
    """id_paziente: person, iniziali: direct, centro: known needed, visita: harmless needed,
    data_visita: known date, eta: known number needed, sesso: known needed,
    peso_kg: known number, altezza_cm: known number, braccio: harmless needed,
    pressione_sistolica: either number needed, pressione_diastolica: either number,
    emoglobina_glicata: either number needed, aderenza: either number,
    evento_avverso: either needed, fumatore: either, comorbilita: either,
    data_consenso: known date""",
    units=("id_paziente",),
)  # fmt: skip
def trial(draw: Draws) -> Iterator[Row]:
    """A clinical trial: up to four visits a patient, percentages, two codes for missing."""
    for number in range(150):
        sex, age = draw.pick("F|M"), draw.between(20, 84, 57, 11)
        first, last = draw.name("it", sex)
        site, arm = draw.pick("Bologna=4|Padova=3|Pisa=2|Bari=1"), draw.pick("Trattamento|Placebo")
        start, height = draw.day(2021), draw.between(145, 200, 175 if sex == "M" else 162, 7)
        weight, pressure = draw.gauss(84 if sex == "M" else 71, 12), draw.gauss(139, 13)
        sugar, smoker = draw.gauss(8.1, 0.8), draw.pick("no=70|sì=25|ND=5")
        other = draw.pick("nessuna=40|ipertensione=30|dislipidemia=20|depressione=7|HIV=1|ND=2")
        agreed = start - timedelta(draw.randrange(3, 30))
        for visit in range(1, 5 - (draw.random() < 0.15)):
            better = visit * (0.35 if arm == "Trattamento" else 0.08)
            seen = start + timedelta(90 * (visit - 1) + draw.randrange(-2, 6))
            yield (
                f"IT{site[:2].upper()}-{number:03d}", last[0] + first[0], site, f"V{visit}",
                f"{seen:%d/%m/%Y}", age, sex,
                draw.unless(0.04, "ND", comma(weight - better + draw.gauss(0, 0.6))), height, arm,
                draw.unless(0.03, ".", round(pressure - 4 * better + draw.gauss(0, 6))),
                draw.unless(0.03, ".", round(0.6 * pressure + draw.gauss(0, 5))),
                draw.unless(0.05, "ND", comma(sugar - better + draw.gauss(0, 0.2)) + "%"),
                draw.unless(0.05, "ND", f"{draw.between(40, 100, 92, 7)} %"),
                draw.pick("nessuno=78|nausea=10|cefalea=7|ipoglicemia=4|aritmia=1"), smoker, other,
                f"{agreed:%d/%m/%Y}",
            )  # fmt: skip


TABLES: tuple[InventedTable, ...] = (
    discharges, events, payroll, survey, households, dispensing, registry, claims, medical_claims,
    applicants, calls, trial,
)  # fmt: skip
