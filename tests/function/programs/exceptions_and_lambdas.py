"""AutoGraph: `except ... as name`, assertions with their messages, lambdas on one line, loops over values of composite types."""

import tensorflow as tf

C = tf.constant


def show(f, *args, **kwargs):
    try:
        print(tf.nest.map_structure(lambda t: t.numpy().tolist() if hasattr(t, "numpy") else t, f(*args, **kwargs)))
    except Exception as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        print(type(error).__name__, lines[-1] if lines else "")


@tf.function
def named_exception(x):
    try:
        tf.reshape(x, [7])
    except ValueError as error:
        if x[0] > 0:
            return len(str(error)) > 0, x * 2
    except (TypeError, KeyError) as other:
        return len(str(other)) < 0, x
    else:
        return False, x
    return True, x


show(named_exception, C([1, 2]))
show(named_exception, C([-1, 2]))
show(named_exception, tf.range(7))


@tf.function
def exception_in_a_loop(n):
    seen = 0
    for i in tf.range(n):
        try:
            {}["key"]
        except KeyError as error:
            seen += len(error.args)
            if i > 2:
                seen += i
        finally:
            seen += 10
    return seen


show(exception_in_a_loop, C(5))


@tf.function
def python_assertions(x, n):
    assert n > 0
    assert n < 10, ("too large", n)
    if x > 0:
        x = x + n
    return x


show(python_assertions, C(1), 5)
show(python_assertions, C(1), -5)
show(python_assertions, C(1), 50)


@tf.function
def two_arguments(x):
    raise ValueError("first", 2)


show(two_arguments, C(1))


@tf.function
def assigned_in_condition(x):
    n = 0
    while (n := n + 1) < x:
        pass
    return n


show(assigned_in_condition, 4)
show(lambda: tf.function(lambda x: x if x > 0 else -x)(C(-1)))
show(lambda: (tf.function(lambda x: x if x > 0 else -x)(C(-1)), tf.function(lambda y: y if y > 1 else y * 5)(C(-1))))
show(lambda: tf.autograph.to_graph(lambda x: x + 1)(1))
show(tf.function(lambda: (range(3), {"a": range(1, 3)}), autograph=False))


@tf.function
def ragged_variable(n):
    x = tf.ragged.constant([[1], [2, 3]])
    for _ in tf.range(n):
        x = tf.concat([x, x], 1)
    return x.to_tensor()


show(ragged_variable, C(2))


@tf.function
def ragged_branches(p):
    if p:
        r = tf.RaggedTensor.from_row_lengths([1, 2, 3], [1, 2])
    else:
        r = tf.RaggedTensor.from_row_lengths([4, 5], [2])
    return r.to_tensor(), r.nrows()


show(ragged_branches, C(True))
show(ragged_branches, C(False))
print(ragged_branches.get_concrete_function(C(True)).output_shapes)


@tf.function
def condition_first(n):
    i = 0
    while condition(i, n):
        i = step(i)
    return i


order = []


def condition(i, n):
    order.append("condition")
    return i < n


def step(i):
    order.append("body")
    return i + 1


show(condition_first, C(3))
print(order[-2:])


@tf.function
def bad_invariant(n):
    v = tf.zeros([1, 2])
    i = 0
    while i < n:
        tf.autograph.experimental.set_loop_options(shape_invariants=[(v, tf.TensorShape([2, None]))])
        v = tf.concat([v, v], 0)
        i += 1
    return v


show(bad_invariant, C(2))


@tf.function
def changes_type(n):
    s = 0
    while s < n:
        s = s + 1.5
    return s


show(changes_type, C(3.0))
show(tf.cond, C(True), lambda: 1, lambda: 2)
show(tf.switch_case, C(1), [lambda: [1.5], lambda: ["a", (2,)]])
show(tf.while_loop, lambda a, b: a < 3, lambda a, b: (a + 1, b), (0, None))
for limit in (2, C(2, tf.int64), None):
    show(lambda: tf.while_loop(lambda i: i < 9, lambda i: (i + 1,), (0,), maximum_iterations=limit))
    show(
        tf.function(
            lambda: tf.while_loop(lambda i: i < 9, lambda i: (i + 1,), (0,), maximum_iterations=limit), autograph=False
        )
    )
show(tf.while_loop, lambda i: i < 9, lambda i: (i + 1,), (0,), maximum_iterations=2.5)
show(tf.while_loop, lambda i: i < 9, lambda i: (i + 1,), (0,), maximum_iterations=[2])
show(tf.function(lambda: tf.while_loop(lambda a, b: a < 3, lambda a, b: (a + 1, b), (0, None)), autograph=False))
show(tf.function(lambda: tf.convert_to_tensor(None), autograph=False))


@tf.function(input_signature=[tf.TensorSpec(None)])
def length(x):
    return len(x)


show(length, C([1.0, 2.0]))
try:
    length(C(1.0))
except tf.errors.InvalidArgumentError as error:
    print("len requires non-zero rank, got 0" in str(error))
