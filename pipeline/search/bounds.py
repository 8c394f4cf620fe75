"""Lower bounds on totals that need no search, each with its claim and proof. Knows nothing of stages or files."""

import numpy as np
from numpy.typing import NDArray

Sizes = NDArray[np.int64]


def set_lower(sizes: Sizes, most_buckets: int) -> Sizes:
    """A lower bound on the total of a set of each given size, whatever its answers.

    Claim: total >= max(2n - 1, 3n - K - 1), where K is the most buckets any guess makes of all answers; 0 if n = 0.
    Proof: at most one answer is found at once and the others cost at least 2: 2n - 1. A guess leaves k <= K buckets,
    so at most k answers are found by the second guess, one of them perhaps at once; the other n - k cost at least 3:
    3n - k - 1 >= 3n - K - 1. A set within the answers is split no finer than the answers are.
    """
    return np.where(sizes == 0, 0, np.maximum(2 * sizes - 1, 3 * sizes - most_buckets - 1))


def guess_lower(sizes: Sizes, is_answer: bool, most_buckets: int) -> int:
    """A lower bound on the total when the next guess leaves buckets of these sizes, its own answer among them.

    Claim: total >= n + the sum of `set_lower` over the buckets that are not solved.
    Proof: this guess costs 1 for each of the n answers, and every bucket is then a set to be solved by itself.
    """
    total = int(sizes.sum()) + int(set_lower(sizes, most_buckets).sum())
    return total - 1 if is_answer else total  # the solved bucket holds one answer and costs nothing more
