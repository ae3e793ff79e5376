"""Fingerprints of pipelines."""

import reflow as tf

D = tf.data.Dataset


def test_equal_pipelines_have_equal_fingerprints_and_changes_show():
    def make(size=5, add=1, data=(1, 2)):
        return D.range(size).map(lambda x: x + add).concatenate(D.from_tensor_slices(tf.constant(data, tf.int64)))

    same, *others = [int(make(**change).fingerprint()) for change in ({}, {"size": 6}, {"add": 2}, {"data": (1, 3)})]
    assert same == int(make().fingerprint()) and same not in others
