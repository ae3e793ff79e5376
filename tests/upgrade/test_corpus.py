"""The programs of TensorFlow 1 of `tests/compat/programs/`, as they stood in 2017 and upgraded: they print what
TensorFlow recorded.

Some are run by default; `REFLOW_LONG_TESTS=1` runs all.
"""

import os
import shutil
import subprocess
import sys

import pytest

from reflow.upgrade.command import main
from tests import ROOT
from tests.compat import test_v1_programs as corpus

HERE = ROOT / "tests" / "compat"
#: programs that the plain mode leaves to hands, and why; `--mode SAFETY` upgrades them
BY_HAND = {
    "adversarial": "asks a namespace what it has: hasattr(tf.layers, …)",
    "distributions": "a namespace as a value: tf.distributions",
    "feature_columns": "a namespace as a value: tf.feature_column",
    "hand_written_loops": "tf.cond of lists of one: version 2 keeps the list",
    "initializers": "tf.initializers are those of Keras in version 2, with other numbers",
    "losses_and_metrics": "asks a namespace for names: getattr(tf.losses, …)",
    "monitored_sessions": "tf.summary.scalar is version 2's: it writes to a default writer",
    "names_and_tags": "tf.summary.scalar, as above",
    "partitioned_sum": "tf.nn.embedding_lookup has no partition_strategy in version 2",
    "partitioned_variables": "tf.nn.embedding_lookup, as above",
    "perceptron": "hasattr(tf.layers, …), as above",
    "session_order": "tf.summary.scalar, as above",
    "supervised_training": "tf.summary.scalar, as above",
}
SHORT = [
    "autoencoder", "clusters", "linear_regression", "logistic_regression", "perceptron", "session_order",
    "variable_scopes", "word_vectors",
]
NAMES = corpus.NAMES if os.environ.get("REFLOW_LONG_TESTS") else SHORT
VERSION_1 = "import tensorflow as tf"


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """What upgraded programs print, all in one process."""
    folder = tmp_path_factory.mktemp("corpus")
    for path in (HERE / "programs").rglob("*.py"):
        if path.stem in NAMES:
            mode = "safe" if path.stem in BY_HAND else "plain"
            target = folder / mode / "old" / path.relative_to(HERE)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(path.read_text().replace("import tensorflow.compat.v1 as tf", VERSION_1))
    for mode, options in (("plain", []), ("safe", ["--mode", "SAFETY"])):
        trees = ["--intree", str(folder / mode / "old"), "--outtree", str(folder / mode / "new")]
        assert main([*trees, "--reportfile", str(folder / mode / "report.txt"), *options]) == 0
        shutil.copytree(folder / mode / "new", folder / "new", dirs_exist_ok=True)
    (folder / "new" / "v1_programs.py").write_text((HERE / "v1_programs.py").read_text())
    env = os.environ | {"PYTHONPATH": str(ROOT), "TMPDIR": str(folder)}
    command = [sys.executable, "-m", "reflow", str(folder / "new" / "v1_programs.py")]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)
    assert done.returncode == 0, done.stderr
    new = {path.stem: path.read_text() for path in (folder / "new" / "programs").rglob("*.py")}
    return corpus.sections(done.stdout) | {"stderr": done.stderr, "new": new}


@pytest.mark.parametrize("name", NAMES)
def test_an_upgraded_program_prints_the_same(printed, name):
    corpus.test_prints_what_tensorflow_prints(printed, name)


def test_programs_were_changed(printed):
    for name in NAMES:
        line = "import tensorflow.compat.v1 as tf" if name in BY_HAND else VERSION_1
        assert line in printed["new"][name].splitlines()
        assert name in BY_HAND or "tf.compat.v1." in printed["new"][name]
