"""`reflow.data.explain`."""

import reflow as tf

D = tf.data.Dataset


def test_the_stages_and_the_bottleneck_are_named():
    def slow(x):
        return tf.py_function(lambda v: sum(range(20_000)) * 0 + v, [x], tf.int64)

    report = tf.data.explain(D.range(40).map(slow).batch(4).prefetch(2))
    assert [(s.name, s.elements) for s in report.stages] == [
        ("Prefetch", 10), ("Batch", 10), ("Map", 40), ("Range", 40)
    ]
    assert report.bottleneck.name == "Map" and report.stages[1].bytes == 320
    assert "Map" in str(report) and "<- bottleneck" in str(report) and "<table>" in report._repr_html_()


def test_it_stops_where_it_is_told_to_and_changes_no_element():
    report = tf.data.explain(D.range(10**9).shuffle(4).repeat(), elements=5)
    assert report.stages[0].elements == 5
    ds = D.from_tensor_slices([1, 2, 3]).shuffle(3, seed=1).batch(2)
    tf.data.explain(ds)
    assert sorted(x for b in ds for x in b.numpy().tolist()) == [1, 2, 3]
