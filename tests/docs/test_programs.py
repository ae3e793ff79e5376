"""The programs of `examples/` run, in their fast form, and say what they promise. `examples/README.md` lists them all.

The engine's programs are in tests/engine/test_examples.py.
"""

import json
import re

import pytest

from tests import ROOT
from tests.drop_in.processes import python

EXAMPLES = ROOT / "examples"
#: program -> a line that it prints in its fast form
PROMISES = {
    "autoencoder.py": r"784 pixels -> 8 numbers -> 784 pixels, 406,808 parameters",
    "checkpoint_resume.py": r"the same weights, to the last bit: True",
    "custom_parts.py": r"loaded again, the same answers: True",
    "data_pipeline.py": r"as without a stop: True",
    "digits.py": r"This is a 5:",
    "export_and_serve.py": r"'awful plot but good music' -> bad \(-1.0\)",
    "functions.py": r"4 traces for 5 calls\n(.*\n)*  27 reaches 1 in 111 steps\n(.*\n)*4\. AutoGraph rewrote "
        r"collatz_steps: True",
    "gan.py": r"A drawing:\n.{28}\n",
    "gradients.py": r"slope 12.0 = 3x², curvature 12.0 = 6x\n(.*\n)*.*root of x² - 2:  1\.414214",
    "keras_functional.py": r"Which digit is the first\? +\d+\.\d% right",
    "keras_sequential.py": r"The convolutional network has 12,810 parameters in 6 layers\.\n  epoch 1: loss \d\.\d+",
    "keras_subclass.py": r"CNN: 20,490 parameters",
    "keras_train_step.py": r"  epoch 1: loss \d\.\d+",
    "mirrored.py": r"2 replicas\n(  replica [01] sees \[[\d ]+\]\n){2}  sum over the replicas: 6\.0\n",
    "mixed_precision.py": r"mixed_bfloat16 +computes in bfloat16 +keeps float32 variables, Adam: (.*\n)*.*is 0\.0, "
        r"1024 times",
    "q_learning.py": r"without exploring: \d+ of 200 steps",
    "regression.py": r"  step      0   loss ",
    "seq2seq_attention.py": r"of 5 unseen dates are right in every character",
    "tensorboard_pages.py": r"  spread +20 times\n(.*\n)*Now look at it:  tensorboard --logdir ",
    "text_classification.py": r"The plot was not great\. +0\.\d\d\n",
    "text_generation.py": r"loss \d\.\d+: 'That ..'",
    "tf1_session.py": r"exclusive or, after 50 steps: (.*\n)*variables: \['hidden/w:0', 'hidden/b:0', 'out/w:0', "
        r"'out/b:0'\]",
    "tfrecord_pipeline.py": r"4 files, [\d,]+ bytes: digits-0-of-4.tfrecord.gz",
    "train_loop.py": r"best: \d+\.\d% of unseen digits, 1 steps",
    "transfer_learning.py": r"frozen features, 2 trainable variables: ",
    "transformer.py": r"sort \[5, 2, 9, 1, 0, 7\] -> \[",
    "with_jax.py": r"the same results: True\n",
}
#: run elsewhere: `make demo` takes half a minute
ELSEWHERE = {"demo.py"}


def test_every_program_is_run_and_listed():
    programs = {file.name for file in EXAMPLES.glob("*.py")}
    assert programs == PROMISES.keys() | ELSEWHERE
    listed = set(re.findall(r"\(([\w/]+\.py)\)", (EXAMPLES / "README.md").read_text()))
    assert listed == {file.relative_to(EXAMPLES).as_posix() for file in EXAMPLES.rglob("*.py")}


@pytest.mark.parametrize("half", [0, 1])
def test_programs(half):
    """In two halves, one for each core."""
    names = sorted(PROMISES)[half::2]
    runner = ROOT / "tests" / "docs" / "example_runner.py"
    done = python("-W", "error::UserWarning", "-m", "reflow", runner, *(EXAMPLES / name for name in names), cwd=ROOT)
    assert done.returncode == 0, done.stderr
    failed = []
    for path, (status, output) in json.loads(done.stdout).items():
        name = path.rpartition("/")[2]
        if status or not re.search(PROMISES[name], output):
            failed.append(f"{name}: exit status {status}\n{output}")
    assert not failed, "\n".join(failed)
