"""Strategies that look at what was played so far, and at nothing else."""

import numpy as np
from numpy.typing import NDArray

from pipeline.strategies.turn import Scores, Turn, single

GREY, YELLOW, GREEN = 0, 1, 2
Known = NDArray[np.bool_]  # per letter and place, shape (alphabet, length)


def marked(turn: Turn) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The letters and marks of every guess played, place by place."""
    letters = turn.board.letters
    places = 3 ** np.arange(letters.shape[1])[::-1]
    return [(letters[g], response // places % 3) for g, response in turn.history]


def distinct_letters(turn: Turn) -> Scores:
    """How many different letters of the guess were never played."""
    board = turn.board
    is_new = np.ones(board.alphabet, bool)
    for letters, _ in marked(turn):
        is_new[letters] = False
    return single((is_new[board.letters[turn.guesses]] & board.is_first[turn.guesses]).sum(axis=1))


def per_letter_elimination(turn: Turn) -> Scores:
    """How many letters of the guess are at places where nothing told yet rules them out."""
    return single(at_places(turn, still_possible(turn)))


def retry_misplaced(turn: Turn) -> Scores:
    """How many letters of the guess were yellow at another place."""
    misplaced = np.zeros((turn.board.alphabet, turn.board.letters.shape[1]), bool)
    for letters, marks in marked(turn):
        for i in np.flatnonzero(marks == YELLOW):
            misplaced[letters[i], np.arange(len(letters)) != i] = True
    return single(at_places(turn, misplaced))


def at_places(turn: Turn, known: Known) -> NDArray[np.int64]:
    """For how many places of each guess the grid is true of its letter there."""
    letters = turn.board.letters[turn.guesses]
    return np.asarray(known[letters, np.arange(letters.shape[1])].sum(axis=1))


def still_possible(turn: Turn) -> Known:
    """Which letters may be where, by what each response says on its own.

    A green letter is alone at its place. A grey or yellow one is not there; and a letter with a grey copy and no yellow
    one is nowhere but at its greens. (An older program drops a grey letter everywhere, also when a copy is yellow.)
    """
    possible = np.ones((turn.board.alphabet, turn.board.letters.shape[1]), bool)
    for letters, marks in marked(turn):
        for i, (letter, mark) in enumerate(zip(letters, marks, strict=True)):
            if mark == GREEN:
                possible[np.arange(len(possible)) != letter, i] = False
                continue
            possible[letter, i] = False
            copies = letters == letter
            if mark == GREY and not (marks[copies] == YELLOW).any():
                possible[letter, ~(copies & (marks == GREEN))] = False
    return possible
