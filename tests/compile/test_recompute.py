"""A check that fails inside a compiled loop, branch or map says what it says outside: the op, the value, the reason.

The words are TensorFlow 2.21's. A program reports only which check failed; the values are found by running the loop
again on the host.
"""

import sys

import pytest

import reflow as tf

X = [3.0, 1.0, 2.0, 1.0, 5.0]
I = [3, 2, 1]  # noqa: E741
GATHER = "indices = 5 is not in [0, 5)"


def loop_gather(x, i):
    s = 0.0
    for k in tf.range(4):
        s += tf.gather(x, k + i[0])
    return s


def loop_of_products(x, i):
    s, w = tf.zeros([2]), tf.ones([2, 2])
    for k in tf.range(4):
        s = tf.linalg.matvec(w, s) + tf.gather(x, [k + i[0], 0])
    return s


def loop_divides(x, i):
    s = 0
    for k in tf.range(4):
        s += i[0] // (2 - k)
    return s


def branch_gathers(x, i):
    return tf.cond(x[0] > 0.0, lambda: tf.gather(x, i + 7), lambda: x[:3])


def branch_in_loop(x, i):
    s = 0.0
    for k in tf.range(4):
        if k > 1:
            s += tf.gather(x, k + i[0])
    return s


def case_gathers(x, i):
    return tf.switch_case(i[1], [lambda: x[:3], lambda: x[:3], lambda: tf.gather(x, i + 7)])


def maps(x, i):
    return tf.map_fn(lambda a: tf.gather(x, a + 3), i, fn_output_signature=tf.float32)


def maps_at_once(x, i):
    return tf.vectorized_map(lambda a: tf.gather(x, a + 3), i)


def maps_tuples(x, i):
    return tf.vectorized_map(lambda a: tf.gather_nd(x, [a + 4]), i)


def labels(x, i):
    s = 0.0
    for k in tf.range(4):
        s += tf.nn.sparse_softmax_cross_entropy_with_logits(labels=k + i[0], logits=x)
    return s


def array_reads(x, i):
    array, s = tf.TensorArray(tf.float32, 5).unstack(x), 0.0
    for k in tf.range(4):
        s += array.read(k + i[0])
    return s


def array_writes(x, i):
    array = tf.TensorArray(tf.float32, 3)
    for k in tf.range(4):
        array = array.write(k, x[0])
    return array.stack()


def reads_array(x, i):
    return tf.TensorArray(tf.float32, 5).unstack(x).read(i[0] + 7)


def gradient(x, i):
    with tf.GradientTape() as tape:
        tape.watch(x)
        s = 1.0
        for k in tf.range(4):
            s *= tf.gather(x, k + i[0])
    return tape.gradient(s, x)


def scatters(x, i):
    for k in tf.range(4):
        x = tf.tensor_scatter_nd_update(x, [[k + i[0]]], [1.0])
    return x


def calls(x, i):
    inner = tf.function(lambda k: tf.gather(x, k + i[0]))
    s = 0.0
    for k in tf.range(4):
        s += inner(k)
    return s


NAMES = {
    loop_gather: GATHER,
    loop_of_products: "indices[0] = 5 is not in [0, 5)",
    loop_divides: "Integer division by zero",
    branch_gathers: "indices[0] = 10 is not in [0, 5)",
    branch_in_loop: GATHER,
    case_gathers: "indices[0] = 10 is not in [0, 5)",
    maps: "indices = 6 is not in [0, 5)",
    maps_at_once: "indices = 6 is not in [0, 5)",  # TensorFlow: indices[0], of the whole batch
    maps_tuples: "indices = [7] does not index into param shape [5]",
    labels: "Received a label value of 5 which is outside the valid range of [0, 5).  Label values: 5",
    array_reads: "Trying to access element 5 in a list with 5 elements.",
    array_writes: "Trying to modify element 3 in a list with 3 elements.",
    reads_array: "Trying to access element 10 in a list with 5 elements.",
    gradient: GATHER,
    scatters: "indices[0] = [5] does not index into shape [5]",
    calls: GATHER,
}


def message(function, *args):
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        function(*args)
    return caught.value.message


@pytest.mark.parametrize("program", NAMES, ids=[f.__name__ for f in NAMES])
def test_says_what_it_says_outside(program):
    """Interpreted, compiled, and compiled before."""
    function = tf.function(program)
    for _ in range(3):
        text = message(function, tf.constant(X), tf.constant(I))
        assert NAMES[program] in text.splitlines()
        assert text.endswith(f"[Op:__inference_{program.__name__}]")


def test_with_variables():
    """What the loop reads is looked at again, what it writes is not written twice."""
    table, total = tf.Variable(X), tf.Variable(0.0)

    @tf.function
    def reads(i):
        s = 0.0
        for k in tf.range(4):
            s += tf.gather(table, k + i)
        return s

    @tf.function
    def writes(x, i):
        for k in tf.range(4):
            total.assign_add(tf.gather(x, k + i))
        return total.read_value()

    for _ in range(3):
        assert GATHER in message(reads, tf.constant(3))
    for call in range(3):
        total.assign(0.0)
        assert GATHER in message(writes, tf.constant(X), tf.constant(3))
        assert call == 0 or float(total) >= 6.0  # the program ran to its end, once; interpreted, it stopped
        assert float(total) < 100.0


def test_values_that_the_program_has_changed_are_not_told():
    """An index from a variable that the same program writes cannot be computed again: no wrong number is told."""
    at = tf.Variable(3)

    @tf.function
    def steps(x):
        s = 0.0
        for _ in tf.range(4):
            s += tf.gather(x, at)
            at.assign_add(1)
        return s

    for call in range(3):
        at.assign(3)
        text = message(steps, tf.constant(X))
        assert ("indices = 5" if call == 0 else "GatherV2 got a value out of range") in text


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x + tf.cast(tf.constant(5) // tf.constant(0), x.dtype),
        lambda x: x + tf.cast(tf.constant(5) // (tf.shape(x)[0] - 5), x.dtype),
        lambda x: x + tf.gather(tf.constant([1.0, 2.0]), tf.shape(x)[0]),
        lambda x: tf.cond(x[0] > 0.0, lambda: x + tf.gather([1.0, 2.0], tf.shape(x)[0]), lambda: x),
    ],
)
def test_known_values_are_checked_too(program):
    """What a program computes from constants and shapes alone is computed when it is made: that must fail as well."""
    f = tf.function(program)
    words = {message(f, tf.constant(X)).splitlines()[-2] for _ in range(3)}
    assert len(words) == 1


def test_known_values_in_a_branch_that_is_not_taken():
    f = tf.function(lambda x: tf.cond(x[0] < 0.0, lambda: x + tf.gather([1.0, 2.0], tf.shape(x)[0]), lambda: x))
    for _ in range(3):
        assert f(tf.constant(X)).numpy().tolist() == X


def _checked(position):
    """A function with an assertion in front of (0) or behind (1) the op that it is about."""

    @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None, None])])
    def function(a, b):
        if position == 0:
            tf.debugging.assert_equal(tf.shape(a)[0], tf.shape(b)[0], message="batch differs")
        c = a[:, None] * b
        if position == 1:
            tf.debugging.assert_equal(tf.shape(a)[0], tf.shape(b)[0], message="batch differs")
        return c

    return function


@pytest.mark.parametrize("calls", [0, 40])
def test_an_assertion_in_front_of_the_op_that_failed_is_reported(calls):
    before, behind = _checked(0), _checked(1)
    for function in (before, behind):
        for _ in range(calls):  # until it is compiled
            function(tf.ones([2]), tf.ones([2, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="batch differs.*3.*2"):
        before(tf.ones([3]), tf.ones([2, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        behind(tf.ones([3]), tf.ones([2, 2]))
    assert before(tf.ones([2]), tf.ones([2, 2])).shape == [2, 2]


def test_an_assertion_about_what_a_host_step_gave_and_a_variable():
    limit = tf.Variable(2)

    @tf.function
    def row(iterator, table):
        at = next(iterator)
        tf.debugging.assert_less(at, limit, message="no such row")
        for _ in tf.range(2):
            table = tf.gather(table, [at, at])
        return table

    iterator = iter(tf.data.Dataset.from_tensor_slices([1, 7, 2, 0]))
    assert row(iterator, tf.constant([3, 4])).numpy().tolist() == [4, 4]
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="no such row"):
            row(iterator, tf.constant([3, 4]))
    assert row(iterator, tf.constant([3, 4])).numpy().tolist() == [3, 3]


def test_assertions_that_hold_or_cannot_be_tested_again_leave_the_error():
    count = tf.Variable(0)

    @tf.function
    def function(x, at):
        tf.debugging.assert_rank(x, 1)
        tf.debugging.assert_less(tf.reduce_sum(x), 9.0, message="holds")
        count.assign_add(1)
        tf.debugging.assert_less(count, 2, message="of changed state")
        return tf.gather(x, at)

    assert float(function(tf.ones([2]), tf.constant(0))) == 1.0
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices.* = 5 is not in \[0, 2\)"):
        function(tf.ones([2]), tf.constant(5))


def test_prints_in_front_of_the_op_that_failed(capsys):
    @tf.function
    def function(x, at):
        tf.print("at", at, output_stream=sys.stdout)
        if tf.reduce_any(x > 8.0):
            tf.print("large", tf.reduce_max(x), output_stream=sys.stdout)
        for k in tf.range(2):
            tf.print("k", k, output_stream=sys.stdout)
        y = tf.gather(x, at)
        tf.print("y", y, output_stream=sys.stdout)
        return y

    function(tf.constant([1.0, 9.0]), tf.constant(1))
    assert sorted(capsys.readouterr().out.splitlines()) == ["at 1", "k 0", "k 1", "large 9", "y 9"]
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="5 is not in"):
            function(tf.constant([1.0, 9.0]), tf.constant(5))
        assert capsys.readouterr().out.splitlines() == ["at 5", "large 9", "k 0", "k 1"]


def test_what_the_host_has_printed_is_not_printed_again(capsys):
    def fail(x):
        raise ValueError("Python fails")

    @tf.function
    def function(x):
        tf.print("first", x, output_stream=sys.stdout)
        y = tf.py_function(fail, [tf.tanh(x) * 2.0], tf.float32)
        tf.print("second", y, output_stream=sys.stdout)
        return y

    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Python fails"):
            function(tf.constant(3.0))
        assert capsys.readouterr().out == "first 3\n"


def test_python_functions_and_tables_in_front_of_the_op_that_failed(capsys):
    log = []
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.0)

    @tf.function
    def function(x, at):
        y = tf.tanh(x) * 0.0
        seen = tf.py_function(lambda v: log.append(v.numpy().tolist()) or v + 5.0, [y], tf.float32)
        tf.print("seen", seen, output_stream=sys.stdout)
        table.insert(tf.constant([3], tf.int64), y[:1] + 7.0)
        z = tf.gather(y, at)
        tf.py_function(lambda v: log.append("behind"), [z], [])
        return z

    with pytest.raises(tf.errors.InvalidArgumentError, match="5 is not in"):
        function(tf.constant([1.0, 9.0]), tf.constant(5))
    assert log == [[0.0, 0.0]] and capsys.readouterr().out == "seen [5 5]\n"
    assert table.lookup(tf.constant([3], tf.int64)).numpy().tolist() == [7.0]
