"""Every heuristic of an opener as one number: from its bucket sizes, or from letters alone. Knows only games."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import log2

import numpy as np
from numpy.typing import NDArray

from pipeline.game.entropy import log2_table, xlog2x

# The ranking columns, and whether more of it is better.
MORE_IS_BETTER = {
    "buckets": True,
    "largest_bucket": False,
    "expected_size": False,
    "entropy": True,
    "remaining_entropy": False,
    "lower": False,
    "two_guess_wins": True,
    "letter_entropy": True,
    "letter_frequency": True,
    "letter_frequency_global": True,
}

Sizes = NDArray[np.int64]


def bucket_sizes(responses: NDArray[np.integer]) -> Sizes:
    """The sizes of the buckets of one guess, by response, none of them empty."""
    counts = np.bincount(responses)
    return counts[counts > 0].astype(np.int64)


class BucketColumns:
    """The columns that depend on bucket sizes, for games of n answers."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.table = log2_table(n)

    def row(self, sizes: Sizes) -> dict[str, int | float]:
        """The columns of one guess."""
        remaining = xlog2x(self.table, sizes) / self.n
        return {
            "buckets": len(sizes),
            "largest_bucket": int(sizes.max()),
            "expected_size": int((sizes**2).sum()) / self.n,
            "entropy": log2(self.n) - remaining,
            "remaining_entropy": remaining,
            "two_guess_wins": int((sizes == 1).sum()),
        }


class LetterColumns:
    """The columns that depend on letters alone, taken over the answers."""

    def __init__(self, answers: Sequence[str]) -> None:
        self.n, self.length = len(answers), len(answers[0])
        self.table = log2_table(self.n)
        self.at = [Counter(word[i] for word in answers) for i in range(self.length)]
        self.bags = Counter("".join(sorted(word)) for word in answers)
        self.anywhere = Counter("".join(answers))

    def row(self, word: str) -> dict[str, int | float]:
        """The columns of one guess."""
        positional = sum((Fraction(self.at[i][c], len(self.at[i])) for i, c in enumerate(word)), Fraction())
        return {
            "letter_entropy": self.entropy(word),
            "letter_frequency": float(positional / self.length),
            "letter_frequency_global": sum(self.anywhere[c] for c in word),
        }

    def entropy(self, word: str) -> float:
        """The sum of -p log2 p over the shares of the word's letters at their places and of its multiset of letters."""
        counts = [self.at[i][c] for i, c in enumerate(word)] + [self.bags["".join(sorted(word))]]
        return (sum(counts) * log2(self.n) - xlog2x(self.table, np.array(counts, np.int64))) / self.n
