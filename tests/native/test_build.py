"""Building the kernels: once per machine and compiler, also when it fails, and never trusting what it finds.

Most tests use a compiler of their own: a script that notes each call and does what the test says.
"""

import importlib
import os
import shutil
import subprocess
import sys

import jax
import numpy as np
import pytest

from reflow import native
from reflow.core.context import swapped
from reflow.native import build
from reflow.native.build import CannotBuild, built
from reflow.ops.xp import xla as xla_xp
from reflow.ops.xp.xla import native as xla_native

needs_compiler = pytest.mark.skipif(not native.available(), reason="no C++ compiler here")


class Compiler:
    """A compiler, as the environment variable `CXX` names it."""

    def __init__(self, folder):
        folder.mkdir()
        self.path, self.log = folder / "c++", folder / "calls"

    def does(self, body, version="1.0"):
        """From now on run these lines of shell, in which `$out` is the file to be made."""
        lines = [
            "#!/bin/sh",
            f'for word; do out="$word"; [ "$word" = --version ] && echo fake {version} && exit; done',
            f"echo called >> {self.log}",
            body,
        ]
        self.path.write_text("\n".join(lines))
        self.path.chmod(0o755)

    @property
    def calls(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


@pytest.fixture
def compiler(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    compiler = Compiler(tmp_path / "bin")
    monkeypatch.setenv("CXX", str(compiler.path))
    compiler.does("echo library > $out")
    return compiler


def fresh_module():
    """`reflow.native` as a new process would see it."""
    fresh = importlib.util.module_from_spec(native.__spec__)
    native.__spec__.loader.exec_module(fresh)
    return fresh


def test_a_library_is_made_once(compiler):
    assert built() == built()
    assert built().read_text() == "library\n" and compiler.calls == 1


def test_a_damaged_library_is_made_again(compiler):
    os.truncate(built(), 3)
    assert built().read_text() == "library\n" and compiler.calls == 2


def test_another_compiler_makes_another_library(compiler):
    first = built()
    compiler.does("echo newer > $out", version="2.0")
    assert built() != first and built().read_text() == "newer\n" and compiler.calls == 2


def test_another_c_library_needs_another_library(compiler, monkeypatch):
    first = built()
    monkeypatch.setattr(build, "_c_library", lambda: "glibc 1.0")
    assert built() != first and compiler.calls == 2


def test_arguments_of_the_compiler_are_part_of_its_name(compiler, monkeypatch):
    first = built()
    monkeypatch.setenv("CXX", f"{compiler.path} -fsome-flag")
    assert build.find_compiler() == [str(compiler.path), "-fsome-flag"]
    assert built() != first


def test_a_library_outlives_its_compiler(compiler, monkeypatch):
    first = built()
    monkeypatch.setenv("CXX", "no-such-compiler")
    monkeypatch.setenv("PATH", "")
    assert built() == first
    first.chmod(0o666)
    with pytest.raises(CannotBuild, match="no C\\+\\+ compiler"):
        built()


def test_a_failure_is_remembered_with_the_compilers_words(compiler):
    compiler.does("echo 'error: no such thing' >&2; exit 1")
    with pytest.raises(CannotBuild, match="no such thing"):
        built()
    with pytest.raises(CannotBuild, match="no such thing\n\n.*failed remembers this"):
        built()
    assert compiler.calls == 1


def test_a_new_compiler_is_tried_after_a_failure(compiler):
    compiler.does("exit 1")
    with pytest.raises(CannotBuild):
        built()
    compiler.does("echo library > $out", version="2.0")
    assert built().read_text() == "library\n"


def test_a_failure_can_be_tried_again_and_is_forgotten_when_it_succeeds(compiler):
    compiler.does("exit 1")
    for again in (False, True):
        with pytest.raises(CannotBuild):
            built(again=again)
    compiler.does("echo library > $out")
    with pytest.raises(CannotBuild, match="remembers"):
        built()
    path = built(again=True)
    assert built() == path and not list(path.parent.glob("*.failed")) and compiler.calls == 3


def test_a_compiler_that_was_killed_is_asked_again(compiler):
    compiler.does("kill -9 $$")
    for _ in range(2):
        with pytest.raises(CannotBuild):
            built()
    assert compiler.calls == 2


def test_a_folder_that_cannot_be_used_is_passed_over(compiler, monkeypatch, tmp_path):
    (tmp_path / "cache").write_text("not a folder")
    monkeypatch.setattr(build.tempfile, "tempdir", str(tmp_path))
    assert built().parent == tmp_path / f"reflow-{os.geteuid()}"
    (tmp_path / f"reflow-{os.geteuid()}").chmod(0o700)
    monkeypatch.setattr(build, "candidates", lambda: iter([tmp_path / "cache" / "reflow"]))
    with pytest.raises(CannotBuild, match="nowhere to keep them"):
        built()


def test_several_processes_compile_once(compiler):
    compiler.does("sleep 1; echo library > $out")
    code = "from reflow.native.build import built; print(built())"
    processes = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert len({p.communicate()[0] for p in processes}) == 1
    assert [p.returncode for p in processes] == [0, 0, 0] and compiler.calls == 1


@needs_compiler
def test_a_truncated_library_does_not_end_the_process(compiler):
    """Loading it was a SIGBUS, in every process from then on."""
    with swapped_environment("CXX", "XDG_CACHE_HOME"):
        real = built()
    compiler.does(f"cp {real} $out")
    path = built()
    os.truncate(path, path.stat().st_size // 2)
    code = "from reflow import native; print(native.available())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "True") and compiler.calls == 2


class swapped_environment:
    """Without some variables for a while."""

    def __init__(self, *names):
        self.names = names

    def __enter__(self):
        self.values = {name: os.environ.pop(name) for name in self.names}

    def __exit__(self, *error):
        os.environ.update(self.values)


def test_a_library_that_cannot_be_loaded_is_made_again_and_then_done_without(compiler, caplog):
    assert fresh_module().available() is False
    assert compiler.calls == 2 and "file too short" in caplog.text


def test_without_a_compiler_xla_does_it_all_and_one_warning_says_so(monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("CXX", "no-such-compiler")
    monkeypatch.setenv("PATH", "")
    fresh = fresh_module()
    assert [fresh.available(), fresh.available()] == [False, False]
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("tensorflow", "WARNING") and "no C++ compiler" in record.message
    monkeypatch.setattr(xla_native, "native", fresh)
    with swapped(native=True):
        x = np.ones((64, 64), np.float32)
        assert "reflow_" not in jax.jit(xla_xp.matmul).lower(x, x).as_text()


def test_the_variable_switches_them_off():
    code = "from reflow import native; print(native.available())"
    environment = {**os.environ, "REFLOW_NATIVE": "0"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert (done.stdout.strip(), done.stderr) == ("False", "")


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++ here")
def test_a_real_compiler_is_quoted(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("CXX", "g++")
    with pytest.raises(CannotBuild, match="no-such-flag"):
        built(("--no-such-flag",))
    assert not list(tmp_path.rglob("*.so"))


def test_the_module_builds_them(compiler):
    for _ in range(2):
        done = subprocess.run([sys.executable, "-m", "reflow.native"], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == str(built())
    compiler.does("echo 'error: too old' >&2; exit 1", version="0.1")
    for _ in range(2):
        done = subprocess.run([sys.executable, "-m", "reflow.native"], capture_output=True, text=True, check=True)
        assert "too old" in done.stdout
