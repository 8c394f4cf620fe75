"""The strategy that draws lots: what a guess is worth that only has to be allowed and to tell something."""

import numpy as np

from pipeline.strategies.turn import Scores, Turn, single

MASK = 2**64 - 1


def random(turn: Turn) -> Scores:
    """A number that depends on the seed, the history and the guess, and on nothing else: the same on every machine."""
    state = mixed(turn.board.manner.seed)
    for g, response in turn.history:
        state = mixed(state ^ mixed(g + 1) ^ response << 32)
    lots = np.array([mixed(state ^ int(g)) >> 12 for g in turn.guesses], np.int64)
    return single(lots, lots / 2**52)


def mixed(number: int) -> int:
    """The finaliser of splitmix64: every bit of the result depends on every bit of the number."""
    number = (number + 0x9E3779B97F4A7C15) & MASK
    number = ((number ^ number >> 30) * 0xBF58476D1CE4E5B9) & MASK
    number = ((number ^ number >> 27) * 0x94D049BB133111EB) & MASK
    return number ^ number >> 31
