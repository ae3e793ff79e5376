"""`reflow engine`."""

import pytest

from reflow.engine.command import main
from tests.onnx.models import proto

RELU = ([("Relu", ["x"], ["y"], {})], {"x": ["n", 2]}, ["y"])


def test_build_show_and_bench(tmp_path, capsys):
    path = tmp_path / "relu.onnx"
    path.write_bytes(proto(*RELU).SerializeToString())
    assert main(["build", str(path), "--shapes", "x:3x2", "--max-shapes", "x:8x2", "--fp16"]) == 0
    plan = str(tmp_path / "relu.plan")
    assert main(["show", plan, "--times"]) == 0
    assert main(["bench", plan, "--calls", "2"]) == 0
    printed = capsys.readouterr().out
    assert "relu.plan" in printed and "Relu" in printed and "2 calls: median" in printed


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["build", "gone.onnx"], "gone.onnx"), (["show", "gone.plan"], "gone.plan"),
        (["bench", __file__], "This is no plan"),
    ],
)
def test_errors_have_one_line(arguments, words, capsys):
    assert main(arguments) == 1
    assert words in capsys.readouterr().err


def test_shapes_that_are_none(tmp_path, capsys):
    path = tmp_path / "relu.onnx"
    path.write_bytes(proto(*RELU).SerializeToString())
    assert main(["build", str(path), "--shapes", "x=3"]) == 1
    assert main(["build", str(path)]) == 1
    text = capsys.readouterr().err
    assert "write name:1x3x224x224" in text and "must say min, opt and max" in text
