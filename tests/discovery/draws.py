"""What invented tables are drawn from: skewed values, dates, names, and keys with check digits."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from random import Random
from typing import TypeVar

from stdnum import luhn

Value = TypeVar("Value")

NAMES = {
    "de": "Anna Maria Sabine Petra Lena Emma Julia Claudia Renate/"
    "Peter Thomas Michael Hans Jonas Paul Felix Klaus Stefan/"
    "Müller Schmidt Schneider Fischer Weber Meyer Becker Schulz Hoffmann Koch Krüger Böhm",
    "en": "Mary Emma Olivia Susan Karen Sarah Emily Jessica Linda/"
    "James John Oliver David Robert William Thomas George Mark/"
    "Smith Jones Taylor Brown Williams Wilson Davies Patel Wright Walker Thompson Hughes Khan",
    "fr": "Marie Camille Julie Sophie Nathalie Isabelle Léa Chloé Claire/"
    "Jean Pierre Michel Nicolas Julien Philippe Louis Antoine Luc/"
    "Martin Bernard Dubois Robert Richard Petit Durand Leroy Moreau Lefèvre Fournier Blanc Roux",
    "it": "Maria Giulia Francesca Chiara Sara Anna Laura Paola Elena/"
    "Marco Giuseppe Luca Andrea Giovanni Antonio Paolo Matteo Mario/"
    "Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Gallo Conti Costa",
    "nl": "Anna Maria Johanna Emma Sophie Lotte Sanne Julia Femke/"
    "Jan Pieter Daan Sem Lars Thijs Johannes Willem Bas/"
    "Jansen Bakker Visser Smit Meijer Mulder Bos Peters Hendriks Dekker Dijkstra Kok Vermeulen",
}
"""Given names of women and of men, and family names, the most frequent first, by language."""


class Draws(Random):
    """Random draws; the same seed gives the same ones."""

    def pick(self, choices: str) -> str:
        """One of `value=weight|value=weight`; without a weight it is 1."""
        values, weights = _weighted(choices)
        return self.choices(values, weights)[0]

    def skewed(self, values: list[Value]) -> Value:
        """One of the values: four of five draws prefer the first ones, the others none."""
        place = int(self.paretovariate(0.9)) - 1
        if place >= len(values) or self.random() < 0.2:
            return self.choice(values)
        return values[place]

    def unless(self, share: float, code: str | None, value: object) -> object:
        """The value, or in a share of the draws the code for missing."""
        return code if self.random() < share else value

    def day(self, year: int, years: int = 1) -> date:
        """A day from the beginning of a year on."""
        return date(year, 1, 1) + timedelta(days=self.randrange(365 * years))

    def born(self, year: int, mean: float, deviation: float = 18) -> date:
        """A date of birth of somebody who is alive in a year."""
        age = min(max(self.gauss(mean, deviation), 0), 99)
        return date(year, 1, 1) - timedelta(days=int(age * 365) + self.randrange(365))

    def between(self, lowest: int, highest: int, mean: float, deviation: float) -> int:
        """A whole number about a mean."""
        return min(max(round(self.gauss(mean, deviation)), lowest), highest)

    def name(self, language: str, sex: str) -> tuple[str, str]:
        """A given name and a family name, one in three of them double; sex is F or M."""
        women, men, families = (part.split() for part in NAMES[language].split("/"))
        family = self.skewed(families)
        if self.random() < 1 / 3:
            family += "-" + self.choice(families)
        return self.choice(women if sex == "F" else men), family

    def sign(self, signs: str = "ABCDEGHJKLMNPRST") -> str:
        return self.choice(signs)

    def digits(self, count: int) -> str:
        """A number of so many digits."""
        return str(self.randrange(10 ** (count - 1), 10**count))

    def code(self, form: str, letters: str) -> str:
        """The form with each 9 replaced by a digit, and each X by one of the letters."""
        drawn = {"9": lambda: str(self.randrange(10)), "X": lambda: self.choice(letters)}
        return "".join(drawn[sign]() if sign in drawn else sign for sign in form)

    def codes(self, count: int, form: str, letters: str) -> list[str]:
        """So many different codes of a form."""
        found: dict[str, None] = {}
        while len(found) < count:
            found[self.code(form, letters)] = None
        return list(found)

    def bsn(self) -> str:
        """A Dutch citizen service number: its digits times 9, 8, … 2, -1 are 0 modulo 11."""
        while True:
            first = self.digits(8)
            check = sum(int(digit) * (9 - place) for place, digit in enumerate(first)) % 11
            if check < 10:
                return f"{first}{check}"

    def kvnr(self) -> str:
        """A German health insurance number; check digit by § 290 SGB V, modulo 10."""
        number = f"{self.randrange(1, 27):02d}{self.digits(8)}"
        products = [int(digit) * (1 + place % 2) for place, digit in enumerate(number)]
        check = sum(sum(divmod(product, 10)) for product in products) % 10
        return f"{chr(64 + int(number[:2]))}{number[2:]}{check}"

    def with_luhn(self, first: str, count: int, before: str = "") -> str:
        """A number with so many drawn digits, whose check digit covers what stands before, too."""
        number = first + self.digits(count)
        return number + str(luhn.calc_check_digit(before + number))


@cache
def _weighted(choices: str) -> tuple[list[str], list[float]]:
    parts = [choice.partition("=") for choice in choices.split("|")]
    return [value for value, _, _ in parts], [float(weight or 1) for _, _, weight in parts]


def comma(value: float, decimals: int = 1, thousands: str = "") -> str:
    """A number with a decimal comma."""
    return f"{value:,.{decimals}f}".translate({ord(","): thousands, ord("."): ","})
