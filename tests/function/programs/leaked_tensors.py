"""Symbolic tensors where Python or eager code wants values: leaked from a function, a branch, a loop; conversions that are refused."""
import numpy as np
import tensorflow as tf

kept = []


@tf.function
def f(x):
    kept.append(x * 2.0)
    return x


f(tf.constant(1.0))
leaked = kept[0]
print(leaked, repr(leaked), leaked.shape, leaked.dtype)


def show(function):
    try:
        print("fine:", function())
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0][:150])


show(lambda: leaked + 1)
show(lambda: tf.square(leaked))
show(lambda: leaked.numpy())
show(lambda: hasattr(leaked, "numpy"))
show(lambda: bool(leaked))
show(lambda: float(leaked))
show(lambda: int(leaked))
show(lambda: len(leaked))
show(lambda: np.array(leaked, copy=None))
show(lambda: leaked.eval())
show(lambda: f(leaked))
show(lambda: tf.stack([leaked, leaked]))
show(lambda: leaked[0])
show(lambda: leaked == 1)
show(lambda: tf.Variable(1.0).assign(leaked))
show(lambda: tf.cond(leaked > 0, lambda: 1, lambda: 2))
show(lambda: hash(leaked))
show(lambda: range(leaked))
print(f.get_concrete_function(leaked).inputs)


@tf.function
def branch(x):
    if x > 0:
        kept.append(x * 3.0)
    return kept[-1]


@tf.function
def loop(x):
    found = []
    for _ in tf.range(3):
        found.append(x * 2)
    return found[0]


@tf.function
def nested(x):
    @tf.function
    def g(y):
        kept.append(y + 1.0)
        return y

    g(x)
    return kept[-1] * 2.0


for function in (branch, loop, nested):
    try:
        print(function(tf.constant(1.0)).numpy())
    except ValueError as e:
        print(type(e).__name__, isinstance(e, ValueError), isinstance(e, TypeError), "is out of scope" in str(e))
try:
    tf.function(lambda x: x + leaked)(tf.constant(1.0))
except TypeError as e:
    print("TypeError", "is out of scope and cannot be used here" in str(e))
