"""Ctrl-C and SIGTERM as one exception, raised in the main thread wherever it is."""

import signal
from types import FrameType


class Stopped(BaseException):  # not an Exception: a task's error handling must not swallow it
    """The user or the system asked the run to stop."""

    def __init__(self, signum: int) -> None:
        super().__init__(signal.Signals(signum).name)
        self.exit_code = 128 + signum


def raise_stopped(signum: int, frame: FrameType | None) -> None:
    install_handlers(signal.SIG_IGN)  # a second one must not interrupt the clean-up
    raise Stopped(signum)


def install_handlers(handler: "signal._HANDLER" = raise_stopped) -> None:
    for signum in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signum, handler)
