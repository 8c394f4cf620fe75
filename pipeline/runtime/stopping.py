"""How a run ends: Ctrl-C and SIGTERM as one exception, raised in the main thread wherever it is, and the last step."""

import logging
import os
import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn


class Stopped(BaseException):  # not an Exception: a task's error handling must not swallow it
    """The user or the system asked the run to stop."""

    def __init__(self, signum: int) -> None:
        super().__init__(signal.Signals(signum).name)
        self.exit_code = 128 + signum


class Asked:
    signum: int | None = None  # the signal that asked this process to stop


def raise_stopped(signum: int, frame: FrameType | None) -> None:
    install_handlers(signal.SIG_IGN)  # a second one must not interrupt the clean-up
    Asked.signum = signum
    raise Stopped(signum)


def raise_if_asked() -> None:
    """Raises what may have got lost: from a callback of C code, as the compiler has them, no exception gets out."""
    if Asked.signum is not None:
        raise Stopped(Asked.signum)


def leave_stopped(signum: int, frame: FrameType | None) -> None:
    """For the time before there is anything to clean up."""
    print(f"stopped ({signal.Signals(signum).name}) before anything began", file=sys.stderr)
    leave(128 + signum)


def install_handlers(handler: "signal._HANDLER" = raise_stopped) -> None:
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, handler)


def leave(exit_code: int) -> NoReturn:
    """Ends this process at once, with everything said.

    Python's own end would stop threads wherever they are, and one of Arrow's that just then gives back memory of
    Python aborts the process: after a run that went well, with another exit code.
    """
    logging.shutdown()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # nobody reads it any more
            stream.flush()
    os._exit(exit_code)
