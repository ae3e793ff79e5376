"""Arguments of all kinds: defaults, keywords only, *args, **kwargs, partial, dataclasses, named tuples, dicts, None, strings."""
import collections
import functools

import tensorflow as tf

Point = collections.namedtuple("Point", "x y")


@tf.function
def f(a, b=2, *rest, scale=1.0, **more):
    print("trace", a if not hasattr(a, "shape") else "tensor", b, len(rest), scale, sorted(more))
    total = tf.cast(a, tf.float32) * scale + tf.cast(b, tf.float32)
    for r in rest:
        total += tf.cast(r, tf.float32)
    for k in sorted(more):
        total += tf.cast(more[k], tf.float32)
    return total


print(float(f(1)), float(f(1, 2)), float(f(tf.constant(1))), float(f(tf.constant(5), b=2)))
print(float(f(1, 2, 3, 4, scale=2.0, z=1, y=tf.constant(2))), f.experimental_get_tracing_count())
g = tf.function(functools.partial(lambda x, y, op="add": x + y if op == "add" else x - y, y=10))
print(int(g(1)), int(g(tf.constant(1))), int(g(tf.constant(1), op="sub")))


@tf.function
def move(p, by):
    return Point(p.x + by["x"], p.y + by["y"]), {"was": p, "n": None}


q, info = move(Point(tf.constant(1), tf.constant(2)), {"y": tf.constant(10), "x": tf.constant(20)})
print(type(q).__name__, q.x.numpy(), q.y.numpy(), type(info["was"]).__name__, info["n"])


@tf.function(input_signature=(tf.TensorSpec([None], tf.float32), {"k": tf.TensorSpec([], tf.int32)}))
def signed(x, d):
    return x * tf.cast(d["k"], tf.float32)


print(signed([1.0, 2.0], {"k": 3}).numpy())
for bad in (lambda: signed(tf.ones([2, 2]), {"k": 1}), lambda: signed([1.0], {"q": 1}), lambda: f(), lambda: signed([1.0])):
    try:
        bad()
    except (TypeError, ValueError) as e:
        print(type(e).__name__)
c = f.get_concrete_function(tf.TensorSpec([], tf.int32), scale=3.0)
print(float(c(tf.constant(2))), [t.name for t in c.inputs], c.structured_input_signature[0][0])


@tf.function
def mode(x, name, flag=None):
    if name == "double":
        x = x * 2
    if flag is None:
        return x
    return x + 1 if flag else x - 1


print([int(mode(tf.constant(3), *a)) for a in (("double",), ("none",), ("double", True), ("double", False))])
print(mode.experimental_get_tracing_count())
