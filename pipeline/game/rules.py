"""Rules: how a response is computed, written and read. Knows nothing of word lists as files or of searching."""

import re
from collections.abc import Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.uint8 | np.uint16]

MARKS = "byg"  # grey (black), yellow, green, as the digits 0, 1, 2 of a letter response
ALIASES = {"-": 0, "_": 0, ".": 0, "⬛": 0, "⬜": 0, "🟫": 0, "?": 1, "🟨": 1, "🟦": 1, "+": 2, "🟩": 2, "🟧": 2}


SHOWN_CHARACTERS = 40


def shown(text: str) -> str:
    """Foreign text as a message may quote it: in quotes, with control characters escaped, and not long."""
    return repr(text) if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]!r}..."


class ResponseError(ValueError):
    """A text that is no response of this rule."""


class Rule(StrEnum):
    """How a response is computed from guess and answer."""

    WORDLE = "wordle"  # greens first, then each yellow uses up one letter of the answer
    NAIVE = "naive"  # the wrong duplicate-letter rule of two older programs, to reproduce their figures
    MASTERMIND = "mastermind"  # black pegs and white pegs
    BULLS_AND_COWS = "bulls_and_cows"  # the same count, called bulls and cows

    @property
    def marks_letters(self) -> bool:
        """Whether a response marks every letter (else it counts pegs)."""
        return self in (Rule.WORDLE, Rule.NAIVE)

    def solved(self, length: int) -> int:
        """The response to the answer itself."""
        return 3**length - 1 if self.marks_letters else length * (length + 1)

    def text(self, response: int, length: int) -> str:
        """The response as people write it: `bbygb` for letters, `1+2` (black + white) for pegs."""
        if not self.marks_letters:
            black, white = divmod(response, length + 1)
            return f"{black}+{white}"
        return "".join(MARKS[response // 3**i % 3] for i in reversed(range(length)))

    def parse(self, text: str, length: int) -> int:
        """The response that a text means; letters in bgy, 012, -?+ or coloured squares, pegs as black+white."""
        digits = peg_digits(text) if not self.marks_letters else letter_digits(text)
        if self.marks_letters and digits is not None and len(digits) == length:
            return int("".join(map(str, digits)), 3)
        if not self.marks_letters and digits is not None and sum(digits) <= length:
            return digits[0] * (length + 1) + digits[1]
        wanted = f"{length} of b, y, g" if self.marks_letters else f"black+white, together at most {length}"
        raise ResponseError(f"{shown(text)} is not a response; write {wanted}")


def letter_digits(text: str) -> list[int] | None:
    symbols = text.strip().lower().replace("\ufe0f", "")
    digits = [MARKS.find(c) if c in MARKS else int(c) if c in "012" else ALIASES.get(c, -1) for c in symbols]
    return None if -1 in digits else digits


def peg_digits(text: str) -> list[int] | None:
    match = re.fullmatch(r"\s*(\d{1,3})\s*[+,]\s*(\d{1,3})\s*", text)
    return [int(number) for number in match.groups()] if match else None


def code_dtype(rule: Rule, length: int) -> type[np.uint8] | type[np.uint16]:
    return np.uint8 if rule.solved(length) < 256 else np.uint16


class Responder:
    """Responses to one list of answers: a guess at a time against all answers, in a few whole-array operations."""

    def __init__(self, rule: Rule, answers: Sequence[str]) -> None:
        self.rule, self.answers, self.length = rule, len(answers), len(answers[0])
        letters = np.array([list(answer) for answer in answers], dtype="U1").T  # (length, answers)
        self.at: list[dict[str, NDArray[np.bool_]]] = [
            {str(c): letters[i] == c for c in set(letters[i])} for i in range(self.length)
        ]
        self.count: dict[str, NDArray[np.int8]] = {
            str(c): (letters == c).sum(axis=0, dtype=np.int8) for c in set(letters.flat)
        }
        self.nowhere, self.none = np.zeros(self.answers, bool), np.zeros(self.answers, np.int8)
        self.respond = {Rule.WORDLE: wordle_row, Rule.NAIVE: naive_row}.get(rule, peg_row)

    def has_at(self, i: int, c: str) -> NDArray[np.bool_]:
        """Which answers have that letter at place i."""
        return self.at[i].get(c, self.nowhere)

    def counts(self, c: str) -> NDArray[np.int8]:
        """How often each answer has that letter."""
        return self.count.get(c, self.none)

    def fill(self, row: Codes, guess: str) -> None:
        """Writes the response of the guess to every answer."""
        greens = [self.has_at(i, c) for i, c in enumerate(guess)]
        self.respond(row, guess, greens, [self.counts(c) for c in guess])

    def row(self, guess: str) -> Codes:
        """The response of the guess to every answer."""
        row = np.empty(self.answers, code_dtype(self.rule, self.length))
        self.fill(row, guess)
        return row


def response_rows(rule: Rule, guesses: Sequence[str], answers: Sequence[str]) -> Codes:
    """The response of every guess (rows) to every answer (columns), shape (guesses, answers), read-only."""
    responder = Responder(rule, answers)
    codes = np.empty((len(guesses), len(answers)), code_dtype(rule, responder.length))
    for row, guess in zip(codes, guesses, strict=True):
        responder.fill(row, guess)
    codes.setflags(write=False)
    return codes


Greens = list[NDArray[np.bool_]]  # per position of the guess: where the answer has the same letter there
Counts = list[NDArray[np.int8]]  # per position of the guess: how often the answer has that letter


def wordle_row(row: Codes, guess: str, greens: Greens, counts: Counts) -> None:
    """Position i is yellow iff letters remain for it: those of the answer less its greens and the yellows before i."""
    length = len(guess)
    row[:] = 0
    for i, c in enumerate(guess):
        others = [j for j in range(length) if j != i and guess[j] == c]
        left = counts[i] - sum(greens[j].view(np.int8) for j in others) if others else counts[i]
        for j in others:
            if j < i:  # a letter before i that is not green was offered the letter first
                left = left - (~greens[j]).view(np.int8)
        yellow = left > 0
        weight = row.dtype.type(3 ** (length - 1 - i))
        row += np.where(greens[i], 2 * weight, yellow * weight)


def naive_row(row: Codes, guess: str, greens: Greens, counts: Counts) -> None:
    row[:] = 0
    for i, green in enumerate(greens):
        weight = row.dtype.type(3 ** (len(guess) - 1 - i))
        row += np.where(green, 2 * weight, (counts[i] > 0) * weight)


def peg_row(row: Codes, guess: str, greens: Greens, counts: Counts) -> None:
    """black * (length + 1) + white, where black + white is the size of the common multiset."""
    black = sum(green.view(np.int8) for green in greens)
    common = sum(np.minimum(counts[guess.index(c)], guess.count(c)) for c in sorted(set(guess)))
    row[:] = np.asarray(black, row.dtype) * len(guess) + np.asarray(common, row.dtype)
