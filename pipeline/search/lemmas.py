"""Lemmas: lower bounds that a search relied on, noted so that a certificate can be made of them. Knows no guesses.

A lemma says: these answers, with so many guesses left, have no strategy below this total. Either it follows from the
static bounds of the buckets of every guess alone, or it may rest on other lemmas, all noted in the same task.
"""

from typing import NamedTuple

import numpy as np

from pipeline.search.jit import kernel


class LemmaLog(NamedTuple):
    """Room for lemmas. Where there is not enough, `counts` still tells how much would be.

    answers  uint16 (room,)     the answers of all lemmas, one after the other
    facts    int32 (room, 4)    how many answers, guesses left, lower, 1 if it may rest on other lemmas
    counts   int64 (2,)         lemmas noted, answers noted
    """

    answers: np.ndarray
    facts: np.ndarray
    counts: np.ndarray


def new_log(room: int) -> LemmaLog:
    """Room for so many answers; pages never written take no memory. With no room nothing is kept."""
    return LemmaLog(np.empty(room, np.uint16), np.empty((room // 3, 4), np.int32), np.zeros(2, np.int64))


@kernel
def record(log, answers, rows, guesses_left, lower, rests):
    """Notes that the answers of these rows, ascending, have no total below `lower`."""
    n, lemma, at = rows.shape[0], log.counts[0], log.counts[1]
    if at + n <= log.answers.shape[0] and lemma < log.facts.shape[0]:
        for i in range(n):
            log.answers[at + i] = answers[rows[i]]
        log.facts[lemma, 0], log.facts[lemma, 1], log.facts[lemma, 2], log.facts[lemma, 3] = (
            n,
            guesses_left,
            lower,
            rests,
        )
    log.counts[0] += 1
    log.counts[1] += n
