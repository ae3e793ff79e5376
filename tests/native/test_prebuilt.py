"""Libraries that come with a wheel: the best one for this processor, and none for other sources."""

import pytest

from reflow.native import build, prebuilt


@pytest.fixture(params=prebuilt.LEVELS)
def machine(request, monkeypatch):
    monkeypatch.setattr(prebuilt.platform, "machine", lambda: request.param)
    return request.param


@pytest.fixture
def folder(tmp_path, machine):
    for level in prebuilt.LEVELS[machine]:
        (tmp_path / prebuilt.name(level)).write_bytes(b"\0GLIBC_2.4\0GLIBC_2.28\0")
    return tmp_path


def test_the_best_that_the_processor_can_run(folder, machine, monkeypatch):
    for level, (_, features) in prebuilt.LEVELS[machine].items():
        monkeypatch.setattr(prebuilt, "features", lambda features=features: features)
        assert prebuilt.find(folder).name.endswith(f"-{level}.so")
    monkeypatch.setattr(prebuilt, "features", frozenset)
    assert prebuilt.find(folder) is None


def test_other_sources_and_other_interfaces_are_not_used(folder, machine, monkeypatch, tmp_path):
    monkeypatch.setattr(
        prebuilt, "features", lambda: frozenset().union(*(f for _, f in prebuilt.LEVELS[machine].values()))
    )
    assert prebuilt.find(folder) is not None and prebuilt.find(tmp_path / "nowhere") is None
    major, minor = map(int, prebuilt.interface().split("."))
    monkeypatch.setattr(prebuilt, "interface", lambda: f"{major}.{minor + 1}")
    assert prebuilt.find(folder) is not None  # a newer jaxlib takes what was made for an older one
    for other in (f"{major}.{minor - 1}", f"{major + 1}.{minor}"):
        monkeypatch.setattr(prebuilt, "interface", lambda other=other: other)
        assert prebuilt.find(folder) is None


def test_the_c_library_that_is_needed(folder):
    assert {prebuilt.needed_glibc(path) for path in folder.iterdir()} == {28}


def test_all_levels_are_compiled(tmp_path, monkeypatch):
    monkeypatch.setattr(prebuilt.platform, "machine", lambda: "x86_64")
    for name in ("c++", "aarch64-linux-gnu-g++"):
        (tmp_path / name).write_text('#!/bin/sh\necho "$@" > "$(eval echo \\${$#})"\n')
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("CXX", str(tmp_path / "c++"))
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    for machine, levels in prebuilt.LEVELS.items():
        made = prebuilt.compile_all(machine, tmp_path / machine)
        assert [path.read_text().split("-march=")[1].split()[0] for path in made] == [
            level.march for level in levels.values()
        ]
    monkeypatch.setenv("PATH", "")
    with pytest.raises(build.CannotBuild, match="aarch64"):
        prebuilt.compile_all("aarch64", tmp_path / "out")


def test_the_interface_has_a_version():
    major, minor = prebuilt.interface().split(".")
    assert major.isdigit() and minor.isdigit()
