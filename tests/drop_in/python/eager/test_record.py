"""What tapes see."""

import reflow as tf
from reflow.drop_in.python.eager import record


def test_watching_and_pausing():
    x, y = tf.constant(2.0), tf.constant(3.0)
    assert not record.could_possibly_record()
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert record.should_record_backprop([y, x]) and not record.should_record_backprop([y])
        with record.stop_recording():
            z = x * x
    assert tape.gradient(z, x) is None


def test_a_watcher_knows_the_trainable_variables_that_were_read():
    v, fixed = tf.Variable(1.0), tf.Variable(1.0, trainable=False)
    with record.VariableWatcher() as watcher:
        v + fixed
    assert [x is v for x in watcher.watched_variables()] == [True]


def product(x, y):
    with record.stop_recording():
        return x * y


def test_operations_of_a_program_are_recorded():
    x, y = tf.constant(3.0), tf.constant(4.0)

    def slopes():
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z, unused = product(x, y), product(y, y)
            record.record_operation("Mine", [z, unused], [x, y], lambda d, e: [d * 10.0 + e, None])
            result = z * 2.0
        return tape.gradient(result, [x, y])

    assert slopes()[0].numpy() == tf.function(slopes)()[0].numpy() == 20.0 and slopes()[1] is None


def test_tapes_and_accumulators_are_told_apart():
    c = tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(c, tf.constant(2.0)) as accumulator, tf.GradientTape(True) as tape:
        tape.watch(c)
        d, e = product(c, 2.0), product(c, 3.0)
        record.record_operation_forwardprop_only("F", [d], [c], lambda dd: 2.0 * dd, None)
        record.record_operation_backprop_only("B", [e], [c], lambda de: 3.0 * de)
    assert accumulator.jvp(d).numpy() == 4.0 and accumulator.jvp(e) is None
    assert tape.gradient(e, c).numpy() == 3.0 and tape.gradient(d, c) is None


def test_accumulators_take_tangents_that_a_program_computes():
    c, d, e = (tf.constant(number) for number in (1.0, 2.0, 3.0))
    with tf.autodiff.ForwardAccumulator(c, tf.constant(10.0)) as accumulator:
        record.record_operation("Special", [d], [c], None, lambda tangent: [-2.0 * tangent])
        record.record_operation("OfNothing", [], [], None, lambda: [])
        record.record_operation_forwardprop_only("Told", [e, d], [c], None, (((0, 1),),))
        assert accumulator.jvp(d).numpy() == -20.0 and accumulator.jvp(e).numpy() == 2.0
