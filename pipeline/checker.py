"""Checks a certificate by the rule of docs/certificate.md: its trees do what it claims, and no strategy does better.

    python pipeline/checker.py FOLDER [--sample LEMMAS]

Imports nothing of the solver. Ends with 0 fully checked, 1 rejected, 2 partly checked, 3 malformed, 4 not checked: the
call was wrong, or memory was short.
"""

import argparse
import hashlib
import json
import os
import sys
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FORMAT, RULES = 1, ("wordle", "naive", "mastermind", "bulls_and_cows")
FILES = ("answers.txt", "guesses.txt", "lemmas.parquet", "tree.parquet")
KEYS = "digest files format game lower max_guesses mode opener openers rule scope upper"
LEMMAS = {"answers": pa.list_(pa.uint16()), "guesses_left": pa.uint16(), "lower": pa.int32()}
TREE = {"node": pa.int32(), "parent": pa.int32(), "response": pa.int32(), "guess": pa.string()}
ACCEPTED, REJECTED, PARTLY, MALFORMED, UNFINISHED = range(5)
INFEASIBLE = 2**30  # above every total
# The last lane; guesses looked at together; more than any response; parts of a long check, with about the same work.
LAST, BLOCK, CODES, PARTS = 63, 1024, 2**16, 400
ONE, LOW = np.uint64(1), np.uint64(2**LAST - 1)
jit = numba.njit(cache=True, nogil=True)

# The game and its lemmas as arrays. codes[g, a] is the response of guess g to answer a; lanes[a, g] is the same with
# the responses of g numbered as they occur, LAST for all from there on; `most` is the most buckets of all answers that
# a guess makes. Lemma j is about the answers members[starts[j] : starts[j + 1]]. Each answer has a random key; `named`
# are the sorted xors of the lemmas' keys, `order` the lemmas in that order: candidates, their answers are compared.
Problem = namedtuple("Problem", "codes lanes solved most keys starts members left lower named order")


class CheckError(Exception):
    """Why a certificate is not accepted: (exit status, what it broke, the reason)."""


@jit
def response(rule, guess, answer):
    """The response code of a guess to an answer, both as arrays of characters; `rule` is a place in RULES."""
    length, code, black, common = len(guess), 0, 0, 0
    for i in range(length):
        anywhere, used, there, taken = 0, 0, 0, 0  # in the answer, in the guess so far; both without greens
        for j in range(length):
            anywhere += answer[j] == guess[i]
            used += j <= i and guess[j] == guess[i]
            there += answer[j] == guess[i] and guess[j] != answer[j]
            taken += j < i and guess[j] == guess[i] and guess[j] != answer[j]
        is_yellow = taken < there if rule == 0 else anywhere > 0
        code = 3 * code + (2 if guess[i] == answer[i] else 1 if is_yellow else 0)
        black += guess[i] == answer[i]
        common += used <= anywhere
    return code if rule <= 1 else black * (length + 1) + common - black


@jit
def responses(rule, guesses, answers):
    """(codes, lanes, most) of a Problem."""
    codes = np.empty((len(guesses), len(answers)), np.uint16)
    lanes, most, numbers = np.empty((len(answers), len(guesses)), np.uint8), 0, np.full(CODES, -1)
    for g in range(len(guesses)):
        buckets = 0
        for a in range(len(answers)):
            codes[g, a] = response(rule, guesses[g], answers[a])
            if numbers[codes[g, a]] < 0:
                numbers[codes[g, a]] = buckets
                buckets += 1
            lanes[a, g] = min(numbers[codes[g, a]], LAST)
        most, numbers[codes[g]] = max(most, buckets), -1
    return codes, lanes, most


@jit
def static_lower(n, most, left):
    """A lower bound on the total of any n answers: within t guesses at most most^(t-1) of them are found."""
    total, found = n if left > 0 else INFEASIBLE, 1
    while n > found:
        left -= 1
        total += n - found if left > 0 else INFEASIBLE
        found *= max(most, 2)
    return min(total, INFEASIBLE)


@jit
def lemma_lower(problem, subset, row, code, size, key, left):
    """The largest bound of lemmas about the answers of `subset` with this response and `left` guesses left, or 0."""
    lower = 0
    for j in problem.order[np.searchsorted(problem.named, key) : np.searchsorted(problem.named, key, side="right")]:
        at, end = problem.starts[j], problem.starts[j + 1]
        if end - at == size and problem.left[j] >= min(left, size) and problem.lower[j] > lower:
            for a in subset:
                if row[a] == code:
                    if problem.members[at] != a:
                        break
                    at += 1
            lower = problem.lower[j] if at == end else lower
    return lower


@jit
def guess_lower(problem, subset, g, left, target, sizes, keys, listed):
    """n plus the sum of L(bucket, left - 1) over the unsolved buckets of guess g; it may end once `target` is reached.

    INFEASIBLE if the guess tells nothing. `sizes` and `keys` are 0 for every code, at entry and at exit.
    """
    row, total, buckets = problem.codes[g], len(subset), 0
    for a in subset:
        if sizes[row[a]] == 0:
            listed[buckets] = row[a]
            buckets += 1
        sizes[row[a]] += 1
        keys[row[a]] ^= problem.keys[a]
    for code in listed[:buckets]:
        if code != problem.solved:
            total += static_lower(sizes[code], problem.most, left - 1)
    if buckets == 1 and listed[0] != problem.solved:
        total = INFEASIBLE
    for code in listed[:buckets]:
        if total < target and code != problem.solved:
            lower = lemma_lower(problem, subset, row, code, sizes[code], keys[code], left - 1)
            total += max(lower - static_lower(sizes[code], problem.most, left - 1), 0)
        sizes[code], keys[code] = 0, 0
    return min(total, INFEASIBLE)


@jit
def refuted(problem, lemmas):
    """(lemma, guess): the first of the given lemmas that does not follow, with the guess that shows it, or (-1, -1).

    Every guess is looked at. One that makes k buckets costs 3n - k - 1 or more by the static bound alone; k is counted
    from above, many guesses at once, and where that does not settle it the buckets are looked at one by one.
    """
    masks, counts = np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint64)
    space = np.zeros(CODES, np.int64), np.zeros(CODES, np.uint64), np.empty(CODES, np.int64)
    for j in lemmas:
        subset = problem.members[problem.starts[j] : problem.starts[j + 1]]
        n, left, target = len(subset), problem.left[j], problem.lower[j]
        for start in range(0, len(problem.codes), BLOCK):
            width = min(BLOCK, len(problem.codes) - start)
            masks[:], counts[:] = 0, 0
            for a in subset:
                lane = problem.lanes[a, start : start + width]
                for i in range(width):
                    counts[i] += ONE - ((masks[i] >> np.uint64(lane[i])) & ONE)
                    masks[i] |= (ONE << np.uint64(lane[i])) & LOW  # so that everyone in lane LAST counts
            for i in range(width):
                is_open = 3 * n - np.int64(counts[i]) - 1 < target
                if is_open and guess_lower(problem, subset, start + i, left, target, *space) < target:
                    return j, start + i
    return -1, -1


def require(holds: object, what: str, why: str, status: int = REJECTED) -> None:
    if not holds:
        raise CheckError(status, what, why)


def canonical(value: object) -> bytes:
    return (json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n").encode()


def read_claim(folder: Path) -> tuple[dict[str, Any], dict[str, bytes]]:
    """claim.json, and what the other files hold, with all digests as they should be. Each file is read once."""
    content, (answers, guesses) = (folder / "claim.json").read_bytes(), FILES[:2]
    claim: dict[str, Any] = json.loads(content)
    fine = claim["format"] == FORMAT and " ".join(sorted(claim)) == KEYS and canonical(claim) == content
    fine = fine and claim["rule"] in RULES and claim["mode"] == "normal" and claim["scope"] in ("all", "listed")
    fine = fine and type(claim["openers"]) is list and (claim["openers"] or claim["scope"] == "all")
    fine = fine and all(" ".join(sorted(x)) == "lower opener upper" for x in claim["openers"])
    fine = fine and set(claim["files"]) == set(FILES)
    numbers = [claim["max_guesses"], *(x[key] for x in (claim, *claim["openers"]) for key in ("lower", "upper"))]
    fine = fine and all(x is None or (type(x) is int and 1 <= x < INFEASIBLE) for x in [*numbers, claim["format"]])
    require(fine, "claim", f"not canonical JSON of format {FORMAT}, or with a value that cannot be", MALFORMED)
    game = [claim["files"][answers], claim["files"][guesses], claim["max_guesses"], claim["mode"], claim["rule"]]
    contents = {name: (folder / name).read_bytes() for name in FILES}
    digests = [(name, contents[name], claim["files"][name]) for name in FILES]
    digests += [("claim.json", canonical({**claim, "digest": ""}), claim["digest"])]
    for name, given, digest in [*digests, ("the game", canonical(game), claim["game"])]:
        require(hashlib.sha256(given).hexdigest() == digest, "digest", f"{name} was changed")
    return claim, contents


def read_problem(content: bytes, rule: int, guesses: list[str], answers: list[str]) -> Problem:
    fine = len({len(word) for word in guesses}) == 1 and 0 < len(guesses[0]) <= 10 and 0 < len(answers) <= 2**15
    fine = fine and set(answers) <= set(guesses) and all(len(set(words)) == len(words) for words in (guesses, answers))
    require(fine, "lists", "words of different lengths, or twice, or an answer that is no guess", MALFORMED)
    codes, lanes, most = responses(rule, *(np.array([[*map(ord, w)] for w in words]) for words in (guesses, answers)))
    table = read_table(content, "lemmas", LEMMAS)
    sets = pa.concat_arrays([*table["answers"].chunks, pa.array([], LEMMAS["answers"])])
    starts, members = sets.offsets.to_numpy().astype(np.int64), sets.values.to_numpy()
    left = table["guesses_left"].fill_null(0).to_numpy().astype(np.int64)
    lower = table["lower"].fill_null(INFEASIBLE).to_numpy().astype(np.int64)
    rising, first = np.diff(members.astype(np.int64), prepend=-1) > 0, starts[:-1]
    rising[first] = True
    fine = rising.all() and ((lower >= 1) & (left >= 1) & (left <= np.diff(starts))).all()
    require(fine, "lemmas", "a set, guesses left or a bound is not what it may be", MALFORMED)
    require((members < len(answers)).all(), "lemmas", "an answer is not in the list")
    keys = np.frombuffer(os.urandom(8 * len(answers)), np.uint64)
    named = np.bitwise_xor.reduceat(keys[members], first) if len(first) else np.empty(0, np.uint64)
    order = np.lexsort((left, named))
    for i in np.flatnonzero((np.diff(named[order]) == 0) & (np.diff(left[order]) == 0)):
        one, next_one = (members[starts[j] : starts[j + 1]] for j in order[i : i + 2])
        require(not np.array_equal(one, next_one), "lemmas", f"{order[i]} is there twice", MALFORMED)
    return Problem(codes, lanes, int(codes.max()), most, keys, starts, members, left, lower, named[order], order)


def read_table(content: bytes, what: str, columns: dict[str, Any]) -> pa.Table:
    table = pq.read_table(pa.BufferReader(content))
    fine = dict(zip(table.schema.names, table.schema.types, strict=True)) == columns
    require(fine, what, f"the columns are not {columns}", MALFORMED)
    return table.combine_chunks()


def played(tree: pa.Table, problem: Problem, guesses: list[str], most_turns: int) -> dict[str, int]:
    """opener -> the total of its tree, played against every answer."""
    rows, place, reached = tree.to_pylist(), {word: g for g, word in enumerate(guesses)}, set[int]()
    steps = {(row["parent"], row["response"]): row for row in rows if row["parent"] >= 0}
    roots = {row["guess"]: row for row in rows if row["parent"] == row["response"] == -1}
    fine = len({row["node"] for row in rows} - {None}) == len(steps) + len(roots) == len(rows)
    require(fine, "tree", "a node, a root or a step is there twice, or is none", MALFORMED)
    totals = dict.fromkeys(roots, 0)
    for opener, root in roots.items():
        for a in range(problem.codes.shape[1]):
            row, turn = root, 1
            while (code := int(problem.codes[place[row["guess"]], a])) != problem.solved:
                row, turn = steps.get((row["node"], code), {}), turn + 1
                require(row and turn <= most_turns, "tree", f"of {opener} does not find answer {a} in time")
                reached.add(row["node"])
            totals[opener] += turn
    require(len(reached) == len(steps), "tree", "holds a step to which no answer leads", MALFORMED)
    return totals


def check_claim(claim: dict[str, Any], problem: Problem, totals: dict[str, int], guesses: list[str], left: int) -> None:
    """The claim follows from the trees' totals and the lemmas."""
    n, key, bounds = problem.codes.shape[1], np.bitwise_xor.reduce(problem.keys), dict[str, int]()
    everything, whole = np.arange(n).astype(np.uint16), np.zeros(n, np.uint16)
    space = np.zeros(CODES, np.int64), np.zeros(CODES, np.uint64), np.empty(CODES, np.int64)

    def least(t: int) -> int:
        return int(max(static_lower(n, problem.most, t), lemma_lower(problem, everything, whole, 0, n, key, t)))

    for entry in claim["openers"]:
        opener, g = entry["opener"], guesses.index(entry["opener"])
        stays = problem.codes[g, 0] != problem.solved and (problem.codes[g] == problem.codes[g, 0]).all()
        bound = n + least(left - 1) if stays else guess_lower(problem, everything, g, left, INFEASIBLE, *space)
        bounds[opener] = entry["lower"] or INFEASIBLE
        require(bound >= bounds[opener], "claim", f"{opener} is only shown to cost {bound}, not {bounds[opener]}")
        require(totals.get(opener) == entry["upper"], "tree", f"of {opener} has total {totals.get(opener)}")
    proven, wanted = least(left) if claim["scope"] == "all" else min(bounds.values()), claim["lower"] or INFEASIBLE
    require(proven >= wanted, "claim", f"the lower bound is only shown to be {proven}, not {wanted}")
    fine = claim["upper"] == totals.get(claim["opener"]) == min(totals.values(), default=None)
    fine = fine and (claim["opener"] is None) == (not totals) and totals.keys() <= bounds.keys()
    fine = fine and len(bounds) == len(claim["openers"])
    require(fine, "claim", "opener and upper are not those of the best tree, or an opener is there twice")


def in_threads(problem: Problem, parts: list[Any]) -> Any:
    """What `refuted` says of each part; the compiled code runs outside of Python's lock."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done, found in enumerate(pool.map(lambda part: refuted(problem, part), parts)):
            if len(parts) == PARTS and done % (PARTS // 10) == 0:
                print(f"{done / PARTS:4.0%} of the lemmas checked", file=sys.stderr, flush=True)
            yield found


def check(folder: Path, sample: int | None = None, refute: Any = in_threads) -> tuple[int, str]:
    """(exit status, the verdict); `sample` lemmas are checked, or all of them."""
    try:
        claim, contents = read_claim(folder)
        (*answers, rest), (*guesses, other) = (contents[name].decode().split("\n") for name in FILES[:2])
        require(rest == other == "", "lists", "a last line is not ended", MALFORMED)
        problem = read_problem(contents["lemmas.parquet"], RULES.index(claim["rule"]), guesses, answers)
        n, cap, tree = len(answers), claim["max_guesses"], read_table(contents["tree.parquet"], "tree", TREE)
        totals = played(tree, problem, guesses, min(cap or len(tree), len(tree)))
        check_claim(claim, problem, totals, guesses, min(cap or n + 1, n + 1))
        lemmas = len(problem.left)
        chosen = np.sort(np.random.default_rng().permutation(lemmas)[: lemmas if sample is None else max(sample, 0)])
        number = min(len(chosen) // 64 + 1, PARTS)
        for j, g in refute(problem, [chosen[i::number] for i in range(number)]):
            require(j < 0, "lemma", f"{j} does not follow: {guesses[g]} may do better")
        fine = all(x["upper"] is None or x["upper"] >= (x["lower"] or INFEASIBLE) for x in (claim, *claim["openers"]))
        require(fine, "claim", "a tree does better than what is claimed to be the least")
    except CheckError as error:
        status, what, why = error.args
        return status, f"{('', 'REJECTED', '', 'MALFORMED')[status]} by {what}: {why}"
    except (OSError, LookupError, ValueError, TypeError, AttributeError, RecursionError, pa.ArrowException) as error:
        return MALFORMED, f"MALFORMED: {type(error).__name__}: {error}"
    except MemoryError:
        return UNFINISHED, "NOT CHECKED: there is not enough memory"
    whom = f"all {len(guesses):,} openers" if claim["scope"] == "all" else f"{len(claim['openers']):,} listed openers"
    below = f"none can guarantee {cap} guesses" if claim["lower"] is None else f"no total is below {claim['lower']:,}"
    shown = f", and {claim['opener']} has a strategy of {claim['upper']:,}" if claim["opener"] else ""
    said = f"over {whom} {below}{shown} ({len(guesses):,} guesses, {n:,} answers, rule {claim['rule']}, cap {cap})"
    done = f"digests, {len(totals)} trees against {n:,} answers, {len(chosen):,} of {lemmas:,} lemmas"
    if len(chosen) < lemmas:
        return PARTLY, f"PARTLY CHECKED, nothing wrong found: {said}; checked: {done}; not checked: the other lemmas"
    return ACCEPTED, f"ACCEPTED: {said}; checked: {done}, each against every guess; nothing was left out"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda message: parser.exit(UNFINISHED, f"{parser.format_usage()}{message}\n")  # type: ignore[method-assign]
    parser.add_argument("folder", type=Path, help="holds claim.json, the lists, tree.parquet and lemmas.parquet")
    parser.add_argument("--sample", type=int, metavar="LEMMAS", help="check only so many lemmas, chosen at random")
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]  # an opener may be in any script
    status, verdict = check(**vars(parser.parse_args()))
    print("".join(char if char.isprintable() else "?" for char in verdict))
    return status


if __name__ == "__main__":
    sys.exit(main())
