"""Which answers agree with the response grids that other people posted, without their guesses."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pipeline.game.game import Game
from pipeline.game.rules import Codes, ResponseError
from pipeline.game.words import filled_lines
from pipeline.play.notation import PlayError, clean

HEADER = re.compile(r"\D*[\d.,]+\s+[\dx]/\d+\*?")  # such as: Wordle 1,234 4/6* or Wordle (ES) #45 4/6
ADDRESS = re.compile(r"(https?://|www\.)\S+")


def read_grids(path: Path, game: Game) -> list[int]:
    """The responses of a file, one a line; not blank lines, # comments, addresses, headings like `Wordle 237 4/6`."""
    rows = []
    for number, line in filled_lines(path):
        text = clean(line.partition("#")[0])
        try:
            rows.append(game.rule.parse(text, game.length))
        except ResponseError as error:
            if text and not is_beside(clean(line)) and not is_beside(text):
                raise PlayError(f"{path}, line {number}: {error}") from None
    if not rows:
        raise PlayError(f"{path}: no responses; give one a line, as in bbygb or 🟨⬛⬛🟩⬛")
    return rows


def is_beside(text: str) -> bool:
    """Whether a line comes along when a grid is copied."""
    return bool(HEADER.fullmatch(text) or ADDRESS.fullmatch(text))


def achievable(responses: Codes, rows: Sequence[int]) -> NDArray[np.bool_]:
    """Whether some guess gives that response to that answer, shape (rows, answers)."""
    return np.array([(responses == row).any(axis=0) for row in rows])


def impossible_rows(game: Game, responses: Codes, rows: Sequence[int], answer: int) -> list[str]:
    """The rows that no guess gives to this answer, each once."""
    distinct = sorted(set(rows))
    fits = achievable(responses[:, [answer]], distinct)[:, 0]
    return [game.rule.text(row, game.length) for row, fit in zip(distinct, fits, strict=True) if not fit]


def inferred(
    game: Game, responses: Codes, rows: Sequence[int]
) -> tuple[list[int], list[tuple[int, int]], Counter[int]]:
    """The answers with which every row agrees; those that come next, with the rows at odds; the rows no answer gives.

    The second list is for the case that the first is empty: (answer, number of distinct rows at odds), fewest first.
    """
    distinct = sorted(set(rows))
    fits = achievable(responses, distinct)
    odds = (~fits).sum(axis=0)
    order = np.argsort(odds, kind="stable")
    counts = Counter(rows)
    never = Counter({row: counts[row] for row, fit in zip(distinct, fits, strict=True) if not fit.any()})
    return np.flatnonzero(odds == 0).tolist(), [(int(a), int(odds[a])) for a in order], never
