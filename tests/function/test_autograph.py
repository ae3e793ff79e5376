"""AutoGraph: programs against Python, and what it says when a program cannot be a graph."""

import logging
import traceback

import numpy as np
import pytest

import reflow as tf
from tests.function import autograph_algorithms  # noqa: F401 - it registers programs
from tests.function.autograph_programs import PROGRAMS

CASES = [pytest.param(f, list(a), id=f"{f.__name__}-{i}") for f, lists in PROGRAMS for i, a in enumerate(lists)]


def tensors(arguments):
    """Numbers and arrays as tensors; Python flags stay."""
    return [a if isinstance(a, (bool, list)) else tf.constant(a) for a in arguments]


def as_numbers(structure):
    return [np.asarray(x) for x in tf.nest.flatten(structure)]


def test_there_are_enough_programs():
    assert len(PROGRAMS) >= 100


@pytest.mark.parametrize("program, arguments", CASES)
def test_equals_python(program, arguments):
    expected = as_numbers(program(*arguments))
    for got in (tf.function(program)(*tensors(arguments)), tf.autograph.to_graph(program)(*tensors(arguments))):
        for a, b in zip(expected, as_numbers(got), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5)


@pytest.mark.parametrize("name", ["collatz", "find_by_return", "sum_rows", "nested_for", "while_break", "method_and_call"])
def test_unknown_shapes(name):
    program, lists = next((f, a) for f, a in PROGRAMS if f.__name__ == name)
    for arguments in lists:
        signature = [tf.TensorSpec([None] * np.ndim(a), tf.int32) for a in arguments]
        got = tf.function(program, input_signature=signature)(*tensors(arguments))
        assert int(got) == int(program(*arguments))


# --- tensors, arrays, datasets


def test_tensor_array_in_loop_and_branch():
    @tf.function
    def even(n):
        found = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
        for i in tf.range(n):
            if i % 2 == 0:
                found = found.write(found.size(), i * i)
        return found.stack()

    assert even(tf.constant(7)).numpy().tolist() == [0, 4, 16, 36]


def test_loop_over_dataset():
    @tf.function
    def total(dataset):
        s, n = tf.constant(0, tf.int64), 0
        for x in dataset:
            if x > 5:
                break
            if x == 2:
                continue
            s += x
            n += 1
        return s, n

    s, n = total(tf.data.Dataset.range(100))
    assert (int(s), int(n)) == (13, 5)


def test_loop_over_dataset_of_tuples_without_variables():
    v = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def run(dataset):
        for a, b in dataset:
            v.assign_add(a * b)

    run(tf.data.Dataset.zip((tf.data.Dataset.range(4), tf.data.Dataset.range(1, 5))))
    assert int(v) == 0 + 2 + 6 + 12


def test_loop_over_iterator():
    @tf.function
    def total(iterator):
        s = tf.constant(0, tf.int64)
        for x in iterator:
            s += x
        return s

    iterator = iter(tf.data.Dataset.range(10))
    next(iterator), next(iterator)
    assert int(total(iterator)) == 44


def test_enumerate_zip_map_filter_of_datasets():
    @tf.function
    def run():
        s = tf.constant(0, tf.int64)
        for i, x in enumerate(tf.data.Dataset.range(3, 6)):
            s += i * x
        for a, b in zip(tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)):
            s += a * b
        for y in map(lambda x: x * 2, tf.data.Dataset.range(3)):
            s += y
        for y in filter(lambda x: x > 1, tf.data.Dataset.range(4)):
            s += y
        return s, len(tf.data.Dataset.range(7))

    s, n = run()
    assert int(s) == (4 + 10) + (11 + 24) + 6 + 5
    assert int(n) == 7


def test_conversion_in_dataset_functions():
    def f(x):
        if x % 2 == 0:
            return x
        return -x

    assert [int(x) for x in tf.data.Dataset.range(4).map(f)] == [0, -1, 2, -3]


def test_conversion_in_map_fn():
    def f(x):
        if x > 0:
            return x
        return x * x

    @tf.function
    def run(v):
        return tf.map_fn(f, v)

    assert run(tf.constant([1, -2, 3])).numpy().tolist() == [1, 4, 3]


def test_rows_of_a_ragged_tensor():
    @tf.function
    def total(r):
        s = 0
        for row in r:
            s += tf.reduce_max(row)
        return s

    assert int(total(tf.ragged.constant([[1, 2], [7]]))) == 9


def test_variables():
    v = tf.Variable(1.0)

    @tf.function
    def step(n):
        for _ in tf.range(n):
            if v < 20.0:
                v.assign(v * 2.0)
        while v > 10.0:
            v.assign_sub(1.0)
        return v

    assert float(step(tf.constant(10))) == 10.0 and float(v) == 10.0


def test_print_happens_at_trace_time(capsys):
    @tf.function
    def f(x):
        print("tracing", "once")
        return x

    f(tf.constant(1)), f(tf.constant(2))
    assert capsys.readouterr().out == "tracing once\n"


def test_print_as_a_feature(capsys):
    f = tf.autograph.to_graph(lambda x: print("x is", x), experimental_optional_features=tf.autograph.experimental.Feature.BUILTIN_FUNCTIONS)
    run = tf.function(f)
    run(tf.constant(1)), run(tf.constant(2))
    assert capsys.readouterr().out == "x is 1\nx is 2\n"


def test_lists_as_a_feature():
    def squares(n):
        l = []
        for i in tf.range(n):
            l.append(i * i)
        return tf.raw_ops.TensorListStack(input_handle=l, element_shape=-1, element_dtype=tf.int32)

    converted = tf.autograph.to_graph(squares, experimental_optional_features=tf.autograph.experimental.Feature.LISTS)
    assert tf.function(converted)(tf.constant(4)).numpy().tolist() == [0, 1, 4, 9]


# --- gradients


@pytest.mark.parametrize("n", [0, 1, 5])
def test_gradient_inside_and_outside(n):
    def power(x, n):
        y = tf.ones_like(x)
        for i in tf.range(n):
            if i % 2 == 0:
                y = y * x
            else:
                y = y * (x + 1.0)
        return y

    @tf.function
    def inside(x, n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = power(x, n)
        return tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)

    x = tf.constant(1.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x, n)
    expected = tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(power)(x, tf.constant(n))
    outside = tape.gradient(y, x, unconnected_gradients=tf.UnconnectedGradients.ZERO)
    np.testing.assert_allclose(expected, outside)
    np.testing.assert_allclose(expected, inside(x, tf.constant(n)))


def test_gradient_of_data_dependent_loop():
    @tf.function
    def f(x):
        while tf.reduce_sum(x) < 100.0:
            x = x * x
        return tf.reduce_sum(x)

    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(tape.gradient(y, x), [4 * 2.0**3, 4 * 3.0**3] if float(y) == 97 else 8 * np.array([2.0, 3.0]) ** 7)


# --- options


def test_shape_invariants():
    @tf.function
    def grow(n):
        v = tf.constant([0])
        for i in tf.range(n):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(v, tf.TensorShape([None]))])
            v = tf.concat([v, [i]], 0)
        return v

    assert grow(tf.constant(3)).numpy().tolist() == [0, 0, 1, 2]


def test_maximum_iterations():
    @tf.function
    def f(n):
        s = 0
        while s < n:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3, parallel_iterations=2)
            s += 1
        return s

    assert int(f(tf.constant(10))) == 3 and int(f(tf.constant(2))) == 2


def test_do_not_convert():
    @tf.autograph.experimental.do_not_convert
    def f(x):
        return 1 if x > 0 else 2

    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(f)(tf.constant(1))
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(lambda x: f(x) + 1)(tf.constant(1))
    assert tf.function(f)(1).numpy() == 1


def test_function_inside_do_not_convert_is_converted():
    inner = tf.function(lambda x: 1 if x > 0 else 2)
    outer = tf.autograph.experimental.do_not_convert(lambda x: inner(x) + 1)
    assert int(tf.function(outer)(tf.constant(-1))) == 3


def test_two_lambdas_on_one_line():
    f, g = tf.function(lambda x: 1 if x > 0 else 2), tf.function(lambda x: 3 if x > 0 else 4)
    assert [int(h(tf.constant(s))) for h in (f, g) for s in (1, -1)] == [1, 2, 3, 4]


def test_autograph_off():
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError):
        tf.function(lambda x: 1 if x > 0 else 2, autograph=False)(tf.constant(1))


def test_to_code_shows_the_conversion():
    def square_if_positive(x):
        if x > 0:
            x = x * x
        else:
            x = 0
        return x

    code = tf.autograph.to_code(square_if_positive)
    assert code.startswith("def tf__square_if_positive(x):") and "ag__.if_stmt(" in code
    with pytest.raises(Exception, match="python_function") as caught:
        tf.autograph.to_code(tf.function(square_if_positive))
    assert type(caught.value).__name__ == "ConversionError"


def test_unreadable_source_runs_as_it_is(caplog):
    namespace: dict = {}
    exec("def f(x):\n    return abs(x) + 1", namespace)
    run = tf.function(namespace["f"])
    with caplog.at_level(logging.WARNING, "tensorflow"):
        assert int(run(tf.constant(-3))) == 4
        run(tf.constant(-3.0))
    warnings = [r.getMessage() for r in caplog.records if "AutoGraph could not transform" in r.getMessage()]
    assert len(warnings) == 1


# --- errors


def undefined_in_else(x):
    if x > 0:
        y = 1
    return y


def missing_return(x):
    if x > 0:
        return x


def different_dtypes(x):
    if x > 0:
        y = 1
    else:
        y = 1.0
    return y


def different_structures(x):
    if x > 0:
        y = [x, x]
    else:
        y = x
    return y


def none_in_one_branch(x):
    y = x
    if x > 0:
        y = None
    return y


def loop_changes_dtype(x):
    y = 0
    for _ in tf.range(x):
        y = 1.5
    return y


def loop_changes_shape(x):
    y = tf.constant([1])
    for _ in tf.range(x):
        y = tf.concat([y, y], 0)
    return y


def undefined_in_loop(x):
    while x > 0:
        x = x - z  # noqa: F821
        z = 1  # noqa: F841
    return x


def number_as_condition(x):
    if x:
        return 1
    return 2


def break_out_of_python_loop(x):
    for i in range(3):
        if x > i:
            break
    return x


@pytest.mark.parametrize("function, error, message", [
    (undefined_in_else, ValueError, "'y' must also be initialized in the else branch"),
    (missing_return, ValueError, "the else branch must also have a return statement."),
    (different_dtypes, TypeError, "'y' has dtype int32 in the main branch, but dtype float32 in the else branch"),
    (different_structures, TypeError, "'y' must have the same nested structure in the main and else branches"),
    (none_in_one_branch, TypeError, "'y'|same number, type"),
    (loop_changes_dtype, TypeError, "'y' has dtype int32 before the loop, but dtype float32 after one iteration"),
    (loop_changes_shape, ValueError, r"'y' has shape \(1,\) before the loop, but shape \(2,\) after one iteration"),
    (undefined_in_loop, ValueError, "'z' must be defined before the loop"),
    (number_as_condition, ValueError, "condition of if statement expected to be `tf.bool` scalar"),
    (break_out_of_python_loop, NotImplementedError, "break and return statements which depend on a TF condition"),
])
def test_errors_name_the_variable(function, error, message):
    with pytest.raises((ValueError, TypeError, NotImplementedError), match=message) as caught:
        tf.function(function)(tf.constant(3))
    assert isinstance(caught.value, error) or function is none_in_one_branch
    assert str(caught.value).startswith("in user code:")


def fails(x):
    return tf.matmul(x, x) + 1.0


def calls_fails(x):
    if tf.reduce_sum(x) > 0.0:
        y = fails(x)
    else:
        y = x
    return y


def test_errors_show_the_users_lines():
    with pytest.raises(Exception) as caught:
        tf.function(calls_fails)(tf.ones([2, 3]))
    first = calls_fails.__code__.co_firstlineno
    lines = str(caught.value).splitlines()
    assert lines[2] == f'    File "{__file__}", line {first + 2}, in calls_fails  *'
    assert lines[3].strip() == "y = fails(x)"
    assert lines[4] == f'    File "{__file__}", line {fails.__code__.co_firstlineno + 1}, in fails  *'
    frames = [f for f in traceback.extract_tb(caught.value.__traceback__) if f.filename == __file__]
    assert [f.name for f in frames[-3:]] == ["calls_fails", "calls_fails", "fails"]


class OddError(Exception):
    def __init__(self, number, text):
        super().__init__(number, text)
        self.number = number


def test_errors_keep_their_class_and_attributes():
    @tf.function
    def f(x):
        if len(x.shape) == 1:
            raise OddError(7, "odd")
        return x

    with pytest.raises(OddError) as caught:
        f(tf.ones([2]))
    assert caught.value.number == 7 and "in user code:" in caught.value.__notes__[0]


def test_failed_assertion_at_run_time():
    @tf.function
    def f(x):
        assert x > 0, "x must be positive"
        return x

    assert int(f(tf.constant(1))) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="x must be positive"):
        f(tf.constant(-1))


def test_loop_that_returns_must_run():
    @tf.function
    def first(n):
        for i in tf.range(n):
            return i

    assert int(first(tf.constant(3))) == 0
    with pytest.raises(tf.errors.InvalidArgumentError, match="loop must iterate at least once"):
        first(tf.constant(0))


# --- cost


def test_conversion_is_kept():
    from reflow.api.autograph import conversion

    def f(x):
        if x > 0:
            return x
        return -x

    tf.function(f)(tf.constant(1))
    options = conversion.options(user_requested=True)
    context = conversion.converter.ProgramContext(options)
    made = conversion._TRANSPILER.transform_function(f, context)
    tf.function(f)(tf.constant(1.0))
    assert conversion._TRANSPILER.transform_function(f, context) is made
