"""What `tf.print` writes, and what the checks of `tf.debugging` say: eagerly, in functions, and where no shape is known."""

import collections
import os
import re
import tempfile

import tensorflow as tf

C = tf.constant
R = tf.ragged.constant
P = collections.namedtuple("P", "a b")
D = tf.debugging


def said(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    before = [a for a, b in zip(lines, lines[1:]) if "[[{{node" in b]
    text = before[-1] if before else lines[-1] if "in user code" in lines[0] else " | ".join(lines)
    text = re.sub(r"^\w+Error: | \[Op:.*|{{function_node \S+}} ", "", text)
    return type(error).__name__ + ": " + re.sub(r"tensorflow\.\S+\.(\w+)'|reflow\.\S+\.(\w+)'", "", text)


def written(f):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out")
        f("file://" + path)
        with open(path) as file:
            print(file.read(), end="|\n")


def both(f):
    def function(*args):
        f(*args)

    written(f)
    written(tf.function(function))


def show(f, *args):
    try:
        print(tf.nest.map_structure(lambda t: t.numpy().tolist() if hasattr(t, "numpy") else t, f(*args)))
    except Exception as error:
        print(said(error))


def dbg(f, *args):
    def function(*inner):
        result = f(*inner)
        return result if tf.is_tensor(result) else None

    show(f, *args)
    show(tf.function(function), *args)
    show(lambda *a: tf.function(function).get_concrete_function(*[tf.TensorSpec(None, v.dtype) for v in a])(*a), *args)


x = tf.reshape(tf.range(40.0), [8, 5])
both(lambda o: tf.print("a", C(1), [1, 2.5, "s"], {"k": C([1.0, 2.0])}, output_stream=o))
both(lambda o: tf.print(x, summarize=2, output_stream=o))
both(lambda o: tf.print(x, summarize=-1, output_stream=o))
both(lambda o: tf.print(x, output_stream=o))
both(lambda o: tf.print("x", "y", sep="<->", end="END", output_stream=o))
both(lambda o: tf.print(R([[1], [2, 3]]), tf.sparse.from_dense([[1, 0], [0, 2]]), output_stream=o))
both(lambda o: tf.print(P(C(1), "b"), (C(2),), None, True, output_stream=o))
both(
    lambda o: tf.print(
        C("str"),
        C(["a", "b"]),
        C(True),
        C(1.5),
        C(1e10),
        C(1e-7),
        C(float("nan")),
        C([float("inf"), -1.0]),
        output_stream=o,
    )
)
both(
    lambda o: tf.print(
        C(1, tf.int8),
        C(3, tf.uint16),
        C(2.5, tf.float16),
        C(2.5, tf.bfloat16),
        C(1 + 2j),
        C(0.1, tf.float64),
        C(1 / 3),
        C(123456789.0),
        output_stream=o,
    )
)
both(lambda o: tf.print("{}", C(1), "%s", output_stream=o))
both(lambda o: tf.print(output_stream=o))
both(lambda o: tf.print("", output_stream=o))
both(lambda o: tf.print(tf.zeros([0]), tf.zeros([2, 0]), tf.zeros([2, 2, 2]), output_stream=o))
both(lambda o: tf.print([C([1, 2]), [C(3)]], output_stream=o))
both(lambda o: tf.print(tf.TensorShape([1, None]), tf.float32, output_stream=o))
both(lambda o: tf.print("multi\nline", C('q"uote'), C("tab\t"), C("ü"), output_stream=o))
show(lambda: tf.print("a", output_stream="bad"))
show(lambda: tf.print("a", foo=1))

dbg(lambda a, b: D.assert_equal(a, b), C([1, 2]), C([1, 3]))
dbg(lambda a, b: D.assert_equal(a, b, message="msg", summarize=1), C([1, 2]), C([1, 3]))
dbg(lambda a, b: D.assert_none_equal(a, b), C([1, 2]), C([1, 3]))
dbg(lambda a, b: D.assert_less(a, b), C([1, 2]), C([1, 3]))
dbg(lambda a, b: D.assert_less_equal(a, b), C([1, 4]), C([1, 3]))
dbg(lambda a, b: D.assert_greater(a, b), C([1, 4]), C([1, 3]))
dbg(lambda a, b: D.assert_greater_equal(a, b), C([0, 4]), C([1, 3]))
dbg(lambda a, b: D.assert_near(a, b), C([0.0, 4]), C([1.0, 3]))
dbg(lambda a, b: D.assert_near(a, b, rtol=1.0, atol=1.0), C([0.0, 4]), C([1.0, 3]))
for fn in (D.assert_positive, D.assert_negative, D.assert_non_negative, D.assert_non_positive):
    dbg(lambda a: fn(a, message="hey"), C([0, -1, 1]))
dbg(lambda a: D.assert_rank(a, 2), C([1]))
dbg(lambda a: D.assert_rank(a, 2, message="m"), C([1]))
dbg(lambda a: D.assert_rank_at_least(a, 2), C([1]))
dbg(lambda a: D.assert_rank_in(a, [2, 3]), C([1]))
dbg(lambda a: D.assert_type(a, tf.float32), C([1]))
dbg(lambda a: D.assert_integer(a), C([1.0]))
dbg(lambda a: D.assert_scalar(a), C([1.0]))
dbg(lambda a: D.assert_same_float_dtype([a], tf.float32), C([1]))
dbg(lambda a: D.assert_same_float_dtype([a, tf.cast(a, tf.float64)]), C([1.0]))
dbg(lambda a, b: D.assert_shapes([(a, ("N", "M")), (b, ("N", 3))]), C([[1, 2]]), C([[1, 2, 3], [1, 2, 3]]))
dbg(lambda a, b: D.assert_shapes([(a, ("N", "N"))]), C([[1, 2]]), C(1))
dbg(lambda a: D.Assert(a > 1, [a, "text", 3]), C(0))
dbg(lambda a: D.Assert(a, ["x"]), C(0))
dbg(lambda a: D.Assert(tf.reduce_all(a > 1), [a], summarize=2), C([0, 1, 2, 3]))
dbg(lambda a: D.assert_all_finite(a, "not fin"), C([1.0, float("nan")]))
dbg(lambda a: D.check_numerics(a, "nums"), C([1.0, float("inf")]))
dbg(lambda a: D.is_numeric_tensor(a), C([1.0]))
dbg(lambda a: (tf.math.is_non_decreasing(a), tf.math.is_strictly_increasing(a)), C([1.0, 1.0, 2.0]))
dbg(lambda a, b: D.assert_equal(a, b), C(True), C(False))
dbg(lambda a, b: D.assert_equal(a, b), C([1, 2, 3]), C([1, 2]))
dbg(lambda a, b: D.assert_equal(a, b), C([1.0]), C([1]))
dbg(lambda a, b: D.assert_equal(a, 5), C([1, 2]), C(0))
big = tf.range(100)
dbg(lambda a, b: D.assert_equal(a, b), big, big + 1)


@tf.function
def deps(x):
    a = D.assert_greater(x, 0)
    with tf.control_dependencies([a] if a is not None else []):
        return tf.identity(x) * 2


show(deps, C(1))
show(deps, C(-1))
