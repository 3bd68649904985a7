"""Figures 1 to 5 of Stack and Deal; `python -m examples.papers.stack_and_deal` makes them again.

Dealt classes are those that sqlanon publishes. Classes made by chance are a plain table. Both are
measured by `sqlanon.verify` with the same promises: t-closeness with t = 0 and the distances of
ordered values, which lists every class that is not spread exactly as the table, and l-diversity.
"""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import sqlanon
from examples.papers import pages
from examples.papers.pages import Page, Picture, Table, decimal

FOLDER = Path(__file__).parent

F = (167, 153, 127, 103, 91, 89)
TRANSFUSION = (570, 178)
HABERMAN = (225, 81)

SEEDS = range(1, 11)
"""Of the classes that are made by chance."""

EXCHANGES = 20
"""Exchanges of two rows for each class, to get from dealt classes to any others."""

Class = tuple[int, ...]
"""Rows of each value."""


class Measured(NamedTuple):
    """What the classes of a table hold."""

    fewest_values: int
    distances: list[float]  # of every class from the table

    @property
    def mean(self) -> str:
        """The mean distance of a class."""
        return decimal(fmean(self.distances))

    @property
    def largest(self) -> str:
        """The largest distance of a class."""
        return decimal(max(self.distances))


def measured(table: Path, classes: Sequence[str], attribute: str) -> Measured:
    """What sqlanon measures of the classes of a published table."""
    plan = sqlanon.promised(
        {"path": str(table)},
        classes,
        [attribute],
        [{"model": "t-closeness", "distance": "ordered", "t": 0}, {"model": "l-diversity", "l": 1}],
    )
    closeness, diversity = sqlanon.verify(str(table), plan, manifest=False, list_failing=1_000_000)
    apart = [float(one["distance"]) for one in closeness.failing]
    assert len(apart) == closeness.failing_classes
    assert diversity.measured is not None
    same = closeness.class_count - closeness.failing_classes
    return Measured(int(diversity.measured), [*apart, *[0.0] * same])


def dealt(plan: str, k: int, attribute: str, **keys: object) -> Measured:
    """What the classes hold that Stack-and-Deal makes of the rows of a plan."""
    with pages.workplace(FOLDER) as folder:
        sqlanon.run(folder / plan, pages.overridden({"privacy.0.k": k, **keys}))
        return measured(folder / "dealt.parquet", ["bucket"], attribute)


def by_chance(counts: Sequence[int], k: int, seed: int) -> list[Class]:
    """Every row in one of floor(rows / k) classes, each as likely; classes differ in size."""
    draw = random.Random(f"{k} {seed}")
    classes: dict[int, Counter[int]] = {}
    for value, count in enumerate(counts):
        for _ in range(count):
            classes.setdefault(draw.randrange(sum(counts) // k), Counter())[value] += 1
    return [tuple(one[value] for value in range(len(counts))) for one in classes.values()]


def differing(counts: tuple[int, int], k: int, most: int, seed: int) -> list[Class]:
    """Classes of the dealt sizes, in which the counts of a value differ by up to `most`.

    Two values are dealt. Then two rows of different values change places between two classes drawn
    by chance, many times, unless the counts of a value would differ by more than `most`.
    """
    draw = random.Random(f"{k} {most} {seed}")
    classes = [[0, 0] for _ in range(sum(counts) // k)]
    for place, value in enumerate([0] * counts[0] + [1] * counts[1]):
        classes[place % len(classes)][value] += 1
    spread = [Counter(one[value] for one in classes) for value in (0, 1)]
    for _ in range(EXCHANGES * len(classes)):
        one, other = draw.sample(classes, 2)
        moved = [(one, 0, -1), (one, 1, +1), (other, 0, +1), (other, 1, -1)]
        if one[0] == 0 or other[1] == 0:
            continue
        _move(spread, moved)
        if any(max(+frequencies) - min(+frequencies) > most for frequencies in spread):
            _move(spread, [(each, value, -change) for each, value, change in reversed(moved)])
    return [(one[0], one[1]) for one in classes]


def _move(spread: list[Counter[int]], moved: Iterable[tuple[list[int], int, int]]) -> None:
    """Change the counts of classes, and how many classes have each count."""
    for one, value, change in moved:
        spread[value][one[value]] -= 1
        one[value] += change
        spread[value][one[value]] += 1


def of_seeds(made: Mapping[int, Sequence[Class]]) -> Measured:
    """What the classes of all seeds hold, measured in one table; each seed has all rows once."""
    with pages.workplace(FOLDER) as folder:
        table = folder / "chance.csv"
        with table.open("w", encoding="utf-8", newline="") as file:
            lines = csv.writer(file)
            lines.writerow(["seed", "bucket", "value"])
            for seed, classes in made.items():
                for bucket, counts in enumerate(classes):
                    for value, count in enumerate(counts, start=1):
                        lines.writerows([[seed, bucket, value]] * count)
        return measured(table, ["seed", "bucket"], "value")


def diversity(k: int) -> list[Sequence[str]]:
    """Figure 1."""
    return [[str(k), str(dealt("disease.yml", k, "disease").fewest_values)]]


def diversity_of_adult(k: int) -> list[Sequence[str]]:
    """Figure 2."""
    found = []
    for attribute in ("education", "occupation"):
        with pages.workplace(FOLDER) as folder:
            keys = {"privacy.0.k": k, "method.attribute": attribute, "source.path": pages.ADULT}
            manifest = sqlanon.run(folder / "adult.yml", pages.overridden(keys)).manifest
        found.append(str(manifest["utility"]["fewest_values"]))
    return [[str(k), *found]]


def closeness(k: int) -> list[Sequence[str]]:
    """Figure 3."""
    own = dealt("disease.yml", k, "disease")
    chance = of_seeds({seed: by_chance(F, k, seed) for seed in SEEDS})
    nearer = sum(distance < min(own.distances) for distance in chance.distances)
    share = decimal(100 * nearer / len(chance.distances), 1)
    return [[str(k), own.mean, own.largest, chance.mean, chance.largest,
             decimal(min(own.distances)), share]]  # fmt: skip


def closeness_of_two(plan: str, counts: tuple[int, int], k: int) -> list[Sequence[str]]:
    """Figures 4 and 5."""
    own = dealt(plan, k, "outcome")
    two, three = (
        of_seeds({seed: differing(counts, k, most, seed) for seed in SEEDS}) for most in (2, 3)
    )
    return [[str(k), own.mean, own.largest, two.mean, two.largest, three.mean, three.largest]]


K = "k [rows]"
DEALT_MEAN, DEALT_LARGEST = "dealt: mean EMD", "dealt: largest EMD"
CHANCE_MEAN, CHANCE_LARGEST = "by chance: mean EMD", "by chance: largest EMD"
RAND1_MEAN, RAND1_LARGEST = "Rand1: mean EMD", "Rand1: largest EMD"
RAND2_MEAN, RAND2_LARGEST = "Rand2: mean EMD", "Rand2: largest EMD"
OF_TWO = (K, DEALT_MEAN, DEALT_LARGEST, RAND1_MEAN, RAND1_LARGEST, RAND2_MEAN, RAND2_LARGEST)
MEANS = {
    RAND2_MEAN: "Rand2 (counts differ by 3)",
    RAND1_MEAN: "Rand1 (counts differ by 2)",
    DEALT_MEAN: "dealt (counts differ by 1)",
}
LARGEST = dict(zip((RAND2_LARGEST, RAND1_LARGEST, DEALT_LARGEST), MEANS.values(), strict=True))
X = "k [rows in a class]"
EMD = "earth mover's distance to the table [0 to 1]"

PAGE = Page(
    FOLDER,
    (
        Table(
            "figure_1.csv", (K, "dealt: fewest values in a class"), tuple(range(2, 11)), diversity
        ),
        Table(
            "figure_2.csv",
            (K, "education: fewest values in a class", "occupation: fewest values in a class"),
            tuple(range(2, 22)),
            diversity_of_adult,
        ),
        Table(
            "figure_3.csv",
            (
                K,
                DEALT_MEAN,
                DEALT_LARGEST,
                CHANCE_MEAN,
                CHANCE_LARGEST,
                "dealt: smallest EMD",
                "classes by chance that are nearer than any dealt one [%]",
            ),
            tuple(range(2, 21)),
            closeness,
        ),
        Table(
            "figure_4.csv",
            OF_TWO,
            tuple(range(2, 21)),
            partial(closeness_of_two, "transfusion.yml", TRANSFUSION),
        ),
        Table(
            "figure_5.csv",
            OF_TWO,
            tuple(range(2, 21)),
            partial(closeness_of_two, "haberman.yml", HABERMAN),
        ),
    ),
    (
        Picture(
            "figure_1.svg",
            "figure_1.csv",
            f"Fewest diseases in a class, F = {F}",
            X,
            "diversity [values]",
            K,
            {"dealt: fewest values in a class": "dealt"},
        ),
        Picture(
            "figure_2.svg",
            "figure_2.csv",
            "Fewest values in a class, 30,162 rows of Adult",
            X,
            "diversity [values]",
            K,
            {
                "education: fewest values in a class": "education (16 values)",
                "occupation: fewest values in a class": "occupation (14 values)",
            },
        ),
        Picture(
            "figure_3.svg",
            "figure_3.csv",
            "Dealt classes and classes by chance, F of figure 1",
            X,
            EMD,
            K,
            {
                CHANCE_LARGEST: "by chance, largest",
                CHANCE_MEAN: "by chance, mean",
                DEALT_LARGEST: "dealt, largest",
                DEALT_MEAN: "dealt, mean",
            },
        ),
        *(
            Picture(
                f"figure_{number}_{which}.svg",
                f"figure_{number}.csv",
                f"{title}, {what}",
                X,
                EMD,
                K,
                series,
            )
            for number, title in (
                (4, "Blood Transfusion, 570 and 178 rows"),
                (5, "Haberman's Survival, 225 and 81 rows"),
            )
            for which, what, series in (
                ("mean", "mean of the classes", MEANS),
                ("largest", "farthest class", LARGEST),
            )
        ),
    ),
)

if __name__ == "__main__":
    pages.remake(PAGE)
