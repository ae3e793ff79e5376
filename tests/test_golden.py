"""Recorded files are as a script of `tools/golden/` made them.

`make golden` writes them and their hashes, nobody's hand does.
"""

import subprocess
import sys

import pytest

from tests import ROOT
from tools.golden import manifest


def test_every_recording_is_as_it_was_made():
    found = manifest.problems()
    assert not found, "\n".join(found)


def test_one_version_of_tensorflow_made_them():
    versions = {name: entry["tensorflow"] for name, entry in manifest.load().items()}
    assert set(versions.values()) == {"2.21.0"}, versions


@pytest.fixture
def a_recording(tmp_path, monkeypatch):
    """A checkout with one script and one recording, noted in its manifest."""
    monkeypatch.setattr(manifest, "ROOT", tmp_path)
    monkeypatch.setattr(manifest, "GOLDEN", tmp_path / "tests" / "golden")
    monkeypatch.setattr(manifest, "FILE", tmp_path / "tests" / "golden" / "manifest.json")
    monkeypatch.setattr(manifest, "FILES", {"one": ("tests/golden/one.json",)})
    for folder in ("tools/golden", "tests/golden"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "tools/golden/one.py").write_text("print(1)")
    (tmp_path / "tests/golden/one.json").write_text("1")
    assert manifest.note("one", {"tensorflow": "2.21.0"}) == ["tests/golden/one.json"]
    assert manifest.problems() == []
    return tmp_path


@pytest.mark.parametrize(
    ("path", "complaint"),
    [
        ("tests/golden/one.json", "tests/golden/one.json is not as tools/golden/one.py recorded it"),
        ("tests/golden/two.json", "no script records tests/golden/two.json"),
        ("tools/golden/one.py", "tools/golden/one.py has changed since it recorded"),
        ("tools/golden/two.py", "tools/golden/two.py records files that manifest.FILES does not name"),
    ],
)
def test_an_edit_by_hand_is_seen(a_recording, path, complaint):
    (a_recording / path).write_text("2")
    (found,) = manifest.problems()
    assert found.startswith(complaint)


def test_what_is_missing_is_named(a_recording):
    (a_recording / "tests/golden/one.json").unlink()
    (found,) = manifest.problems()
    assert found.startswith("tests/golden/one.json is not as")
    (a_recording / "tools/golden/one.py").unlink()
    assert manifest.problems() == ["there is no script tools/golden/one.py"]


def test_scripts_hold_no_absolute_paths():
    """They run in any checkout, with any Python that has TensorFlow."""
    scripts = (ROOT / "tools" / "golden").glob("*.py")
    assert not [
        path.name for path in scripts
        if any(f'"{root}' in path.read_text() for root in ("/work", "/home", "/opt", "/tmp"))
    ]


def test_the_driver_lists_its_scripts():
    done = subprocess.run(
        [sys.executable, "-m", "tools.golden", "--list"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert [line.split()[0] for line in done.stdout.splitlines()] == list(manifest.FILES)
