"""Archives that `tf.keras.utils.get_file` fetches and unpacks (row 10 of the bad inputs).

Nothing is written elsewhere.
"""

import contextlib
import io
import tarfile
import zipfile

import pytest

import reflow as tf


def add(archive, name, data=b"x", **facts):
    info = tarfile.TarInfo(name)
    info.size = len(data)
    for key, value in facts.items():
        setattr(info, key, value)
    archive.addfile(info, io.BytesIO(data) if info.isreg() else None)


def link_and_file(archive, folder):
    add(archive, "link", b"", type=tarfile.SYMTYPE, linkname=str(folder))
    add(archive, "link/stray")


pytestmark = pytest.mark.filterwarnings(
    "ignore:Skipping invalid path:UserWarning", "ignore::DeprecationWarning"  # the second: of tarfile, in some releases
)
MEMBERS = {
    "parent": lambda archive, folder: add(archive, "../../../stray"),
    "absolute": lambda archive, folder: add(archive, str(folder / "stray")),
    "symbolic link": link_and_file,
    "hard link": lambda archive, folder: add(archive, "stray", b"", type=tarfile.LNKTYPE, linkname="/etc/passwd"),
    "device": lambda archive, folder: add(archive, "stray", b"", type=tarfile.CHRTYPE),
}


def fetched(source, cache, **options):
    cache.mkdir()
    return tf.keras.utils.get_file(source.name, origin=source.as_uri(), cache_dir=str(cache), **options)


@pytest.mark.parametrize("name", MEMBERS)
def test_members_of_a_tar_that_lead_outside(name, tmp_path):
    source, cache = tmp_path / "x.tar.gz", tmp_path / "cache"
    with tarfile.open(source, "w:gz") as archive:
        MEMBERS[name](archive, tmp_path)
    with contextlib.suppress(ValueError, tarfile.TarError):  # refused, or left out: both are fine
        fetched(source, cache, extract=True)
    assert not [p for p in tmp_path.rglob("stray") if cache not in p.parents]
    assert not [p for p in cache.rglob("stray") if p.is_char_device() or p.is_symlink() or p.stat().st_nlink > 1]


def test_members_of_a_zip_that_lead_outside(tmp_path):
    source, cache = tmp_path / "x.zip", tmp_path / "cache"
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("../../../stray", "x")
        archive.writestr(str(tmp_path / "stray"), "x")
    fetched(source, cache, extract=True)
    assert not [p for p in tmp_path.rglob("stray") if cache not in p.parents]


@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_an_archive_that_unpacks_to_far_more_than_it_holds(kind, tmp_path, monkeypatch):
    monkeypatch.setenv("REFLOW_MAX_UNPACKED_BYTES", "1000000")
    source, cache, zeros = tmp_path / f"x.{kind}", tmp_path / "cache", bytes(600_000)
    if kind == "tar":
        with tarfile.open(source, "w:gz") as archive:
            add(archive, "first", zeros)
            add(archive, "second", zeros)
    else:
        with zipfile.ZipFile(source, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("first", zeros)
            archive.writestr("second", zeros)
    with pytest.raises(ValueError, match="REFLOW_MAX_UNPACKED_BYTES"):
        fetched(source, cache, extract=True)
    assert not list(cache.rglob("second"))


def test_a_wrong_hash(tmp_path):
    source = tmp_path / "x.bin"
    source.write_bytes(b"data")
    with pytest.raises(ValueError, match="hash does not match"):
        fetched(source, tmp_path / "cache", file_hash="0" * 64)
