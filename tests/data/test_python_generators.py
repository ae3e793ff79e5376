"""Datasets of generators in files: TensorFlow's ops, which this process can run again."""

import reflow as tf

v1 = tf.compat.v1


def pairs(count):
    for i in range(count):
        yield i, [i, i + 1]


def test_a_dataset_of_a_generator_is_written_and_read_again():
    with tf.Graph().as_default() as graph:
        dataset = tf.data.Dataset.from_generator(pairs, (tf.int32, tf.float32), ([], [2]), args=(2,))
        iterator = v1.data.make_initializable_iterator(dataset)
        found = iterator.get_next()
        proto = graph.as_graph_def()
    ops = [node.op for node in proto.node]
    assert "GeneratorDataset" in ops and not any(op.startswith("Reflow>") for op in ops)
    assert sorted(node.op for f in proto.library.function for node in f.node_def if "Py" in node.op) == ["PyFunc"] * 3
    with tf.Graph().as_default(), v1.Session() as session:
        names = [iterator.initializer.name, *(t.name for t in found)]
        begin, *values = tf.graph_util.import_graph_def(
            proto, return_elements=names, name="", experimental_allow_unsafe_ops=["PyFunc"]
        )
        for _ in range(2):
            session.run(begin)
            assert [[v.tolist() for v in session.run(values)] for _ in range(2)] == [[0, [0.0, 1.0]], [1, [1.0, 2.0]]]
            try:
                session.run(values)
                raise AssertionError("there are two elements")
            except tf.errors.OutOfRangeError:
                pass
