"""What lies between host instructions is compiled: read from the plan that `reflow.explain` prints."""

import re
import threading

import numpy as np
import pytest

import reflow as tf
from reflow.compile.runner import plan_of
from tests.eager.test_never_compiles import compilations
from tests.function.control_programs import PROGRAMS
from tests.function.control_table import Bench

#: program -> the ops that its plan may leave to the host, bodies of loops and branches included
HOST_OPS = {
    "mask_and_sum": {"Where"},
    "mask_rows": {"Where"},
    "where_and_gather": {"Where"},
    "unique_segments": {"Unique"},
    "ragged_sums": {"Const", "Assert"},
    "ragged_to_dense": {"Where", "Const", "Assert"},
    "dynamic_range": set(),
    "dynamic_reshape_and_tile": set(),
    "strings_and_numbers": {"StringLength", "AsString", "StringJoin"},
    "string_to_number": {"StringToNumber"},
    "python_in_the_middle": {"EagerPyFunc", "PyFunc"},
    "print_between_writes": {"StringFormat", "PrintV2"},
    "effects_in_order": {"Const", "StringFormat", "PrintV2", "Assert"},
    "iterator_inside": {"RangeDataset", "AnonymousIteratorV3", "MakeIterator", "IteratorGetNext"},
    "table_lookup": {"LookupTableFindV2"},
    "mask_in_loop": {"StatelessWhile", "Where"},
    "mask_in_branch": {"StatelessIf", "Where"},
    "while_prints": {"While", "StringFormat", "PrintV2"},
    "while_data_dependent": set(),
    "while_with_cond": set(),
    "map_nested": set(),
    "scan_rnn": set(),
    "vectorized_shapes": set(),
    "vectorized_while": set(),
    "jacobian_of_loop": set(),
}


def printed_plan(function, *args, capsys):
    """The printed plan after five calls: a program whose key turns out to need a value is compiled a call later."""
    for _ in range(5):
        function(*args)
    tf.explain(function, *args)
    return capsys.readouterr().out


def host_ops(text) -> set:
    """The ops in the lines below `on the host:`."""
    found, host = set(), False
    for line in text.split("\n"):
        line = line.strip()
        if re.match(r"\d+\. ", line):
            host = line.endswith("on the host:")
        elif host and (name := re.match(r"([\w>]+): (?!\d+ instructions)", line)):
            found.add(name[1])
    return found


@pytest.mark.parametrize("name", HOST_OPS)
def test_host_ops(name, capsys):
    bench = Bench(tf, PROGRAMS[name])
    text = printed_plan(bench.function(), *bench.tensors, capsys=capsys)
    assert host_ops(text) == HOST_OPS[name], text
    counts = [int(n) for n in re.findall(r"compiled for (\d+) kinds", text)]
    assert all(counts) and (counts or HOST_OPS[name]), text


def test_the_words(capsys):
    @tf.function(autograph=False)
    def f(x):
        y = tf.sin(x) * 2.0
        tf.print(y, output_stream="file:///dev/null")
        return tf.while_loop(
            lambda z: tf.size(z) < 8, lambda z: [tf.boolean_mask(tf.repeat(z, 2), tf.repeat(z, 2) > -9.0)], [y],
            shape_invariants=[tf.TensorShape([None])],
        )

    text = printed_plan(f, tf.constant([1.0, 2.0]), capsys=capsys)
    assert re.search(r"program of \d+ instructions: .*Sin", text)
    assert re.search(r"StringFormat: XLA has no strings \(File \".*test_plan.py\", line \d+", text)
    assert "StatelessWhile: it holds Where" in text
    assert re.search(r"\n {6}while_body: \d+ instructions, \d steps\n", text)  # and the plan of the body follows


def test_a_host_loop_keeps_its_body_compiled():
    """Between the print and the loop's end every iteration runs programs; the second call compiles none."""

    @tf.function(autograph=False)
    def f(x):
        def body(i, y):
            tf.print(i, output_stream="file:///dev/null")
            return i + 1, tf.tanh(y) * 2.0

        return tf.while_loop(lambda i, y: i < 5, body, (0, x))[1]

    x = tf.constant([1.0, 2.0])
    expected = f(x).numpy()
    f(x)
    with compilations() as seen:
        np.testing.assert_allclose(f(x).numpy(), expected, rtol=1e-6)
    assert not seen


def test_where_keeps_shapes_of_its_results_apart():
    """A region after a dynamic shape is compiled for each size it sees, and right for all."""

    @tf.function(autograph=False)
    def f(x):
        return tf.reduce_sum(tf.exp(tf.boolean_mask(x * 2.0, x > 0.0)))

    rng = np.random.default_rng(0)
    for _ in range(3):
        for n in range(5):
            x = np.where(np.arange(4) < n, 1.0, -1.0).astype(np.float32) * rng.uniform(0.5, 1.0, 4).astype(np.float32)
            np.testing.assert_allclose(f(tf.constant(x)).numpy(), np.exp(2 * x[x > 0]).sum(), rtol=1e-5)


# --- order of effects


def trace_of_effects(decorate):
    """What a program with prints, Python and writes does, as a list of events."""
    events: list = []
    v = tf.Variable(1.0)

    def note(text):
        return lambda *values: events.append((text, *[float(x) for x in values]))

    def f(x):
        tf.py_function(note("start"), [v], [])
        v.assign_add(tf.reduce_sum(x))
        tf.py_function(note("added"), [v, x[0]], [])
        y = tf.boolean_mask(x, x > 1.0) * v
        v.assign(v * 2.0)
        tf.numpy_function(note("doubled"), [v], [])
        tf.debugging.assert_greater(v, 0.0)
        tf.py_function(note("end"), [tf.reduce_sum(y)], [])
        return v + tf.reduce_sum(y)

    run = decorate(f)
    results = [float(run(tf.constant([1.0, 2.0]))) for _ in range(3)]
    return events, results


def test_effects_keep_program_order():
    assert trace_of_effects(lambda f: f) == trace_of_effects(lambda f: tf.function(f, autograph=False))


def test_a_failing_assert_stops_what_comes_after():
    """Writes before it stay; prints and Python functions after it do not run."""
    seen: list = []
    v = tf.Variable(0)

    @tf.function(autograph=False)
    def f(n):
        v.assign_add(1)
        tf.py_function(lambda: seen.append("before"), [], [])
        tf.debugging.assert_less(n, 3)
        tf.py_function(lambda: seen.append("after"), [], [])
        return n

    for n in (1, 2, 5):
        if n < 3:
            f(tf.constant(n))
        else:
            with pytest.raises(tf.errors.InvalidArgumentError):
                f(tf.constant(n))
    assert seen == ["before", "after"] * 2 + ["before"]
    assert int(v) == 3


def test_a_plan_that_another_thread_cuts_again():
    """A call that is on its way keeps the steps with which it began."""
    reached, go_on = threading.Event(), threading.Event()

    def wait(x):
        if threading.current_thread().name == "early":
            reached.set()
            go_on.wait(60)
        return x

    calls = tf.Variable(0)

    @tf.function
    def f(x):
        _, grown = tf.while_loop(
            lambda i, t: i < 3,
            lambda i, t: (i + 1, tf.concat([t, t], 0)),
            (0, tf.exp(x)),
            shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])),
        )
        calls.assign_add(tf.cast(tf.reduce_sum(grown) > 0.0, tf.int32))
        return tf.py_function(wait, [tf.reduce_sum(grown)], tf.float32) * 2.0

    x = tf.constant([0.0, 1.0, 2.0])
    found = []
    early = threading.Thread(target=lambda: found.append(f(x)), name="early")
    early.start()
    assert reached.wait(60)
    expected = [f(x) for _ in range(3)][-1]  # interpreted, compiled (the loop cannot be), compiled without it
    steps = len(plan_of(f.get_concrete_function(x).graph).steps)
    go_on.set()
    early.join()
    assert steps > 3
    np.testing.assert_allclose(found[0], expected, rtol=1e-5)
    assert calls.numpy() == 4


def test_many_threads_make_programs():
    """Each shape is compiled while others run; every thread gets what it computes alone."""

    @tf.function(input_signature=[tf.TensorSpec([None, 4])])
    def f(x):
        labels = tf.cast(x[:, 0], tf.int32)
        return tf.gather(tf.constant([1.0, 2.0, 3.0, 4.0]), labels % 4), tf.matmul(x, x, transpose_b=True)

    failures = []

    def work():
        for n in (1, 2, 3, 1, 2, 3, 1, 2, 3):
            x = np.arange(4.0 * n, dtype=np.float32).reshape(n, 4)
            picked, product = f(tf.constant(x))
            if picked.numpy().tolist() != [1.0] * n or not np.allclose(product, x @ x.T):
                failures.append(n)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures
