"""Beliefs about a sensitive value that shares its column group in sliced buckets: p(t, s).

Someone who knows the quasi-identifiers of a person, t, finds the buckets that have all parts of t,
and in each the rows with the same values in the column group of the sensitive attribute. What
follows is p(t, s) of l-diverse slicing, by the statement that also decides this promise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlanon.attacks.base import Attack, AttackRelations, Outcome, summary
from sqlanon.search.parts import Part, parts_of
from sqlanon.sql.render import render
from sqlanon.sql.step import Search, Step

MOST_TUPLES = 1_000_000
"""Combinations of quasi-identifiers for which p(t, s) is computed, in a few seconds."""

_NAMES = {name: name for name in ("part", "part_rows", "value", "value_rows", "row_count")}


@dataclass(frozen=True)
class Sliced:
    """Relations of beliefs.

    Attributes:
        class_key: the bucket and the companions of the sensitive attribute.
        classes: rows of a bucket that share the companions: key, class_size.
        class_values: one row per class and value: key, value (as text), value_count.
        beliefs: one row per class that a tuple may be in, tuple, and value: key, belief (a tuple,
            or one of several that lead to the same probabilities), value, share: p(t, s).
    """

    class_key: Sequence[str]
    classes: str
    class_values: str
    beliefs: str


class BeliefAttack(Attack):
    """An attack on a sensitive attribute by how likely each value is for a person.

    In a class, or in a bucket that shows no more, this is the share of the value. If the attribute
    has companions in its column group, it is p(t, s), and classes are the rows of a bucket that
    agree in the companions.
    """

    @property
    def on_beliefs(self) -> bool:
        return True

    def sql_of_beliefs(self, relations: AttackRelations, found: Sliced) -> str:
        """The attack's select by p(t, s): one row per class, as of `sql`."""
        return render(
            self.template.replace("attacks/", "attacks/sliced_"),
            **{**vars(relations), **vars(found)},
            **self.model_dump(exclude={"name", "at_most"}),
            title=self.title(relations),
            promise=self.promise,
            source=self.source,
        )

    def attempt(
        self, relations: AttackRelations, *, list_classes: int = 0, with_values: bool = False
    ) -> Search[Outcome | str]:
        if not relations.companions:
            return (
                yield from super().attempt(
                    relations, list_classes=list_classes, with_values=with_values
                )
            )
        title = self.title(relations)
        found = yield from sliced(relations, title)
        if isinstance(found, str):
            return found
        yield Step(title, self.sql_of_beliefs(relations, found))
        return (
            yield from summary(
                title,
                found.class_key,
                self.measures,
                list_classes=list_classes,
                with_values=with_values,
            )
        )


def sliced(relations: AttackRelations, title: str) -> Search[Sliced | str]:
    """Make the relations of beliefs, or return why they cannot be made.

    Tuples are the quasi-identifiers of the population's persons; without a population, all that the
    buckets can represent: every choice of parts of a bucket, one from each column group.

    Args:
        relations: with companions; `named_key` has them after the bucket.
        title: title of the attack's relation.
    """
    names = [name for name, _ in relations.quasi_identifiers]
    columns = {name: f"value_{n}" for n, name in enumerate(names, start=1)}
    (bucket, bucket_key), *beside = relations.named_key
    parts = _parts(relations, columns)
    rows, tuples = f"{title}_text", f"{title}_tuples"
    inputs = {"parts": parts, "rows": f"sqlanon.{rows}"}
    yield Step(
        rows,
        render(
            "attacks/sliced_text.sql",
            title=rows,
            rows=relations.rows,
            bucket=bucket,
            columns=list(columns.items()),
            attribute=relations.attribute,
        ),
    )
    if not relations.population:
        name = f"{title}_tuple_count"
        sql = render("attacks/sliced_tuple_count.sql", name=name, **inputs)
        ((count,),) = yield Step(name, sql, "rows")
        if count > MOST_TUPLES:
            return (
                f"needs --population: buckets can represent {int(count):,} combinations of"
                f" quasi-identifiers, and {MOST_TUPLES:,} at most are tried"
            )
    yield Step(
        tuples,
        render(
            "attacks/sliced_tuples.sql",
            title=tuples,
            **inputs,
            columns=list(columns.items()),
            population=relations.population,
            population_count=relations.population_count,
        ),
    )
    companions = [(columns[name], alias) for name, alias in beside]
    found = Sliced(
        class_key=[alias for _, alias in relations.named_key],
        classes=f"sqlanon.{title}_classes",
        class_values=f"sqlanon.{title}_class_values",
        beliefs=f"sqlanon.{title}_beliefs",
    )
    yield Step(
        f"{title}_class_values",
        render(
            "attacks/sliced_class_values.sql",
            title=f"{title}_class_values",
            rows=f"sqlanon.{rows}",
            attribute=relations.attribute,
            bucket_key=bucket_key,
            companions=companions,
        ),
    )
    yield Step(
        f"{title}_classes",
        render(
            "attacks/sliced_classes.sql",
            title=f"{title}_classes",
            class_values=found.class_values,
            class_key=found.class_key,
        ),
    )
    yield Step(
        f"{title}_beliefs",
        render(
            "attacks/sliced_beliefs.sql",
            title=f"{title}_beliefs",
            tuples=f"sqlanon.{tuples}",
            names=_NAMES,
            sensitive="sensitive_value",
            attribute=relations.attribute,
            unsafe_only=False,
            l=None,
            bucket_key=bucket_key,
            companions=[column for column, _ in companions],
            companion_keys=companions,
            parts=parts,
            rows=f"sqlanon.{rows}",
        ),
    )
    name = f"{title}_unmatched"
    sql = render(
        "attacks/sliced_unmatched.sql",
        name=name,
        classes=found.classes,
        beliefs=found.beliefs,
        class_key=found.class_key,
    )
    ((unmatched,),) = yield Step(name, sql, "rows")
    if unmatched:
        return f"the population lacks members: nobody fits {int(unmatched):,} published row(s)"
    return found


def _parts(relations: AttackRelations, columns: dict[str, str]) -> list[Part]:
    """The known parts of a row: quasi-identifiers that stay together, the companions last."""
    known = [[name for name in group if name in columns] for group in relations.column_groups]
    others = [group for group in known if group and set(group) != set(relations.companions)]
    groups = [*others, list(relations.companions)]
    return parts_of([[columns[name] for name in group] for group in groups])
