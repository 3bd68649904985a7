"""Files and folders that are replaced as a whole or not at all, and digests of files."""

from __future__ import annotations

import contextlib
import ctypes.util
import errno
import fcntl
import hashlib
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

EARLIER = "earlier"
"""Name of what was replaced, in the private folder of a run."""


def sha256_of(path: Path) -> str:
    """Digest of a file."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader, or a crash, finds the earlier one or the new one, whole.

    If a killed process left a part of the file, the next process that writes the file replaces it.
    """
    temporary = path.with_name(f".{path.name[:200]}.part")
    data = content.encode() if isinstance(content, str) else content
    while True:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o666)
        with os.fdopen(descriptor, "wb") as file:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if not is_still(descriptor, temporary):
                continue  # the process that wrote it before us has renamed it
            try:
                file.truncate()
                file.write(data)
                file.flush()
                os.fsync(descriptor)
                temporary.replace(path)
            except BaseException:
                temporary.unlink(missing_ok=True)
                raise
        break
    sync_folder(path.parent)


def file_stem(name: str) -> str:
    """The name as a file's, without what has a meaning in paths."""
    return re.sub(r"[^\w-]", "_", name)[:80]


def is_still(descriptor: int, path: Path) -> bool:
    """Whether the path is of the very file or folder that is open."""
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return False
    held = os.fstat(descriptor)
    return (held.st_dev, held.st_ino) == (found.st_dev, found.st_ino)


def sync_file(path: Path) -> None:
    """Have the bytes of a file on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk, where the file system can be asked for that."""
    with contextlib.suppress(OSError):
        sync_file(folder)


def swapped(ready: Path, final: Path, private: Path) -> Callable[[], None]:
    """Move a file or folder to its final place by one rename; what restores the earlier one.

    Readers see either the old or the new one.
    """
    earlier = private / EARLIER
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
