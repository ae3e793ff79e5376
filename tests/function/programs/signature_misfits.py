"""Arguments that do not fit an input signature or a trace: composites, structures, positions, names; what fits nevertheless."""
import numpy as np
import tensorflow as tf


def show(function, *args, **kwargs):
    try:
        print("fine:", tf.nest.map_structure(lambda t: t.numpy().tolist(), function(*args, **kwargs)))
    except (TypeError, ValueError) as e:
        print(type(e).__name__, str(e).splitlines()[0].split(". Received")[0][:150])


@tf.function(input_signature=[tf.RaggedTensorSpec([None, None])])
def ragged(x):
    return tf.reduce_sum(x, axis=1)


@tf.function(input_signature=[tf.SparseTensorSpec([None, 2])])
def sparse(x):
    return tf.sparse.to_dense(x)


show(ragged, tf.ragged.constant([[1.0], [2.0, 3.0]]))
show(ragged, tf.ragged.constant([[1], [2, 3]]))
show(sparse, tf.sparse.from_dense([[1.0, 0.0]]))
show(sparse, tf.sparse.from_dense([[1, 0]]))
for wrong in (tf.ones([1, 2]), [[1.0], [2.0, 3.0]], None):
    for function in (ragged, sparse):
        try:
            function(wrong)
        except (TypeError, ValueError) as e:
            print(type(e).__name__, str(e).startswith("Binding inputs to tf.function failed due to"))


@tf.function
def f(x, y=2.0, *, k=None):
    return x * y


c = f.get_concrete_function(tf.TensorSpec([None, 2], name="inp"), tf.TensorSpec([]))
one = tf.ones([1, 2])
for args, kwargs in (
    ((one, 3.0), {}),
    ((one, 3.0), {"k": None}),
    (([[1.0, 2.0]], 2), {"k": None}),
    ((np.ones([2, 2], np.float32), np.float32(2)), {}),
    ((one,), {}),
    ((one, 3.0, 4.0), {}),
    ((), {"inp": one, "y": tf.constant(1.0)}),
    ((), {"x": one, "y": 1.0, "k": None}),
    ((one, tf.constant(1.0)), {"inp": one}),
    ((tf.ones([2]), 1.0), {"k": None}),
    (("a", 1.0), {}),
    ((tf.ones([1, 2], tf.float64), 1.0), {"k": None}),
    ((tf.Variable([[1.0, 2.0]]), 1.0), {"k": None}),
    ((one, 1.0), {"k": 3}),
):
    show(c, *args, **kwargs)
