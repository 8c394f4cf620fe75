"""Certificates of small games in obvious Python: every lemma that holds, written by a prover that shares no code."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from tests import naive

LEMMAS = pa.schema([("answers", pa.list_(pa.uint16())), ("guesses_left", pa.uint16()), ("lower", pa.int32())])
TREE = pa.schema([("node", pa.int32()), ("parent", pa.int32()), ("response", pa.int32()), ("guess", pa.string())])
Row = dict[str, Any]


@dataclass
class Proof:
    """A certificate before it is written: everything may be changed, also to something false."""

    claim: Row
    guesses: list[str]
    answers: list[str]
    tree: list[Row]
    lemmas: list[Row]
    extra: dict[str, bytes] = field(default_factory=dict)

    def write(self, folder: Path) -> Path:
        """With all digests as they should be."""
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "guesses.txt").write_text("".join(f"{word}\n" for word in self.guesses), "utf-8")
        (folder / "answers.txt").write_text("".join(f"{word}\n" for word in self.answers), "utf-8")
        pq.write_table(pa.Table.from_pylist(self.tree, TREE), folder / "tree.parquet")
        ordered = sorted(self.lemmas, key=lambda row: (len(row["answers"]), row["answers"], row["guesses_left"]))
        pq.write_table(pa.Table.from_pylist(ordered, LEMMAS), folder / "lemmas.parquet")
        for name, content in self.extra.items():
            (folder / name).write_bytes(content)
        sign(folder, self.claim)
        return folder


def sign(folder: Path, claim: Mapping[str, Any]) -> None:
    """claim.json for the files as they are."""
    names = ("answers.txt", "guesses.txt", "lemmas.parquet", "tree.parquet")
    files = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names}
    game = [files["answers.txt"], files["guesses.txt"], claim["max_guesses"], claim["mode"], claim["rule"]]
    whole = {**claim, "files": files, "game": hashlib.sha256(canonical(game)).hexdigest(), "digest": ""}
    whole["digest"] = hashlib.sha256(canonical(whole)).hexdigest()
    (folder / "claim.json").write_bytes(canonical(whole))


def canonical(value: object) -> bytes:
    return (json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False) + "\n").encode()


def proof(
    guesses: Sequence[str], answers: Sequence[str], rule: str, cap: int | None, openers: Sequence[str] | None = None
) -> Proof:
    """A true proof, of all openers or of those listed, with every lemma about three or more answers it could need."""
    respond = naive.RULES[rule]
    table = [[respond(guess, answer) for answer in answers] for guess in guesses]
    solved = respond(answers[0], answers[0])
    lemmas: dict[tuple[tuple[int, ...], int], int | None] = {}

    def split(g: int, subset: tuple[int, ...]) -> dict[int, tuple[int, ...]]:
        return {code: tuple(b) for code, b in naive.partition(table[g], subset).items() if code != solved}

    def after(g: int, subset: tuple[int, ...], left: int) -> int | None:
        parts = [best(bucket, left - 1)[0] for bucket in split(g, subset).values()]
        known = [part for part in parts if part is not None]
        return len(subset) + sum(known) if len(known) == len(parts) else None

    @cache
    def best(subset: tuple[int, ...], left: int) -> tuple[int | None, int]:
        """The least total and a guess that has it."""
        left = min(left, len(subset))
        if left == 0:
            return None, -1
        found: tuple[int | None, int] = (None, -1)
        for g in range(len(guesses)):
            if len(split(g, subset)) == 1 and subset in split(g, subset).values():
                continue
            total = after(g, subset, left)
            if total is not None and (found[0] is None or total < found[0]):
                found = (total, g)
        if len(subset) >= 3:
            lemmas[subset, left] = found[0]
        return found

    def grow(g: int, subset: tuple[int, ...], left: int, parent: int, response: int) -> None:
        node = len(tree)
        tree.append({"node": node, "parent": parent, "response": response, "guess": guesses[g]})
        for code, bucket in sorted(split(g, subset).items()):
            grow(best(bucket, left - 1)[1], bucket, left - 1, node, code)

    everything, left = tuple(range(len(answers))), len(answers) + 1 if cap is None else cap
    least, first = best(everything, left)
    listed = [guesses.index(word) for word in openers] if openers else [first] if first >= 0 else []
    totals = {guesses[g]: after(g, everything, left) for g in listed}
    tree: list[Row] = []
    for g in listed:
        if totals[guesses[g]] is not None:
            grow(g, everything, left, -1, -1)
    known = [(total, word) for word, total in totals.items() if total is not None]
    upper, opener = min(known, key=lambda pair: pair[0], default=(None, None))
    claim = {
        "format": 1,
        "mode": "normal",
        "rule": rule,
        "max_guesses": cap,
        "scope": "listed" if openers else "all",
        "lower": upper if openers else least,
        "upper": upper,
        "opener": opener,
        "openers": [{"opener": word, "lower": total, "upper": total} for word, total in totals.items()],
    }
    rows = [{"answers": list(s), "guesses_left": t, "lower": v} for (s, t), v in lemmas.items()]
    return Proof(claim, list(guesses), list(answers), tree, rows)
