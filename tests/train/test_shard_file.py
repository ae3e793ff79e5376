"""Shards are written in pieces: the same bytes and checksums as at once,
and on their way to the disk before the end."""

import os

import google_crc32c
import numpy as np
import pytest

from reflow.train import commit, shard_file
from reflow.train.shard_file import ShardFile


@pytest.fixture
def pieces(monkeypatch):
    """Small pieces, of which the larger ones are checked beside the writing."""
    monkeypatch.setattr(shard_file, "PIECE", 4096)
    monkeypatch.setattr(shard_file, "_ALONE", 1024)


def _write(path, *arrays):
    with ShardFile(str(path)) as file:
        found = [file.put(array) for array in arrays]
        file.finish()
    return found


@pytest.mark.parametrize("size", [0, 1, 255, 256, 1024, 1025, 5000])
def test_sizes_and_checksums(tmp_path, pieces, size):
    first, second = np.arange(size, dtype=np.float32), np.arange(7)[::-1]
    found = _write(tmp_path / "data", first, second)
    expected = [np.ascontiguousarray(array).tobytes() for array in (first, second)]
    assert (tmp_path / "data").read_bytes() == b"".join(expected)
    assert found == [(len(data), google_crc32c.value(data)) for data in expected]


@pytest.mark.skipif(not hasattr(os, "posix_fadvise"), reason="the system cannot be told")
def test_bytes_are_on_their_way_before_the_end(tmp_path, pieces, monkeypatch):
    calls = []
    monkeypatch.setattr(os, "posix_fadvise", lambda fd, at, size, advice: calls.append((at, size)))
    monkeypatch.setattr(os, "fsync", lambda fd: calls.append("fsync"))
    strings = np.fromiter([b"x" * 1000] * 5, object, 5)
    _write(tmp_path / "data", np.zeros(10000, np.uint8), strings)
    assert calls == [(0, 4096), (4096, 4096), (8192, 4822), "fsync"]


def test_the_thread_ends_with_the_file(tmp_path, pieces):
    with pytest.raises(ZeroDivisionError), ShardFile(str(tmp_path / "data")) as file:
        file.put(np.zeros(5000, np.uint8))
        thread = next(iter(file._checksums._threads))
        assert thread.is_alive()
        raise ZeroDivisionError
    assert not thread.is_alive() and file._file.closed


@pytest.mark.skipif(not hasattr(os, "posix_fadvise"), reason="the system cannot be told")
def test_old_data_leave_memory_and_stay_on_the_disk(tmp_path, monkeypatch):
    names = ["a.data-00000-of-00002", "a.data-00001-of-00002", "b.data-00000-of-00001"]
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
    told = []
    monkeypatch.setattr(os, "posix_fadvise", lambda fd, *range: told.append(os.readlink(f"/proc/self/fd/{fd}")))
    commit.forget_pages(str(tmp_path / "a"))
    assert sorted(map(os.path.basename, told)) == names[:2]
    assert [(tmp_path / name).read_bytes() for name in names] == [name.encode() for name in names]
