"""Population uniques, estimated from the class sizes of a sample by models that are named.

A cell is a combination of quasi-identifiers; a population unique is a person who is alone in a cell
of the population. All that the estimates need is how many classes of each size the sample has.
They are no proof: a factor of 2 is their usual error, and none of them is monotone under
generalization.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Sample:
    """The class sizes of a sample, and the size of its population.

    Attributes:
        sizes: the number of classes of each size, by size.
        population: persons of the population, at least as many as the sample has.
    """

    sizes: Mapping[int, int]
    population: int

    @property
    def rows(self) -> int:
        """Persons of the sample."""
        return sum(size * count for size, count in self.sizes.items())

    @property
    def classes(self) -> int:
        """Classes of the sample."""
        return sum(self.sizes.values())

    @property
    def share(self) -> float:
        """The share of the population that is in the sample, above 0 to 1."""
        return self.rows / self.population

    def count(self, size: int) -> int:
        """Classes of this size."""
        return self.sizes.get(size, 0)


@dataclass(frozen=True)
class Estimate:
    """What a model estimates.

    Attributes:
        model: its name.
        uniques: population uniques; None if there is no estimate.
        error: what is known of its error, or why there is no estimate, in a sentence.
        parameters: what the model was fitted to, by name.
        chosen: whether Dankar's rule takes this one.
    """

    model: str
    uniques: float | None
    error: str
    parameters: Mapping[str, float] = field(default_factory=dict)
    chosen: bool = False


def estimates(sample: Sample) -> list[Estimate]:
    """The estimates of Zayatz, Pitman and SNB; the one that Dankar's rule takes is marked.

    The rule: up to 10 % of the population Pitman, or else Zayatz; above, the smaller one of SNB and
    Zayatz, or else Zayatz.

    Source: Dankar et al., Estimating the re-identification risk of clinical data sets, BMC Medical
    Informatics and Decision Making 12:66, 2012.
    """
    found = [zayatz(sample), pitman(sample), slide_negative_binomial(sample)]
    by_zayatz, by_pitman, by_snb = (one.uniques for one in found)
    if sample.share <= _SMALL_SHARE:
        taken = 0 if by_pitman is None else 1
    else:
        is_smaller = by_snb is not None and by_zayatz is not None and by_snb < by_zayatz
        taken = 2 if is_smaller else 0
    found[taken] = replace(found[taken], chosen=True)
    return found


_SMALL_SHARE = 0.1
"""Share of the population up to which Dankar's rule takes Pitman's model."""


def zayatz(sample: Sample) -> Estimate:
    """Cell sizes of the population are distributed like those of the sample.

    Source: Zayatz, Estimation of the number of unique population elements using a sample, 1991.
    """
    chance = unique_chance(sample)
    return Estimate(
        "Zayatz",
        sample.count(1) * chance / sample.share,
        "too high for samples below 20 %, by more the smaller they are",
        {"P(population unique | sample unique)": chance},
    )


def unique_chance(sample: Sample) -> float:
    """The probability that a sample unique is a population unique, by Zayatz; 0 without any."""
    persons, rows, share = sample.population, sample.rows, sample.share
    drawn_once = 0.0
    size, product = 1, share  # of `size` members one is drawn: size * product
    for target in sorted(sample.sizes):
        while size < target and product:
            product *= max(persons - rows - size + 1, 0) / (persons - size)
            size += 1
        drawn_once += sample.sizes[target] * target * (product if size == target else 0.0)
    return sample.count(1) * share / drawn_once if drawn_once else 0.0


def pitman(sample: Sample) -> Estimate:
    """The Ewens-Pitman sampling formula, fitted by maximum likelihood.

    The expected number of uniques is the exact one, and not its limit for large populations, which
    is wrong where alpha is below 0.

    Source: Hoshino, Applying Pitman's sampling formula to microdata disclosure risk assessment,
    Journal of Official Statistics 17(4), 2001.
    """
    name, persons = "Pitman", sample.population
    if not sample.count(1):
        return Estimate(name, 0.0, _NO_UNIQUES)
    fitted = _fitted_pitman(sample)
    if fitted is None:
        return Estimate(name, None, "no estimate: the likelihood has no maximum")
    theta, alpha = fitted
    uniques = pitman_uniques(theta, alpha, persons)
    if not 0 <= uniques <= persons:
        return Estimate(name, None, "no estimate: the model fits no population of this size")
    error = "off by up to a factor of 1.5 in samples of 5 % and more of Adult, and 3 at 1 %"
    if alpha <= 0:
        error = "alpha is not above 0: the model takes the number of cells to be limited"
    return Estimate(name, uniques, error, {"theta": theta, "alpha": alpha})


_NO_UNIQUES = "the sample has no unique row"


def pitman_uniques(theta: float, alpha: float, persons: int) -> float:
    """The expected number of cells of one person, among so many persons of Pitman's model.

    Args:
        theta, alpha: above -alpha, and below 1.
    """
    return persons * math.exp(
        _log_gamma_ratio(theta + persons, alpha - 1) + _log_gamma_ratio(theta + alpha, 1 - alpha)
    )


def _log_gamma_ratio(x: float, gap: float) -> float:
    """Ln of Γ(x + gap) / Γ(x), by Stirling's series where both are too large to be subtracted."""
    if x < 100 or x + gap < 100:
        return math.lgamma(x + gap) - math.lgamma(x)
    y = x + gap
    return (
        gap * (math.log(x) - 1)
        + (y - 0.5) * math.log1p(gap / x)
        + (1 / y - 1 / x) / 12
        - (y**-3 - x**-3) / 360
    )


def _fitted_pitman(sample: Sample) -> tuple[float, float] | None:
    """Theta and alpha where the likelihood is highest; None if it has no maximum."""
    steps, others = sample.classes - 1, sample.rows - 1
    if steps < 1 or steps == others:
        return None

    def theta_at(alpha: float) -> float | None:
        least = max(-alpha, -alpha * steps)

        def slope(log_excess: float) -> float:
            theta = least + math.exp(log_excess)
            ewens = digamma(theta + others + 1) - digamma(theta + 1)
            return harmonic(steps, theta, alpha)[0] - ewens

        lowest = math.log(max(_LEAST_EXCESS, least * _LEAST_EXCESS))
        found = root(slope, lowest, math.log(1e6 * (sample.rows + abs(least))))
        return None if found is None else least + math.exp(found)

    def slope(alpha: float) -> float:
        theta = theta_at(alpha)
        if theta is None:
            return math.nan
        falling = sum(
            count * (digamma(size - alpha) - digamma(1 - alpha))
            for size, count in sample.sizes.items()
            if size > 1
        )
        return harmonic(steps, theta, alpha)[1] - falling

    for low in (0.0, -1.0, -10.0, -100.0, -1000.0):
        alpha = root(slope, low, 1 - 1e-9)
        if alpha is not None:
            theta = theta_at(alpha)
            return None if theta is None else (theta, alpha)
    return None


_LEAST_EXCESS = 1e-12
"""How near theta comes to its bound, as a share of it."""


def slide_negative_binomial(sample: Sample) -> Estimate:
    """Cell sizes are 1 + a negative binomial number, over the cells that Shlosser estimates.

    Source: Chen and Keller-McNulty, Estimation of identification disclosure risk in microdata,
    Journal of Official Statistics 14(1), 1998; Haas and Stokes, Estimating the number of classes in
    a finite population, JASA 93(444), 1998.
    """
    name = "SNB"
    if not sample.count(1):
        return Estimate(name, 0.0, _NO_UNIQUES)
    cells = shlosser(sample)
    fitted = None if cells is None else _fitted_negative_binomial(sample, cells)
    if cells is None or fitted is None:
        return Estimate(name, None, "no estimate: its equations have no solution")
    alpha, beta = fitted
    uniques = cells * beta**alpha
    if uniques > sample.population:
        return Estimate(name, None, "no estimate: the model fits no population of this size")
    parameters = {"cells": cells, "alpha": alpha, "beta": beta}
    return Estimate(
        name, uniques, "too high for samples below 10 %; near the truth from 20 % on", parameters
    )


def shlosser(sample: Sample) -> float | None:
    """The cells of the population, by Shlosser's estimator as Haas and Stokes modified it."""
    share, sizes = sample.share, sample.sizes.items()
    rest = 1 - share
    if not rest:
        return float(sample.classes)
    numerator = sum(n * i * share**2 * (1 - share**2) ** (i - 1) for i, n in sizes)
    denominator = sum(n * ((1 - share**2) ** i - rest**i) for i, n in sizes)
    unseen = sum(n * rest**i for i, n in sizes)
    single = sum(n * i * share * rest ** (i - 1) for i, n in sizes)
    if not denominator or not single:
        return None
    return sample.classes + sample.count(1) * numerator / denominator * (unseen / single) ** 2


def _fitted_negative_binomial(sample: Sample, cells: float) -> tuple[float, float] | None:
    """Alpha and beta with which as many classes of one and of two rows are expected as there are.

    With F = 1 + X and rows that are drawn independently, the generating function of a class's size
    gives both expectations. Their quotient is quadratic in alpha, so beta alone is looked for.
    """
    single, double, share = sample.count(1), sample.count(2), sample.share
    if not double:
        return None

    def alpha_at(logit: float) -> float:
        rest, drawn = _undrawn(share, logit)
        quotient = 2 * double * drawn**2 / (single * share * _sigmoid(-logit))
        linear = 2 - rest - quotient * rest / drawn
        height = math.sqrt(linear**2 + 4 * rest * quotient)
        return 2 * quotient / (linear + height) if linear > 0 else (height - linear) / (2 * rest)

    def excess(logit: float) -> float:
        alpha, (rest, drawn) = alpha_at(logit), _undrawn(share, logit)
        return (
            math.log(cells * share / single)
            + alpha * math.log(_sigmoid(logit) / drawn)
            + math.log1p(alpha * rest / drawn)
        )

    logit = root(excess, -_MOST_LOGIT, _MOST_LOGIT)
    return None if logit is None else (alpha_at(logit), _sigmoid(logit))


_MOST_LOGIT = 30.0


def _undrawn(share: float, logit: float) -> tuple[float, float]:
    """(1 - share) (1 - beta), and 1 less it."""
    rest = (1 - share) * _sigmoid(-logit)
    return rest, 1 - rest


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


# --- roots, and the two functions that the equations of models need
#
# They are solved one variable at a time, and in each of them the function changes its sign once. So
# a bracketing method always ends at the root, and needs no start near it, and no other package.

_MOST_STEPS = 200


def root(function: Callable[[float], float], low: float, high: float) -> float | None:
    """Where a function is 0 between two points, by Ridders' method; None if it has one sign there.

    Source: Ridders, A new algorithm for computing a single root of a real continuous function,
    IEEE Transactions on Circuits and Systems 26(11), 1979.
    """
    at_low, at_high = function(low), function(high)
    if at_low == 0:
        return low
    if not (at_low * at_high <= 0):  # also if one is not a number
        return None
    for _ in range(_MOST_STEPS):
        middle = (low + high) / 2
        at_middle = function(middle)
        if at_middle == 0 or not low < middle < high:
            return middle
        scale = math.sqrt(at_middle * at_middle - at_low * at_high)
        if not scale > 0:  # not a number, or 0 within its digits
            return middle if scale == 0 else None
        step = (middle - low) * at_middle / scale
        point = middle + (step if at_low > at_high else -step)
        at_point = function(point)
        bracket = [(low, at_low), (high, at_high), (middle, at_middle), (point, at_point)]
        low, at_low = max(pair for pair in bracket if pair[1] * at_low > 0)
        high, at_high = min(pair for pair in bracket if pair[1] * at_low <= 0)
        if high - low <= 4e-16 * (abs(low) + abs(high)) or at_point == 0:
            return point
    return (low + high) / 2


def digamma(x: float) -> float:
    """The derivative of the logarithm of the gamma function at x > 0, to 14 digits.

    Source: Abramowitz and Stegun, 6.3.5 and 6.3.18.
    """
    shifted = 0.0
    while x < 10:
        shifted -= 1 / x
        x += 1
    y = 1 / (x * x)
    tail = y * (
        1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y * (1 / 132 - y * 691 / 32760))))
    )
    return shifted + math.log(x) - 0.5 / x - tail


def harmonic(count: int, start: float, step: float) -> tuple[float, float]:
    """The sums of 1 / (start + i step) and of i / (start + i step), for i from 1 to count.

    All terms are above 0. The second is small against what its closed form subtracts if the step
    is small; then both are the first terms of their series.
    """
    ratio = count * step / start
    if abs(ratio) < 1e-3:
        n = float(count)
        powers = (n, n * (n + 1) / 2, n * (n + 1) * (2 * n + 1) / 6, (n * (n + 1) / 2) ** 2,
                  n * (n + 1) * (2 * n + 1) * (3 * n * n + 3 * n - 1) / 30)  # fmt: skip
        signed = [(-step / start) ** k / start for k in range(4)]
        plain = sum(a * b for a, b in zip(signed, powers, strict=False))
        return plain, sum(a * b for a, b in zip(signed, powers[1:], strict=True))
    first = start / step
    if step > 0:
        plain = (digamma(first + count + 1) - digamma(first + 1)) / step
    else:
        plain = (digamma(-first) - digamma(-first - count)) / -step
    return plain, (count - start * plain) / step
