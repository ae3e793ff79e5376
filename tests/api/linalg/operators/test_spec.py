"""`reflow/api/linalg/operators/spec.py`: operators in functions, loops, datasets and files.

Their variables and gradients.
"""

import pytest

import reflow as tf

L = tf.linalg


def test_a_variable_inside_is_read_when_the_function_runs():
    v = tf.Variable([2.0, 3.0])
    operator = L.LinearOperatorKronecker([L.LinearOperatorDiag(v), L.LinearOperatorIdentity(1)])
    assert operator.variables == (v,)
    product = tf.function(lambda o, x: o.matvec(x))
    with tf.GradientTape() as tape:
        y = product(operator, tf.constant([1.0, 1.0]))
    assert tape.gradient(y, v).numpy().tolist() == [1.0, 1.0]
    v.assign([5.0, 6.0])
    assert product(operator, tf.constant([1.0, 1.0])).numpy().tolist() == [5.0, 6.0]
    assert operator._convert_variables_to_tensors().variables == ()


def test_branches_loops_and_datasets():
    two = L.LinearOperatorDiag([1.0, 2.0])
    doubled = tf.while_loop(
        lambda i, o: i < 3, lambda i, o: (i + 1, L.LinearOperatorDiag(o.diag * 2.0)), [tf.constant(0), two]
    )[1]
    assert doubled.diag.numpy().tolist() == [8.0, 16.0]
    chosen = tf.function(lambda p: tf.cond(p, lambda: two, lambda: L.LinearOperatorDiag([0.0, 0.0])))(tf.constant(True))
    assert chosen.diag.numpy().tolist() == [1.0, 2.0]
    assert next(iter(tf.data.Dataset.from_tensors(two))).diag.numpy().tolist() == [1.0, 2.0]


def test_gradients_by_operators():
    one, other = L.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]]), L.LinearOperatorDiag([1.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch([one, other])
        y = one.matvec([1.0, 1.0])
    mine, others, both = tape.gradient(y, [one, other, L.LinearOperatorKronecker([one, other])])
    assert mine.matrix.numpy().tolist() == [[1.0, 1.0], [1.0, 1.0]] and others is None
    assert both.operators[1].diag.numpy().tolist() == [0.0, 0.0]


def test_a_variable_as_target():
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        pass
    assert tape.gradient(L.LinearOperatorDiag(v), v).numpy().tolist() == [1.0, 1.0]


def test_files(tmp_path):
    class Model(tf.Module):
        def __init__(self):
            self.operator = L.LinearOperatorDiag(tf.Variable([1.0, 2.0]))

        @tf.function(input_signature=[L.LinearOperatorDiag([1.0, 2.0])._type_spec])
        def product(self, other):
            return self.operator.matmul(other)

    with pytest.warns(UserWarning, match="Encoding a StructuredValue with type tf.linalg.LinearOperatorDiagSpec"):
        tf.saved_model.save(Model(), str(tmp_path), signatures={})
    product = tf.saved_model.load(str(tmp_path)).product(L.LinearOperatorDiag([3.0, 4.0]))
    assert isinstance(product, L.LinearOperatorDiag) and product.diag.numpy().tolist() == [3.0, 8.0]


def test_known_sizes_stay_static():
    spec = L.LinearOperatorIdentity(tf.constant(3), batch_shape=[2])._type_spec
    assert spec._component_specs == {} and spec._from_components({}).shape == (2, 3, 3)
    assert tf.__internal__.type_spec_registry.get_name(type(spec)) == "tf.linalg.LinearOperatorIdentitySpec"
