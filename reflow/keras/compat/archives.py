"""Checks `.keras` and `.h5` files before Keras opens them, and archives while it unpacks them (`get_file`); errors for
damaged ones.

Files are not trusted. Keras 3.15 itself rejects Python code in them, links to other files, and single parts that unpack
to more than 4 GiB from almost nothing. This module rejects a file that names files outside itself, or that unpacks to
far more than it holds: more than a limit, which the user can raise, and more than a file of real weights ever does.
"""

from __future__ import annotations

import contextlib
import functools
import os
import traceback
import types
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from reflow.core import limits
from reflow.keras import hdf5_sizes

#: how many times its size a file may unpack to: zeros shrink a thousand times, weights of a trained model hardly at all
EXPANSION = 100
_harmless: set[tuple[int, ...]] = set()


def install(file_utils: types.ModuleType) -> None:
    """Let Keras unpack no more of an archive than is allowed."""
    for name in ("filter_safe_zipinfos", "filter_safe_tarinfos"):
        setattr(file_utils, name, _limited(getattr(file_utils, name)))


def _limited(filter_members: Callable) -> Callable:
    """Keras' choice of an archive's members, ended by an error at the one with which it unpacks to too much."""

    @functools.wraps(filter_members)
    def filtered(members: Any, base_dir: str) -> Iterator[Any]:
        path = getattr(members, "name", "") or ""  # of a tar; parts of a ZIP file say themselves how large they are
        packed, unpacked = os.path.getsize(path) if path else 0, 0
        for info in filter_members(members, base_dir):
            if not path:
                packed += info.compress_size
            unpacked += info.size if path else info.file_size
            _check_size(path or info.filename, packed, unpacked)
            yield info

    return filtered


@contextlib.contextmanager
def opened(path: str | os.PathLike) -> Iterator[None]:
    """Check a file, and turn the errors of a damaged one into ValueErrors that name it."""
    try:
        check(path)
        yield
    except (RecursionError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ValueError(f"The file {os.fspath(path)} is damaged: {type(error).__name__}: {error}") from error
    except AttributeError as error:
        if not _arose_in_keras(error):
            raise
        raise ValueError(f"The file {os.fspath(path)} does not hold what Keras expects: {error}") from error
    except KeyError as error:
        if "in the archive" not in str(error):
            raise
        raise ValueError(f"The file {os.fspath(path)} is incomplete: {error.args[0]}") from error


def _arose_in_keras(error: Exception) -> bool:
    """Whether Keras itself raised an error, and not a class of the user's: it expects what it writes into files."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return frame.f_globals.get("__name__", "").startswith("keras.src.")


def check(path: str | os.PathLike) -> None:
    """Refuse an archive or HDF5 file that reaches out of itself, or unpacks to far more than it holds."""
    if not os.path.isfile(path) or _identity(path) in _harmless:
        return
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            _check_archive(archive, os.fspath(path))
    else:
        _check_size(path, os.path.getsize(path), hdf5_sizes.declared(os.path.abspath(path)))
    harmless(path)


def harmless(path: str | os.PathLike) -> None:
    """Remember a file, as it is now, that was checked or that this process wrote."""
    _harmless.add(_identity(path))


def _identity(path: str | os.PathLike) -> tuple[int, ...]:
    facts = os.stat(path)
    return facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns


def _check_archive(archive: zipfile.ZipFile, path: str) -> None:
    size = os.path.getsize(path)
    for info in archive.infolist():
        parts = info.filename.replace("\\", "/").split("/")
        if os.path.isabs(info.filename) or ".." in parts or "\0" in info.filename:
            raise ValueError(f"The file {path} names a file outside itself: {info.filename!r}.")
    _check_size(path, size, sum(info.file_size for info in archive.infolist()))
    for info in archive.infolist():
        if info.filename.endswith(".h5"):
            _check_size(path, size, hdf5_sizes.declared(os.path.abspath(path), info.filename, info.file_size))


def _check_size(path: str | os.PathLike, size: int, unpacked: int) -> None:
    excess = limits.excess("REFLOW_MAX_UNPACKED_BYTES", unpacked)
    if excess and unpacked > EXPANSION * size:
        raise ValueError(f"The file {os.fspath(path)} of {size} bytes unpacks to {excess}.")
