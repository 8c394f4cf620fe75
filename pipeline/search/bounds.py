"""Bounds on totals that need no search, each with its claim and proof. Knows nothing of stages or files.

Every lower bound here is also one step of the rule by which a certificate is checked: for every guess, the answers
plus what is known of each bucket.
"""

import numpy as np
from numpy.typing import NDArray

from pipeline.search.jit import kernel

Sizes = NDArray[np.int64]

INFEASIBLE = 2**30  # the total when no strategy fits in guesses_left; above every possible total


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


@kernel
def size_lower(n, most_buckets, guesses_left):
    """A lower bound on the total of any n >= 1 answers, exact for n <= 2.

    Claim: with K >= 2 the most buckets a guess makes of any set that contains these answers, at most K^(t-1) of them
    are found within t guesses. So the total is at least n + (n - 1) + (n - K) + (n - K^2) + ..., as long as terms are
    positive, and INFEASIBLE if n > K^(t-1) for t guesses left. For n <= K^2 this is `set_lower`.
    Proof: one guess finds one answer. Within t guesses the first leaves at most K buckets (the solved one counts, with
    its one answer), each with at most K^(t-2) found by the other t - 1. An answer takes one guess more than the number
    of t for which it is not found within t guesses: sum over t the n - K^(t-1) or more answers not found.
    """
    if guesses_left < 1:
        return INFEASIBLE
    lower, found = n, 1
    while n > found:
        if guesses_left == 1:
            return INFEASIBLE
        lower += n - found
        found *= max(most_buckets, 2)
        guesses_left -= 1
    return lower


@kernel
def split_lower(n, k, is_member, most_buckets):
    """A lower bound on the total of n >= 2 answers when the next guess makes k > 1 buckets of them.

    Claim: total >= 3n - k - [the guess is one of the answers] + (n - kK) + (n - kK^2) + ... while terms are positive.
    The first three terms are attained if no bucket exceeds 2 answers and guesses_left >= 3, or 1 and guesses_left >= 2.
    Proof: n for this guess, and `size_lower` of each bucket: over k buckets the terms s - K^t sum to n - kK^t at least.
    The solved bucket costs 0 instead of 1. A bucket of one costs exactly 1, with one guess left; one of two exactly 3,
    with two guesses left.
    """
    lower, found = 3 * n - k - is_member, k * most_buckets
    while n > found:
        lower += n - found
        found *= max(most_buckets, 2)
    return lower


@kernel
def useful_guesses(guesses_left, n):
    """The guesses left that can matter for n answers.

    Claim: with more than n guesses left the least total is the same as with n.
    Proof: in a best strategy every guess tells something, so every unsolved bucket is smaller than its set: no answer
    needs more than n guesses.
    """
    return min(guesses_left, n)
