"""Files, folders and notebooks, and the report."""

import json

import pytest

from reflow.upgrade import command

OLD = "import tensorflow as tf\nx = tf.placeholder(tf.float32)  # fed\nit = ds.make_one_shot_iterator()\n"
NEW = (
    "import tensorflow as tf\nx = tf.compat.v1.placeholder(tf.float32)  # fed\nit = "
    "tf.compat.v1.data.make_one_shot_iterator(ds)\n"
)


def test_a_file_and_its_report(tmp_path, capsys):
    (tmp_path / "old.py").write_text(OLD)
    paths = [str(tmp_path / name) for name in ("old.py", "new.py", "report.txt")]
    assert command.main(["--infile", paths[0], "--outfile", paths[1], "--reportfile", paths[2]]) == 0
    assert (tmp_path / "new.py").read_text() == NEW and (tmp_path / "old.py").read_text() == OLD
    report = (tmp_path / "report.txt").read_text()
    assert (
        "Converted 1 files\nDetected 1 issues that require attention\n" in report
        and f"{paths[0]}:3:5: WARNING: " in report
    )
    assert "2:4: INFO: Renamed 'tf.placeholder' to 'tf.compat.v1.placeholder'" in report
    assert "Renamed" not in capsys.readouterr().out


def test_a_folder(tmp_path):
    (tmp_path / "in" / "sub").mkdir(parents=True)
    (tmp_path / "in" / "sub" / "a.py").write_text(OLD)
    (tmp_path / "in" / "data.txt").write_text("tf.placeholder")
    options = ["--intree", str(tmp_path / "in"), "--reportfile", str(tmp_path / "r.txt")]
    assert command.main([*options, "--outtree", str(tmp_path / "out")]) == 0
    assert (
        (tmp_path / "out" / "sub" / "a.py").read_text() == NEW
        and (tmp_path / "out" / "data.txt").read_text() == "tf.placeholder"
    )
    assert command.main([*options, "--inplace"]) == 0 and (tmp_path / "in" / "sub" / "a.py").read_text() == NEW
    with pytest.raises(SystemExit):
        command.main([*options, "--outtree", str(tmp_path / "out")])
    with pytest.raises(SystemExit):
        command.main(options)


def test_a_notebook(tmp_path):
    cells = [
        {"cell_type": "code", "source": ["!pip list\n", "import tensorflow as tf\n", "x = tf.log(1.0)"]},
        {"cell_type": "markdown", "source": ["tf.log"]},
    ]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells, "metadata": {"a": 1}}))
    path = str(tmp_path / "n.ipynb")
    assert command.main(["--infile", path, "--inplace", "--reportfile", str(tmp_path / "r.txt")]) == 0
    new = json.loads((tmp_path / "n.ipynb").read_text())
    assert new["cells"][0]["source"] == ["!pip list\n", "import tensorflow as tf\n", "x = tf.math.log(1.0)"]
    assert new["cells"][1] == cells[1] and new["metadata"] == {"a": 1}
