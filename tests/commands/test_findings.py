"""Findings: which traces, host ops and pipelines are worth a word, and which are not."""

import time

import reflow as tf
from reflow.commands.findings import findings, on_host, retraced, starving
from reflow.commands.watch import Watch


def test_two_traces_are_normal():
    f = tf.function(lambda x: x * 2.0)
    with Watch() as watch:
        f(tf.ones([1]))
        f(tf.ones([2]))
    assert not findings(watch)


def test_objects_types_and_structures_that_change():
    f, g, h = (
        tf.function(lambda x: tf.constant(1)), tf.function(lambda x: tf.constant(2)),
        tf.function(lambda x: tf.constant(3)),
    )
    with Watch() as watch:
        for text in ("a", "b", "c", "d"):
            f(text)
        for dtype in (tf.int32, tf.float32, tf.int64, tf.float64):
            g(tf.zeros([], dtype))
        for count in range(4):
            h([tf.constant(1)] * count)
    remedies = [finding.remedy for finding in retraced(watch)]
    assert len(remedies) == 3
    for word in ("Python objects are part of the trace", "always in one dtype", "of one structure"):
        assert sum(word in remedy for remedy in remedies) == 1, remedies


def test_each_kind_of_host_op_has_its_remedy():
    @tf.function
    def f(x, words):
        tf.print(x, output_stream="file:///dev/null")
        different = tf.unique(x)[0]
        return different, tf.strings.length(words)

    with Watch() as watch:
        for _ in range(12):
            f(tf.constant([1, 2, 1]), tf.constant(["a"]))
    watch.seconds = 0.0  # so that everything counts as slow
    remedies = " ".join(finding.remedy for finding in on_host(watch))
    assert all(word in remedies for word in ("strings into numbers", "compute on everything and mask", "now and then"))


def test_a_line_on_the_host_matters_in_a_short_run_too():
    @tf.function
    def f(words):
        return tf.strings.length(tf.strings.regex_replace(words, "a+", "b"))

    words = tf.constant(["aba" * 300] * 1000)
    with Watch() as watch:
        for _ in range(12):
            f(words)
    watch.seconds = 1e6  # as if the imports had taken long
    (finding,) = on_host(watch)
    assert finding.line == 'return tf.strings.length(tf.strings.regex_replace(words, "a+", "b"))'


def test_one_element_is_not_waited_for_and_a_generator_has_its_remedy():
    def rows():
        for n in range(4):
            time.sleep(0.05)
            yield n

    signature = tf.TensorSpec([], tf.int32)
    with Watch() as watch:
        next(iter(tf.data.Dataset.from_generator(rows, output_signature=signature)))
    assert not list(starving(watch))
    with Watch() as watch:
        for _ in tf.data.Dataset.from_generator(rows, output_signature=signature):
            pass
    (finding,) = starving(watch)
    assert "let it yield only names or numbers" in finding.remedy


def test_methods_of_several_objects():
    class Step:
        @tf.function
        def run(self, x):
            return x + 1.0

    steps = [Step() for _ in range(4)]
    with Watch() as watch:
        for step in steps:
            step.run(tf.constant(1.0))
    (finding,) = retraced(watch)
    assert finding.remedy.startswith("A method is traced anew for each object")
