"""Libraries that come with a wheel: the best one for this processor, and none for other sources."""

import platform

import pytest

from reflow.native import build, prebuilt

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="wheels bring libraries for x86-64")


@pytest.fixture
def folder(tmp_path):
    for level in prebuilt.LEVELS:
        (tmp_path / prebuilt.name(level)).write_bytes(b"\0GLIBC_2.4\0GLIBC_2.28\0")
    return tmp_path


def test_the_best_that_the_processor_can_run(folder, monkeypatch):
    for level, (_, features) in prebuilt.LEVELS.items():
        monkeypatch.setattr(prebuilt, "features", lambda features=features: features)
        assert prebuilt.find(folder).name.endswith(f"-{level}.so")
    monkeypatch.setattr(prebuilt, "features", frozenset)
    assert prebuilt.find(folder) is None


def test_other_sources_and_other_interfaces_are_not_used(folder, monkeypatch, tmp_path):
    assert prebuilt.find(folder) is not None and prebuilt.find(tmp_path / "nowhere") is None
    monkeypatch.setattr(prebuilt, "interface", lambda: "99.0")
    assert prebuilt.find(folder) is None


def test_the_c_library_that_is_needed(folder):
    assert prebuilt.needed_glibc(prebuilt.find(folder)) == 28


def test_all_levels_are_compiled(tmp_path, monkeypatch):
    compiler = tmp_path / "c++"
    compiler.write_text('#!/bin/sh\necho "$@" > "$(eval echo \\${$#})"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    made = prebuilt.compile_all(tmp_path / "out")
    assert ["-march=x86-64-v" + path.read_text().split("-march=x86-64-v")[1][0] for path in made] == [
        "-march=x86-64-v4", "-march=x86-64-v3", "-march=x86-64-v2",
    ]  # fmt: skip
    monkeypatch.setattr(build, "find_compiler", lambda: None)
    with pytest.raises(build.CannotBuild):
        prebuilt.compile_all(tmp_path / "out")


def test_the_interface_has_a_version():
    major, minor = prebuilt.interface().split(".")
    assert major.isdigit() and minor.isdigit()
