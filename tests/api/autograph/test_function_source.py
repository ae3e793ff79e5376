"""The source of a function: lambdas on one line, functions without one."""

import logging

import reflow as tf
from tests.api.autograph import autograph_algorithms  # noqa: F401 - it registers programs


def test_two_lambdas_on_one_line():
    f, g = tf.function(lambda x: 1 if x > 0 else 2), tf.function(lambda x: 3 if x > 0 else 4)
    assert [int(h(tf.constant(s))) for h in (f, g) for s in (1, -1)] == [1, 2, 3, 4]


def test_unreadable_source_runs_as_it_is(caplog):
    namespace: dict = {}
    exec("def f(x):\n    return abs(x) + 1", namespace)
    run = tf.function(namespace["f"])
    with caplog.at_level(logging.WARNING, "tensorflow"):
        assert int(run(tf.constant(-3))) == 4
        run(tf.constant(-3.0))
    warnings = [r.getMessage() for r in caplog.records if "AutoGraph could not transform" in r.getMessage()]
    assert len(warnings) == 1
