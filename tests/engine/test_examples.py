"""The programs of examples/engine/ and docs/engine.md."""

import os
import re
import subprocess
import sys

import pytest

from tests import ROOT


def printed(*command) -> str:
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, timeout=300, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(text: str) -> list[float]:
    """The differences that a program printed."""
    return [float(n) for n in re.findall(r"difference.*?(\d\.\de[+-]\d+)", text)]


long = pytest.mark.skipif(
    not os.environ.get("REFLOW_LONG_TESTS"), reason="trains a network (10 s); REFLOW_LONG_TESTS=1 runs it"
)


def test_a_model_from_onnx():
    text = printed(ROOT / "examples" / "engine" / "onnx_model.py")
    assert "scales folded into weights: 1" in text and max(numbers(text)) < 1e-4


@long
def test_lenet_by_hand():
    text = printed(ROOT / "examples" / "engine" / "lenet.py")
    assert max(numbers(text)) < 1e-5 and int(re.search(r"digits: (\d+)%", text)[1]) > 70


@long
def test_a_keras_model():
    text = printed(ROOT / "examples" / "engine" / "keras_cnn.py")
    first, second, third, fourth = numbers(text)
    assert first < 1e-5 and second < 1e-5 and third < 1e-2
    assert float(re.search(r"INT8.*for ([\d.]+)%", text)[1]) >= 98


def test_the_page():
    code = re.search(r"```python\n(.*?)```", (ROOT / "docs" / "engine.md").read_text(), re.DOTALL)[1]
    exec(compile(code, "docs/engine.md", "exec"), {})
