"""Files that are written whole or not at all, and digests of them."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
from pathlib import Path


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
