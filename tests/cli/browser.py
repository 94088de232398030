"""A headless Chromium, driven over its own pipe; no driver or server is needed.

The protocol is Chrome's DevTools protocol: JSON messages that end in a NUL, read from
file descriptor 3 and written to 4.
"""

import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Self

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")
_SECONDS = 60
# A browser that may reach the network asks its maker's servers at every start.
_FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync "
    "--disable-dev-shm-usage --hide-scrollbars --remote-debugging-pipe"
).split()


class Browser:
    """One page of a browser; `errors` is what its console and its network said."""

    def __init__(self, folder: Path) -> None:
        assert PROGRAM is not None
        given, self._out = os.pipe()
        self._in, taken = os.pipe()
        # The browser finds its two ends as descriptors 3 and 4, so neither end may
        # have one of these numbers before.
        theirs_in = fcntl.fcntl(given, fcntl.F_DUPFD, 10)
        theirs_out = fcntl.fcntl(taken, fcntl.F_DUPFD, 10)

        def hand_over() -> None:
            os.dup2(theirs_in, 3)
            os.dup2(theirs_out, 4)

        self._process = subprocess.Popen(
            [PROGRAM, *_FLAGS, f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=hand_over,
            pass_fds=(3, 4),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (given, taken, theirs_in, theirs_out):
            os.close(end)
        self._read = b""
        self._number = 0
        self._session: str | None = None
        self.errors: list[str] = []
        self.requests: list[str] = []
        pages = self.call("Target.getTargets")["targetInfos"]
        page = next(each for each in pages if each["type"] == "page")
        attached = self.call(
            "Target.attachToTarget", targetId=page["targetId"], flatten=True
        )
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._out)
        os.close(self._in)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol; returns its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = memoryview(json.dumps(message).encode() + b"\0")
        while data:
            data = data[os.write(self._out, data) :]
        end = time.monotonic() + _SECONDS
        while True:
            answer = self._next(end)
            self._note(answer)
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def _next(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._read:
            ready, _, _ = select.select([self._in], [], [], end - time.monotonic())
            assert ready, "the browser does not answer"
            chunk = os.read(self._in, 1 << 20)
            assert chunk, "the browser has ended"
            self._read += chunk
        message, _, self._read = self._read.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found

    def _note(self, event: dict[str, Any]) -> None:
        method, values = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.errors.append(str(values["exceptionDetails"])[:500])
        elif method == "Log.entryAdded" and values["entry"]["level"] == "error":
            self.errors.append(values["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requests.append(values["request"]["url"])

    def open(self, path: Path) -> None:
        """Load a file, and wait until its script is done."""
        self.call("Page.navigate", url=path.as_uri())
        end = time.monotonic() + _SECONDS
        while self.eval("document.documentElement?.dataset.ready") is None:
            assert time.monotonic() < end, f"the page is never ready: {self.errors}"
            time.sleep(0.02)

    def eval(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str, text: str = "") -> None:
        """Press a key, as a person would."""
        for kind in ("keyDown", "keyUp"):
            values = {"type": kind, "key": key}
            if text and kind == "keyDown":
                values["text"] = text
            self.call("Input.dispatchKeyEvent", **values)

    def type(self, text: str) -> None:
        """Type a text, letter by letter."""
        for letter in text:
            self.press(letter, letter)
