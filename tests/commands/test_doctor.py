"""`reflow doctor`: the report, its exit status, and the remedy for each problem."""

import os

import pytest

from reflow.commands import doctor
from reflow.native import build


def test_a_sound_installation(capsys):
    assert doctor.main([]) == 0
    shown = capsys.readouterr().out
    assert "Reflow" in shown and "(as TensorFlow 2.21.0)" in shown and "No problems found." in shown


def test_a_missing_package_has_a_remedy(monkeypatch):
    monkeypatch.setattr(doctor, "PACKAGES", ("numpy", "no-such-package"))
    numpy, missing = [f for f in doctor.versions() if f.subject in ("numpy", "no-such-package")]
    assert not numpy.remedy
    assert missing == ("no-such-package", "missing", "pip install no-such-package")


def test_kernels_that_cannot_be_built(monkeypatch, capsys):
    def fail():
        raise build.CannotBuild("there is no C++ compiler")

    monkeypatch.setattr(build, "built", fail)
    monkeypatch.setattr(build, "find_compiler", lambda: None)
    monkeypatch.setattr(doctor, "SECTIONS", {"Kernels": doctor.kernels})
    monkeypatch.delenv("REFLOW_NATIVE", raising=False)
    assert doctor.main([]) == 1
    shown = capsys.readouterr().out
    assert "there is no C++ compiler" in shown and "install g++ or clang" in shown and "1 problem found" in shown


def test_a_cache_of_somebody_else(monkeypatch, tmp_path):
    (tmp_path / "reflow").write_text("not a folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = [f for f in doctor.caches() if str(tmp_path) in f.found]
    assert len(found) == 1 and "chmod 700" in found[0].remedy


def test_unknown_arguments_are_refused(capsys):
    with pytest.raises(SystemExit) as error:
        doctor.main(["--nonsense"])
    assert error.value.code == 2 and "unrecognized arguments: --nonsense" in capsys.readouterr().err


def test_settings_are_named_or_said_to_be_none(monkeypatch):
    for name in [name for name in os.environ if name.startswith(("REFLOW_", "JAX_", "XLA_", "KERAS_", "TF_", "CUDA_"))]:
        monkeypatch.delenv(name)
    assert [finding.subject for finding in doctor.settings()] == ["none"]
    monkeypatch.setenv("REFLOW_NATIVE", "0")
    assert list(doctor.settings()) == [("REFLOW_NATIVE", "0", "")]
