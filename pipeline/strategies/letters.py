"""Strategies that count letters in the remaining answers."""

from math import lcm

import numpy as np
from numpy.typing import NDArray

from pipeline.strategies.buckets import bits
from pipeline.strategies.partitions import LIMB
from pipeline.strategies.turn import Scores, StrategyError, Turn, single

WORD = 31  # bits of a limb of exact_product
Grid = NDArray[np.int64]  # per letter and place, or per guess and place


def letters_at(turn: Turn) -> Grid:
    """How many answers have a letter at a place, shape (alphabet, length)."""
    board, members = turn.board, turn.board.game.members[turn.answers]
    rows = board.letters[members]
    return np.stack([np.bincount(column, minlength=board.alphabet) for column in rows.T], axis=1)


def of_guesses(turn: Turn, grid: Grid) -> Grid:
    """What the grid has for the letters of each guess at their places, shape (guesses, length)."""
    letters = turn.board.letters[turn.guesses]
    return grid[letters, np.arange(letters.shape[1])]


def letter_entropy(turn: Turn) -> Scores:
    """The sum of -p * log2(p) over the shares of the guess's letters at their places and of its multiset of letters."""
    board, n = turn.board, len(turn.answers)
    bags = np.bincount(board.bags[board.game.members[turn.answers]], minlength=int(board.bags.max()) + 1)
    counts = np.column_stack([of_guesses(turn, letters_at(turn)), bags[board.bags[turn.guesses]]])
    log_n = board.logs[n] // n  # exact: a row of the table is n times the logarithm
    pairs = counts.sum(axis=1)[:, None] * log_n - board.logs[counts].sum(axis=1)
    carried = np.column_stack([pairs[:, 0] + (pairs[:, 1] >> LIMB), pairs[:, 1] & (2**LIMB - 1)])
    return Scores(carried, bits(carried) / n)


def letter_frequency(turn: Turn) -> Scores:
    """The mean over the places of: answers with the guess's letter there / different letters there."""
    at = letters_at(turn)
    different = (at > 0).sum(axis=0)
    common = lcm(*different.tolist())
    is_small = common * len(turn.answers) * at.shape[1] < 2**63
    weights = np.array([common // int(number) for number in different], np.int64 if is_small else object)
    sums = of_guesses(turn, at * weights).sum(axis=1)
    keys = sums if is_small else np.unique(sums, return_inverse=True)[1].astype(np.int64)  # only their order counts
    return single(keys, (sums / (common * at.shape[1])).astype(float))


def letter_frequency_global(turn: Turn) -> Scores:
    """How often the guess's letters occur in the answers, places ignored."""
    at = letters_at(turn)
    return single(of_guesses(turn, np.repeat(at.sum(axis=1)[:, None], at.shape[1], axis=1)).sum(axis=1))


def elimination(turn: Turn) -> Scores:
    """1 less the product over the places of the share of answers kept, if that letter alone were asked there."""
    board, n = turn.board, len(turn.answers)
    if n * n >= 2**WORD:
        raise StrategyError(f"elimination: {n:,} answers are too many for exact scores")
    green = letters_at(turn)
    rows = np.sort(board.letters[board.game.members[turn.answers]], axis=1)
    once = np.column_stack([np.ones(len(rows), bool), rows[:, 1:] != rows[:, :-1]])
    having = np.bincount(rows[once], minlength=board.alphabet)[:, None]
    kept = of_guesses(turn, green**2 + (having - green) ** 2 + (n - having) ** 2)
    return Scores(-exact_product(kept), 1 - (kept / n**2).prod(axis=1))


def exact_product(factors: Grid) -> Grid:
    """The product of each row, factors below 2^31, as limbs of 31 bits, the most significant first."""
    limbs = [np.ones(len(factors), np.int64)]
    for factor in factors.T:
        carry = np.zeros(len(factors), np.int64)
        for i, limb in enumerate(limbs):
            carry += limb * factor
            limbs[i], carry = carry & (2**WORD - 1), carry >> WORD
        limbs.append(carry)
    return np.stack(limbs[::-1], axis=1)
