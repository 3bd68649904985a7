"""The attacks, in the order of the documentation; others that the folder holds follow."""

from __future__ import annotations

from typing import Annotated, Any

from sqlanon.attacks.base import Attack
from sqlanon.registry import OneOf

_ONE = OneOf(
    Attack,
    __name__,
    "name",
    "linkage homogeneity background_knowledge skewness similarity membership minimality "
    "intersection histories",
    bare="name",
)

ATTACKS: tuple[type[Attack], ...]
"""All of them; only who reads this imports the modules of all."""

AnyAttack = Annotated[Attack, _ONE]
"""What a plan's `attacks` list may hold."""


def __getattr__(name: str) -> Any:
    if name == "ATTACKS":
        return _ONE.classes
    raise AttributeError(name)
