"""Word lists that are generated, not stored, and the one door to both kinds. Knows nothing of responses."""

import re
from collections.abc import Callable, Sequence
from itertools import permutations, product
from math import perm
from pathlib import Path

from pipeline.game.words import MAX_LENGTH, WordList, WordListError, read_words

SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyz"
MOST_WORDS = 1_000_000  # that are generated; no response table could hold more
Valued = tuple[str, int]  # the text of an expression and its value


def word_list(source: str, folders: Sequence[Path] = (Path(),)) -> WordList:
    """The words that `source` names: a generator such as `mastermind:4x6`, or a file looked for in each folder."""
    name, _, arguments = source.partition(":")
    if name in GENERATORS:
        return GENERATORS[name](source, arguments)
    return read_words(found(source, folders))


def found(source: str, folders: Sequence[Path]) -> Path:
    """The first existing file of that name, the folders taken in order."""
    for folder in folders:
        if (folder / source).is_file():
            return folder / source
    generators = ", ".join(sorted(GENERATORS))
    what = "a folder" if any((folder / source).is_dir() for folder in folders) else "no such file"
    raise WordListError(
        f"{source or repr(source)}: {what}; give a path to a list with one word a line, or a generator: {generators}"
    )


def generated(source: str, words: list[str], wanted: str) -> WordList:
    if not words:
        raise WordListError(f"{source}: generates no words; {wanted}")
    return WordList(tuple(words), source)


def numbers(source: str, arguments: str, wanted: str) -> list[int]:
    """The numbers in `4x6`, as many as in `wanted`."""
    if not re.fullmatch(r"x".join([r"\d+"] * (wanted.count("x") + 1)), arguments):
        raise WordListError(f"{source}: cannot read {arguments!r}; write {source.partition(':')[0]}:{wanted}")
    return [int(number) for number in arguments.split("x")]


def check_code_size(source: str, pegs: int, colours: int, most_colours: int, words: Callable[[], int]) -> None:
    if not (1 <= pegs <= MAX_LENGTH and 1 <= colours <= most_colours):
        raise WordListError(f"{source}: 1 to {MAX_LENGTH} pegs and 1 to {most_colours} symbols are possible")
    if words() > MOST_WORDS:
        raise WordListError(f"{source}: {words():,} words are too many; at most {MOST_WORDS:,} are generated")


def mastermind(source: str, arguments: str) -> WordList:
    """`mastermind:4x6`: every code of 4 pegs in 6 colours, written 1 to 6."""
    pegs, colours = numbers(source, arguments or "4x6", "4x6")
    check_code_size(source, pegs, colours, len(SYMBOLS) - 1, lambda: colours**pegs)
    return generated(source, ["".join(code) for code in product(SYMBOLS[1 : colours + 1], repeat=pegs)], "4x6")


def bulls_and_cows(source: str, arguments: str) -> WordList:
    """`bulls_and_cows:4x10`: every sequence of 4 different digits out of 10, 0 may lead."""
    pegs, digits = numbers(source, arguments or "4x10", "4x10")
    check_code_size(source, pegs, digits, len(SYMBOLS), lambda: perm(digits, pegs))
    return generated(
        source, ["".join(code) for code in permutations(SYMBOLS[:digits], pegs)], "at least as many digits"
    )


def primes(source: str, arguments: str) -> WordList:
    """`primes:5`: every prime of five digits, as in Primel."""
    (digits,) = numbers(source, arguments or "5", "5")
    if not 1 <= digits <= 6:
        raise WordListError(f"{source}: 1 to 6 digits are possible")
    limit = 10**digits
    is_prime = bytearray([0, 0]) + bytearray([1]) * (limit - 2)
    for p in range(2, int(limit**0.5) + 1):
        if is_prime[p]:
            is_prime[p * p :: p] = bytes(len(range(p * p, limit, p)))
    return generated(source, [str(p) for p in range(limit // 10, limit) if is_prime[p]], "1 to 6 digits")


def equations(source: str, arguments: str) -> WordList:
    """`equations:8`: every equation of eight characters as in Nerdle, `expression=value`.

    An expression has up to three terms, a term up to three factors, a factor is 1 to 999 without leading zeros.
    Products and quotients go first and left to right, quotients are exact, and no partial sum is negative.
    """
    (length,) = numbers(source, arguments or "8", "8")
    if not 3 <= length <= MAX_LENGTH:
        raise WordListError(f"{source}: 3 to {MAX_LENGTH} characters are possible")
    longest = length - 2  # the left side leaves "=" and one digit
    factors = [(str(n), n) for n in range(1, 1000)]
    terms = chains(factors, longest, products)
    expressions = chains(terms, longest, sums)
    whole = (f"{text}={value}" for text, value in expressions if not text.isdigit())
    return generated(source, sorted({equation for equation in whole if len(equation) == length}), "3 to 10 characters")


def chains(links: list[Valued], longest: int, joined: Callable[[Valued, Valued], list[Valued]]) -> list[Valued]:
    """Every chain of one to three links whose text fits in `longest`."""
    fitting = [[link for link in links if len(link[0]) <= room] for room in range(longest + 1)]
    grown = chain = fitting[longest]
    for _ in range(2):
        grown = [
            new for old in grown for link in fitting[max(0, longest - 1 - len(old[0]))] for new in joined(old, link)
        ]
        chain = chain + grown
    return chain


def products(left: Valued, right: Valued) -> list[Valued]:
    (text, value), (factor, n) = left, right
    return [(f"{text}*{factor}", value * n)] + ([(f"{text}/{factor}", value // n)] if value % n == 0 else [])


def sums(left: Valued, right: Valued) -> list[Valued]:
    (text, value), (term, n) = left, right
    return [(f"{text}+{term}", value + n)] + ([(f"{text}-{term}", value - n)] if n <= value else [])


GENERATORS: dict[str, Callable[[str, str], WordList]] = {
    "mastermind": mastermind,
    "bulls_and_cows": bulls_and_cows,
    "primes": primes,
    "equations": equations,
}
