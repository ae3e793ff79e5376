"""What a TensorArray refuses, and what it takes: indices of other integer types, lengths, elements that were never written."""

import re

import tensorflow as tf

TA = tf.TensorArray
C = tf.constant


def said(error):
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    before = [a for a, b in zip(lines, lines[1:]) if "[[{{node" in b]
    text = re.sub(r"^{{function_node \S+}} ", "", (before or lines)[-1])
    return type(error).__name__ + ": " + re.sub(r"Use `.*|^\w+Error: | \[Op:.*", "", text)


def show(make, *args):
    try:
        print(tf.nest.map_structure(lambda t: t.numpy().tolist(), make(*args)))
    except Exception as error:
        print(said(error))


def both(make, *args):
    show(make, *args)
    show(tf.function(make, autograph=False), *args)


def in_function(make, *args):  # TensorFlow's eager arrays are Python lists, with other words
    for _ in range(2):
        show(tf.function(make, autograph=False), *args)


both(lambda i: TA(tf.float32, 2).write(i, 1.0).read(0), C(0, tf.int64))
both(lambda i: TA(tf.float32, 2).write(0, 1.0).read(i), C(0, tf.int64))
both(lambda n: TA(tf.float32, n).write(0, 1.0).read(0), C(2, tf.int64))
both(lambda n: TA(tf.float32, 2).split([1.0, 2.0, 3.0], n).concat(), C([1, 2]))
both(lambda n: TA(tf.float32, 2).split([1.0, 2.0, 3.0], n).concat(), C([1, 2], tf.int64))
both(lambda n: TA(tf.float32, 2).split([1.0, 2.0, 3.0], n).concat(), C([1, 3]))
both(lambda n: TA(tf.float32, 2).split([1.0, 2.0, 3.0], n).concat(), C([1, 1]))
both(lambda n: TA(tf.float32, 3).split([1.0, 2.0, 3.0], n).concat(), C([1, 2]))
both(lambda: TA(tf.float32, 2).stack())
both(lambda: TA(tf.float32, 2, element_shape=[None, 2]).stack())
both(lambda: TA(tf.float32, 2, element_shape=[2]).stack())
both(lambda: TA(tf.float32, 2, element_shape=[None, 2]).read(0))
both(lambda: TA(tf.float32, 2).gather([0]))
both(lambda: TA(tf.float32, 2, element_shape=[2]).concat())
both(lambda: TA(tf.float32, 2).write(0, [1.0, 2.0]).concat())
both(lambda: TA(tf.float32, 3).unstack([1.0, 2.0]).stack())
both(lambda: TA(tf.float32, 2).write(0, [1.0]).write(1, [1.0, 2.0]).stack())
both(lambda i: TA(tf.float32, 2).unstack([1.0, 2.0]).gather(i), C([0, 5]))
both(lambda: TA(tf.float32, 2).unstack(3.0).stack())
show(lambda: TA(tf.float32, 2, dynamic_size=True).write(-1, 1.0).size())
in_function(lambda: TA(tf.float32, 2).write(-1, 1.0).stack())
in_function(lambda i: TA(tf.float32, 2).unstack([1.0, 2.0]).gather(i), C([0, -1]))
in_function(lambda: TA(tf.float32, 2).gather(tf.zeros([0], tf.int32)))
in_function(lambda: TA(tf.float32, 2, infer_shape=False).write(0, [1.0]).write(1, [1.0, 2.0]).stack())
in_function(lambda: TA(tf.float32, 2, infer_shape=False).write(0, 1.0).write(1, [1.0, 2.0]).stack())
in_function(lambda: TA(tf.float32, 2).write(0, 1.0).write(1, 1.0).concat())
in_function(lambda: TA(tf.float32, 2, infer_shape=False).write(0, [[1.0, 2]]).write(1, [[1.0]]).concat())
in_function(lambda: TA(tf.float32, 0).concat())
in_function(lambda: TA(tf.float32, 2).concat())
in_function(lambda: TA(tf.float32, 2, element_shape=[None, 2]).concat())
in_function(lambda i: TA(tf.float32, 2).scatter(i, [1.0, 2.0]).stack(), C([0]))
in_function(lambda i: TA(tf.float32, 3).scatter(i, [1.0, 2.0]).stack(), C([0, 1, 2]))
in_function(lambda i: TA(tf.float32, 2).scatter(i, [1.0, 2.0]).stack(), C([0, 3]))
show(lambda: TA(tf.float32, 2).unstack([1.0, 2.0]).gather([0, -1]))
array = TA(tf.int64, 3)
for i, x in tf.data.Dataset.range(3).enumerate():  # an index of int64, as the loops of eager programs have it
    array = array.write(i, x * x)
print(array.stack().numpy())
