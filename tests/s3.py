"""An S3 server on the loopback, whose buckets outlive its being down, and everything that is stored in it."""

import logging
import re
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from moto.server import ThreadedMotoServer

from pipeline.runtime.place import place_of

BUCKET = "results"


class S3:
    """Requests are noted, as in `PUT /results/a`."""

    def __init__(self) -> None:
        self.port, self.requests = 0, list[str]()
        self.up()

    def up(self) -> None:
        self.server = ThreadedMotoServer("127.0.0.1", self.port, verbose=False)
        self.server.start()
        self.port = self.server.get_host_and_port()[1]

    def down(self) -> None:
        self.server.stop()

    def uri(self, path: str) -> str:
        return f"s3://{BUCKET}/{path}?endpoint_override=127.0.0.1:{self.port}&scheme=http"

    def outputs_root(self, path: str) -> str:
        return f"outputs_root='{self.uri(path)}'"

    def contents(self, path: str) -> dict[str, bytes]:
        folder = place_of(self.uri(path))
        return {file.name: (folder / file.name).read() for file in folder.files(recursive=True)}


class Noted(logging.Handler):
    def __init__(self, requests: list[str]) -> None:
        super().__init__()
        self.noted = requests

    def emit(self, record: logging.LogRecord) -> None:
        found = re.search(r'"(?:\x1b\[\d+m)*([A-Z]+ \S+)', record.getMessage())
        if found:
            self.noted.append(found[1])


@contextmanager
def served() -> Iterator[S3]:
    """A server with an empty bucket; the environment has keys that it takes, for this process and its children."""
    log, keys = logging.getLogger("werkzeug"), {"ACCESS_KEY_ID": "key", "SECRET_ACCESS_KEY": "secret"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log, "propagate", False)
        for name, value in (keys | {"EC2_METADATA_DISABLED": "true"}).items():
            patch.setenv(f"AWS_{name}", value)
        s3 = S3()
        handler = Noted(s3.requests)
        log.addHandler(handler)
        level, log.level = log.level, logging.INFO
        try:
            for path in ("moto-api/reset", BUCKET):
                method = "POST" if "/" in path else "PUT"
                urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{s3.port}/{path}", method=method))
            yield s3
        finally:
            s3.down()
            log.removeHandler(handler)
            log.setLevel(level)
