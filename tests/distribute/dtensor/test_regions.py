"""`reflow/distribute/dtensor/regions.py`: functions on a mesh give layouts from the first call on,
and keep those of variables."""


import reflow as tf
from tests.distribute.dtensor.meshes import dtensor, on_one, one


def test_a_function_runs_on_the_mesh_of_its_arguments():
    v = dtensor.DVariable(on_one([1.0, 2.0], "x"))

    @tf.function
    def f(x):
        v.assign_add(x)
        tf.debugging.assert_less(x, 100.0)
        return tf.reduce_sum(dtensor.relayout(x, dtensor.Layout([dtensor.UNSHARDED], one())) * v)

    for argument, expected in (([1.0, 3.0], 17.0), ([1.0, 1.0], 9.0)):
        result = f(on_one(argument, "x"))
        assert dtensor.is_dtensor(result) and float(result) == expected
    assert v.numpy().tolist() == [3.0, 6.0] and dtensor.fetch_layout(v).sharding_specs == ["x"]


def test_gradients_of_calls():
    x = on_one([1.0, 2.0], "x")

    @tf.function
    def square(x):
        return x * x

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = square(x)
    gradient = tape.gradient(y, x)
    assert gradient.numpy().tolist() == [2.0, 4.0] and dtensor.is_dtensor(gradient)
