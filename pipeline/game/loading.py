"""A game in one call, for Python users: lists from files, from those shipped with the package, or generated."""

from pathlib import Path

from pipeline.game.game import Game, make_game
from pipeline.game.lists import word_list
from pipeline.game.rules import Rule


def load_game(
    guesses: str = "original_guesses.txt",
    answers: str | None = "original_answers.txt",
    rule: str = "wordle",
    max_guesses: int | None = 6,
) -> Game:
    """The original Wordle, or any game; a list is looked for here, then among the shipped ones.

    `answers` None means that every guess may be the answer.
    """
    package = Path(__file__).resolve().parent.parent
    folders = (Path(), package / "data", package.parent / "data")
    allowed = word_list(guesses, folders)
    hidden = allowed if answers is None else word_list(answers, folders)
    return make_game(allowed, hidden, Rule(rule), max_guesses)
