"""Replaces files atomically: a kill at any moment leaves the old content or the new.

For one file: write a temporary file next to it, sync it, rename it over the old one.

A checkpoint is several files, `P.index` and `P.data-00000-of-00001` (or more shards), and no rename replaces two. But
the index names its data: it holds the number of shards, which is part of the data's name. So a checkpoint of one shard
is overwritten like this:

    1. new data -> `P.data-00000-of-0000N`, for an N that is not in use         old index, old data
    2. new index with N shards -> `P.index`                                     new index, data of N
    3. a second link to the new data -> `P.data-00000-of-00001`                 new index, data of N
    4. new index with one shard -> `P.index`                                    new index, data of 1
    5. other data files of P are removed

After every step the index on disk has its data. Step 2 is the commit. (Readers look only for shards that hold a tensor:
shards 1 to N-1 need not exist.) If the file system has no hard links, it ends after step 2, with a valid checkpoint
under a less usual name.

Writers in one folder take turns through an exclusive lock on the folder itself, which a killed process releases. What a
killed process left under temporary names, and other data, is removed by the next writer with that prefix.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Callable, Iterator, Sequence

# Kept apart from any name a user would choose as a prefix.
_TEMPORARY = ".reflow-new"


def shard_path(prefix: str, shard: int, num_shards: int) -> str:
    return f"{prefix}.data-{shard:05d}-of-{num_shards:05d}"


def temporary(path: str, kind: str = "") -> str:
    return f"{path}{_TEMPORARY}{kind}"


@contextlib.contextmanager
def folder_lock(folder: str) -> Iterator[None]:
    """Holds the folder's lock. A file system that cannot lock folders (some network ones) goes without."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        with contextlib.suppress(OSError):
            fcntl.flock(fd, fcntl.LOCK_UN)
        os.close(fd)


def sync_folder(folder: str) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


@contextlib.contextmanager
def replaced(path: str, ending: str = "") -> Iterator[str]:
    """The name of a file that the body writes, and that takes the place of `path` then. If the body fails, nothing
    happened.

    The name ends with `ending`. The caller holds the folder's lock if others write to it.
    """
    new = temporary(path, ending)
    try:
        yield new
        with open(new, "rb") as f:
            os.fsync(f.fileno())
        os.replace(new, path)
    except BaseException:
        remove(new)
        raise
    sync_folder(os.path.dirname(path) or ".")


def replace_file(path: str, content: bytes) -> None:
    """Writes a file whole or not at all. The caller holds the folder's lock if others write to it."""
    with replaced(path) as new, open(new, "wb") as f:
        f.write(content)


def remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def publish(prefix: str, new_data: Sequence[str], index_for: Callable[[int], bytes]) -> None:
    """Makes the synced files `new_data`, one a shard, and `index_for(number of shards)` the checkpoint at `prefix`."""
    index, folder = f"{prefix}.index", os.path.dirname(prefix) or "."
    usual = [shard_path(prefix, i, len(new_data)) for i in range(len(new_data))]
    current = usual
    if os.path.exists(index):
        shards = _unused_shard_count(prefix, len(new_data))
        current = [shard_path(prefix, i, shards) for i in range(len(new_data))]
        _rename(new_data, current, folder)
        replace_file(index, index_for(shards))
        links = [temporary(path, ".link") for path in usual]
        if all([_link(old, new) for old, new in zip(current, links, strict=True)]):
            _rename(links, usual, folder)
            replace_file(index, index_for(len(new_data)))
            current = usual
    else:
        _rename(new_data, usual, folder)
        replace_file(index, index_for(len(new_data)))
    kept = set(map(os.path.basename, current))
    for name in [name for name, _ in _shards(prefix)] + _unfinished(prefix):
        if name not in kept:
            remove(os.path.join(folder, name))


def forget_pages(prefix: str) -> None:
    """Take a checkpoint's data out of the page cache: they are about to be replaced.

    Freeing the pages of 1 GB takes 50 ms or more. Done while the new data is written it costs nothing, and the writing
    gets pages that are at hand. What another process still reads of them comes from the disk.
    """
    if not hasattr(os, "posix_fadvise"):
        return
    for name, _ in _shards(prefix):
        with contextlib.suppress(OSError):
            fd = os.open(os.path.join(os.path.dirname(prefix), name), os.O_RDONLY)
            try:
                os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            finally:
                os.close(fd)


def _rename(old: Sequence[str], new: Sequence[str], folder: str) -> None:
    for source, target in zip(old, new, strict=True):
        os.replace(source, target)
    sync_folder(folder)


def _link(existing: str, new: str) -> bool:
    remove(new)
    try:
        os.link(existing, new)
    except OSError:
        return False
    return True


def _shards(prefix: str) -> list[tuple[str, int]]:
    """(file name, number of shards it names) of all data files of a prefix."""
    folder, base = os.path.split(prefix)
    pattern = re.compile(re.escape(base) + r"\.data-\d{5}-of-(\d{5})")
    matches = map(pattern.fullmatch, os.listdir(folder or "."))
    return [(match[0], int(match[1])) for match in matches if match]


def _unfinished(prefix: str) -> list[str]:
    """The names of temporary files of a prefix. With the folder's lock held, no process is still writing them."""
    folder, base = os.path.split(prefix)
    pattern = re.compile(re.escape(base) + r"(\.index|\.data-\d{5}-of-\d{5})?" + re.escape(_TEMPORARY) + r"[.a-z0-9]*")
    return list(filter(pattern.fullmatch, os.listdir(folder or ".")))


def _unused_shard_count(prefix: str, least: int) -> int:
    used = {count for _, count in _shards(prefix)}
    return next(count for count in range(least + 1, 100000) if count not in used)
