"""What goes into place together with a publication: its manifest, program, solution and others.

A run collects them in its private folder, so that the target folder describes the publication that
is there, and not a run that failed.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlanon.boundary.files import sync_file, sync_folder, write_whole
from sqlanon.publication.manifest import MANIFEST

READY = "ready"
"""Name of the folder in the private folder of a run."""


class NotRestoredError(OSError):
    """A file could not be put in place, and what was there before could not be put back."""


@dataclass(frozen=True)
class Ready:
    """The files of a run, before they go into place.

    Attributes:
        private: the folder of the run, in the target folder.
        place_of: where a file or folder of a name goes.
    """

    private: Path
    place_of: Callable[[str], Path]

    @property
    def folder(self) -> Path:
        """The folder that they are in; an empty file stands for one that is to be removed."""
        return self.private / READY

    @property
    def manifest(self) -> Path:
        """The manifest, which goes into place last: while it is here, others may be, too."""
        return self.folder / MANIFEST

    def complete(self, manifest: str) -> None:
        """Write and sync the manifest; fail now if something cannot be replaced.

        Raises:
            OSError: a folder is in the place of a file, or the reverse.
        """
        for name in (*os.listdir(self.folder), MANIFEST):
            is_folder, place = (self.folder / name).is_dir(), self.place_of(name)
            if os.path.lexists(place) and place.is_dir() != is_folder:
                kind = errno.ENOTDIR if is_folder else errno.EISDIR
                raise OSError(kind, os.strerror(kind), name)
        self.manifest.write_text(manifest, encoding="utf-8")
        sync_file(self.manifest)

    def put(self) -> None:
        """Move all into place, the manifest last, or none; it goes on where it was stopped.

        Raises:
            NotRestoredError: neither all, nor none.
            OSError: none.
        """
        earlier = Path(tempfile.mkdtemp(dir=self.private))
        names = sorted(os.listdir(self.folder), key=lambda name: (name == MANIFEST, name))
        undo: list[Callable[[], None]] = []
        try:
            for name in names:
                file, place = self.folder / name, self.place_of(name)
                undo.append(_set_aside(file, place, earlier / name))
                if not _is_removed(file):
                    _replace(file, place)
        except OSError:
            failed = None
            for restore in reversed(undo):
                try:
                    restore()
                except OSError as error:  # the others are restored if one cannot be
                    failed = error
            if failed:
                raise NotRestoredError(failed.errno, failed.strerror) from failed
            raise
        for folder in {self.place_of(name).parent for name in names}:
            sync_folder(folder)


def _is_removed(file: Path) -> bool:
    return file.is_file() and not file.stat().st_size


def _set_aside(file: Path, place: Path, earlier: Path) -> Callable[[], None]:
    """Keep what is in the place of a file or folder; return a function that restores it."""
    is_there, is_removed = os.path.lexists(place), _is_removed(file)
    if is_there and (is_removed or file.is_dir()):
        os.rename(place, earlier)
    elif is_there:
        try:
            os.link(place, earlier, follow_symlinks=False)
        except OSError:  # another file system, or one without hard links
            shutil.copy2(place, earlier, follow_symlinks=False)

    def restore() -> None:
        if place.is_dir():
            os.rename(place, file)
        elif not is_there:
            place.unlink(missing_ok=True)
        is_left = os.path.lexists(place) and os.path.samestat(os.lstat(earlier), os.lstat(place))
        if is_there and not is_left:
            _replace(earlier, place)

    return restore


def _replace(file: Path, place: Path) -> None:
    """Rename, also to another file system."""
    try:
        os.replace(file, place)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        write_whole(place, file.read_bytes())
        file.unlink()
