"""The executor without Ray: one task after the other in this process, for debugging and small games."""

import queue
import threading
from collections.abc import Callable, Iterator

import pyarrow as pa

from pipeline.runtime.stage import Shared, Task

POLL_SECONDS = 0.2


class SerialExecutor:
    """Gives the same rows as any other executor.

    Tasks run in a thread, because compiled code in the main one would keep signals waiting. The thread is a daemon:
    when the run is stopped it ends with the process, and its task is run anew the next time.
    """

    @property
    def workers(self) -> int:
        return 1

    def results(
        self, run: Callable[[Task, Shared], pa.Table], tasks: list[Task], shared: Shared
    ) -> Iterator[tuple[Task, pa.Table | Exception] | None]:
        news: queue.Queue[tuple[Task, pa.Table | Exception]] = queue.Queue(maxsize=2)

        def work() -> None:
            for task in tasks:
                try:
                    news.put((task, run(task, shared)))
                except Exception as error:
                    news.put((task, error))

        threading.Thread(target=work, daemon=True).start()
        left = len(tasks)
        while left:
            try:
                yield news.get(timeout=POLL_SECONDS)
                left -= 1
            except queue.Empty:
                yield None

    def close(self) -> None:
        """Nothing is left running between stages."""
