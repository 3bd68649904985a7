"""The nature of a column, by its statistics and its name: nearly unique, free text, a person's key.

`init` proposes roles by these definitions, and `check` and `run` warn by them. Each is a pure
function of `ColumnStatistics`; the thresholds have names and reasons.
"""

from __future__ import annotations

import re
import unicodedata

from sqlanon.discovery.statistics import ColumnStatistics

NEARLY_UNIQUE_SHARE = 0.5
"""Different values for each row. With a share d, at least 2d - 1 of the rows have a value that no
other row has: above one half some rows are singled out for certain, however the values repeat."""

FEWEST_VALUES = 20
"""Different values below which nothing is concluded: a table of few rows has few of anything."""

FEWEST_KEYS = 3
"""Values of a key; fewer are two groups."""

FREE_TEXT_WORDS = 4.0
"""Words of a mean value: names, streets and labels of codes mostly have fewer."""

FREE_TEXT_LENGTH = 100
"""Characters of the longest value: only sentences are as long, also in languages without spaces."""

FREE_TEXT_SHARE = 0.05
"""Different values for each row: labels such as the names of diagnoses are long, but they repeat.
"""

RARE_TEXT_SHARE = 0.001
"""The same where most different values are of one row each: notes of few rows, of which all others
say the same, such as `none`."""

KEY_REPEATS = 1.1
"""Rows for each value of a key: with fewer, one row a person is a fair reading, and persons with
several rows could be errors of the data."""

MOST_REPEATS = 1_000
"""Rows for each value of a key above which a value is rather a group, such as a hospital."""


def is_nearly_unique(column: ColumnStatistics) -> bool:
    """Whether most values single out the row that has them."""
    return column.distinct >= FEWEST_VALUES and column.distinct_share > NEARLY_UNIQUE_SHARE


def is_free_text(column: ColumnStatistics) -> bool:
    """Whether values are sentences, in which anything can be said, such as a person's name."""
    if column.kind != "text" or column.distinct < FEWEST_VALUES:
        return False
    if column.distinct_share > FREE_TEXT_SHARE and (
        column.mean_words >= FREE_TEXT_WORDS or column.longest >= FREE_TEXT_LENGTH
    ):
        return True
    return (
        column.distinct_share > RARE_TEXT_SHARE
        and 2 * column.sampled_once > column.sampled_distinct
        and column.own_words >= FREE_TEXT_WORDS
    )


def is_repeating_key(column: ColumnStatistics) -> bool:
    """Whether the column looks like the key of a person who has several rows.

    By its name it is the key of a person (`is_key_name`), and its values repeat.
    """
    return is_key_name(column.name) and repeats(column)


def repeats(column: ColumnStatistics) -> bool:
    """Whether values could be keys that have several rows each: many, though fewer than rows.

    In a table of few rows, fewer values are many.
    """
    return (
        column.kind not in ("decimal", "none")
        and column.distinct >= FEWEST_KEYS
        and column.distinct >= min(FEWEST_VALUES, column.present / FEWEST_VALUES)
        and KEY_REPEATS * column.distinct <= column.present <= MOST_REPEATS * column.distinct
    )


PERSONS = frozenset(
    """
    patient person people customer client user member subject individual insured insurant
    policyholder subscriber participant respondent citizen resident student pupil employee worker
    applicant cardholder taxpayer donor voter owner tenant passenger guest visitor rider player
    caller pat cust
    patienten versicherter versicherten kunde kunden mitglied mitglieds mitarbeiter schueler schuler
    teilnehmer personen klant deelnemer verzekerde burger patiente assure adherent salarie eleve
    usager beneficiaire paciente cliente persona usuario socio asegurado beneficiario afiliado
    empleado alumno paziente assistito utente assicurato dipendente studente
    """.split()  # noqa: SIM905 - a list of words is read as one
)
"""Words for whom a row is about: English, German, Dutch, French, Spanish and Italian."""

BELONGINGS = frozenset(
    {
        "account", "card", "device", "geraet", "geraete", "gerate", "handset", "household",
        "insurance", "krankenkassen", "matrikel", "phone", "policy", "rentenversicherungs",
        "sanitaria", "sanitario", "secu", "securite", "security", "seguridad",
        "sozialversicherungs", "subscription", "tessera", "versicherung", "versicherungs",
        "verzekerings",
    }
)  # fmt: skip
"""Words for what a person has. Alone they can be a kind, such as the model of a device; with a word
for a key they are as good as the person's."""

KEYS = frozenset(
    """
    id ids key no nr num number code uid guid uuid pk identifier hash token ref reference index
    nummer nummero numero schluessel schlussel kennung kennzeichen sleutel identifiant cle clave
    identificativo codice codigo
    """.split()  # noqa: SIM905
)
"""Words for a key."""

KEYS_OF_PERSONS = frozenset(
    """
    pid mrn ssn nhs nino imei imsi msisdn puid personid patientid userid customerid clientid
    memberid subjectid accountid deviceid empi mpi ehic nric dni nif nie bsn svnr ahv steuerid
    pesel cpf rut curp aadhaar insz username login nickname
    kvnr kvnummer svnummer rvnr personalnr personalnummer sozialversicherungsnummer steuernummer nir
    ipp nss numss nuss cip nhc codicefiscale codfiscale codigofiscal burgerservicenummer
    rijksregisternummer
    """.split()  # noqa: SIM905
)
"""Words that alone name the key of a person."""

_OF_OTHERS = frozenset(
    """
    doctor physician nurse provider clinician surgeon practitioner staff agent seller teacher
    driver operator hospital clinic ward department product item order invoice visit encounter
    admission case session event transaction claim bill line record row message
    arzt aerztin arztin pfleger fall besuch rechnung bestellung arts bezoek medecin visite commande
    medico sejour facture visita ordine pedido factura
    """.split()  # noqa: SIM905
)
"""Words for whom or what rows are not about: the key of a visit tells visits apart, not persons."""


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
    words = words_of(name)
    if not words or any(word in _OF_OTHERS for word in words):
        return False
    joined = "".join(words)
    if joined in KEYS_OF_PERSONS or any(word in KEYS_OF_PERSONS for word in words):
        return True
    if any(word in KEYS for word in words):
        return any(word in PERSONS or word in BELONGINGS for word in words)
    return joined in PERSONS or any(map(_joins_person_and_key, words))


def _joins_person_and_key(word: str) -> bool:
    """Whether a word joins one for a person and one for a key: versichertennummer, userid."""
    ends = (key for key in KEYS if word.endswith(key))
    return any(word.removesuffix(key) in PERSONS | BELONGINGS for key in ends)


def is_key_of_others(name: str) -> bool:
    """Whether a name is that of a key of something else: `visit_id`, `DoctorNo`, `invoice number`.

    Of a word such as `order` alone it is unknown whether it is a key.
    """
    words = words_of(name)
    keyed = any(word in KEYS for word in words)
    return keyed and (len(words) == 1 or any(word in _OF_OTHERS for word in words))
