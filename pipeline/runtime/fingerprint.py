"""Fingerprints: one digest for one meaning, the same on every machine. Knows nothing of what is hashed."""

import hashlib
import json
from typing import Any


def fingerprint(kind: str, value: Any) -> str:
    """The first 16 hex digits of the sha256 of tagged, canonical JSON; a value of unknown type is an error."""
    text = json.dumps([kind, tagged(value)], ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def tagged(value: Any) -> Any:
    """The value with every part marked by its kind, so that 1, "1" and True never collide."""
    if value is None or type(value) is bool:
        return value
    if type(value) is int:
        return ["int", str(value)]
    if isinstance(value, str):  # a StrEnum counts as its text
        return ["str", str(value)]
    if type(value) in (list, tuple):
        return ["list", [tagged(item) for item in value]]
    if type(value) is dict and all(type(key) is str for key in value):
        return ["dict", [[key, tagged(value[key])] for key in sorted(value)]]
    raise TypeError(f"cannot fingerprint {value!r} of type {type(value).__name__}")
