"""The cache of compiled libraries: what it trusts, and that files appear whole or not at all."""

import os
import pwd
import stat
import tempfile
from pathlib import Path

import pytest

from reflow.native.cache import Cache, NoCache, candidates

NAME = "kernels-test.so"


@pytest.fixture
def cache(tmp_path):
    cache = Cache(tmp_path / "reflow")
    cache.keep(NAME, b"a library")
    return cache


def test_what_was_kept_is_found(cache):
    path = cache.find(NAME)
    assert path.read_bytes() == b"a library"
    assert cache.find("kernels-other.so") is None


def test_only_the_owner_may_look(cache):
    assert stat.S_IMODE(cache.folder.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in cache.folder.iterdir())


def truncate(path):
    os.truncate(path, 4)


def replace_by_link(path):
    elsewhere = path.parent.parent / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def replace_by_pipe(path):
    path.unlink()
    os.mkfifo(path)


def give_away(path):
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(path, 12345, -1)


DAMAGE = {
    "truncated": truncate,
    "empty": lambda path: path.write_bytes(b""),
    "other code": lambda path: path.write_bytes(b"a planted"),
    "writable by the group": lambda path: path.chmod(0o620),
    "writable by everybody": lambda path: path.chmod(0o602),
    "a link": replace_by_link,
    "a pipe": replace_by_pipe,
    "somebody else's": give_away,
    "gone": Path.unlink,
}


@pytest.mark.parametrize("suffix", ["", ".sha256"], ids=["library", "checksum"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_library_that_cannot_be_trusted_is_absent(cache, damage, suffix):
    DAMAGE[damage](cache.folder / f"{NAME}{suffix}")
    assert cache.find(NAME) is None
    cache.keep(NAME, b"a library")  # and can be made anew
    assert cache.find(NAME).read_bytes() == b"a library"
    assert not (cache.folder / NAME).is_symlink()


def test_a_folder_that_others_could_write_is_closed(tmp_path):
    folder = tmp_path / "reflow"
    folder.mkdir()
    folder.chmod(0o777)
    Cache(folder)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_of_another_user_is_refused(tmp_path, monkeypatch):
    (tmp_path / "reflow").mkdir()
    somebody = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: somebody)
    with pytest.raises(NoCache, match="is not a folder of this user's"):
        Cache(tmp_path / "reflow")


@pytest.mark.parametrize("kind", ["a link", "a file"])
def test_what_is_no_folder_is_refused(tmp_path, kind):
    (tmp_path / "real").mkdir()
    place = tmp_path / "reflow"
    place.symlink_to(tmp_path / "real") if kind == "a link" else place.write_text("")
    with pytest.raises(NoCache):
        Cache(place)


def test_files_reach_the_disk_before_they_get_their_name(cache, monkeypatch):
    done = []

    def note(name):
        call = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *args: (done.append(name), call(*args)))

    note("fsync")
    note("replace")
    cache.keep(NAME, b"another")
    assert done == ["fsync", "replace", "fsync"] * 2  # the file, its name, the folder


def test_a_failed_write_leaves_the_old_file_and_nothing_else(cache, monkeypatch):
    def full(descriptor):
        raise OSError(28, "No space left on device")

    before = sorted(cache.folder.iterdir())
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        cache.keep(NAME, b"another")
    assert sorted(cache.folder.iterdir()) == before and cache.find(NAME)


def test_a_relative_folder_in_the_environment_is_ignored(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert next(candidates()) == tmp_path / ".cache" / "reflow"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "chosen"))
    assert next(candidates()) == tmp_path / "chosen" / "reflow"


def test_a_user_without_a_home_has_a_folder_among_the_temporary_files(monkeypatch):
    def unknown(uid):
        raise KeyError(f"getpwuid(): uid not found: {uid}")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(RuntimeError):
        Path.home()
    assert list(candidates()) == [Path(tempfile.gettempdir()) / f"reflow-{os.geteuid()}"]
