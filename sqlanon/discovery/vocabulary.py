"""What the name of a column says of its role, in six languages; the words are in `vocabulary.yml`.

Words are compared without case and marks. A name that joins words, such as `birthdate` or
`Geburtsdatum`, is looked up as a whole, too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import yaml

Words = frozenset[str]

_TEXT = Path(__file__).with_suffix(".yml").read_text(encoding="utf-8")
_LISTS = yaml.load(_TEXT, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
CHECKED_NUMBERS: dict[str, str] = _LISTS.pop("checked_numbers")
CODE_SYSTEMS: dict[str, tuple[str, str]] = _LISTS.pop("code_systems")
_KNOWN: dict[str, str] = _LISTS.pop("quasi_identifying")
_HIDDEN: dict[str, str] = _LISTS.pop("sensitive")
_WORDS: dict[str, Words] = {
    key: frozenset(words.split() if isinstance(words, str) else words)
    for key, words in _LISTS.items()
}


def without_marks(text: str) -> str:
    """A text in lower case, whose letters have lost their marks."""
    parts = unicodedata.normalize("NFKD", text.lower())
    return "".join(part for part in parts if not unicodedata.combining(part))


MISSING_IN_TEXTS = frozenset(map(without_marks, _WORDS["missing_in_texts"]))
"""What stands for a missing value wherever it occurs, in lower case and without marks."""

MISSING_TEXTS = MISSING_IN_TEXTS | set(map(without_marks, _WORDS["missing_elsewhere"]))
"""What stands for a missing value where all others are numbers or dates, likewise."""

GIVEN_NAMES, UNITS = _WORDS["given_names"], _WORDS["units"]
IDENTIFYING = _WORDS["identifying"] | _WORDS["parts_of_names"]
ABOUT_TIME_OF_BIRTH = _WORDS["birth"]
AMOUNTS = _WORDS["amounts"]
PLACE = _WORDS["place"]
POSTAL = _WORDS["postal"]
COORDINATES = _WORDS["coordinates"]
ABOUT_THE_RECORD = _WORDS["record"]

QUASI_IDENTIFYING = tuple(_KNOWN.items())
"""What people know of others, the most widely known first, and why."""

SENSITIVE = tuple(_HIDDEN.items())
"""What nobody should learn of a person."""

_TRAITS = {
    "ages": "age", "birth": "birth", "sex": "sex", "place": "place", "origin": "origin",
    "life": "life", "parts_of_names": "name",
}  # fmt: skip
"""What a person has or is for a long time."""


def says(name: str, words: Words) -> bool:
    """Whether the name of a column has one of the words, is one when joined, or ends in one.

    German and Dutch join words, the last of which says what it is: `Hauptdiagnose`; or of what it
    is a kind: `Diagnosegruppe`.
    """
    own = words_of(name)
    stems = {word.removesuffix(kind) for word in own for kind in _WORDS["kinds"]}
    found = {*own, "".join(own), *stems, *(stem.removesuffix("s") for stem in stems - {*own})}
    return bool(words & found) or any(
        word[place:] in words for word in own for place in range(1, len(word) - _SHORTEST_END + 1)
    )


def _about(name: str, groups: Iterable[str], distinct: int) -> str | None:
    """The first of the groups of words that the name says; one that is a joined name goes first."""
    groups = [group for group in groups if group != "sex" or distinct <= _MOST_SEXES]
    exact = [group for group in groups if "".join(words_of(name)) in _WORDS[group]]
    return next(iter(exact or [group for group in groups if says(name, _WORDS[group])]), None)


_MOST_SEXES = 20
"""Different values of a column about sex: one of titles, of persons or of books, can have more."""


_SHORTEST_END = 5
"""Letters of a word that another can end in: shorter ones are in many words by chance."""


def names_a_person(name: str) -> bool:
    """Whether a column called `name` by one of its words has names of persons."""
    own = set(words_of(name))
    names = _WORDS["names"] | _WORDS["parts_of_names"]
    return bool(own & names) and own <= (names | _WORDS["named_persons"])


def reason_to_generalize(name: str, distinct: int = 0) -> tuple[int, str] | None:
    """How widely known a column is by its name, 0 first, and why; None if the name says nothing."""
    about = _about(name, _KNOWN, distinct)
    return None if about is None else known_by(about)


def known_by(about: str) -> tuple[int, str]:
    """How widely a trait is known, 0 first, and why."""
    place = next(n for n, (each, _) in enumerate(QUASI_IDENTIFYING) if each == about)
    return place, QUASI_IDENTIFYING[place][1]


def reason_to_protect(name: str) -> str | None:
    """What a column is about that nobody should learn, by its name; None if it says nothing."""
    about = _about(name, _HIDDEN, 0)
    return _HIDDEN.get(about or "")


def trait(name: str, distinct: int = 0) -> str | None:
    """What a column is about that a person has or is for a long time; None: anything else."""
    if names_a_person(name):
        return "name"
    return _TRAITS.get(_about(name, _TRAITS, distinct) or "")


def words_of(name: str) -> tuple[str, ...]:
    """The words of a column's name in lower case, the same for `patientID` and `Patient-Id`.

    Letters with marks lose them, and ß is ss: `Schlüssel` is schlussel, `Straße` strasse.
    """
    parts = unicodedata.normalize("NFKD", name.replace("ß", "ss"))
    plain = "".join(part for part in parts if not unicodedata.combining(part))
    humps = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    return tuple(re.findall(r"[a-z]+|[0-9]+", humps.lower()))


def is_key_name(name: str) -> bool:
    """Whether a name is that of a person's key: `patient_id`, `CustomerNo`, `imei`, `person`."""
    words = {*words_of(name)}
    if not words or words & (_WORDS["others"] | _WORDS["actors"]):
        return False
    joined = "".join(words_of(name))
    if {*words, joined} & _WORDS["keys_of_persons"]:
        return True
    if words & _WORDS["keys"]:
        return bool(words & _OWN)
    return joined in _WORDS["persons"] or any(
        word.endswith(key) and word.removesuffix(key) in _OWN  # versichertennummer, userid
        for word in words
        for key in _WORDS["keys"]
    )


_OWN = _WORDS["persons"] | _WORDS["belongings"]


def is_key_of_actors(name: str) -> bool:
    """Whether a name is that of the key of somebody who acts on persons: `DoctorNo`, `npi`."""
    words = {*words_of(name)}
    return "npi" in words or bool(words & _WORDS["actors"] and words & _WORDS["keys"])


def is_key_of_others(name: str) -> bool:
    """Whether a name is that of a key of something else: `visit_id`, `DoctorNo`, `invoice number`.

    Of a word such as `order` alone it is unknown whether it is a key.
    """
    words = words_of(name)
    if is_key_of_actors(name):
        return True
    return has_key_word(name) and (len(words) == 1 or bool(_WORDS["others"] & {*words}))


def has_key_word(name: str) -> bool:
    """Whether a name has a word for a key: `card_number`, `DeviceId`."""
    return bool(_WORDS["keys"] & {*words_of(name)})
