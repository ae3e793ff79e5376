"""How a result of `array_cases` is written down: the same for TensorFlow and Reflow."""

import re

import numpy as np


def record(result):
    """A tensor as [dtype, shape, flat values]; a list or tuple of them as a list."""
    if isinstance(result, (list, tuple)):
        return [record(r) for r in result]
    values = np.asarray(result.numpy())
    flat = values.reshape(-1)
    if values.dtype == object:
        flat = [v.decode() for v in flat]
    elif values.dtype.kind == "c":
        flat = [[float(v.real), float(v.imag)] for v in flat]
    else:
        flat = flat.tolist()
    return [result.dtype.name, list(values.shape), list(flat)]


def error_of(case, tf):
    """[class, message without the names of nodes and devices] of what a case raises."""
    try:
        case(tf)
    except Exception as error:  # noqa: BLE001 - any class is an answer
        message = re.sub(r"\{\{.*?\}\} ", "", str(error))
        message = re.sub(r",? node name: \w+", "", message)
        return [type(error).__name__, message.split(" [Op:")[0].strip()]
    return None


def gradients_of(tf, function, inputs):
    """Gradients of sum(f(x) * weights) by each input, with weights that tell the elements apart."""
    tensors = [tf.constant(x) for x in inputs]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = function(tf, *tensors)
        weights = tf.cast(tf.reshape(tf.range(1, tf.size(y) + 1), tf.shape(y)), y.dtype)
        total = tf.reduce_sum(y * weights)
    return [None if g is None else record(tf.convert_to_tensor(g)) for g in tape.gradient(total, tensors)]
