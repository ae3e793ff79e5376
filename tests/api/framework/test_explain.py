"""`reflow.explain`: how a function runs, in words."""

import reflow as tf


def test_a_plan_in_words(capsys):
    @tf.function
    def f(x):
        tf.print("x", x, output_stream="file:///dev/null")
        return x * 2.0

    for _ in range(3):
        f(tf.constant(1.0))
    tf.explain(f, tf.constant(1.0))
    text = capsys.readouterr().out
    assert "program of" in text and "on the host:" in text and "PrintV2" in text and "compiled for 1 kind" in text


def test_the_reason_and_the_line_are_said(capsys):
    @tf.function
    def f(x):
        return tf.strings.length(x)  # here

    f(tf.constant("abc"))
    tf.explain(f, tf.constant("abc"))
    text = capsys.readouterr().out
    assert "XLA has no strings" in text and "test_explain.py" in text
