"""How the kernel is compiled: once per machine, cached where every process finds it. Knows nothing of games."""

import hashlib
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
from filelock import FileLock


def sources_digest(folder: Path = Path(__file__).parent) -> str:
    """A digest of all that machine code depends on: the kernel's folder with every file, the versions, the processor.

    Numba looks at the file of a function alone, so a changed callee in another file would go unseen. It keeps the code
    of each folder apart, so what is compiled for one copy of the package is not for another.
    """
    digest = hashlib.sha256(str(folder.resolve()).encode())
    for path in sorted(folder.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    processor = (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    digest.update(repr((numba.__version__, np.__version__, sys.version, processor)).encode())
    return digest.hexdigest()[:16]


def cache_folder() -> Path | None:
    """A writable folder of this user for exactly this code: below the usual cache folder, else a temporary one.

    What an image brought along in a folder that cannot be written is copied to one that can: Numba insists. None if
    there is no such place at all; then every process compiles for itself.
    """
    warmed = None
    for parent in cache_parents():
        try:
            folder = parent.expanduser() / "wordle-pipeline" / f"kernel-{sources_digest()}"
            if is_writable(folder):
                if warmed:
                    shutil.copytree(warmed, folder, dirs_exist_ok=True)
                return folder
            if any(folder.glob("*.ready")):
                warmed = folder
        except (OSError, RuntimeError):  # full, unreadable, or no home at all
            continue
    return None


def cache_parents() -> Iterator[Path]:
    yield Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    try:
        shared = Path(tempfile.gettempdir()) / f"cache-{os.getuid()}"
        shared.mkdir(mode=0o700, exist_ok=True)
    except OSError:  # no usable temporary directory
        return
    if is_ours(shared):
        yield shared


def is_ours(folder: Path) -> bool:
    """Whether nobody else can put files there: what is cached is run."""
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022


def is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


FOLDER = cache_folder()


@contextmanager
def cached_in(folder: Path) -> Iterator[None]:
    """Numba asks for its cache folder when a function is decorated; other users of Numba keep theirs."""
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def kernel(function: Callable[..., Any]) -> Any:
    """Decorates a function of the kernel: compiled at its first call, cached, free of the interpreter lock.

    Numba compiles it again for an argument of another type, and a literal counts as one: hence np.int64(0) for a 0.
    """
    if FOLDER is None:
        return numba.njit(function, nogil=True, error_model="numpy")
    with cached_in(FOLDER):
        return numba.njit(function, cache=True, nogil=True, error_model="numpy")


def compiled(name: str, first_call: Callable[[], object]) -> None:
    """Makes the first call, which compiles; of many processes on a machine one compiles and the others wait for it."""
    if numba.config.DISABLE_JIT or FOLDER is None:
        return
    ready = FOLDER / f"{name}.ready"
    if ready.exists():
        return
    with FileLock(FOLDER / f"{name}.lock"):
        if not ready.exists():
            print(
                "Compiling the search kernel, once on this machine: half a minute on a fast core ...",
                file=sys.stderr,
                flush=True,
            )
            first_call()
            ready.touch()
