"""What people type: guesses with their responses, in any usual notation."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.game.rules import ResponseError, Rule

BETWEEN = ".:/,;"  # what may stand between a guess and its response, besides a space


class PlayError(ValueError):
    """Something typed that cannot be used; the message says what would be right."""


@dataclass(frozen=True, slots=True)
class Clue:
    """A guess that was played, and the response to it."""

    guess: str
    response: int


def clean(text: str) -> str:
    """Lower case, one code point a letter where there is one, without the invisible marks that follow emoji."""
    return bare(bare(text).lower())


def bare(text: str) -> str:
    """The same as it was written, in upper case or not."""
    return unicodedata.normalize("NFC", text.strip()).replace("\ufe0f", "").replace("\u200d", "")


def read_clues(words: Sequence[str], rule: Rule, length: int) -> list[Clue]:
    """The clues in `salet.bbbyb drone.ybbbg`, also in one piece, or with spaces between guess and response."""
    text = " ".join(bare(word) for word in words)
    clues = []
    while text := text.lstrip(f" {BETWEEN}"):
        guess, rest = clean(text[:length]), text[length:]  # folded by itself: a last sigma is another letter
        if len(guess) < length or not rest:
            raise PlayError(
                f"{text!r}: every guess of {length} letters needs a response, as in {example(rule, length)}"
            )
        if rest[0] not in f" {BETWEEN}":
            raise PlayError(
                f"{text.split()[0]!r}: not a guess of {length} letters with a response, as in {example(rule, length)}"
            )
        mark, rest = cut_response(rest[1:].lstrip(), rule, length)
        if rest and rest[0] not in f" {BETWEEN}":
            whole = mark + re.split(rf"[\s{BETWEEN}]", rest, maxsplit=1)[0]
            raise PlayError(
                f"{whole!r} has {len(whole)} marks; a response has {length}, as in {example(rule, length)}"
                if rule.marks_letters
                else f"{whole!r} is not a response, as in {example(rule, length)}"
            )
        clues.append(Clue(checked_word(guess, length), rule.parse(clean(mark), length)))
        text = rest
    return clues


def counted(number: int, noun: str) -> str:
    """`1 guess`, `2 guesses`, `1,296 answers`."""
    return f"{number:,} {noun}{'' if number == 1 else 'es' if noun.endswith('s') else 's'}"


def cut_response(text: str, rule: Rule, length: int) -> tuple[str, str]:
    """The response at the beginning of a text, and what follows."""
    if rule.marks_letters:
        return text[:length], text[length:]
    match = re.match(r"\d+\s*[+,]\s*\d+", text)
    if not match:
        raise ResponseError(
            f"{text!r} does not begin with a response; write black+white, as in {some_response(rule, length)}"
        )
    return match.group(), text[match.end() :]


def checked_word(word: str, length: int) -> str:
    word = clean(word)
    if len(word) != length or any(c.isspace() for c in word):
        raise PlayError(f"{word!r} has {counted(len(word), 'letter')}; the words of this game have {length}")
    return word


def example(rule: Rule, length: int) -> str:
    word = "1122334455"[:length] if not rule.marks_letters else "salet" if length == 5 else "x" * length
    return f"{word}.{some_response(rule, length)}"


def some_response(rule: Rule, length: int) -> str:
    """A response that may well occur, to show how one is written."""
    return ("bbbyb" * 2)[:length] if rule.marks_letters else f"1+{max(length - 2, 0)}"
