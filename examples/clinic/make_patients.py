#!/usr/bin/env python3
"""Write patients.csv and residents.csv beside this file.

2,000 invented patients of an invented clinic, and the 8,000 invented residents of its region, the
patients among them.

usage: make_patients.py [--rows 2000] [--residents 8000] [--seed 7]

Standard library only. Same arguments, same bytes. Names, codes and costs are drawn from
the lists below; no row describes a person.

  patient_id      P00001 … in row order
  name            first and last name
  sex             F | M
  born            ISO date, 1930-01-01 to 2010-12-31
  zip             five digits as text, some with a leading zero; empty in 5 rows
  marital_status  spelled as in Adult, so that adult/marital-status.csv generalizes it
  diagnosis       12 values, the commonest about 25 times as frequent as the rarest
  cost            whole currency units

residents.csv has sex, born, zip and marital_status of everybody, in no order.
"""

import argparse
import csv
import datetime
import math
import random
from collections.abc import Iterator
from pathlib import Path

FIRST_NAMES = {
    "F": (
        "Ada Alma Amira Bea Carla Chloe Dina Edith Elena Farah Greta Hanna Ines Joan "
        "Kira Lena Lucia Maya Mina Nora Olga Paula Rosa Ruth Sofia Tara Vera Wanda"
    ),
    "M": (
        "Adam Anton Bruno Carl Dario Emil Felix Frank Georg Hugo Ivan Jonas Karim Leo "
        "Luca Marco Milan Nils Omar Oscar Paul Rafael Ravi Simon Theo Tomas Victor Yusuf"
    ),
}
LAST_NAMES = (
    "Abbott Alvarez Archer Banks Becker Bishop Castillo Chen Collins Costa Dalton Diaz "
    "Dumont Ellis Fischer Fontana Garner Grant Haddad Hayes Ibarra Jensen Kaplan Keller "
    "Kovacs Lambert Larsen Lopez Marsh Meyer Moreau Nakata Novak Osman Palmer Petrov "
    "Quinn Ramos Reyes Rossi Sato Schmidt Silva Sutton Tanaka Turner Usman Vargas Voss "
    "Walker Weber Young Zeller"
)

# First three digits of the codes, share of the patients, number of codes.
REGIONS = [
    ("021", 0.38, 16),
    ("024", 0.22, 12),
    ("018", 0.15, 10),
    ("030", 0.12, 9),
    ("100", 0.08, 7),
    ("606", 0.05, 6),
]

# Diagnosis: weight, typical age and its spread, factor for women, median cost.
DIAGNOSES = {
    "hypertension": (20.0, 66, 16, 1.0, 420),
    "type 2 diabetes": (14.0, 62, 15, 0.9, 780),
    "back pain": (12.0, 48, 18, 1.0, 350),
    "asthma": (9.0, 28, 22, 1.1, 310),
    "depression": (9.0, 40, 18, 1.6, 640),
    "influenza": (8.0, 35, 28, 1.0, 140),
    "anxiety disorder": (7.0, 34, 15, 1.6, 520),
    "coronary disease": (6.5, 71, 11, 0.6, 5200),
    "migraine": (5.0, 36, 14, 2.4, 260),
    "breast cancer": (0.5, 61, 12, 14.0, 14800),
    "epilepsy": (2.0, 32, 22, 1.0, 1650),
    "hiv": (2.0, 41, 12, 0.4, 3900),
}

# The year in which ages are counted: fixed, so that the file never changes.
REFERENCE_YEAR = 2024
FIRST_YEAR, LAST_YEAR = 1930, 2010
EMPTY_ZIPS = 5
REGISTERED = ("sex", "born", "zip", "marital_status")


def zip_codes(rng: random.Random) -> tuple[list[str], list[float]]:
    """All codes with their weights: a few busy codes in each region, a long tail."""
    codes: list[str] = []
    weights: list[float] = []
    for prefix, share, count in REGIONS:
        endings = sorted(rng.sample(range(1, 100), count))
        rng.shuffle(endings)
        tail = [1 / (rank + 1) ** 0.8 for rank in range(count)]
        for ending, weight in zip(endings, tail, strict=True):
            codes.append(f"{prefix}{ending:02d}")
            weights.append(share * weight / sum(tail))
    return codes, weights


def birth_date(rng: random.Random) -> datetime.date:
    """Most patients are middle-aged, a fifth are young."""
    while True:
        center, spread = (1998, 8) if rng.random() < 0.2 else (1963, 17)
        year = round(rng.gauss(center, spread))
        if FIRST_YEAR <= year <= LAST_YEAR:
            break
    days = (datetime.date(year + 1, 1, 1) - datetime.date(year, 1, 1)).days
    return datetime.date(year, 1, 1) + datetime.timedelta(days=rng.randrange(days))


def marital_status(rng: random.Random, age: int, sex: str) -> str:
    if age < 20:
        return "Never-married"
    never = 0.85 if age < 28 else 0.45 if age < 36 else 0.18 if age < 60 else 0.07
    widowed = 0.01 if age < 60 else (age - 55) / 100 * (1.4 if sex == "F" else 0.5)
    ended = 0.03 if age < 36 else 0.17
    married = max(1 - never - widowed - ended, 0.15)
    return rng.choices(
        ["Never-married", "Married-civ-spouse", "Divorced", "Separated", "Widowed"],
        [never, married, ended * 0.8, ended * 0.2, widowed],
    )[0]


def diagnosis(rng: random.Random, age: int, sex: str) -> str:
    weights = []
    for weight, center, spread, women, _ in DIAGNOSES.values():
        fit = 0.03 + math.exp(-(((age - center) / spread) ** 2) / 2)
        weights.append(weight * fit * (women if sex == "F" else 1))
    return rng.choices(list(DIAGNOSES), weights)[0]


def patients(rows: int, seed: int) -> Iterator[dict[str, str | int]]:
    rng = random.Random(seed)
    codes, weights = zip_codes(rng)
    empty = set(rng.sample(range(rows), min(EMPTY_ZIPS, rows)))
    for i in range(rows):
        sex = "F" if rng.random() < 0.54 else "M"
        born = birth_date(rng)
        age = REFERENCE_YEAR - born.year
        found = diagnosis(rng, age, sex)
        code = rng.choices(codes, weights)[0]
        yield {
            "patient_id": f"P{i + 1:05d}",
            "name": f"{rng.choice(FIRST_NAMES[sex].split())} {rng.choice(LAST_NAMES.split())}",
            "sex": sex,
            "born": born.isoformat(),
            "zip": "" if i in empty else code,
            "marital_status": marital_status(rng, age, sex),
            "diagnosis": found,
            "cost": max(40, round(DIAGNOSES[found][4] * rng.lognormvariate(0, 0.5))),
        }


def residents(
    among: list[dict[str, str | int]], count: int, seed: int
) -> list[dict[str, str | int]]:
    """The patients and others, who live where patients live."""
    rng = random.Random(seed + 1)
    everybody = [{name: row[name] for name in REGISTERED} for row in among]
    for _ in range(count - len(among)):
        sex = "F" if rng.random() < 0.5 else "M"
        born = birth_date(rng)
        status = marital_status(rng, REFERENCE_YEAR - born.year, sex)
        everybody.append(
            {"sex": sex, "born": born.isoformat(), "zip": rng.choice(among)["zip"],
             "marital_status": status}
        )  # fmt: skip
    rng.shuffle(everybody)
    return everybody


def write(rows: list[dict[str, str | int]], name: str) -> None:
    target = Path(__file__).with_name(name)
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--residents", type=int, default=8000)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()

    rows = list(patients(arguments.rows, arguments.seed))
    write(rows, "patients.csv")
    write(residents(rows, arguments.residents, arguments.seed), "residents.csv")


if __name__ == "__main__":
    main()
