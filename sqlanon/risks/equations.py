"""Roots of functions of one variable, and the two functions that the equations of models need.

The equations of the estimators are solved one variable at a time, and in each of them the function
changes its sign once. So a bracketing method always ends at the root, and needs no start near it;
a solver of the standard library's size is enough, and no other package.
"""

from __future__ import annotations

import math
from collections.abc import Callable

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
