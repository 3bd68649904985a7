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

from sqlanon.discovery.given_names import GIVEN_NAMES
from sqlanon.discovery.statistics import ColumnStatistics

FEWEST_TOLD = 5
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


_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(\.[\w-]+)*\.[A-Za-z]{2,}\b")
_URL = re.compile(r"(https?://|ftp://|www\.)\S+\.\S+", re.IGNORECASE)
_UUID = re.compile(r"\{?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?", re.IGNORECASE)
_MAC = re.compile(r"([0-9a-f]{2}[:-]){5}[0-9a-f]{2}", re.IGNORECASE)
_SSN = re.compile(r"(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}")
_PHONE = re.compile(r"(\+|00|\(|0)[\d\s()/.-]{6,18}")
_NUMERIC_DATE = re.compile(r"\d{1,4}([./-])\d{1,2}\1\d{1,4}")
_NAME = re.compile(r"[^\W\d_]+([ ,.'’-]+[^\W\d_]+){0,4}\.?")

_REGIONS = ("US", "GB", "DE", "FR", "NL", "BE", "ES", "IT", "AT", "CH", "PL", "SE", "DK", "BR")

_NATIONAL = (
    ("de.idnr", "German tax numbers"), ("nl.bsn", "Dutch citizen numbers"),
    ("fr.nir", "French social security numbers"), ("es.dni", "Spanish identity numbers"),
    ("es.nie", "Spanish foreigner numbers"), ("it.codicefiscale", "Italian tax codes"),
    ("be.nn", "Belgian national numbers"), ("ch.ssn", "Swiss social security numbers"),
    ("at.vnr", "Austrian social security numbers"), ("gb.nhs", "NHS numbers"),
    ("se.personnummer", "Swedish personal numbers"), ("fi.hetu", "Finnish personal codes"),
    ("no.fodselsnummer", "Norwegian birth numbers"), ("pl.pesel", "Polish PESEL numbers"),
    ("br.cpf", "Brazilian CPF numbers"), ("ca.sin", "Canadian social insurance numbers"),
    ("au.tfn", "Australian tax numbers"), ("in_.aadhaar", "Aadhaar numbers"),
    ("in_.pan", "Indian PAN"), ("cn.ric", "Chinese resident numbers"),
    ("kr.rrn", "Korean resident numbers"), ("ie.pps", "Irish PPS numbers"),
    ("ro.cnp", "Romanian personal codes"), ("cz.rc", "Czech birth numbers"),
    ("hr.oib", "Croatian OIB numbers"), ("bg.egn", "Bulgarian EGN numbers"),
    ("ee.ik", "Estonian personal codes"), ("tr.tckimlik", "Turkish identity numbers"),
    ("za.idnr", "South African identity numbers"), ("mx.curp", "Mexican CURP"),
    ("cl.rut", "Chilean RUT"), ("dk.cpr", "Danish CPR numbers"), ("imei", "device numbers (IMEI)"),
    ("luhn", "card numbers"),
)  # fmt: skip
"""Modules of python-stdnum with a check that chance rarely passes, and what their numbers are."""


def content_of(column: ColumnStatistics, values: Sequence[str]) -> Content | None:
    """What the values are, if they identify a person on their own; None for anything else."""
    told = [value.strip() for value in values]
    if len(told) < FEWEST_TOLD or column.kind == "date":
        return None
    for kind, share, is_one in (*_CERTAIN, *_LIKELY):
        count = sum(map(is_one, told))
        if count >= share * len(told):
            return Content(kind, count / len(told), len(told))
    return _numbers(told)


def _numbers(told: Sequence[str]) -> Content | None:
    """Numbers with check digits, and phone numbers."""
    if sum(any(map(str.isdigit, value)) for value in told) < MOST_SHARE * len(told):
        return None
    allowed = (1 - MOST_SHARE) * len(told)
    for name, kind in _NATIONAL:
        is_valid = importlib.import_module(f"stdnum.{name}").is_valid
        valid = failed = 0
        for value in told:
            if len(value) >= _SHORTEST_NUMBER and is_valid(value):
                valid += 1
            else:
                failed += 1
                if failed > allowed:
                    break
        else:
            return Content(kind, valid / len(told), len(told))
    phones = sum(map(_is_phone, told))
    if phones >= MOST_SHARE * len(told):
        return Content("phone numbers", phones / len(told), len(told))
    return None


_SHORTEST_NUMBER = 8


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


def _is_address_of_a_computer(value: str) -> bool:
    if not ("." in value or ":" in value):
        return False
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


def _matches(pattern: re.Pattern[str], *, whole: bool) -> Callable[[str], bool]:
    match = pattern.fullmatch if whole else pattern.search
    return lambda value: match(value) is not None


_CERTAIN: tuple[tuple[str, float, Callable[[str], bool]], ...] = (
    ("e-mail addresses", SOME_SHARE, _matches(_EMAIL, whole=False)),
    ("IBANs", SOME_SHARE, _is_iban),
    ("web addresses", SOME_SHARE, _matches(_URL, whole=False)),
)
_LIKELY: tuple[tuple[str, float, Callable[[str], bool]], ...] = (
    ("UUIDs", MOST_SHARE, _matches(_UUID, whole=True)),
    ("network addresses", MOST_SHARE, _is_address_of_a_computer),
    ("hardware addresses", MOST_SHARE, _matches(_MAC, whole=True)),
    ("US social security numbers", MOST_SHARE, _matches(_SSN, whole=True)),
    ("names of persons", NAME_SHARE, is_person_name),
)
