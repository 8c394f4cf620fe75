"""Word lists from files: read, checked, canonical. Knows nothing of generated lists or of responses."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

MAX_LENGTH = 10  # 3^10 response codes still fit 16 bits


class WordListError(ValueError):
    """A word list that cannot be used; the message names file, line and word, and what would be right."""


@dataclass(frozen=True, slots=True)
class WordList:
    """Distinct words of one length in the order given, with where they came from and notes for the user."""

    words: tuple[str, ...]
    source: str
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def length(self) -> int:
        return len(self.words[0])


def read_words(path: Path) -> WordList:
    """The words of a text file, one a line, lower case and NFC; a BOM, CRLF and blank lines are accepted."""
    given = filled_lines(path)
    words = [unicodedata.normalize("NFC", line.lower()) for _, line in given]
    if not words:
        raise WordListError(f"{path}: the list is empty; give one word a line")
    check_words(words, [f"{path}, line {number}" for number, _ in given])
    folded = [line for _, line in given if line != line.lower()]
    notes = (
        (f"{path}: {len(folded):,} words in upper case were folded to lower case ({folded[0]}, ...)",) if folded else ()
    )
    return WordList(tuple(words), str(path), notes)


def filled_lines(path: Path) -> list[tuple[int, str]]:
    """The lines of a text file that are not blank, with their numbers."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise WordListError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise WordListError(f"{path}, line {line}: not UTF-8 text; save the file as UTF-8") from None
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), start=1)]
    return [(number, line) for number, line in lines if line]


def check_words(words: Sequence[str], places: Sequence[str]) -> None:
    """Raises WordListError at the first that is no single word, has another length, is too long, or comes again."""
    length, first = len(words[0]), dict[str, str]()
    for word, place in zip(words, places, strict=True):
        if any(char.isspace() or unicodedata.category(char).startswith("C") for char in word):
            raise WordListError(f"{place}: {word!r} has a space or control character; give one word a line")
        if len(word) > MAX_LENGTH:
            raise WordListError(f"{place}: {word!r} has {len(word)} letters; at most {MAX_LENGTH} are possible")
        if len(word) != length:
            raise WordListError(
                f"{place}: {word!r} has {len(word)} letters, but {words[0]!r} in {places[0]} has {length};"
                f" all words of a list have one length"
            )
        if word in first:
            raise WordListError(f"{place}: {word!r} again, it is already in {first[word]}; remove one")
        first[word] = place


def read_weights(path: Path) -> dict[str, int]:
    """The weights of a text file, a word and a positive integer a line."""
    weights: dict[str, int] = {}
    for number, line in filled_lines(path):
        fields = line.split()
        if len(fields) != 2 or not fields[1].isdecimal() or int(fields[1]) == 0:
            raise WordListError(f"{path}, line {number}: {line!r} is not a word and a positive integer")
        word = unicodedata.normalize("NFC", fields[0].lower())
        if word in weights:
            raise WordListError(f"{path}, line {number}: {word!r} has a weight already")
        weights[word] = int(fields[1])
    return weights
