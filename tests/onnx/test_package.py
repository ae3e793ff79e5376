"""The optional package `onnx`."""

import subprocess
import sys

import pytest

from reflow.onnx import package


def test_a_clear_error_where_it_is_missing(monkeypatch):
    package.onnx.cache_clear()
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(package.MissingPackage, match=r"pip install reflow\[onnx\]"):
        package.onnx()
    package.onnx.cache_clear()


def test_importing_reflow_loads_neither():
    code = (
        "import sys, reflow; print([m for m in sys.modules if m.split('.')[0] == 'onnx' or "
        "m.startswith(('reflow.onnx', 'reflow.engine'))])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60).stdout.strip() == "[]"
    )
