"""Privacy models, whose bounds are given by position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from sqlanon.boundary import guarded
from sqlanon.objects.built import Number, built
from sqlanon.privacy_models import (
    alpha_k_anonymity,
    average_risk,
    beta_likeness,
    delta_disclosure,
    delta_presence,
    journalist_risk,
    k_anonymity,
    k_e_anonymity,
    k_map,
    l_diversity,
    marketer_risk,
    prosecutor_risk,
    t_closeness,
)


@guarded
def KAnonymity(
    k: int,
) -> k_anonymity.KAnonymity:
    """Every class has at least k rows.

    Args:
        k: 2 or more.
    """
    return built(k_anonymity.KAnonymity, k=k)


@guarded
def KMap(
    k: int,
) -> k_map.KMap:
    """Every class has at least k persons of the population.

    Args:
        k: 2 or more.
    """
    return built(k_map.KMap, k=k)


@guarded
def AlphaKAnonymity(
    alpha: Number,
    k: int,
    attribute: str | None = None,
    *,
    mode: Literal["each", "joint"] = "each",
    values: Sequence[str] = (),
) -> alpha_k_anonymity.AlphaKAnonymity:
    """Every class has k rows, and no value a larger share of it than alpha.

    Args:
        alpha: above 0, at most 1.
        k: 2 or more.
        attribute: the sensitive attribute; by default the only one of the plan.
        mode: each: within each attribute; joint: the values of all attributes together.
        values: the values that are bounded; by default all.
    """
    return built(
        alpha_k_anonymity.AlphaKAnonymity,
        alpha=alpha,
        k=k,
        attribute=attribute,
        mode=mode,
        values=values,
    )


@guarded
def LDiversity(
    l: Number,
    attribute: str | None = None,
    *,
    kind: Literal["distinct", "entropy", "frequency", "recursive"] = "distinct",
    c: Number | None = None,
    c2: Number | None = None,
    mode: Literal["each", "joint"] = "each",
    harmless: Sequence[str] = (),
    never_excluded: Sequence[str] = (),
) -> l_diversity.LDiversity:
    """Every class has at least l well-represented sensitive values.

    Args:
        l: above 1.
        attribute: the sensitive attribute; by default the only one of the plan.
        kind: how values are counted.
        c: of recursive (c,l)-diversity.
        c2: of its form with negative and positive disclosure.
        mode: each: within each attribute; joint: the values of all attributes together.
        harmless: values that may be disclosed.
        never_excluded: values that no attacker rules out.
    """
    return built(
        l_diversity.LDiversity,
        l=l,
        attribute=attribute,
        kind=kind,
        c=c,
        c2=c2,
        mode=mode,
        harmless=harmless,
        never_excluded=never_excluded,
    )


@guarded
def TCloseness(
    t: Number,
    attribute: str | None = None,
    *,
    distance: Literal["equal", "hierarchical", "ordered"] = "equal",
    mode: Literal["each", "joint"] = "each",
    reference: Literal["original", "published"] = "original",
) -> t_closeness.TCloseness:
    """The values of every class are distributed as those of the table, up to a distance t.

    Args:
        t: 0 to 1.
        attribute: the sensitive attribute; by default the only one of the plan.
        mode: each: within each attribute; joint: the values of all attributes together.
        reference: the table: the original rows, or the published ones.
        distance: how far values are apart.
    """
    return built(
        t_closeness.TCloseness,
        t=t,
        attribute=attribute,
        distance=distance,
        mode=mode,
        reference=reference,
    )


@guarded
def DeltaPresence(
    dmin: Number,
    dmax: Number,
    *,
    suppressed: Literal["violation", "ignore"] = "violation",
) -> delta_presence.DeltaPresence:
    """Whether a person of the population is published is known with a probability within bounds.

    Args:
        dmin: smallest probability, 0 to 1.
        dmax: largest probability, 0 to 1.
        suppressed: whether a suppressed row violates the lower bound.
    """
    return built(delta_presence.DeltaPresence, dmin=dmin, dmax=dmax, suppressed=suppressed)


@guarded
def DeltaDisclosure(
    delta: Number,
    attribute: str | None = None,
    *,
    absent: Literal["violation", "ignore"] = "violation",
    mode: Literal["each", "joint"] = "each",
    reference: Literal["original", "published"] = "original",
) -> delta_disclosure.DeltaDisclosure:
    """The share of a value in a class is less than a factor of e^delta away from its share in all.

    Args:
        delta: above 0.
        attribute: the sensitive attribute; by default the only one of the plan.
        mode: each: within each attribute; joint: the values of all attributes together.
        reference: all: the original rows, or the published ones.
        absent: whether a value that a class lacks violates it.
    """
    return built(
        delta_disclosure.DeltaDisclosure,
        delta=delta,
        attribute=attribute,
        absent=absent,
        mode=mode,
        reference=reference,
    )


@guarded
def BetaLikeness(
    beta: Number,
    attribute: str | None = None,
    *,
    kind: Literal["basic", "enhanced"] = "basic",
    mode: Literal["each", "joint"] = "each",
    reference: Literal["original", "published"] = "original",
) -> beta_likeness.BetaLikeness:
    """No value is more likely in a class, relative to its share in all, than by beta.

    Args:
        beta: above 0.
        attribute: the sensitive attribute; by default the only one of the plan.
        mode: each: within each attribute; joint: the values of all attributes together.
        reference: all: the original rows, or the published ones.
        kind: enhanced: frequent values have a stricter bound.
    """
    return built(
        beta_likeness.BetaLikeness,
        beta=beta,
        attribute=attribute,
        kind=kind,
        mode=mode,
        reference=reference,
    )


@guarded
def KEAnonymity(
    k: int,
    e: Number,
    attribute: str | None = None,
    *,
    mode: Literal["each", "joint"] = "each",
) -> k_e_anonymity.KEAnonymity:
    """Every class has k rows, and its numbers span at least e.

    Args:
        k: 2 or more.
        e: above 0.
        attribute: the sensitive attribute; by default the only one of the plan.
        mode: each: within each attribute; joint: the values of all attributes together.
    """
    return built(k_e_anonymity.KEAnonymity, k=k, e=e, attribute=attribute, mode=mode)


@guarded
def AverageRisk(
    threshold: Number,
) -> average_risk.AverageRisk:
    """The average risk of re-identification is at most a threshold.

    Args:
        threshold: 0 to 1.
    """
    return built(average_risk.AverageRisk, threshold=threshold)


@guarded
def ProsecutorRisk(
    threshold: Number,
    share: Number = 0,
) -> prosecutor_risk.ProsecutorRisk:
    """The risk of a row whose person is known to be published is at most a threshold.

    Args:
        threshold: 0 to 1.
        share: of rows that may be above it, 0 to 1.
    """
    return built(prosecutor_risk.ProsecutorRisk, threshold=threshold, share=share)


@guarded
def JournalistRisk(
    threshold: Number,
    share: Number = 0,
) -> journalist_risk.JournalistRisk:
    """The risk of a row whose person is known to be in the population is at most a threshold.

    Args:
        threshold: 0 to 1.
        share: of rows that may be above it, 0 to 1.
    """
    return built(journalist_risk.JournalistRisk, threshold=threshold, share=share)


@guarded
def MarketerRisk(
    threshold: Number,
) -> marketer_risk.MarketerRisk:
    """The expected share of rows that are re-identified is at most a threshold.

    Args:
        threshold: 0 to 1.
    """
    return built(marketer_risk.MarketerRisk, threshold=threshold)
