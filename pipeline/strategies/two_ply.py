"""The strategy that looks one guess further than entropy does."""

import numpy as np

from pipeline.strategies.buckets import bits, entropy
from pipeline.strategies.partitions import LIMB, least_remaining
from pipeline.strategies.turn import Scores, Turn, best_first

WIDTH = 30  # guesses of most entropy that are looked at


def two_ply(turn: Turn) -> Scores:
    """Entropy plus the expected entropy of the best reply, among the guesses of most entropy.

    Claim: that sum is log2(N) - sum over buckets of R / N, where R is the least n * log2(n) summed over what a reply
    leaves of the bucket. Proof: N times the entropy is N log N - sum of B log B over the buckets B, and B times the
    entropy of its best reply is B log B - R; the B log B cancel.
    """
    shortlist = best_first(turn, entropy(turn))[:WIDTH]
    keys = np.zeros((len(turn.guesses), 3), np.int64)  # the others come last
    shown = np.full(len(turn.guesses), np.nan)
    for place in shortlist:
        high, low = remaining_after_reply(turn, int(turn.guesses[place]))
        keys[place] = 1, -high, -low
        shown[place] = np.log2(len(turn.answers)) - bits(np.array([[high, low]]))[0] / len(turn.answers)
    return Scores(keys, shown)


def remaining_after_reply(turn: Turn, g: int) -> tuple[int, int]:
    """The sum of R over the buckets of a guess, as two integers, carried."""
    board, high, low = turn.board, 0, 0
    for response, answers in turn.buckets(g).items():
        if len(answers) < 3:
            continue  # a reply that may be the answer tells one from the other
        replies = board.legality.after(turn.allowed, (g, response))
        least = least_remaining(board.responses, replies, answers, board.codes, board.logs)
        high, low = high + least[0], low + least[1]
    return high + (low >> LIMB), low & (2**LIMB - 1)
