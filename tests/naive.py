"""The whole game in obvious Python: the reference that every fast path is tested against. No numba, no numpy tricks."""

from collections import Counter
from collections.abc import Sequence
from functools import cache

INFEASIBLE = None  # no strategy fits in guesses_left


def wordle(guess: str, answer: str) -> int:
    """Base-3 code, first letter most significant: every green takes its letter away, then yellows take what is left, left to right."""
    left = Counter(answer)
    marks = [0] * len(guess)
    for i, (g, a) in enumerate(zip(guess, answer, strict=True)):
        if g == a:
            marks[i] = 2
            left[g] -= 1
    for i, g in enumerate(guess):
        if marks[i] == 0 and left[g] > 0:
            marks[i] = 1
            left[g] -= 1
    return base3(marks)


def naive(guess: str, answer: str) -> int:
    """The wrong duplicate-letter rule: a letter that occurs anywhere in the answer is yellow, however often."""
    return base3([2 if g == a else 1 if g in answer else 0 for g, a in zip(guess, answer, strict=True)])


def pegs(guess: str, answer: str) -> tuple[int, int]:
    """(black, white): right place, and right symbol in a wrong place."""
    black = sum(g == a for g, a in zip(guess, answer, strict=True))
    common = sum((Counter(guess) & Counter(answer)).values())
    return black, common - black


def mastermind(guess: str, answer: str) -> int:
    black, white = pegs(guess, answer)
    return black * (len(guess) + 1) + white


def base3(marks: Sequence[int]) -> int:
    code = 0
    for mark in marks:
        code = 3 * code + mark
    return code


RULES = {"wordle": wordle, "naive": naive, "mastermind": mastermind, "bulls_and_cows": mastermind}


def partition(row: Sequence[int], answers: Sequence[int]) -> dict[int, list[int]]:
    """The buckets of one guess: response -> answers, where row[a] is the response of this guess to answer a."""
    buckets: dict[int, list[int]] = {}
    for a in answers:
        buckets.setdefault(int(row[a]), []).append(a)
    return buckets


def best_total(responses: Sequence[Sequence[int]], solved: int, answers: Sequence[int], guesses_left: int | None) -> int | None:
    """The least total over all strategies for `answers`, or INFEASIBLE; guesses_left None means no cap. No pruning at all.

    A guess that leaves the set whole is skipped: with a cap it is never better, without one it would never end.
    """

    @cache
    def best(members: frozenset[int], left: int | None) -> int | None:
        if not members:
            return 0
        if left == 0:
            return INFEASIBLE
        totals = []
        for row in responses:
            buckets = partition(row, sorted(members))
            if len(buckets) == 1 and solved not in buckets:
                continue
            below = None if left is None else left - 1
            parts = [best(frozenset(b), below) for response, b in buckets.items() if response != solved]
            if INFEASIBLE not in parts:
                totals.append(len(members) + sum(part for part in parts if part is not None))
        return min(totals, default=INFEASIBLE)

    return best(frozenset(answers), guesses_left)
