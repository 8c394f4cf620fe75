"""The whole game in obvious Python: the reference that every fast path is tested against. No numba, no numpy tricks."""

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from math import prod

INFEASIBLE = None  # no strategy fits in guesses_left


def wordle(guess: str, answer: str) -> int:
    """Base-3 code, first letter most significant: greens take their letters first, then yellows what is left."""
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


def hard_legal(word: str, guess: str, answer: str) -> bool:
    """Whether official hard mode allows `word` after `guess` was played against `answer`.

    What is shown green must stay; each letter shown green or yellow must be used, as often as it was shown.
    """
    shown = Counter[str]()
    code = wordle(guess, answer)
    for i in reversed(range(len(guess))):
        code, mark = divmod(code, 3)
        if mark == 2 and word[i] != guess[i]:
            return False
        if mark:
            shown[guess[i]] += 1
    return shown <= Counter(word)


def strict_legal(word: str, guess: str, answer: str, rule: str) -> bool:
    """Whether `word` could be the answer, after `guess` was played against `answer`."""
    return RULES[rule](guess, word) == RULES[rule](guess, answer)


def partition(row: Sequence[int], answers: Sequence[int]) -> dict[int, list[int]]:
    """The buckets of one guess: response -> answers, where row[a] is the response of this guess to answer a."""
    buckets: dict[int, list[int]] = {}
    for a in answers:
        buckets.setdefault(int(row[a]), []).append(a)
    return buckets


def best_total(
    responses: Sequence[Sequence[int]], solved: int, answers: Sequence[int], guesses_left: int | None
) -> int | None:
    """The least total over all strategies for `answers`, or INFEASIBLE; guesses_left None means no cap. No pruning.

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


def log_size(buckets: Iterable[Sequence[int]]) -> int:
    """The product of n^n over the buckets: it grows with the sum of n * log(n), and is exact."""
    return prod(len(bucket) ** len(bucket) for bucket in buckets)


def best_guess(
    words: Sequence[str], answers: Sequence[str], history: Sequence[tuple[str, int]], how: str, rule: str, mode: str
) -> str:
    """The guess that a strategy plays: of all that are allowed and tell something, the first of the best.

    `answers` are those that agree with the history.
    """

    def allowed(played: Sequence[tuple[str, int]]) -> list[str]:
        return [word for word in words if all(is_allowed(word, guess, code) for guess, code in played)]

    def is_allowed(word: str, guess: str, code: int) -> bool:
        if mode == "strict":
            return RULES[rule](guess, word) == code
        return mode == "normal" or hard_legal(word, guess, next(a for a in answers if respond(guess, a) == code))

    def buckets(guess: str, some: Sequence[str]) -> dict[int, list[str]]:
        return {code: [a for a in some if respond(guess, a) == code] for code in {respond(guess, a) for a in some}}

    def respond(guess: str, answer: str) -> int:
        return RULES[rule](guess, answer)

    def cost(guess: str) -> int:
        parts = buckets(guess, answers)
        sizes = [len(part) for part in parts.values()]
        if how == "two_ply":
            return prod(
                min(log_size(buckets(reply, part).values()) for reply in allowed([*history, (guess, code)]))
                for code, part in parts.items()
            )
        return {
            "entropy": log_size(parts.values()),
            "expected_size": sum(size * size for size in sizes),
            "largest_bucket": max(sizes),
            "most_buckets": -len(sizes),
        }[how]

    telling = [w for w in allowed(history) if len(buckets(w, answers)) > 1 or [w] == list(answers)]
    if how == "two_ply":
        telling = sorted(telling, key=lambda word: log_size(buckets(word, answers).values()))[:30]
        telling.sort(key=words.index)
    return min(telling, key=cost)


def play(words: Sequence[str], answers: Sequence[str], answer: str, how: str, rule: str, mode: str) -> list[str]:
    """A whole game of a strategy."""
    history: list[tuple[str, int]] = []
    while not history or history[-1][0] != answer:
        remaining = [a for a in answers if all(RULES[rule](guess, a) == code for guess, code in history)]
        guess = best_guess(words, remaining, history, how, rule, mode)
        history.append((guess, RULES[rule](guess, answer)))
    return [guess for guess, _ in history]
