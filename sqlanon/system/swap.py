"""Replaces a file or a folder by one rename, so that readers see either the old or the new one."""

from __future__ import annotations

import contextlib
import ctypes.util
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

from sqlanon.system.files import sync_folder

EARLIER = "earlier"


def swapped(ready: Path, final: Path, room: Path) -> Callable[[], None]:
    """Move `ready` to its final place; return a function that restores the earlier one."""
    earlier = room / EARLIER
    if not os.path.lexists(final):
        os.rename(ready, final)

        def undo() -> None:
            os.rename(final, ready)

    elif ready.is_dir():
        if _exchange(ready, final):

            def undo() -> None:
                _exchange(ready, final)

        else:
            os.rename(final, earlier)
            try:
                os.rename(ready, final)
            except OSError:
                os.rename(earlier, final)
                raise

            def undo() -> None:
                os.rename(final, ready)
                os.rename(earlier, final)

    else:
        with contextlib.suppress(OSError):  # without hard links the earlier one cannot be restored
            os.link(final, earlier, follow_symlinks=False)
        os.replace(ready, final)

        def undo() -> None:
            if os.path.lexists(earlier):
                os.replace(earlier, final)

    sync_folder(final.parent)
    return undo


def _exchange(first: Path, second: Path) -> bool:
    """Exchange two folders atomically; False if the system cannot."""
    library = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    names = os.fsencode(first), os.fsencode(second)
    here, swap = -100, 2  # AT_FDCWD, RENAME_EXCHANGE and RENAME_SWAP
    if sys.platform == "darwin" and hasattr(library, "renamex_np"):
        failed = library.renamex_np(*names, swap)
    elif hasattr(library, "renameat2"):
        failed = library.renameat2(here, names[0], here, names[1], swap)
    else:
        return False
    if failed and ctypes.get_errno() not in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(second))
    return not failed
