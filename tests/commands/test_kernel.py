"""`reflow kernel install` and `%load_ext reflow`; with nbclient, a notebook that runs in the kernel."""

import importlib.util
import json
import os
import sys

import pytest

from reflow.commands import kernel
from tests import ROOT
from tests.drop_in.processes import check


@pytest.fixture
def ipykernel(monkeypatch):
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: True if name == "ipykernel" else found(name, *rest)
    )


def test_install_and_remove(ipykernel, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    assert kernel.main(["install", "--name", "mine", "--display-name", "Mine"]) == 0
    file = tmp_path / "kernels" / "mine" / "kernel.json"
    written = json.loads(file.read_text())
    assert written["argv"] == [sys.executable, "-m", "reflow", "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    assert written["display_name"] == "Mine" and "Installed 'Mine' in" in capsys.readouterr().out
    assert kernel.main(["remove", "--name", "mine"]) == 0 and not file.parent.exists()
    assert kernel.main(["remove", "--name", "mine"]) == 1 and "there is none" in capsys.readouterr().err


def test_places(ipykernel, tmp_path):
    assert kernel.main(["install", "--prefix", str(tmp_path)]) == 0
    assert (tmp_path / "share" / "jupyter" / "kernels" / "reflow" / "kernel.json").exists()


def test_without_ipykernel(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert kernel.main(["install", "--prefix", str(tmp_path)]) == 1
    assert "pip install 'reflow[notebook]'" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_the_extension_makes_tensorflow_find_reflow():
    code = (
        "import reflow; reflow.load_ipython_extension(None); import tensorflow as tf; "
        "print(tf.constant(1).__class__.__module__)"
    )
    assert check(code).startswith(("reflow", "tensorflow"))


def test_a_notebook(tmp_path, monkeypatch):
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "share" / "jupyter"))
    assert kernel.main(["install", "--prefix", str(tmp_path)]) == 0
    cells = [nbformat.v4.new_code_cell(text) for text in ("import tensorflow as tf", "tf.constant([1, 2])")]
    book = nbclient.NotebookClient(nbformat.v4.new_notebook(cells=cells), timeout=120, kernel_name="reflow").execute()
    assert "<b>tf.Tensor</b>" in book.cells[1].outputs[0]["data"]["text/html"]
