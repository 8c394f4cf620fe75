"""Writes tests/certificates/: accepted certificates of small games, and each made false or malformed by one mutation.

    PYTHONPATH=. python -m tests.corpus

Digests are repaired after each mutation, so that the logic must find what is wrong. `caught_by` says which rule does.
"""

import hashlib
import itertools
import json
import shutil
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path

from tests.prover import Proof, canonical, proof, sign

FOLDER = Path(__file__).parent / "certificates"
ANSWERS = ["eight", "fight", "light", "might", "night", "right", "sight", "tight", "wight"]
GUESSES = [*ANSWERS, "flown", "harms", "stern", "weird", "llama", "nymph"]
CODES = ["".join(code) for code in itertools.product("123", repeat=2)]
CHAIN = ["bat", "cat", "fat", "hat", "mat", "rat"]  # every guess tells only whether it is the answer


def accepted() -> Iterator[tuple[str, Proof]]:
    yield "wordle", proof(GUESSES, ANSWERS, "wordle", 6)
    yield "wordle_tight_cap", proof(GUESSES, ANSWERS, "wordle", 3)
    yield "chain", proof(CHAIN, CHAIN, "wordle", 6)
    yield "chain_infeasible", proof(CHAIN, CHAIN, "wordle", 5)
    yield "infeasible", proof(GUESSES, ANSWERS, "wordle", 2)
    yield "listed", proof(GUESSES, ANSWERS, "wordle", 4, ["flown", "llama", "eight"])
    yield "listed_tells_nothing", proof(["aaa", "aab", "aba", "ccc"], ["aaa", "aab", "aba"], "wordle", None, ["ccc"])
    yield "naive", proof(GUESSES, ANSWERS, "naive", None)
    yield "mastermind", proof(CODES, CODES, "mastermind", None)
    yield "one_answer", proof(["aa", "ab"], ["ab"], "wordle", 6)


def last(lemmas: list[dict]) -> dict:
    return max(lemmas, key=lambda row: (len(row["answers"]), row["guesses_left"]))


def lemma_too_high(p: Proof) -> None:
    last(p.lemmas)["lower"] += 1
    p.claim["lower"] += 1


def claim_too_high(p: Proof) -> None:
    p.claim["lower"] += 1


def impossible_bound(p: Proof) -> None:
    min(p.lemmas, key=lambda row: len(row["answers"]))["lower"] = 1000


def needed_lemma_removed(p: Proof) -> None:
    p.lemmas = [row for row in p.lemmas if row["answers"] != [0, 1, 2, 3]]


def larger_set(p: Proof) -> None:
    p.lemmas = [row for row in p.lemmas if row["answers"] != [0, 1, 2, 3, 4]]
    next(row for row in p.lemmas if row["answers"] == [0, 1, 2, 3])["answers"].append(4)


def fewer_guesses_left(p: Proof) -> None:
    next(row for row in p.lemmas if row["answers"] == [0, 1, 2, 3])["guesses_left"] -= 1


def infeasible_instead(p: Proof) -> None:
    last(p.lemmas)["lower"] = None


def wrong_guess(p: Proof) -> None:
    p.tree[1]["guess"] = "llama" if p.tree[1]["guess"] != "llama" else "nymph"


def lost_answer(p: Proof) -> None:
    p.tree.pop()


def answer_removed(p: Proof) -> None:
    p.answers.pop()


def rule_changed(p: Proof) -> None:
    p.claim["rule"] = "mastermind"


def upper_too_low(p: Proof) -> None:
    p.claim["upper"] -= 1
    p.claim["openers"][0]["upper"] -= 1


def cap_lowered(p: Proof) -> None:
    p.claim["max_guesses"] = 2


def another_opener(p: Proof) -> None:
    p.claim["opener"] = "llama"


def opener_without_tree(p: Proof) -> None:
    p.claim["opener"] = "eight"


def listed_too_high(p: Proof) -> None:
    p.claim["openers"][1]["lower"] += 1


def all_instead_of_listed(p: Proof) -> None:
    p.claim["scope"] = "all"


def nothing_costs_nothing(p: Proof) -> None:
    p.claim["openers"][0]["lower"] += 1
    p.claim["lower"] += 1


def opener_twice(p: Proof) -> None:
    p.claim["openers"].insert(0, {**p.claim["openers"][1], "lower": 9})


def tree_twice(p: Proof) -> None:
    n = next(row["node"] for row in p.tree[1:] if row["parent"] < 0)
    shift = len(p.tree)
    p.tree += [
        {**row, "node": row["node"] + shift, "parent": row["parent"] if row["parent"] < 0 else row["parent"] + shift}
        for row in p.tree[:n]
    ]


def two_words_a_line(p: Proof) -> None:
    """For whoever takes a carriage return for the end of a line, there are twice as many words."""
    lines = "".join(f"{a}\r{b}\n" for a, b in zip(p.answers[::2], p.answers[1::2], strict=True)).encode()
    p.extra = {"answers.txt": lines, "guesses.txt": lines}


REJECTED: list[tuple[str, Callable[[Proof], None], str]] = [
    ("wordle", lemma_too_high, "lemma"),
    ("wordle", claim_too_high, "claim"),
    ("chain", impossible_bound, "lemma"),
    ("chain", needed_lemma_removed, "lemma"),
    ("chain", larger_set, "lemma"),
    ("wordle", infeasible_instead, "lemma"),
    ("wordle", wrong_guess, "tree"),
    ("wordle", lost_answer, "tree"),
    ("wordle", answer_removed, "lemmas"),
    ("wordle", rule_changed, "tree"),
    ("wordle", upper_too_low, "tree"),
    ("wordle", cap_lowered, "tree"),
    ("wordle", another_opener, "claim"),
    ("chain", fewer_guesses_left, "lemma"),
    ("infeasible", opener_without_tree, "claim"),
    ("listed", listed_too_high, "claim"),
    ("listed_tells_nothing", nothing_costs_nothing, "claim"),
    ("mastermind", lemma_too_high, "lemma"),
    ("listed", opener_twice, "claim"),
    ("chain", two_words_a_line, "lemmas"),
]


def swapped_digests(folder: Path) -> None:
    claim = json.loads((folder / "claim.json").read_bytes())
    files = claim["files"]
    files["answers.txt"], files["guesses.txt"] = files["guesses.txt"], files["answers.txt"]
    rewrite(folder, claim)


def rewrite(folder: Path, claim: dict) -> None:
    claim["digest"] = ""
    claim["digest"] = hashlib.sha256(canonical(claim)).hexdigest()
    (folder / "claim.json").write_bytes(canonical(claim))


def changed(**values: object) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        claim = json.loads((folder / "claim.json").read_bytes())
        rewrite(folder, claim | values)

    return change


def one_file_more(folder: Path) -> None:
    claim = json.loads((folder / "claim.json").read_bytes())
    claim["files"]["notes.txt"] = claim["files"]["answers.txt"]
    rewrite(folder, claim)


def unended(folder: Path) -> None:
    (folder / "answers.txt").write_bytes((folder / "answers.txt").read_bytes().removesuffix(b"\n"))
    sign(folder, json.loads((folder / "claim.json").read_bytes()))


def cut(name: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: len(content) // 2])
        if name != "claim.json":
            sign(folder, json.loads((folder / "claim.json").read_bytes()))

    return change


def removed(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def spaced(folder: Path) -> None:
    (folder / "claim.json").write_text(json.dumps(json.loads((folder / "claim.json").read_bytes()), indent=1))


def tree_as_lemmas(folder: Path) -> None:
    (folder / "lemmas.parquet").write_bytes((folder / "tree.parquet").read_bytes())
    sign(folder, json.loads((folder / "claim.json").read_bytes()))


def lemma_change(key: str, value: object) -> Callable[[Proof], None]:
    def change(p: Proof) -> None:
        p.lemmas[0][key] = value

    return change


def doubled_word(p: Proof) -> None:
    p.guesses[-1] = p.guesses[-2]


def answer_no_guess(p: Proof) -> None:
    p.answers[0] = "zzzzz"


def lemma_twice(p: Proof) -> None:
    p.lemmas.append(dict(p.lemmas[-1]))


def step_twice(p: Proof) -> None:
    """Two decisions for one response; the first of them is a bad one."""
    p.tree.insert(1, {**p.tree[1], "node": len(p.tree), "guess": "llama"})


def node_twice(p: Proof) -> None:
    p.tree[-1]["node"] = p.tree[0]["node"]


def node_without_number(p: Proof) -> None:
    p.tree[-1]["node"] = None


def step_to_nowhere(p: Proof) -> None:
    p.tree.append({"node": 10**6, "parent": 10**7, "response": 7, "guess": "zzz"})


def step_for_no_answer(p: Proof) -> None:
    p.tree.append({"node": len(p.tree), "parent": 0, "response": 3**5, "guess": "llama"})


def root_with_a_response(p: Proof) -> None:
    p.tree[0]["response"] = 7


def root_below_minus_one(p: Proof) -> None:
    p.tree[0].update(parent=-7, response=-7)


MALFORMED: list[tuple[str, Callable[[Path], None]]] = [
    ("format_2", changed(format=2)),
    ("unknown_rule", changed(rule="bagels")),
    ("mode_hard", changed(mode="hard")),
    ("scope_none", changed(scope="none")),
    ("cap_of_zero", changed(max_guesses=0)),
    ("lower_is_no_integer", changed(lower=23.5)),
    ("format_is_true", changed(format=True)),
    ("openers_are_no_list", changed(openers={})),
    ("nothing_listed", changed(scope="listed", openers=[])),
    ("opener_with_a_note", changed(openers=[{"opener": "flown", "lower": 24, "upper": 24, "note": "really 99"}])),
    ("one_file_more", one_file_more),
    ("last_line_not_ended", unended),
    ("one_key_more", changed(comment="true, believe me")),
    ("spaces", spaced),
    ("claim_cut", cut("claim.json")),
    ("lemmas_cut", cut("lemmas.parquet")),
    ("tree_cut", cut("tree.parquet")),
    ("no_tree_file", removed("tree.parquet")),
    ("no_claim", removed("claim.json")),
    ("lemmas_are_a_tree", tree_as_lemmas),
]
MALFORMED_PROOFS: list[tuple[str, Callable[[Proof], None]]] = [
    ("lemma_twice", lemma_twice),
    ("step_twice", step_twice),
    ("node_twice", node_twice),
    ("node_without_number", node_without_number),
    ("step_to_nowhere", step_to_nowhere),
    ("step_for_no_answer", step_for_no_answer),
    ("root_with_a_response", root_with_a_response),
    ("root_below_minus_one", root_below_minus_one),
    ("answers_descend", lemma_change("answers", [3, 2, 1])),
    ("answers_twice", lemma_change("answers", [1, 1, 2])),
    ("no_answers", lemma_change("answers", [])),
    ("no_guesses_left", lemma_change("guesses_left", 0)),
    ("more_guesses_than_answers", lemma_change("guesses_left", 60)),
    ("bound_of_zero", lemma_change("lower", 0)),
    ("doubled_word", doubled_word),
    ("answer_no_guess", answer_no_guess),
]


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    proofs = dict(accepted())
    for name, true in proofs.items():
        true.write(FOLDER / "accept" / name)
    for name, mutate, caught_by in REJECTED:
        false = deepcopy(proofs[name])
        mutate(false)
        folder = false.write(FOLDER / "reject" / f"{name}-{mutate.__name__}")
        (folder / "caught_by").write_text(caught_by + "\n")
    folder = proofs["wordle"].write(FOLDER / "reject" / "wordle-swapped_digests")
    swapped_digests(folder)
    (folder / "caught_by").write_text("digest\n")
    for name, damage in MALFORMED:
        damage(proofs["wordle"].write(FOLDER / "malformed" / name))
    for name, mutate in MALFORMED_PROOFS:
        broken = deepcopy(proofs["wordle"])
        mutate(broken)
        broken.write(FOLDER / "malformed" / name)
    broken = deepcopy(proofs["listed"])
    tree_twice(broken)
    broken.write(FOLDER / "malformed" / "tree_twice")


if __name__ == "__main__":
    main()
