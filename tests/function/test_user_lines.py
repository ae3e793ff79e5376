"""An error in a function shows the user's file and line first, whichever way the function runs."""

import inspect
import os
import re
import subprocess
import sys

import pytest

import reflow as tf
from reflow.core import errors


def line_of(function, text: str) -> int:
    """The line of this file on which a function's source holds `text`."""
    lines, start = inspect.getsourcelines(function)
    return start + next(i for i, line in enumerate(lines) if text in line)


def first_place(error) -> tuple:
    """(file, line, function) of the first place that an error's text names."""
    found = re.search(r'File "([^"]*)", line (\d+), in (\S+)', str(error))
    return found[1], int(found[2]), found[3]


def gathers(x, i):
    y = x * 2.0
    return tf.gather(y, i)  # fails


def in_a_branch(x, i):
    if i > 5:
        x = tf.gather(x, i)  # fails
    return x


def in_a_loop(x, i):
    s = tf.constant(0.0)
    for k in tf.range(i + 1):
        s += tf.gather(x, k)  # fails
    return s


inner = tf.function(gathers)


def in_a_call(x, i):
    return inner(x, i) + 1.0


def in_a_gradient(x, i):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, i)  # fails
    return tape.gradient(y, x)


def in_python(x, i):
    def boom(v):
        raise ValueError("from Python")

    return tf.py_function(boom, [x], tf.float32)  # fails


@pytest.mark.parametrize("options", [{}, {"autograph": False}, {"reduce_retracing": True}], ids=str)
@pytest.mark.parametrize("function, place", [
    (gathers, gathers), (in_a_branch, in_a_branch), (in_a_loop, in_a_loop), (in_a_call, gathers),
    (in_a_gradient, in_a_gradient), (in_python, in_python),
])
def test_while_running(function, place, options):
    if "autograph" in options and function in (in_a_branch, in_a_loop):
        options = {**options, "autograph": True}
    f = tf.function(function, **options)
    for _ in range(3):  # interpreted, compiled, and once more
        with pytest.raises((errors.OpError, ValueError)) as caught:
            f(tf.ones([3]), tf.constant(7))
        assert first_place(caught.value) == (__file__, line_of(place, "# fails"), place.__name__)


def test_while_tracing():
    def shapes(x):
        y = x + 1.0
        return tf.reshape(y, [4])  # fails

    def outer(x):
        return tf.function(shapes)(x)  # calls

    with pytest.raises(ValueError, match="Cannot reshape") as caught:
        tf.function(outer)(tf.ones([3]))
    text = str(caught.value)
    assert text.startswith("in user code:")
    assert first_place(caught.value) == (__file__, line_of(outer, "# calls"), "outer")
    assert f'line {line_of(shapes, "# fails")}, in shapes' in text


def test_every_op_that_jit_compile_cannot_do():
    @tf.function(jit_compile=True)
    def f(x):
        s = tf.strings.as_string(x)  # first
        n = tf.strings.length(s)  # second
        return tf.cast(n, tf.float32) + x

    with pytest.raises(errors.InvalidArgumentError, match="Leave out jit_compile=True") as caught:
        f(tf.constant(1.0))
    text = str(caught.value)
    assert "AsString" in text and "StringLength" in text
    for mark in ("# first", "# second"):
        assert f"line {line_of(f.python_function, mark)}, in f" in text
    assert caught.value.op.type == "AsString"


def test_jit_compile_leaves_asserts_out():
    @tf.function(jit_compile=True)
    def f(x):
        tf.debugging.assert_less(x, 9.0, message="large")
        return x * 2.0

    assert float(f(tf.constant(1.0))) == 2.0


def test_a_leaked_tensor_says_where_it_was_made():
    kept = []

    @tf.function
    def f(x):
        kept.append(x * 2.0)  # made
        return x

    f(tf.constant(1.0))
    with pytest.raises(TypeError, match="is out of scope and cannot be used here. Use return values") as caught:
        kept[0] + 1.0
    assert type(caught.value) is TypeError
    assert first_place(caught.value) == (__file__, line_of(f.python_function, "# made"), "f")


def test_below_keras_the_users_line_counts():
    layers = tf.keras.layers

    class Picks(layers.Layer):
        def call(self, x):
            row = tf.cast(x[0, 0] * 0.0 + 99.0, tf.int32)
            return x + tf.keras.ops.take(x, row, axis=0)  # fails

    model = tf.keras.Sequential([layers.Input([3]), layers.Dense(3), Picks()])
    model.compile(loss="mse", jit_compile=False)
    with pytest.raises(errors.OpError) as caught:
        model.train_on_batch(tf.ones([2, 3]), tf.ones([2, 3]))
    assert f'line {line_of(Picks, "# fails")}, in call' in str(caught.value)


def test_conversion_of_later_variables():
    made = {}

    @tf.function
    def f(n):
        if n not in made:
            made[n] = tf.Variable(1.0)  # fails
        return made[n] + 0.0

    f(1)
    with pytest.raises(ValueError, match="only created once or created outside tf.function") as caught:
        f(2)
    assert first_place(caught.value) == (__file__, line_of(f.python_function, "# fails"), "f")


def test_first_values_of_variables_may_depend_on_arguments():
    class Scaled:
        v = None

        @tf.function
        def __call__(self, x):
            if self.v is None:
                self.v = tf.Variable(x * 3.0)
            return self.v + x

    assert float(Scaled()(tf.constant(2.0))) == 8.0
    with pytest.raises(ValueError, match="could not be lifted out of a `tf.function`"):
        scaled = Scaled()
        scaled.__call__.get_concrete_function(tf.TensorSpec([]))


def test_frames_of_keras_wherever_it_is_installed(tmp_path):
    """A node belongs to the user's line, not to one of Keras', also if Keras is not installed beside NumPy.

    Finding it imports nothing.
    """
    package = tmp_path / "elsewhere" / "keras"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("def double(x):\n    return x * 2.0\n")
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nimport reflow as tf\n"
        "tf.function(lambda x: x + 1.0)(tf.constant(1.0))\nassert 'keras' not in sys.modules\n"
        "import keras\n"
        "def f(x):\n    return keras.double(x)\n"
        "graph = tf.function(f, autograph=False).get_concrete_function(tf.TensorSpec([])).graph\n"
        "print(*[node.traceback[-1].name for node in graph.get_operations() if node.type == 'Mul'])\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(package.parent), *sys.path])}
    done = subprocess.run([sys.executable, str(program)], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["f"], done.stderr
