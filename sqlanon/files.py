"""Files that are written whole or not at all, and digests of them."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
from pathlib import Path


def sha256_of(path: Path) -> str:
    """Digest of a file."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that a reader, or a crash, finds the earlier one or the new one, whole."""
    temporary = path.with_name(f".{path.name[:100]}.{secrets.token_hex(4)}.part")
    data = content.encode() if isinstance(content, str) else content
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


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
