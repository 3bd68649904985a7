"""Locks on what a run writes, folders that sqlanon writes to, and folders that only a run can read.

Locks and folders of a run end with the process: the system releases the lock of a process that was
killed, and the next run removes folders that no process holds. What another program made is left as
it is.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlanon.boundary.files import is_still, write_whole
from sqlanon.errors import PublishError

BESIDE = ".sqlanon_"
"""Prefix of private folders next to a publication, and of the locks of runs."""

MARK = "sqlanon.txt"
"""File in a folder whose other files sqlanon may replace and remove."""

_MARK_TEXT = """\
sqlanon writes to this folder, and replaces and removes what an earlier command wrote here.
"""

_EVERY = 0.1
"""Seconds between two attempts to get a lock that another process holds."""


def claim(folder: Path) -> None:
    """Make a folder one that sqlanon writes to, which has no files of somebody else."""
    folder.mkdir(parents=True, exist_ok=True)
    names = os.listdir(folder)
    if MARK in names:
        return
    if any(not name.startswith(".") for name in names):
        raise PublishError(
            f"'{folder.name}' has files that sqlanon did not write, and could replace.",
            where=folder.name,
            fix="name an empty or a new folder with --target, or move these files away; where they"
            f" may be replaced, put an empty file {MARK} beside them",
        )
    write_whole(folder / MARK, _MARK_TEXT)


@contextmanager
def locked(path: Path, holder: str, waits: Callable[[str], None]) -> Iterator[None]:
    """Hold a lock file, which is there only while somebody holds it or was killed; wait for others.

    Args:
        holder: who holds it, reported to those who wait.
        waits: called once with whom we wait for.
    """
    descriptor = -1
    reported = False
    try:
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if not reported:
                    waits(_holder(descriptor) or "another run")
                reported = True
                os.close(descriptor)
                descriptor = -1
                time.sleep(_EVERY)
                continue
            if is_still(descriptor, path):
                if os.fstat(descriptor).st_size and _holder(descriptor) is None:
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
                break
            os.close(descriptor)  # the last holder removed the file that we have locked
            descriptor = -1
        about = {"process": os.getpid(), "holder": holder, "since": time.strftime("%H:%M:%S")}
        os.ftruncate(descriptor, 0)
        os.write(descriptor, json.dumps(about).encode())
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                path.unlink()
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _holder(descriptor: int) -> str | None:
    """Who holds a lock or held it, as the lock file says; None if it does not say so."""
    try:
        about = json.loads(os.pread(descriptor, 1000, 0))
        return f"{about['holder']} (process {int(about['process'])}, since {about['since']})"
    except (ValueError, KeyError, TypeError, OSError):
        return None


@contextmanager
def private_folder(
    parent: Path, prefix: str, recover: Callable[[Path], None] = lambda folder: None
) -> Iterator[Path]:
    """A new folder that only this user can look into; gone afterwards, whatever happens.

    First, folders of runs that were killed are removed.

    Args:
        prefix: of its name; nothing else in the parent has it.
        recover: called with each folder before it is removed, this one and those of killed runs.
    """
    remove_abandoned(parent, prefix, recover)
    descriptor = -1
    try:  # the command may be stopped as soon as the folder is made
        while descriptor < 0:
            folder = parent / f"{prefix}{secrets.token_hex(8)}"
            folder.mkdir(mode=0o700)
            try:
                descriptor = _open(folder)
            except FileNotFoundError:
                continue  # another run took it for one of a killed run
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if not is_still(descriptor, folder):  # the same, a moment later
                os.close(descriptor)
                descriptor = -1
        yield folder
    finally:
        with contextlib.suppress(OSError):
            recover(folder)
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor >= 0:
            os.close(descriptor)


def remove_abandoned(
    parent: Path, prefix: str, recover: Callable[[Path], None] = lambda folder: None
) -> None:
    """Remove the private folders of this user that no process holds."""
    for folder in parent.glob(f"{prefix}*"):
        if not re.fullmatch(r"[0-9a-f]{16}", folder.name.removeprefix(prefix)):
            continue
        try:
            descriptor = _open(folder)
        except OSError:
            continue
        try:
            found = os.fstat(descriptor)
            if found.st_uid != os.getuid() or found.st_mode & 0o077:
                continue  # nothing that we made
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if is_still(descriptor, folder):
                recover(folder)
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue
        finally:
            os.close(descriptor)


def _open(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
