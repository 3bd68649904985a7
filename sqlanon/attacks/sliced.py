"""Beliefs about a sensitive value that shares its column group in sliced buckets: p(t, s).

An attacker who knows the quasi-identifiers of a person, t, finds the buckets that have all parts of
t, and in each the rows with the same values in the column group of the sensitive attribute. What
follows is p(t, s) of l-diverse slicing, by the statement that also decides this promise.
"""

from __future__ import annotations

from dataclasses import replace

from sqlanon.attacks.base import Attack, AttackRelations, NotTriedError, Outcome, ask, make
from sqlanon.search.parts import Part, parts_of
from sqlanon.sql.step import Search

MOST_TUPLES = 1_000_000
"""Combinations of quasi-identifiers for which p(t, s) is computed, in a few seconds."""

_NAMES = {name: name for name in ("part", "part_rows", "value", "value_rows", "row_count")}


class BeliefAttack(Attack):
    """An attack on a sensitive attribute by how likely each value is for a person.

    In a class, or in a bucket that shows no more, this is the share of the value. If the attribute
    has companions in its column group, it is p(t, s), and classes are the rows of a bucket that
    agree in the companions.
    """

    @property
    def on_beliefs(self) -> bool:
        return True

    def attempt(self, relations: AttackRelations) -> Search[Outcome]:
        if relations.companions:
            relations = yield from with_beliefs(relations, self.title(relations))
        return (yield from super().attempt(relations))


def with_beliefs(relations: AttackRelations, title: str) -> Search[AttackRelations]:
    """Make the relation of beliefs, and the classes and their values that it is about.

    Tuples are the quasi-identifiers of the population's persons; without a population, all that the
    buckets can represent: every choice of parts of a bucket, one from each column group.

    Args:
        relations: with companions; `named_key` has them after the bucket.
        title: title of the attack's relation.

    Raises:
        NotTriedError: there are too many tuples, or nobody of the population fits some row.
    """
    names = [name for name, _ in relations.quasi_identifiers]
    columns = {name: f"value_{n}" for n, name in enumerate(names, start=1)}
    (bucket, bucket_key), *beside = relations.named_key
    companions = [(columns[name], alias) for name, alias in beside]
    parts = _parts(relations, columns)
    rows, tuples = f"sqlanon.{title}_text", f"sqlanon.{title}_tuples"
    yield make(
        "sliced_text",
        f"{title}_text",
        rows=relations.rows,
        bucket=bucket,
        columns=list(columns.items()),
        attribute=relations.attribute,
    )
    if not relations.population:
        ((count,),) = yield ask(
            "sliced_tuple_count", f"{title}_tuple_count", parts=parts, rows=rows
        )
        if count > MOST_TUPLES:
            raise NotTriedError(
                f"needs --population: buckets can represent {int(count):,} combinations of"
                f" quasi-identifiers, and {MOST_TUPLES:,} at most are tried"
            )
    yield make(
        "sliced_tuples",
        f"{title}_tuples",
        parts=parts,
        rows=rows,
        columns=list(columns.items()),
        population=relations.population,
        population_count=relations.population_count,
    )
    found = replace(
        relations,
        class_key=[alias for _, alias in relations.named_key],
        classes=f"sqlanon.{title}_classes",
        class_values=f"sqlanon.{title}_class_values",
        beliefs=f"sqlanon.{title}_beliefs",
    )
    yield make(
        "sliced_class_values",
        f"{title}_class_values",
        rows=rows,
        attribute=relations.attribute,
        bucket_key=bucket_key,
        companions=companions,
    )
    yield make(
        "sliced_classes",
        f"{title}_classes",
        class_values=found.class_values,
        class_key=found.class_key,
    )
    yield make(
        "sliced_beliefs",
        f"{title}_beliefs",
        tuples=tuples,
        names=_NAMES,
        sensitive="sensitive_value",
        attribute=relations.attribute,
        unsafe_only=False,
        l=None,
        bucket_key=bucket_key,
        companions=[column for column, _ in companions],
        companion_keys=companions,
        parts=parts,
        rows=rows,
    )
    ((unmatched,),) = yield ask(
        "sliced_unmatched",
        f"{title}_unmatched",
        classes=found.classes,
        beliefs=found.beliefs,
        class_key=found.class_key,
    )
    if unmatched:
        raise NotTriedError(
            f"the population lacks members: nobody fits {int(unmatched):,} published row(s)"
        )
    return found


def _parts(relations: AttackRelations, columns: dict[str, str]) -> list[Part]:
    """The known parts of a row: quasi-identifiers that stay together, the companions last."""
    known = [[name for name in group if name in columns] for group in relations.column_groups]
    others = [group for group in known if group and set(group) != set(relations.companions)]
    groups = [*others, list(relations.companions)]
    return parts_of([[columns[name] for name in group] for group in groups])
