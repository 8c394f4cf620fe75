"""What a result may depend on besides its inputs: the code and the libraries of the process that computes it."""

import hashlib
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pipeline

LIBRARIES = ("ray", "numba", "numpy", "pyarrow")  # what tasks compute with, and what carries them
Versions = dict[str, str]


def code_digest(folder: Path) -> str:
    """A digest of every Python file of the package, wherever it is installed."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def versions() -> Versions:
    """Those of this process; only the minor version of Python counts."""
    minor = ".".join(platform.python_version_tuple()[:2])
    libraries = {name: version(name) for name in LIBRARIES}
    code = code_digest(Path(pipeline.__file__).parent)
    return {"python": minor, **libraries, "wordle-pipeline": pipeline.__version__, "code": code}


def differences(theirs: Versions, ours: Versions) -> str:
    """What differs, as `name theirs instead of ours`; empty if nothing does."""
    names = [name for name in ours | theirs if theirs.get(name) != ours.get(name)]
    return ", ".join(f"{name} {theirs.get(name, 'none')} instead of {ours.get(name, 'none')}" for name in names)
