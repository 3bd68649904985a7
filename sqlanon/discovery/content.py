"""What the values of a column are: e-mail addresses, phone numbers, names of persons.

Values are looked at one by one in Python, and none is kept. Numbers with check digits are checked
by python-stdnum, phone numbers by phonenumbers; both are imported when they are first needed.
"""

from __future__ import annotations

import importlib
import ipaddress
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlanon.discovery.statistics import ColumnStatistics
from sqlanon.discovery.vocabulary import CHECKED_NUMBERS, CODE_SYSTEMS, GIVEN_NAMES

FEWEST_LOOKED_AT = 5
"""Different values below which content is not recognized: any few numbers have valid digits."""

MOST_SHARE = 0.8
"""Share of values that must be of a kind which others can resemble by chance."""

SOME_SHARE = 0.1
"""Share of values that is enough for a kind which nothing else resembles: an e-mail address in
every tenth row is one too many."""

NAME_SHARE = 0.4
"""Share of values with a known given name: the list has the frequent ones only."""


@dataclass(frozen=True)
class Content:
    """What values of a column are.

    Attributes:
        kind: in words and in the plural, such as `e-mail addresses`.
        share: the share of the different values looked at that are of this kind, 0 to 1.
        looked_at: how many different values were looked at.
    """

    kind: str
    share: float
    looked_at: int

    @property
    def is_of_names(self) -> bool:
        """Whether they are names of persons, which several persons can share."""
        return self.kind == _NAMES


_NAMES = "names of persons"

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(\.[\w-]+)*\.[A-Za-z]{2,}\b")
_URL = re.compile(r"(https?://|ftp://|www\.)\S+\.\S+", re.IGNORECASE)
_UUID = re.compile(r"\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?", re.IGNORECASE)
_MAC = re.compile(r"([0-9a-f]{2}[:-]){5}[0-9a-f]{2}", re.IGNORECASE)
_SSN = re.compile(r"(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}")
_PHONE = re.compile(r"(\+|00|\(|0)[\d\s()/.-]{6,18}")
_NUMERIC_DATE = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}")
_NAME = re.compile(r"[^\W\d_]+([ ,.'’-]+[^\W\d_]+){0,4}\.?")

_REGIONS = ("US", "GB", "DE", "FR", "NL", "BE", "ES", "IT", "AT", "CH", "PL", "SE", "DK", "BR")

_NATIONAL = tuple(CHECKED_NUMBERS.items())
"""Modules of python-stdnum with a check that chance rarely passes, and what their numbers are."""


def content_of(
    column: ColumnStatistics, values: Sequence[str], fewest: int = FEWEST_LOOKED_AT
) -> Content | None:
    """What `fewest` values or more identify a person by on their own; None for anything else."""
    values = [value.strip() for value in values]
    count = len(values)
    if count < fewest or column.kind == "date":
        return None
    for kind, share, is_one in _KINDS:
        matching = sum(bool(is_one(value)) for value in values)
        if matching >= share * count:
            return Content(kind, matching / count, count)
    if sum(any(map(str.isdigit, value)) for value in values) < MOST_SHARE * count:
        return None
    long_enough = sum(len(value) >= _SHORTEST_NUMBER for value in values)
    for name, kind in _NATIONAL if long_enough >= MOST_SHARE * count else ():
        matching = _valid_numbers(name, values)
        if matching >= MOST_SHARE * count:
            return Content(kind, matching / count, count)
    phones = sum(map(_is_phone, values))
    return Content("phone numbers", phones / count, count) if phones >= MOST_SHARE * count else None


_SHORTEST_NUMBER = 8


def _valid_numbers(name: str, values: Sequence[str]) -> int:
    """How many values are valid numbers of one kind; 0 as soon as too many are not."""
    is_valid = importlib.import_module(f"stdnum.{name}").is_valid
    valid = 0
    for looked_at, value in enumerate(values, start=1):
        valid += len(value) >= _SHORTEST_NUMBER and bool(is_valid(value))
        if looked_at - valid > (1 - MOST_SHARE) * len(values):
            return 0
    return valid


def _is_iban(value: str) -> bool:
    if not re.match(r"[A-Za-z]{2}\d\d", value):
        return False
    return bool(importlib.import_module("stdnum.iban").is_valid(value))


def _is_phone(value: str) -> bool:
    if not _PHONE.fullmatch(value) or _NUMERIC_DATE.fullmatch(value):
        return False
    phonenumbers = importlib.import_module("phonenumbers")
    for region in (None,) if value.startswith("+") else _REGIONS:
        try:
            if phonenumbers.is_valid_number(phonenumbers.parse(value, region)):
                return True
        except phonenumbers.NumberParseException:
            continue
    return False


def _is_network_address(value: str) -> bool:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


def is_person_name(value: str) -> bool:
    """Whether a value has a frequent given name, and nothing but words that could be names."""
    if not _NAME.fullmatch(value):
        return False
    return any(word.casefold() in GIVEN_NAMES for word in re.split(r"[^\w’']+", value))


_KINDS: tuple[tuple[str, float, Callable[[str], object]], ...] = (
    ("e-mail addresses", SOME_SHARE, _EMAIL.search),
    ("IBANs", SOME_SHARE, _is_iban),
    ("web addresses", SOME_SHARE, _URL.search),
    ("UUIDs", MOST_SHARE, _UUID.fullmatch),
    ("network addresses", MOST_SHARE, _is_network_address),
    ("hardware addresses", MOST_SHARE, _MAC.fullmatch),
    ("US social security numbers", MOST_SHARE, _SSN.fullmatch),
    (_NAMES, NAME_SHARE, is_person_name),
)
"""In the plural, with the share of values that is enough."""


@dataclass(frozen=True)
class CodeSystem:
    """A system of codes, or a notation, that many persons share.

    Attributes:
        kind: in words and in the plural.
        about: a key of the vocabulary: what is known of persons by such values.
    """

    kind: str
    about: str


_SYSTEMS = tuple(
    (CodeSystem(kind, about), re.compile(pattern))
    for kind, (about, pattern) in CODE_SYSTEMS.items()
)
"""By their shapes: of ICD-10 (2019), ATC (2024), OPS (2024), NUTS (2021) and postal services."""

_SYSTEM_SHARE = 0.98


def system_of(values: Sequence[str]) -> CodeSystem | None:
    """The system that nearly all of these values are codes of; None for anything else."""
    if len(values) < FEWEST_LOOKED_AT or len({value[:1] for value in values}) < 2:
        return None
    return next(
        (system for system, pattern in _SYSTEMS
         if sum(map(bool, map(pattern.fullmatch, values))) >= _SYSTEM_SHARE * len(values)),
        None,
    )  # fmt: skip
