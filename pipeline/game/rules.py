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
        self.dtype = code_dtype(rule, self.length)
        letters = np.array([list(answer) for answer in answers], dtype="U1").T  # (length, answers)
        self.at: list[dict[str, NDArray[np.bool_]]] = [
            {str(c): letters[i] == c for c in set(letters[i])} for i in range(self.length)
        ]
        self.count: dict[str, NDArray[np.int8]] = {
            str(c): (letters == c).sum(axis=0, dtype=np.int8) for c in set(letters.flat)
        }
        self.nowhere, self.none = np.zeros(self.answers, bool), np.zeros(self.answers, np.int8)
        self.marks: dict[tuple[int, str], Codes] = {}  # what `mark` has given
        self.respond = {Rule.WORDLE: wordle_row, Rule.NAIVE: naive_row}.get(rule, peg_row)

    def has_at(self, i: int, c: str) -> NDArray[np.bool_]:
        """Which answers have that letter at place i."""
        return self.at[i].get(c, self.nowhere)

    def counts(self, c: str) -> NDArray[np.int8]:
        """How often each answer has that letter."""
        return self.count.get(c, self.none)

    def marked(self, i: int, green: NDArray[np.bool_], yellow: NDArray[np.bool_]) -> Codes:
        """What place i adds to the response; yellow does not matter where green holds."""
        weight = self.dtype(3 ** (self.length - 1 - i))
        marks: Codes = np.where(green, 2 * weight, yellow * weight)
        return marks

    def mark(self, i: int, c: str) -> Codes:
        """What letter c at place i adds to the response if the guess has no other c."""
        if (i, c) not in self.marks:
            self.marks[i, c] = self.marked(i, self.has_at(i, c), self.counts(c) > 0)
        return self.marks[i, c]

    def fill(self, row: Codes, guess: str) -> None:
        """Writes the response of the guess to every answer."""
        self.respond(self, row, guess)

    def row(self, guess: str) -> Codes:
        """The response of the guess to every answer."""
        row = np.empty(self.answers, self.dtype)
        self.fill(row, guess)
        return row


def response_rows(rule: Rule, guesses: Sequence[str], answers: Sequence[str]) -> Codes:
    """The response of every guess (rows) to every answer (columns), shape (guesses, answers), read-only."""
    responder = Responder(rule, answers)
    codes = np.empty((len(guesses), len(answers)), responder.dtype)
    for row, guess in zip(codes, guesses, strict=True):
        responder.fill(row, guess)
    codes.setflags(write=False)
    return codes


def wordle_row(responder: Responder, row: Codes, guess: str) -> None:
    """Place i is yellow iff letters remain for it: those of the answer less its greens and the yellows before i."""
    row[:] = 0
    for i, c in enumerate(guess):
        if guess.count(c) == 1:
            row += responder.mark(i, c)
            continue
        left = responder.counts(c)
        for j in range(len(guess)):
            if j != i and guess[j] == c:
                green = responder.has_at(j, c)
                left = left - green.view(np.int8)
                if j < i:  # a letter before i that is not green was offered the letter first
                    left = left - (~green).view(np.int8)
        row += responder.marked(i, responder.has_at(i, c), left > 0)


def naive_row(responder: Responder, row: Codes, guess: str) -> None:
    row[:] = 0
    for i, c in enumerate(guess):
        row += responder.mark(i, c)


def peg_row(responder: Responder, row: Codes, guess: str) -> None:
    """black * (length + 1) + white, where black + white is the size of the common multiset."""
    black = sum(responder.has_at(i, c).view(np.int8) for i, c in enumerate(guess))
    common = sum(np.minimum(responder.counts(c), guess.count(c)) for c in sorted(set(guess)))
    row[:] = np.asarray(black, row.dtype) * len(guess) + np.asarray(common, row.dtype)
