"""The command `sqlanon`, also `python -m sqlanon`: handles signals before anything is imported.

Ctrl-C, SIGTERM and SIGHUP raise an exception in the command, so that it cleans up; the exit code is
128 + the number of the signal. A second signal during the cleanup is ignored. A third one ends the
process immediately.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import signal
import sys
import threading
from types import FrameType

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
_HELP = {"-h", "--help", "--version"}
_OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""Syntax trees of SQL are many small objects, of which few are garbage."""


class _Stop:
    """Handles the signals that stop the running command.

    Attributes:
        received: number of the first signal; 0 if there was none so far.
        is_running: whether a command is running that an exception stops; before and after that, as
            while what all commands need is imported, a signal is only recorded.
    """

    def __init__(self) -> None:
        self.received = 0
        self.is_running = False
        self._count = 0
        for name in _SIGNALS:
            number = getattr(signal, name, None)  # some systems have no SIGHUP
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._handle)
                # A signal during Python's shutdown would kill it, and the exit code be lost.
                atexit.register(signal.signal, number, signal.SIG_IGN)
        sys.unraisablehook = self._send_again

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._count += 1
        if self._count >= 3:
            os._exit(128 + number)
        if not self.received:
            self.received = number
            if self.is_running:
                raise KeyboardInterrupt

    def _send_again(self, lost: sys.UnraisableHookArgs) -> None:
        """Send a signal again if its exception was lost; Python drops exceptions in destructors."""
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(lost)
            return
        number, self.received, self._count = self.received, 0, 0
        threading.Timer(0.05, os.kill, (os.getpid(), number)).start()


def main() -> None:
    """Run a command and end the process with its exit code."""
    stop = _Stop()
    code = 130
    try:
        gc.disable()
        cli = importlib.import_module("sqlanon.cli")
        if not _HELP.intersection(sys.argv) and len(sys.argv) > 1:
            importlib.import_module("sqlanon.commands.run")
        gc.freeze()  # what is imported lives as long as the process: no garbage among it
        gc.enable()
        gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
        stop.is_running = True
        if not stop.received:
            try:
                cli.main()
            except SystemExit as end:
                code = int(end.code or 0)
        stop.is_running = False
    except KeyboardInterrupt:
        pass
    if stop.received and code != 0:
        sys.stderr.write("Stopped.\n")
        sys.stderr.flush()
        # Everything is cleaned up. Python's shutdown could only add messages of the database.
        os._exit(128 + stop.received)
    gc.freeze()  # at its end, Python would look for garbage among all that exists
    sys.exit(code)


if __name__ == "__main__":
    main()
