"""Entropies whose ties are exact: equal by mathematics is equal as a float. Knows nothing of games."""

from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

SHIFT = 2.0**30
LN2 = Decimal(2).ln()


def log2_table(largest: int) -> NDArray[np.int64]:
    """n * log2(n) for n = 0..largest as two integers: units of 2^-30 and of 2^-60, shape (largest + 1, 2).

    Claim: sums of rows are equal whenever the sums of n * log2(n) are equal.
    Proof: the logarithm is rounded for primes only and extended by log(ab) = log a + log b in integers. If
    the product of all n^n is the same number, its prime exponents are the same, and so are these sums.
    """
    logs = np.zeros((largest + 1, 2), np.int64)
    for p in range(2, largest + 1):
        if logs[p].any():
            continue  # p is composite
        high, rest = divmod(Decimal(p).ln() / LN2 * 2**30, 1)
        power = p
        while power <= largest:
            logs[power::power] += (int(high), round(rest * 2**30))
            power *= p
    return logs * np.arange(largest + 1)[:, None]


def xlog2x(table: NDArray[np.int64], counts: NDArray[np.int64]) -> float:
    """The sum of n * log2(n) over the counts, in bits."""
    high, low = (int(part) for part in table[counts].sum(axis=0))
    return high / SHIFT + low / SHIFT**2
