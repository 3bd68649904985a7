#!/usr/bin/env python3
"""Write visits.csv beside this file: 3,000 invented visits of 1,200 invented patients.

usage: make_visits.py [--visits 3000] [--patients 1200] [--seed 11] [--output visits.csv]

Standard library only. Same arguments, same bytes. Names, places and codes are drawn from the lists
below; no row describes a person. The file is as a hospital system would export it: semicolons,
30 columns, and free-text notes with names in them.

  visit_id, patient_id              keys; a patient has one to nine visits
  last_name … phone                 who it is, and how to reach them
  insurance_no, iban                with valid check digits
  birth_date, sex, zip …            what people know of each other
  admitted, discharged, ward …      what others saw
  diagnosis, procedure, smoker      what nobody should learn
  weight, charge, paid              exact numbers
  note                              free text, one in three with a name
"""

import argparse
import csv
import datetime
import random
from collections.abc import Iterator
from pathlib import Path

FIRST_NAMES = {
    "F": (
        "Anna Amira Barbara Carla Charlotte Claudia Elena Emilia Emma Farah Hanna Helga Ines Julia "
        "Katharina Lara Laura Lena Lucia Maria Martina Monika Nadia Petra Renate Sabine Sofia"
    ),
    "M": (
        "Alexander Ali Andreas Anton Bernd Bruno Carlos Daniel David Emil Felix Frank Georg Hans "
        "Ivan Jan Jonas Karl Klaus Lukas Marco Martin Mehmet Michael Omar Paul Peter Thomas"
    ),
}
LAST_NAMES = (
    "Abel Albrecht Arnold Bauer Beck Berger Böhm Brandt Braun Busch Dietrich Engel Fischer Frank "
    "Fuchs Graf Groß Haas Hahn Hartmann Heinrich Herrmann Hofmann Huber Jäger Jung Kaiser Keller "
    "Klein Koch Kraus Krüger Kuhn Lang Lehmann Lorenz Ludwig Maier Möller Müller Neumann Otto "
    "Peters Pfeiffer Pohl Richter Roth Sauer Schäfer Schmidt Schreiber Schulz Schuster Seidel "
    "Simon Sommer Stein Thomas Vogel Vogt Wagner Walter Weber Weiß Winkler Winter Wolf Ziegler"
)
STREETS = ("Hauptstr.", "Gartenweg", "Bahnhofstr.", "Lindenallee", "Am Markt", "Mühlweg")
PLACES = [
    ("80331", "München", 0.20), ("80636", "München", 0.16), ("81541", "München", 0.14),
    ("82031", "Grünwald", 0.06), ("82131", "Gauting", 0.06), ("83022", "Rosenheim", 0.10),
    ("85049", "Ingolstadt", 0.10), ("86150", "Augsburg", 0.10), ("87435", "Kempten", 0.04),
    ("93047", "Regensburg", 0.04),
]  # fmt: skip
NATIONS = {"German": 40, "Turkish": 4, "Austrian": 3, "Italian": 1, "Croatian": 1, "Syrian": 1}
MARITAL = ["single", "married", "divorced", "widowed"]
OCCUPATIONS = (
    "teacher nurse engineer clerk driver cook mechanic farmer student pensioner carpenter lawyer"
)
WARDS = {
    "I10": "cardiology", "I21": "cardiology", "E11": "internal", "K35": "surgery", "S72": "surgery",
    "J18": "internal", "F32": "psychiatry", "F10": "psychiatry", "O80": "obstetrics",
    "C50": "oncology", "B20": "internal", "M54": "orthopedics",
}  # fmt: skip
DIAGNOSES = {
    "I10": 18, "E11": 14, "J18": 10, "M54": 14, "K35": 8, "S72": 7, "I21": 7, "F32": 9, "F10": 4,
    "O80": 5, "C50": 3, "B20": 1,
}  # fmt: skip
PROCEDURES = "none none none CT MRI X-ray ECG surgery infusion"
PAYERS = {"statutory": 17, "private": 2, "self": 1}
COMPLAINTS = (
    "chest pain", "fever since two days", "back pain", "fall at home", "low mood", "routine check",
)  # fmt: skip
PLANS = (
    "rest and fluids", "follow up in a week", "blood test ordered", "moved to the ward",
)  # fmt: skip
EPOCH = datetime.date(2023, 1, 1)


def iban(rng: random.Random) -> str:
    """A German IBAN with valid check digits."""
    account = f"{rng.randrange(10**18):018d}"
    rest = int(account + "131400") % 97  # D = 13, E = 14
    return f"DE{98 - rest:02d}{account}"


def insurance_number(rng: random.Random) -> str:
    """A German health insurance number: a letter, eight digits, a check digit."""
    letter, digits = rng.choice("ABCDEFGHKLMNPRSTW"), f"{rng.randrange(10**8):08d}"
    digits_of_all = f"{ord(letter) - 64:02d}{digits}"
    total = sum(sum(divmod(int(d) * (1 + i % 2), 10)) for i, d in enumerate(digits_of_all))
    return f"{letter}{digits}{total % 10}"


def patient(rng: random.Random, number: int) -> dict[str, str]:
    """Who somebody is; the same in all visits."""
    sex = "F" if rng.random() < 0.54 else "M"
    first, last = rng.choice(FIRST_NAMES[sex].split()), rng.choice(LAST_NAMES.split())
    born = datetime.date(1932, 1, 1) + datetime.timedelta(days=rng.randrange(365 * 78))
    age = 2023 - born.year
    zip_code, city, _ = rng.choices(PLACES, [share for *_, share in PLACES])[0]
    plain = f"{first}.{last}".lower().translate(str.maketrans("äöüß", "aous"))
    shares = [1, 0, 0, 0] if age < 20 else [3, 6, 2, 3 if age > 65 else 0.2]
    marital = rng.choices(MARITAL, shares)[0]
    usual = rng.choice(OCCUPATIONS.split())
    occupation = "pensioner" if age > 66 else "student" if age < 22 else usual
    return {
        "patient_id": f"P{100_000 + number * 7}",
        "last_name": last,
        "first_name": first,
        "email": f"{plain}{number % 97}@example.org",
        "phone": f"+49 89 {rng.randrange(10**6, 10**7)}",
        "street": f"{rng.choice(STREETS)} {rng.randrange(1, 120)}",
        "insurance_no": insurance_number(rng),
        "iban": iban(rng),
        "birth_date": born.isoformat(),
        "sex": sex,
        "zip": zip_code,
        "city": city,
        "nationality": rng.choices(list(NATIONS), list(NATIONS.values()))[0],
        "marital_status": marital,
        "occupation": occupation,
        "smoker": "yes" if rng.random() < 0.22 else "no",
    }


def visit(rng: random.Random, number: int, person: dict[str, str]) -> dict[str, str]:
    """One visit of a patient."""
    diagnosis = rng.choices(list(DIAGNOSES), list(DIAGNOSES.values()))[0]
    if diagnosis in ("O80", "C50") and person["sex"] == "M":
        diagnosis = "I10"
    admitted = EPOCH + datetime.timedelta(days=rng.randrange(365))
    nights = min(int(rng.expovariate(0.3)), 30)
    charge = round(180 + 410 * nights * rng.lognormvariate(0, 0.4) + rng.random() * 90, 2)
    name = f"{person['first_name']} {person['last_name']}"
    seen = f"{name} reports {rng.choice(COMPLAINTS)}" if rng.random() < 1 / 3 else (
        f"Patient reports {rng.choice(COMPLAINTS)}"
    )  # fmt: skip
    vital = f"RR {rng.randrange(100, 180)}/{rng.randrange(60, 110)}"
    return {
        "visit_id": str(500_000 + number),
        **person,
        "admitted": admitted.isoformat(),
        "discharged": (admitted + datetime.timedelta(days=nights)).isoformat(),
        "nights": str(nights),
        "ward": WARDS[diagnosis],
        "doctor_id": f"D{rng.randrange(40):02d}",
        "diagnosis": diagnosis,
        "procedure": rng.choice(PROCEDURES.split()),
        "payer": rng.choices(list(PAYERS), list(PAYERS.values()))[0],
        "weight": f"{rng.gauss(78 if person['sex'] == 'M' else 67, 13):.1f}",
        "charge": f"{charge:.2f}",
        "paid": "" if rng.random() < 0.3 else f"{charge:.2f}",
        "currency": "EUR",
        "note": f"{seen}, {vital}; {rng.choice(PLANS)}.",
    }


def visits(count: int, patients: int, seed: int) -> Iterator[dict[str, str]]:
    """The visits in the order of their numbers."""
    rng = random.Random(seed)
    people = [patient(rng, number) for number in range(patients)]
    often = [rng.paretovariate(1.6) for _ in people]
    seen = dict.fromkeys(range(patients), 0)
    for number in range(count):
        if number < patients:
            who = number
        else:
            who = rng.choices(range(patients), often)[0]
            while seen[who] > 8:
                who = rng.randrange(patients)
        seen[who] += 1
        yield visit(rng, number, people[who])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--visits", type=int, default=3000)
    parser.add_argument("--patients", type=int, default=1200)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_name("visits.csv"))
    arguments = parser.parse_args()

    rows = list(visits(arguments.visits, arguments.patients, arguments.seed))
    with arguments.output.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
