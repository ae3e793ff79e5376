"""An index out of bounds is found also when it reaches a program from a host step before it,
and the print order holds."""

import pytest

import reflow as tf


def test_index_that_a_host_step_made():
    buffer, position = tf.Variable(tf.zeros([4, 2])), tf.Variable(0)

    @tf.function
    def push(row):
        buffer.scatter_nd_update([[position % 4]], [row])  # on the host
        position.assign_add(1)
        return buffer[position - 1]

    for k in range(4):
        assert push(tf.fill([2], float(k))).numpy().tolist() == [k, k]
    for _ in range(2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="of dimension 0 out of bounds"):
            push(tf.zeros([2]))


@pytest.mark.parametrize("kind", ["for", "while", "if"])
def test_prints_in_loops_and_branches_keep_their_place(kind, tmp_path):
    path = f"file://{tmp_path}/log"

    @tf.function
    def logged(n):
        tf.print("begin", output_stream=path)
        if kind == "for":
            for i in tf.range(n):
                tf.print(i, output_stream=path)
        elif kind == "while":
            i = 0
            while i < n:
                tf.print(i, output_stream=path)
                i += 1
        elif n > 1:
            tf.print(0, output_stream=path)
            tf.print(1, output_stream=path)
        tf.print("end", output_stream=path)
        return n

    for _ in range(3):
        logged(tf.constant(2))
    assert (tmp_path / "log").read_text().split() == ["begin", "0", "1", "end"] * 3


def test_python_code_in_a_loop_is_a_barrier():
    seen = []
    v = tf.Variable(0.0)

    @tf.function
    def f(n):
        v.assign(1.0)
        for _ in tf.range(n):
            tf.py_function(lambda: seen.append(float(v)), [], [])
        v.assign(7.0)
        return v.read_value()

    for _ in range(3):
        assert float(f(tf.constant(2))) == 7.0
    assert seen == [1.0, 1.0] * 3


def test_labels_and_ids_that_were_floats_on_the_way_leave_state_untouched():
    """Keras casts what a model is given to float32, and labels and token ids back."""
    table, logits = tf.Variable(tf.ones([5, 3])), tf.Variable(tf.ones([2, 3]))

    @tf.function
    def step(ids, labels):
        ids = tf.cast(tf.cast(ids, tf.float32), tf.int32)
        ids = tf.where(ids < 0, ids + tf.constant([5, 3])[0], ids)
        labels = tf.cast(tf.cast(labels, tf.float32), tf.int64)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids)) * tf.reduce_sum(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            )
        slope = tape.gradient(loss, logits)
        logits.assign_sub(slope)
        return loss

    for _ in range(3):
        step([0, -1], [0, 2])
    before = logits.numpy()
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"Received a label value of 7 .*\[0, 3\).  Label values: 1 7"
    ):
        step([0, 1], [1, 7])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = 9 is not in \[0, 5\)"):
        step([0, 9], [1, 2])
    assert logits.numpy().tolist() == before.tolist()
