"""The key `standard` of a plan: check lists of regulations, and what an officer may confirm."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from sqlanon.boundary.part import Part
from sqlanon.display.blocks import BAD, GOOD, WARNING, Block, Styled, Table
from sqlanon.display.tabular import Records
from sqlanon.errors import PrivacyViolation

StandardName = Literal["hipaa-safe-harbor", "ema-0070", "gdpr-wp29"]

FREE_TEXT_RULE = "free-text"
ACTUAL_KNOWLEDGE = "actual-knowledge"
MAXIMUM_RISK = "maximum-risk"
VARIABLES = "variables"
SINGLING_OUT = "singling-out"
LINKABILITY = "linkability"
INFERENCE = "inference"

LEAST_LITERALLY, LEAST_AS_USED = 12, 11
"""Persons of the smallest class at a risk of at most 0.09: as it is written, as 1/12 = 0.083 is
below it and 1/11 = 0.0909 is not; and as authorities use it, who take 0.09 for one in 11."""


class Rule(NamedTuple):
    """One line of a check list.

    Attributes:
        name: the name of the rule, by which a plan confirms it: NAME.COLUMN, or NAME if it is
            about no column.
        title: what the standard asks for.
        proof: what is looked at; if nothing was found, this is what is proven.
    """

    name: str
    title: str
    proof: str


_NAMED = "no published column is named like one"
_SHAPED = _NAMED + ", and no value has its form"

_SAFE_HARBOR = (
    Rule("names", "A: names", _NAMED + ", and in none have 40 % of up to 300 different values"
         " that are looked at a frequent given name"),
    Rule("geography", "B: places below a state; postal codes of three digits, 000 for small areas",
         "no published column is named like a smaller place; columns of postal codes have three"
         " digits at most, and none of an area of 20,000 people or fewer by the census of 2020"),
    Rule("dates", "C: dates but for the year, and ages over 89",
         "no value has a known form of a date finer than a year, no age is over 89 but 90 for all"
         " of them, and no year of birth tells such an age"),
    Rule("telephone-numbers", "D: telephone numbers", _SHAPED),
    Rule("fax-numbers", "E: fax numbers", _SHAPED),
    Rule("e-mail-addresses", "F: e-mail addresses", _SHAPED),
    Rule("social-security-numbers", "G: social security numbers", _SHAPED),
    Rule("medical-record-numbers", "H: medical record numbers", _NAMED),
    Rule("health-plan-numbers", "I: health plan beneficiary numbers", _NAMED),
    Rule("account-numbers", "J: account numbers", _NAMED + ", and in none are 10 % of up to"
         " 300 different values IBANs, or 80 % card numbers"),
    Rule("license-numbers", "K: certificate and license numbers", _NAMED),
    Rule("vehicle-numbers", "L: vehicle identifiers and license plates", _NAMED),
    Rule("device-numbers", "M: device identifiers and serial numbers", _SHAPED),
    Rule("web-addresses", "N: web addresses", _SHAPED),
    Rule("network-addresses", "O: IP addresses", _SHAPED),
    Rule("biometric-identifiers", "P: biometric identifiers", _NAMED),
    Rule("photographs", "Q: full-face photographs", _NAMED),
    Rule("other-identifiers", "R: any other unique number, characteristic or code",
         "no published column is a key by its name, has mostly national numbers or UUIDs, or nearly"
         " as many different values as rows; pseudonyms have a random key"),
    Rule(FREE_TEXT_RULE, "sentences, in which all of these can stand", "no column has sentences"),
    Rule(ACTUAL_KNOWLEDGE, "(b)(2)(ii): no actual knowledge that the rest identifies a person", ""),
)  # fmt: skip

RULES: dict[StandardName, tuple[Rule, ...]] = {
    "hipaa-safe-harbor": _SAFE_HARBOR,
    "ema-0070": (
        Rule(
            MAXIMUM_RISK,
            "a maximum risk of at most 0.09",
            "every class has 12 or more, a risk of 1/12 = 0.0833 at most",
        ),
        Rule(VARIABLES, "all direct and quasi-identifiers are found", ""),
    ),
    "gdpr-wp29": (
        Rule(SINGLING_OUT, "nobody can be singled out", "no class has a single row, or person"),
        Rule(LINKABILITY, "records of a person cannot be linked", ""),
        Rule(INFERENCE, "nothing can be inferred of a person", ""),
    ),
}
"""The lines of each check list: 45 CFR 164.514(b)(2) with its letters (A) to (R); Policy 0070 of
the European Medicines Agency; Opinion 05/2014 of the Article 29 Working Party."""


class Standard(Part):
    """A check list that the publication must pass; a rule that no row shows is to be confirmed."""

    name: StandardName = Field(description="a check list, and no promise of k")
    year: Annotated[int, Field(ge=1900, le=2200)] | None = Field(
        None,
        description="the year for which years of birth are ages, for hipaa-safe-harbor; that of the"
        " run when not given",
    )

    def __init__(self, name: StandardName, **keys: int | None) -> None:
        self._set_keys(name=name, **keys)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The lines of the check list."""
        return RULES[self.name]

    @property
    def tests_values(self) -> bool:
        """Whether values are looked at, and not sizes of classes alone."""
        return self.name == "hipaa-safe-harbor"


State = Literal["proven", "confirmed", "to confirm", "broken"]

_STYLES: Mapping[State, str] = {
    "proven": GOOD, "confirmed": "", "to confirm": WARNING, "broken": BAD,
}  # fmt: skip


@dataclass(frozen=True)
class CheckedRule:
    """A line of a check list.

    Attributes:
        rule: the name of the rule.
        title: what the standard asks for.
        state: proven: shown by the rows; confirmed: by the officer; to confirm: neither yet;
            broken: the rows show that it is not kept, which nobody can confirm away.
        text: what was proven, or what is wrong; names of columns and counts, no value.
        names: of a rule that is not proven, what `acknowledge` lists to confirm it.
    """

    rule: str
    title: str
    state: State
    text: str
    names: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The line as a manifest has it."""
        return {**vars(self), "names": list(self.names)}


class Checklist(Records[CheckedRule]):
    """The lines of a standard, in its order.

    Attributes:
        standard: the standard, with the year for which it was checked.
    """

    def __init__(self, rules: Iterable[CheckedRule], standard: Standard) -> None:
        super().__init__(rules, f"{standard.name}: a check list, and no promise of k")
        self.standard = standard

    def as_json(self) -> dict[str, Any]:
        """The entry of a manifest."""
        return {**self.standard.model_dump(), "rules": [one.as_json() for one in self]}

    def records(self) -> list[dict[str, Any]]:
        return [{**vars(one), "names": ", ".join(one.names) or None} for one in self]

    def displayed(self) -> Sequence[Block]:
        """One line a rule."""
        return displayed_rules({"standard": self.as_json()})

    def violation(self, where: str) -> PrivacyViolation | None:
        """The error if a rule is broken or not confirmed; otherwise None."""
        failing = [one for one in self if one.state in ("broken", "to confirm")]
        if not failing:
            return None
        names = [name for one in failing if one.state == "to confirm" for name in one.names]
        lines = "; ".join(f"{one.rule} ({one.state}): {one.text}" for one in failing)
        fix = ["change what is broken"] if any(one.state == "broken" for one in failing) else []
        if names:
            fix.append(
                "look at what is to be confirmed, and acknowledge it by name: " + ", ".join(names)
            )
        return PrivacyViolation(
            f"The rows do not keep {self.standard.name}: {lines}.",
            where=where,
            fix="do not publish this table; " + ", and ".join(fix),
        )


def displayed_rules(manifest: Mapping[str, Any]) -> list[Block]:
    """The check list in a manifest, one line a rule; none without a standard.

    What was tested to prove a rule stands in the manifest and in reports.
    """
    if "standard" not in manifest:
        return []
    standard = manifest["standard"]
    rows = [
        [
            one["title"],
            Styled(one["state"], _STYLES[one["state"]]),
            None if one["state"] == "proven" else one["text"],
        ]
        for one in standard["rules"]
    ]
    title = f"{standard['name']}: a check list, and no promise of k"
    return [Table(title, ["rule", "state", "what was found"], rows)]
