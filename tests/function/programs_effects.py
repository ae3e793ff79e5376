"""Programs of effects: `tf.print`, `tf.debugging`, `tf.py_function`, `tf.numpy_function`."""

import collections

import numpy as np

from tests.function.control_table import program, sink

Pair = collections.namedtuple("Pair", "a b")
X = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


@program(X, ["a", "b"], [1, 2, 3, 4, 5, 6, 7, 8])
def print_options(tf, x, s, n):
    tf.print("x", x, s, n, output_stream=sink())
    tf.print(n, summarize=1, output_stream=sink())
    tf.print(n, summarize=-1, sep="|", end="END\n", output_stream=sink())
    tf.print("a", n[0], s[0], sep=", ", output_stream=sink(), name="p")
    return x


@program(X, [1, 2])
def print_structures(tf, x, n):
    tf.print({"b": x, "a": [n, (n, "text")]}, Pair(n, 1), None, 2.5, True, output_stream=sink())
    return n


@program([[1, 0], [0, 2]])
def print_composites(tf, n):
    tf.print(tf.sparse.from_dense(n), output_stream=sink())
    tf.print("r", tf.RaggedTensor.from_row_lengths(n, [2, 0]), output_stream=sink())
    return n


@program([1.0, 2.0], state=lambda tf: {"v": tf.Variable([1.0, 2.0])})
def print_between_writes(tf, s, x):
    tf.print("before", s["v"], output_stream=sink())
    s["v"].assign_add(x)
    tf.print("after", s["v"], x * 2.0, output_stream=sink())
    s["v"].assign(s["v"] * 2.0)
    tf.print("last", s["v"], output_stream=sink())
    return s["v"] + 0.0


@program([1.0, 2.0], grad=2)
def print_in_gradient(tf, x):
    tf.print("x", x, output_stream=sink())
    return x * x * x


@program(2, [1, 2, 3, 4, 5])
def assert_fails(tf, k, n):
    tf.debugging.Assert(k > 3, ["k is", k, "n is", n])
    return k


@program(2, [[1, 2], [3, 4], [5, 6]])
def assert_summarize(tf, k, n):
    tf.debugging.Assert(k > 3, [n], summarize=5, name="check")
    return k


@program(2, [1.0, 2.5, 1e-10])
def assert_summarize_all(tf, k, x):
    tf.debugging.Assert(k > 3, [x, "text"], summarize=-1)
    return k


@program(4)
def assert_holds(tf, k):
    tf.debugging.Assert(k > 3, [k])
    return k


@program(2, state=lambda tf: {"a": tf.Variable(0), "b": tf.Variable(0)})
def assert_after_write(tf, s, k):
    s["a"].assign_add(k)
    tf.print("a", s["a"], output_stream=sink())
    tf.debugging.assert_less(s["a"], 3, message="a is large")
    return k


@program([1, 2, 3], [1, 2, 4])
def assert_equal_fails(tf, a, b):
    tf.debugging.assert_equal(a, b, message="must be equal", summarize=2)
    return a


@program([1, 2, 3], [1, 2, 3])
def assert_equal_holds(tf, a, b):
    tf.debugging.assert_equal(a, b)
    with tf.control_dependencies([tf.debugging.assert_greater(a, 0)] if not tf.executing_eagerly() else []):
        return tf.identity(a)


@program([1.0, 2.0], text=False)
def assert_static_fails(tf, x):
    tf.debugging.assert_equal(1, 2)
    return x


@program([1.0, -2.0], text=False)
def assert_positive_fails(tf, x):
    tf.debugging.assert_positive(x, message="positive")
    return x


@program([1.0, -2.0], text=False)
def assert_near_fails(tf, x):
    tf.debugging.assert_near(x, [1.0, -2.1])
    return x


@program([1.0, 2.0], text=False)
def assert_rank_static_fails(tf, x):
    tf.debugging.assert_rank(x, 2)
    return x


@program([1.0, 2.0])
def assert_shapes_hold(tf, x):
    tf.debugging.assert_shapes([(x, ("N",)), (x * 2.0, ("N",))])
    return x


@program([1.0, 2.0], [1.0, 2.0, 3.0], text=False)
def assert_shapes_fail(tf, x, y):
    tf.debugging.assert_shapes([(x, ("N",)), (y, ("N",))])
    return x


@program([1.0, np.inf, np.nan])
def check_numerics_fails(tf, x):
    return tf.debugging.check_numerics(x * 2.0, "numbers")


@program([1.0, 2.0], grad=2)
def check_numerics_holds(tf, x):
    return tf.debugging.check_numerics(x * x * x, "numbers")


@program([1.0, 2.0], 2, text=False)
def assert_type_and_scalar(tf, x, n):
    tf.debugging.assert_type(x, tf.float32)
    tf.debugging.assert_scalar(n)
    tf.debugging.assert_integer(n)
    tf.debugging.assert_none_equal(n, 3)
    tf.debugging.assert_less_equal(n, 2)
    tf.debugging.assert_greater_equal(n, 2)
    tf.debugging.assert_non_negative(x)
    tf.debugging.assert_rank_in(x, [0, 1])
    tf.debugging.assert_rank_at_least(x, 1)
    return x


# --- Python functions


@program([1.0, 2.0], grad=1)
def py_function_plain(tf, x):
    return tf.py_function(lambda a: a * a * a, [x], tf.float32)


@program([1.0, 2.0], [3.0, 4.0], grad=1)
def py_function_two(tf, x, y):
    return tf.py_function(lambda a, b: (a * b, tf.reduce_sum(a)), [x, y], [tf.float32, tf.float32])


@program([1.0, 2.0], grad=1)
def py_function_between(tf, x):
    y = tf.sin(x) * 2.0
    z = tf.py_function(lambda a: a * a, [y], tf.TensorSpec([2], tf.float32))
    return tf.cos(z) + y


@program([1.0, 2.0])
def py_function_structure(tf, x):
    """A structure of results, and one of arguments."""
    out = tf.py_function(lambda a, b: [a, b], [x, tf.size(x)], Tout=[tf.float32, tf.int32])
    return out


@program([1.0, 2.0])
def py_function_specs(tf, x):
    return tf.py_function(lambda a: [a, a[0]], [x], [tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.float32)])


@program([1.0, 2.0])
def py_function_python_numbers(tf, x):
    return tf.py_function(lambda a: [float(a[0]), 3], [x], [tf.float32, tf.int64])


@program([1.0, 2.0])
def py_function_nothing(tf, x):
    tf.py_function(lambda a: None, [x], [])
    return x


@program([1.0, 2.0])
def py_function_single_in_list(tf, x):
    return tf.py_function(lambda a: a, [x], [tf.float32])


@program([1.0, 2.0], text=False)
def py_function_raises(tf, x):
    def fail(a):
        raise ValueError("bad value")

    return tf.py_function(fail, [x], tf.float32)


@program([1.0, 2.0], text=False)
def py_function_raises_other(tf, x):
    def fail(a):
        raise RuntimeError("other")

    return tf.py_function(fail, [x], tf.float32)


@program([1.0, 2.0], text=False)
def py_function_raises_stop(tf, x):
    def fail(a):
        raise StopIteration("stop")

    return tf.py_function(fail, [x], tf.float32)


@program([1.0, 2.0], text=False)
def py_function_wrong_count(tf, x):
    return tf.py_function(lambda a: a, [x], [tf.float32, tf.float32])


@program([1.0, 2.0], text=False)
def py_function_wrong_dtype(tf, x):
    return tf.py_function(lambda a: tf.cast(a, tf.int32), [x], tf.float32)


@program([1.0, 2.0], grad=1)
def py_function_tape_inside(tf, x):
    def slope(a):
        with tf.GradientTape() as tape:
            tape.watch(a)
            b = a * a * a
        return tape.gradient(b, a)

    return tf.py_function(slope, [x], tf.float32)


@program([1.0, 2.0], state=lambda tf: {"v": tf.Variable(1.0)}, like_eager=True)
def py_function_writes_variable(tf, s, x):
    s["v"].assign_add(1.0)
    out = tf.py_function(lambda a: a * s["v"].assign(s["v"] * 2.0), [x], tf.float32)
    return out, s["v"] + 0.0


@program(["a", "bc"])
def py_function_strings(tf, s):
    return tf.py_function(lambda a: tf.strings.join([a, a]), [s], tf.string)


@program([[1.0, 2.0], [3.0, 4.0]])
def py_function_ragged(tf, x):
    r = tf.RaggedTensor.from_row_lengths(x, [1, 0, 1])
    return tf.py_function(lambda a: a * 2.0, [r], tf.RaggedTensorSpec([None, None, 2], tf.float32, 1))


@program(3)
def py_function_in_loop(tf, n):
    return tf.while_loop(
        lambda i, t: i < n, lambda i, t: (i + 1, t + tf.py_function(lambda k: k * k, [i], tf.TensorSpec([], tf.int32))),
        (0, 0),
    )


@program(2.0, grad=1)
def py_function_in_branch(tf, x):
    return tf.cond(x > 1.0, lambda: tf.py_function(lambda a: a * a, [x], tf.TensorSpec([], tf.float32)), lambda: x)


@program(X)
def py_function_in_map(tf, x):
    return tf.map_fn(lambda r: tf.py_function(lambda a: a[::-1], [r], tf.TensorSpec([2], tf.float32)), x)


@program([1.0, 2.0], grad=1)
def numpy_function_plain(tf, x):
    return tf.numpy_function(np.sinh, [x], tf.float32), x


@program([1.0, 2.0])
def numpy_function_two(tf, x):
    return tf.numpy_function(lambda a: (a + np.float32(1), np.int64(a.size)), [x], [tf.float32, tf.int64])


@program([1.0, 2.0])
def numpy_function_stateless(tf, x):
    return tf.numpy_function(lambda a: a * np.float32(2), [x], tf.float32, stateful=False)


@program([1.0, 2.0])
def numpy_function_spec(tf, x):
    return tf.numpy_function(lambda a: a, [x], tf.TensorSpec([2], tf.float32))


@program(["a", "bc"])
def numpy_function_strings(tf, s):
    return tf.numpy_function(lambda a: np.array([v.upper() for v in a], object), [s], tf.string)


@program("a")
def numpy_function_scalar_string(tf, s):
    return tf.numpy_function(lambda a: a + b"!" if isinstance(a, bytes) else b"array", [s], tf.string)


@program(2.5)
def numpy_function_scalar(tf, x):
    return tf.numpy_function(lambda a: np.float32(type(a).__name__ == "float32"), [x], tf.float32)


@program([1.0, 2.0], text=False)
def numpy_function_wrong_dtype(tf, x):
    return tf.numpy_function(lambda a: a.astype(np.float64), [x], tf.float32)


@program([1.0, 2.0], text=False)
def numpy_function_wrong_count(tf, x):
    return tf.numpy_function(lambda a: (a, a), [x], tf.float32)


@program([1.0, 2.0], text=False)
def numpy_function_raises(tf, x):
    return tf.numpy_function(lambda a: a.nothing, [x], tf.float32)


@program([1.0, 2.0])
def numpy_function_python_list(tf, x):
    return tf.numpy_function(lambda a: [1.5, 2], [x], [tf.float32, tf.int32])


@program([1.0, 2.0])
def numpy_function_nothing(tf, x):
    out = tf.numpy_function(lambda a: None, [x], [])
    assert out is None or not tf.executing_eagerly() or list(out) == []
    return x
