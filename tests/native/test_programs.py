"""Compiled programs are kept for the next process: where, which, and what is removed."""

import os
import stat
import subprocess
import sys
import time

import pytest

from reflow.native import programs

PROGRAM = """
import jax, reflow as tf
{settings}
found = []
jax.monitoring.register_event_listener(lambda name, **_: found.append(name.rsplit("/", 1)[-1]))

@tf.function(jit_compile=True)
def step(x):
    for _ in range(20):
        x = tf.tanh(tf.linalg.matmul(x, x))
    return x

print(step(tf.ones([4, 4])).numpy()[0, 0], found.count("cache_hits"), jax.config.jax_compilation_cache_dir)
"""


def run(settings="", **environment):
    words = [sys.executable, "-c", PROGRAM.format(settings=settings)]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | environment, timeout=300, check=True)
    value, hits, folder = done.stdout.split()
    return float(value), int(hits), folder


def test_a_second_process_reads_what_the_first_compiled(tmp_path):
    everything = "from reflow.native import programs; programs.LEAST_SECONDS = 0"
    first, hits, folder = run(everything, REFLOW_PROGRAMS=str(tmp_path))
    assert hits == 0
    assert folder.startswith(str(tmp_path / "programs-"))
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    second, hits, _ = run(everything, REFLOW_PROGRAMS=str(tmp_path))
    assert hits > 0
    assert second == first


def test_the_users_own_folder_for_jax_stays(tmp_path):
    assert run(f"jax.config.update('jax_compilation_cache_dir', {str(tmp_path)!r})")[2] == str(tmp_path)


def test_nothing_is_kept_if_nothing_should_be(monkeypatch, tmp_path):
    monkeypatch.setenv("REFLOW_PROGRAMS", "0")
    assert programs._folder() is None
    monkeypatch.setenv("REFLOW_PROGRAMS", str(tmp_path / "file"))
    (tmp_path / "file").write_text("not a folder")
    assert programs._folder() is None


@pytest.mark.parametrize(("age", "stays"), [(0, True), (3600, False)])
def test_a_program_that_was_cut_short_is_removed(tmp_path, age, stays):
    for name in ("whole-1-cache", "whole-1-atime", "cut-2-cache"):
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    programs.remove_unfinished(tmp_path)
    assert (tmp_path / "whole-1-cache").exists()
    assert (tmp_path / "cut-2-cache").exists() == stays
