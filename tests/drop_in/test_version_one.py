"""Programs of TensorFlow 1 are told by their source, and run with version 1's namespace."""

import os
import subprocess
import sys
import types

import pytest

import reflow
from reflow.drop_in import facade, install
from reflow.drop_in.version_one import first_use
from tests import ROOT

PROGRAM = """
import tensorflow as tf
from tensorflow.contrib import rnn
from tensorflow.examples.tutorials.mnist import input_data

tf.app.flags.DEFINE_integer("steps", 1, "how many steps")
x = tf.placeholder(tf.float32, [None, 2])
w = tf.get_variable("w", [2, 1], initializer=tf.contrib.layers.xavier_initializer())
loss = tf.losses.mean_squared_error(tf.ones([1, 1]), tf.matmul(x, w))
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)


def main(_):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(tf.app.flags.FLAGS.steps):
            session.run(step, feed_dict={x: [[1.0, 2.0]]})
        print(round(float(session.run(loss, {x: [[1.0, 2.0]]})), 3), rnn.BasicLSTMCell(3).state_size)
        print(input_data.read_data_sets("folder", one_hot=True).train.next_batch(50)[1].shape)
        import tensorflow.contrib.slim


tf.app.run()
"""


def run(*arguments, program=PROGRAM):
    env = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))}
    command = [sys.executable, "-m", "reflow", *arguments]
    return subprocess.run(command, input=program, capture_output=True, text=True, env=env, timeout=120)


def test_a_program_of_version_1_runs_as_it_stands(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = run(str(path), "--steps=60")
    assert done.stdout == "0.0 LSTMStateTuple(c=3, h=3)\n(50, 10)\n", done.stderr
    assert "a program of TensorFlow 1 (tensorflow.contrib in line 3)" in done.stderr
    assert "Reflow has no tf.contrib.slim; the modern form is the package tf_slim" in done.stderr


def test_the_choice_can_be_forced():
    assert "No module named 'tensorflow.contrib'" in run("--tf2", "-").stderr
    done = run("--tf1", "-", program="import tensorflow as tf\nprint(tf.executing_eagerly(), tf.Session.__name__)")
    assert (done.stdout, done.stderr) == ("False Session\n", "")


def test_keras_sees_version_2_in_a_program_of_version_1(monkeypatch):
    tensorflow = facade.make_facade(types.ModuleType("tensorflow"))
    vars(tensorflow)["_space"] = "compat.v1"
    monkeypatch.setitem(sys.modules, "tensorflow", tensorflow)
    assert tensorflow.losses is reflow.compat.v1.losses and tensorflow.nn is reflow.compat.v1.nn
    assert install._target("tensorflow.metrics")(None) is reflow.compat.v1.metrics
    with facade.version_two():
        assert sys.modules["tensorflow"].nn is reflow.nn
    assert sys.modules["tensorflow"] is tensorflow


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import tensorflow as tf\ntf.Session()", ("tf.Session", 2)),
        ("import tensorflow\n\ntensorflow.get_variable('x')", ("tensorflow.get_variable", 3)),
        ("from tensorflow.contrib import rnn", ("tensorflow.contrib", 1)),
        ("from tensorflow.examples.tutorials.mnist import input_data", ("tensorflow.examples.tutorials.mnist", 1)),
        ("import tensorflow.contrib.slim as slim", ("tensorflow.contrib.slim", 1)),
        ("import tensorflow.compat.v1 as tf\ntf.Session()", None),
        ("import tensorflow as tf\ntf = tf.compat.v1\ntf.Session()", None),
        ("import tensorflow as tf\ntf.keras.metrics.Mean(), tf.compat.v1.Session", None),
        ("import tensorflow as tf\nprint(tf.log(tf.to_float(3)))", ("tf.log", 2)),
        ("import tensorflow as tf\nf = tf.function(lambda x: tf.log(x))", None),  # a slip in a program of version 2
        ("import tensorflow as tf\ntf.lite.TFLiteConverter, tf.space_to_depth", None),
        (
            "import tensorflow as tf\nif tf.__version__[0] == '1':\n    tf.enable_eager_execution()\ntf.keras.Model",
            None,
        ),
        ("import tensorflow as tf\ntry:\n    tf.enable_eager_execution()\nexcept AttributeError:\n    pass", None),
        # not for sure TensorFlow
        ("try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\ntf.Session()", None),
        ("try:\n    import tensorflow as tf\nexcept ImportError:\n    raise\ntf.Session()", ("tf.Session", 5)),
        ("import tensorflow as tf\ntf.keras.Input, tf.Session()", ("tf.Session", 2)),
        ("print(", None),
    ],
)
def test_what_tells_a_program_of_version_1(source, found):
    assert first_use(source) == found


SLIM = """
import tensorflow.contrib.slim as slim
import tensorflow.contrib.slim.nets
from tensorflow.contrib.slim.nets import vgg
from tensorflow.contrib.slim.python.slim.nets.vgg import size

print(slim.__name__, vgg.__name__, size)
"""


def test_slim_is_the_package_tf_slim(tmp_path, monkeypatch):
    nets = tmp_path / "tf_slim" / "nets"
    nets.mkdir(parents=True)
    for path, text in ((nets.parent / "__init__.py", ""), (nets / "__init__.py", ""), (nets / "vgg.py", "size = 224")):
        path.write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert run("-", program=SLIM).stdout == "tf_slim tf_slim.nets.vgg 224\n"
