"""Feature columns of every kind through `input_layer` and `linear_model`, and what bad arguments raise."""

import numpy as np
import tensorflow.compat.v1 as tf

fc = tf.feature_column


def show(x):
    return np.round(np.asarray(x, np.float64), 4).tolist()


def ramp(shape, dtype=None, partition_info=None):
    return tf.reshape(tf.range(int(np.prod(shape)), dtype=tf.float32), shape)


def features():
    return {
        "n": tf.constant([[1.0, 2.0], [3.0, 4.0], [-1, 0]]),
        "m": tf.constant([5.0, 15.0, -3.0]),
        "s": tf.constant([["a", ""], ["z", "b"], ["", ""]]),
        "s2": tf.constant(["b", "q", ""]),
        "sf": tf.constant([["c"], ["zz"], ["a"]]),
        "i": tf.constant([[1, -1], [7, 2], [3, 3]]),
        "h": tf.SparseTensor([[0, 0], [0, 1], [1, 1]], ["x", "y", "z"], [3, 2]),
        "hi": tf.constant([[1], [2], [-1]], tf.int64),
        "wi": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [3, 2]),
        "ww": tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0.5, 2.0, -1.0], [3, 2]),
    }


with open("words.txt", "w") as file:
    file.write("a\nb\nc\n")
numbers = fc.numeric_column("n", shape=(2,), normalizer_fn=lambda x: x * 2)
number = fc.numeric_column("m")
buckets = fc.bucketized_column(number, [0.0, 10.0, 20.0])
words = fc.categorical_column_with_vocabulary_list("s", ["a", "b", "c"], default_value=2)
more_words = fc.categorical_column_with_vocabulary_list("s2", ["a", "b"], num_oov_buckets=3)
lines = fc.categorical_column_with_vocabulary_file("sf", "words.txt", num_oov_buckets=1)
ids = fc.categorical_column_with_identity("i", 5, default_value=1)
hashed = fc.categorical_column_with_hash_bucket("h", 7)
hashed_numbers = fc.categorical_column_with_hash_bucket("hi", 7, tf.int64)
cross = fc.crossed_column(["h", buckets, ids], 11, hash_key=5)
double_cross = fc.crossed_column([cross, "s"], 13)
weighted = fc.weighted_categorical_column(fc.categorical_column_with_identity("wi", 4), "ww")
categories = [words, more_words, lines, ids, hashed, hashed_numbers, cross, double_cross, weighted, buckets]
print([(c.name, c.num_buckets) for c in categories])
print(fc.make_parse_example_spec([numbers, buckets, words, cross, weighted, ids]))

dense = [numbers, number, fc.bucketized_column(fc.numeric_column("n", shape=2), [0, 3])]
dense += [fc.indicator_column(c) for c in (words, more_words, ids, weighted, cross)]
combiners = ((words, "mean"), (lines, "sum"), (hashed, "sqrtn"), (weighted, "mean"), (hashed_numbers, "sum"))
dense += [fc.embedding_column(c, 2, combiner=kind, initializer=ramp) for c, kind in combiners]
dense.append(fc.embedding_column(double_cross, 3, initializer=ramp, max_norm=2.0))
with tf.Graph().as_default(), tf.Session() as session:
    variables, outputs = {}, {}
    whole = fc.input_layer(features(), dense, cols_to_vars=variables, cols_to_output_tensors=outputs)
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    for column in dense:
        print(column.name, show(session.run(outputs[column])), [v.name for v in variables[column]])
    print(show(session.run(whole)))

for combiner in ("sum", "mean"):
    with tf.Graph().as_default(), tf.Session() as session:
        variables = {}
        whole = fc.linear_model(features(), categories + [numbers, number], 2, combiner, cols_to_vars=variables)
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        session.run([tf.assign(v, ramp(v.shape.as_list())) for v in tf.global_variables()])
        print(show(session.run(whole)), len(tf.get_collection(tf.GraphKeys.MODEL_VARIABLES)))
        print(sorted((getattr(k, "name", k), [v.name for v in vs]) for k, vs in variables.items()))

with tf.Graph().as_default(), tf.Session() as session:
    other = fc.categorical_column_with_identity("wi", 5)
    shared = fc.shared_embedding_columns([other, ids], 2, initializer=ramp)
    whole = fc.input_layer(features(), shared)
    session.run([tf.global_variables_initializer(), tf.tables_initializer()])
    print(show(session.run(whole)), [v.name for v in tf.global_variables()], [c.name for c in shared])


def fails(function):
    try:
        print(function())
    except (TypeError, ValueError, RuntimeError) as error:
        print(type(error).__name__, error)


fails(lambda: fc.numeric_column("a", dtype=tf.string))
fails(lambda: fc.numeric_column("a", shape=(2,), default_value=[1.0, 2.0, 3.0]))
fails(lambda: fc.numeric_column("a", shape=(0,)))
fails(lambda: fc.numeric_column("a", shape=(1.5,)))
fails(lambda: fc.numeric_column(3))
fails(lambda: fc.numeric_column("a", shape=(2,), default_value=[1, 2]))
fails(lambda: fc.numeric_column("a", shape=(2,), default_value="x"))
fails(lambda: fc.bucketized_column(number, [3, 2]))
fails(lambda: fc.bucketized_column(words, [3]))
fails(lambda: fc.categorical_column_with_vocabulary_list("a", ["x", "x"]))
fails(lambda: fc.categorical_column_with_vocabulary_list("a", ["x"], num_oov_buckets=-1))
fails(lambda: fc.categorical_column_with_vocabulary_list("a", [1.5]))
fails(lambda: fc.categorical_column_with_vocabulary_file("a", "nowhere"))
fails(lambda: fc.categorical_column_with_hash_bucket("a", 0))
fails(lambda: fc.crossed_column([hashed, "b"], 10))
fails(lambda: fc.crossed_column(["b"], 10))
fails(lambda: fc.embedding_column(words, 0))
fails(lambda: fc.embedding_column(words, 2, initializer=3))
fails(lambda: fc.embedding_column(words, 2, ckpt_to_load_from="x"))
fails(lambda: fc.indicator_column(number))
fails(lambda: fc.input_layer({"n": [1.0]}, [words]))
fails(lambda: fc.input_layer({"n": [1.0]}, [number, number]))
fails(lambda: fc.input_layer({"n": [1.0]}, []))
fails(lambda: fc.input_layer({"n": [1.0]}, [number]))
fails(lambda: fc.linear_model({"m": [1.0]}, {"a": number}))
fails(lambda: fc.weighted_categorical_column(words, "s").parse_example_spec)
fails(lambda: fc.make_parse_example_spec([number, fc.numeric_column("m", shape=2)]))
for column in [*categories, fc.indicator_column(words), fc.embedding_column(words, 4)]:
    print(column.name, column.get_config())
