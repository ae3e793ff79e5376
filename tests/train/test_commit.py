"""A save that is killed, fails, or meets another.

The checkpoint on disk is the old one or the new one (row 4 of the bad inputs).
"""

import errno
import os
import subprocess
import sys
import time

import numpy as np
import pytest

from reflow.core import errors
from reflow.train import bundle, commit
from tests import ROOT

OLD, NEW = {"x": np.zeros(5000), "old": np.ones(1)}, {"x": np.ones(3000), "new": np.array([b"s"], object)}
FILES = {"ckpt.index", "ckpt.data-00000-of-00001"}

# Saves in a forked child that kills itself before its n-th system call that changes files, for all n; then when a
# file grows past n bytes (SIGXFSZ kills at that write). After each the parent reads, and saves once more.
KILLED_AT_EVERY_STEP = """
import os, resource, shutil, signal, sys
import numpy as np
from reflow.core import errors
from reflow.train import bundle, commit

folder, with_old, without_links = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
prefix = os.path.join(folder, "ckpt")
OLD, NEW = {"x": np.zeros(5000), "old": np.ones(1)}, {"x": np.ones(3000), "new": np.array([b"s"], object)}
if without_links:
    commit._link = lambda *_: False

def kill_before_call(n):
    left = [n]
    def patched(call):
        def counted(*args, **kwargs):
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return call(*args, **kwargs)
        return counted
    for name in ("fsync", "replace", "link", "unlink"):
        setattr(os, name, patched(getattr(os, name)))

def kill_at_size(n):
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (n, n))

def read():
    try:
        found = bundle.Reader(prefix).get_all()
    except errors.NotFoundError:
        return "none"
    for name, expected in (("old", OLD), ("new", NEW)):
        if set(found) == set(expected):
            assert all(np.array_equal(found[key], expected[key]) for key in found)
            return name
    raise AssertionError(set(found))

def attempt(prepare, n):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    if with_old:
        bundle.write(prefix, OLD)
    child = os.fork()
    if not child:
        prepare(n)
        bundle.write(prefix, NEW)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    found = read()
    bundle.write(prefix, NEW)
    assert read() == "new"
    # whatever the killed save left is gone: there is one index, and the data that it names
    left = sorted(os.listdir(folder))
    assert len(left) == 2 and left[1] == "ckpt.index", left
    assert without_links or left[0] == "ckpt.data-00000-of-00001", left
    return status == 0, found

outcomes = []
for n in range(100):
    done, found = attempt(kill_before_call, n)
    outcomes.append(found)
    if done:
        break
assert done and n > 3
for size in (0, 1, 300, 10000, 24000):
    done, found = attempt(kill_at_size, size)
    assert not done and found == ("old" if with_old else "none"), (size, done, found)
print(" ".join(outcomes))
"""


def run(script: str, *args) -> str:
    done = subprocess.run([sys.executable, "-c", script, *map(str, args)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("without_links", [0, 1])
@pytest.mark.parametrize("with_old", [0, 1])
def test_killed_at_every_step(tmp_path, with_old, without_links):
    outcomes = run(KILLED_AT_EVERY_STEP, tmp_path / "saves", with_old, without_links).split()
    before = "old" if with_old else "none"
    changed = outcomes.index("new")
    assert outcomes == [before] * changed + ["new"] * (len(outcomes) - changed)


WRITER = """
import itertools, sys
import numpy as np
from reflow.train import bundle

print("ready", flush=True)
for i in itertools.count(int(sys.argv[2]), 2):
    bundle.write(sys.argv[1], {"a": np.full(20000 + i, i), "b": np.array(i)})
"""


def start_writer(prefix, first: int) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(prefix), str(first)], stdout=subprocess.PIPE)


def assert_consistent(prefix) -> int:
    found = bundle.Reader(prefix).get_all()
    i = int(found["b"])
    assert np.array_equal(found["a"], np.full(20000 + i, i))
    return i


def test_two_writers_a_reader_and_a_kill(tmp_path):
    prefix = tmp_path / "ckpt"
    bundle.write(prefix, {"a": np.full(20000, 0), "b": np.array(0)})
    for delay in (0.4, 0.05, 0.02):
        writers = [start_writer(prefix, first) for first in (1, 2)]
        for writer in writers:
            writer.stdout.readline()
        seen, end = set(), time.monotonic() + delay
        while time.monotonic() < end:
            seen.add(assert_consistent(prefix))
        for writer in writers:
            writer.kill()
            writer.communicate()
        assert_consistent(prefix)
        assert delay < 0.4 or len(seen) > 2
    bundle.write(prefix, NEW)
    assert set(os.listdir(tmp_path)) == FILES


def test_killed_while_saving():
    """A few of the kills of `make kill-saves`, each over what the one before left.

    They fork: not here, where threads may run.
    """
    command = [sys.executable, "-m", "tools.kill_saves", "--count", "9"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and done.stdout.endswith("0 lost\n"), done.stdout + done.stderr


def test_overwriting_many_shards(tmp_path):
    """Names that the old checkpoint uses are left alone until the new one is complete."""
    prefix = tmp_path / "ckpt"
    bundle.write(prefix, OLD)
    for name in ("ckpt.data-00000-of-00002", "ckpt.data-00001-of-00002", "ckpt.data-00000-of-00003"):
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "ckpt2.data-00000-of-00002").write_bytes(b"another's")
    assert commit._unused_shard_count(str(prefix), 1) == 4
    bundle.write(prefix, NEW)
    assert set(os.listdir(tmp_path)) == FILES | {"ckpt2.data-00000-of-00002"}


SHARDS_AND_A_KILL = """
import os, signal, sys
import numpy as np
from reflow.train import bundle

calls = int(sys.argv[2])
def killed(name):
    real = getattr(os, name)
    def counted(*args, **kwargs):
        global calls
        if not calls:
            os.kill(os.getpid(), signal.SIGKILL)
        calls -= 1
        return real(*args, **kwargs)
    setattr(os, name, counted)

for name in ("fsync", "replace", "link", "unlink"):
    killed(name)
bundle.write(sys.argv[1], *({f"{i}": np.full(1000, i)} for i in range(3)))
print("done")
"""


@pytest.mark.parametrize("calls", [0, 2, 3, 5, 9, 11])
def test_shards_of_a_killed_save_are_removed_by_the_next(tmp_path, calls):
    """Three shards, killed after so many system calls; the next save has one, and the neighbours are left alone."""
    prefix = tmp_path / "ckpt"
    bundle.write(prefix, OLD)
    neighbours = {"ckpt-1.data-00000-of-00002", "ckpt-1.reflow-new.data1", "checkpoint.reflow-new"}
    for name in neighbours:
        (tmp_path / name).write_bytes(b"another's")
    done = subprocess.run(
        [sys.executable, "-c", SHARDS_AND_A_KILL, str(prefix), str(calls)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == -9, done.stderr
    assert set(os.listdir(tmp_path)) > FILES | neighbours  # something was left
    bundle.write(prefix, NEW)
    assert set(os.listdir(tmp_path)) == FILES | neighbours
    assert set(bundle.Reader(prefix).keys()) == set(NEW)


@pytest.mark.parametrize("length, words", [(0, "truncated"), (8000, "truncated")])
def test_data_that_shrink_while_they_are_read(tmp_path, length, words):
    bundle.write(tmp_path / "ckpt", OLD)
    reader, data = bundle.Reader(tmp_path / "ckpt"), tmp_path / "ckpt.data-00000-of-00001"
    os.truncate(data, length)
    with pytest.raises(errors.DataLossError, match=words) as caught:
        reader.get("x")
    assert str(data) in str(caught.value)


def test_an_open_reader_keeps_its_checkpoint(tmp_path):
    bundle.write(tmp_path / "ckpt", OLD)
    reader = bundle.Reader(tmp_path / "ckpt")
    bundle.write(tmp_path / "ckpt", NEW)
    assert np.array_equal(reader.get("x"), OLD["x"])


def test_full_disk(tmp_path, monkeypatch):
    bundle.write(tmp_path / "ckpt", OLD)
    calls = []

    def full(fd):
        calls.append(fd)
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(errors.ResourceExhaustedError, match="ckpt; No space left on device"):
            bundle.write(tmp_path / "ckpt", NEW)
    assert calls
    assert set(os.listdir(tmp_path)) == FILES
    assert set(bundle.Reader(tmp_path / "ckpt").keys()) == set(OLD)


def test_folders_are_made_and_a_file_in_the_way_is_named(tmp_path):
    bundle.write(tmp_path / "a" / "b" / "ckpt", NEW)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(errors.OpError, match="file"):
        bundle.write(tmp_path / "file" / "ckpt", NEW)


def test_prefix_without_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for tensors in (OLD, NEW):
        bundle.write("ckpt", tensors)
        assert set(bundle.Reader("ckpt").keys()) == set(tensors)
    assert set(os.listdir(tmp_path)) == FILES
