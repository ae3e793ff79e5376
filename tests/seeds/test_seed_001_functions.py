"""Seed 001, the chapters on `tf.function`, AutoGraph and `tf.TensorArray`: each program prints what the text says."""

import textwrap

import numpy as np

import reflow as tf

RUNNING = "The function is running in Python"


def check_calls(capfd, *calls):
    """Call the quiz's function on each argument. Python prints to stdout, `tf.print` to stderr, so lines are compared
    per call."""

    @tf.function
    def f(x):
        print(RUNNING, flush=True)
        tf.print(x)

    for argument, *lines in calls:
        f(argument)
        out, err = capfd.readouterr()
        assert (out + err).splitlines() == lines


def test_quiz_tensors(capfd):
    a, b = tf.constant(1, dtype=tf.int32), tf.constant(2, dtype=tf.int32)
    b_ = np.array(2, dtype=np.int32)
    c, d = tf.constant(0.1, dtype=tf.float32), tf.constant(0.2, dtype=tf.float32)
    check_calls(capfd, (a, RUNNING, "1"), (b, "2"), (b_, "2"), (c, RUNNING, "0.1"), (d, "0.2"))


def test_quiz_python_numbers(capfd):
    check_calls(
        capfd, (1, RUNNING, "1"), (2, RUNNING, "2"), (1, "1"), (0.1, RUNNING, "0.1"), (0.2, RUNNING, "0.2"),
        (0.1, "0.1"),
    )


def test_quiz_variable(capsys):
    a = tf.Variable(0.0)

    @tf.function
    def g():
        a.assign(a + 1.0)
        return a

    print(g())
    print(g())
    print(g())
    assert capsys.readouterr().out == textwrap.dedent("""\
        tf.Tensor(1.0, shape=(), dtype=float32)
        tf.Tensor(2.0, shape=(), dtype=float32)
        tf.Tensor(3.0, shape=(), dtype=float32)
        """)


def test_autograph(capsys):
    @tf.function
    def square_if_positive(x):
        if x > 0:
            x = x * x
        else:
            x = 0
        return x

    a = tf.constant(1)
    b = tf.constant(-1)
    print(square_if_positive(a), square_if_positive(b))
    print(tf.autograph.to_code(square_if_positive.python_function))
    first, *code = capsys.readouterr().out.splitlines()
    assert first == "tf.Tensor(1, shape=(), dtype=int32) tf.Tensor(0, shape=(), dtype=int32)"
    assert code[0] == "def tf__square_if_positive(x):"
    # the text shows the code of TensorFlow 2.0; 2.21's differs in its helpers
    assert any("ag__.if_stmt(" in line for line in code)


def test_tensor_array(capsys):
    @tf.function
    def array_write_and_read():
        arr = tf.TensorArray(dtype=tf.float32, size=3)
        arr = arr.write(0, tf.constant(0.0))
        arr = arr.write(1, tf.constant(1.0))
        arr = arr.write(2, tf.constant(2.0))
        arr_0 = arr.read(0)
        arr_1 = arr.read(1)
        arr_2 = arr.read(2)
        return arr_0, arr_1, arr_2

    a, b, c = array_write_and_read()
    print(a, b, c)
    assert (
        capsys.readouterr().out
        == (
            "tf.Tensor(0.0, shape=(), dtype=float32) tf.Tensor(1.0, shape=(), dtype=float32) "
            "tf.Tensor(2.0, shape=(), dtype=float32)\n"
        )
    )


def test_get_concrete_function():
    @tf.function
    def train_one_step(x, y):
        return tf.reduce_mean(tf.square(x - y))

    concrete = train_one_step.get_concrete_function(tf.ones([3]), tf.zeros([3]))
    assert isinstance(concrete.graph, tf.Graph)
    assert float(concrete(tf.ones([3]), tf.zeros([3]))) == 1.0


def test_training_step_with_and_without_function():
    """`main.py` of the chapter: a train step, decorated, does what it does undecorated."""
    rng = np.random.RandomState(0)
    x, y = rng.rand(64, 5).astype(np.float32), rng.randint(0, 3, 64)

    def train(decorate):
        w, b = tf.Variable(tf.zeros([5, 3])), tf.Variable(tf.zeros([3]))

        @decorate
        def train_one_step(X, y):  # noqa: N803 - the chapter's name
            with tf.GradientTape() as tape:
                logits = tf.matmul(X, w) + b
                loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
            for variable, grad in zip([w, b], tape.gradient(loss, [w, b])):
                variable.assign_sub(0.5 * grad)
            return loss

        return [float(train_one_step(tf.constant(x), tf.constant(y))) for _ in range(5)]

    np.testing.assert_allclose(train(lambda f: f), train(tf.function), rtol=1e-5)
