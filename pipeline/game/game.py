"""A game: the two lists, the rule, weights and the cap on guesses. Knows nothing of files, stages or searching."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.game.rules import Rule, code_dtype
from pipeline.game.words import WordList, WordListError


@dataclass(frozen=True, slots=True, repr=False)
class Game:
    """What is played. Every answer is a guess; `members[a]` is the index of answer a in `guesses`."""

    guesses: tuple[str, ...]
    answers: tuple[str, ...]
    rule: Rule
    weights: tuple[int, ...]
    max_guesses: int | None
    members: NDArray[np.int64]

    def __repr__(self) -> str:
        cap = "no cap" if self.max_guesses is None else f"max_guesses={self.max_guesses}"
        return f"<Game of {len(self.guesses):,} guesses, {len(self.answers):,} answers, rule {self.rule}, {cap}>"

    @property
    def length(self) -> int:
        return len(self.answers[0])

    @property
    def solved(self) -> int:
        return self.rule.solved(self.length)

    @property
    def code_type(self) -> "np.dtype[np.unsignedinteger]":
        """What the response table is made of."""
        return np.dtype(code_dtype(self.rule, self.length))

    @property
    def is_weighted(self) -> bool:
        return any(weight != 1 for weight in self.weights)


def make_game(
    guesses: WordList,
    answers: WordList,
    rule: Rule,
    max_guesses: int | None = None,
    weights: Mapping[str, int] | None = None,
    add_answers: bool = False,
) -> Game:
    """The game of these lists; answers that are no guesses are an error, or join the guesses with `add_answers`."""
    if guesses.length != answers.length:
        raise WordListError(
            f"{answers.source} has words of {answers.length} letters, {guesses.source} of {guesses.length};"
            f" both lists need one length"
        )
    known = set(guesses.words)
    missing = [word for word in answers.words if word not in known]
    if missing and not add_answers:
        raise WordListError(
            f"{answers.source}: {len(missing):,} answers are not in {guesses.source}: {', '.join(missing[:5])}"
            f"{', ...' if len(missing) > 5 else ''}; add them there, or set game.add_answers=true"
        )
    words = guesses.words + tuple(missing)
    index = {word: g for g, word in enumerate(words)}
    members = np.array([index[word] for word in answers.words], np.int64)
    members.setflags(write=False)
    given = answer_weights(answers, weights or {})
    return Game(words, answers.words, rule, given, max_guesses, members)


def answer_weights(answers: WordList, weights: Mapping[str, int]) -> tuple[int, ...]:
    """One positive integer per answer, 1 unless given."""
    unknown = sorted(set(weights) - set(answers.words))
    if unknown:
        raise WordListError(f"game.weights: {unknown[0]!r} is not in {answers.source}; weigh answers only")
    return tuple(weights.get(word, 1) for word in answers.words)


def words_digest(words: tuple[str, ...]) -> str:
    """sha256 over the words in their order, one a line."""
    return hashlib.sha256("\n".join(words).encode()).hexdigest()
