"""The executor without Ray: one task after the other in this process, for debugging and small games."""

from collections.abc import Callable, Iterator

import pyarrow as pa

from pipeline.runtime.stage import Shared, Task


class SerialExecutor:
    """Gives the same rows as any other executor."""

    def results(
        self, run: Callable[[Task, Shared], pa.Table], tasks: list[Task], shared: Shared
    ) -> Iterator[tuple[Task, pa.Table | Exception]]:
        for task in tasks:
            try:
                yield task, run(task, shared)
            except Exception as error:
                yield task, error

    def close(self) -> None:
        """Nothing runs between tasks."""
