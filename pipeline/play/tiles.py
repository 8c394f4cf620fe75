"""Guesses with coloured tiles, for a terminal; the marks are also written out, for those who see no colours."""

from rich.text import Text

from pipeline.game.game import Game

STYLES = {"b": "bold white on grey37", "y": "bold black on yellow3", "g": "bold white on green4"}


def tiles(game: Game, guess: str, response: int, pad: str = " ") -> Text:
    """`S A L E T` on its colours; pegs have no colours of their own."""
    text = game.rule.text(response, game.length)
    if not game.rule.marks_letters:
        return Text(f"{guess} {text}")
    row = Text()
    for letter, mark in zip(guess, text, strict=True):
        row.append(f"{pad}{upper(letter)}{pad}", STYLES[mark])
    return row


def upper(letter: str) -> str:
    """In upper case, unless another letter would look the same then."""
    return letter.upper() if len(letter.upper()) == 1 and letter.upper().lower() == letter else letter
