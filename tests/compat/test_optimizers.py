"""A program's own optimizer of version 1, feeds by structures, and older names."""

import numpy as np
import pytest

import reflow as tf
from reflow.compat.train import replicas

v1 = tf.compat.v1


class Decaying(v1.train.Optimizer):
    """Plain steps that keep a running sum in a slot; rows of a sparse gradient go twice as far."""

    def __init__(self, rate):
        super().__init__(False, "Decaying")
        self._rate = rate

    def _create_slots(self, var_list):
        for variable in var_list:
            self._zeros_slot(variable, "total", self._name)

    def _prepare(self):
        self._rate_tensor = tf.convert_to_tensor(self._call_if_callable(self._rate))

    def _apply_dense(self, grad, var):
        total = self.get_slot(var, "total").assign_add(grad)
        return v1.assign_sub(var, self._rate_tensor * total)

    def _apply_sparse(self, grad, var):
        return v1.scatter_sub(var, grad.indices, 2.0 * self._rate_tensor * grad.values)


def test_a_program_writes_its_own_optimizer():
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.Variable([1.0, 2.0], name="x")
        table = tf.Variable([[1.0], [2.0], [3.0]], name="table")
        loss = tf.reduce_sum(x) + tf.reduce_sum(tf.gather(table, [0, 2]))
        optimizer = Decaying(lambda: 0.5)
        step = optimizer.minimize(loss)
        session.run(v1.global_variables_initializer())
        for _ in range(2):
            session.run(step)
        np.testing.assert_allclose(session.run(x), [-0.5, 0.5])
        np.testing.assert_allclose(session.run(table), [[-1.0], [2.0], [1.0]])
        assert [v.name for v in optimizer.variables()] == ["table/Decaying:0", "x/Decaying:0"]  # sorted


def test_a_structure_of_tensors_is_fed_with_one_of_values():
    with tf.Graph().as_default(), v1.Session() as session:
        state = (v1.placeholder(tf.float32, []), [v1.placeholder(tf.float32, [])])
        key = (state[0], (state[1][0],))
        assert session.run(state[0] + state[1][0], {key: (1.0, (2.0,))}) == 3.0


def test_a_variable_takes_a_value_of_another_shape_if_it_is_told_to():
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.Variable([1.0], validate_shape=False, name="v")
        new = v1.assign(v, [2.0, 3.0], validate_shape=False)
        session.run(v.initializer)
        assert session.run(new).tolist() == [2.0, 3.0]
        assert session.run(v.value()).tolist() == [2.0, 3.0]


def test_each_graph_has_its_own_numbers(tmp_path):
    optimizer = v1.train.AdamOptimizer(0.1)
    for i in range(2):
        with tf.Graph().as_default(), v1.Session() as session:
            v = tf.Variable([1.0])
            step = optimizer.minimize(v * v)
            checkpoint = tf.train.Checkpoint(v=v, optimizer=optimizer)
            session.run(v1.global_variables_initializer())
            session.run(step)
            power, _ = optimizer._get_beta_accumulators()
            session.run(power.assign(6.0))
            path = checkpoint.save(str(tmp_path / f"{i}"))
            session.run(power.assign(7.0))
            checkpoint.restore(path).assert_consumed().run_restore_ops()
            assert session.run(power) == 6.0


def test_slots_of_a_graph_are_restored_when_they_are_made(tmp_path):
    v, optimizer = tf.Variable([1.0]), v1.train.AdamOptimizer(0.1)
    optimizer.minimize(lambda: v * v)
    path = tf.train.Checkpoint(v=v, optimizer=optimizer).write(str(tmp_path / "x"))
    with tf.Graph().as_default(), v1.Session() as session:
        w, optimizer = tf.Variable([0.0]), v1.train.AdamOptimizer(0.1)
        status = tf.train.Checkpoint(v=w, optimizer=optimizer).read(path)
        assert optimizer.get_slot(w, "m") is None
        optimizer.minimize(w * w)
        session.run(v1.global_variables_initializer())
        status.assert_consumed().run_restore_ops()
        assert session.run(optimizer.get_slot(w, "m")).tolist() == pytest.approx([0.2])


@pytest.mark.parametrize("optimizer", [v1.train.GradientDescentOptimizer(0.1), v1.train.MomentumOptimizer(0.1, 0.0)])
def test_a_variable_without_dimensions_in_a_function(optimizer):
    w = tf.Variable(1.0)

    @tf.function
    def step():
        optimizer.apply_gradients([(tf.constant(2.0), w)])
        return w + 0.0

    assert [step().numpy() for _ in range(3)] == pytest.approx([0.8, 0.6, 0.4])  # interpreted, then compiled


@pytest.mark.parametrize("optimizer", [v1.train.GradientDescentOptimizer, v1.train.AdamOptimizer])
def test_variables_of_keras_take_steps(optimizer):
    layer, steps = tf.keras.layers.Dense(1, kernel_initializer="ones"), optimizer(0.5)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(tf.ones([1, 3])))
    pairs = zip(tape.gradient(loss, layer.trainable_variables), layer.trainable_variables, strict=True)
    steps.apply_gradients(pairs)
    np.testing.assert_allclose(layer.kernel.numpy().ravel(), [0.5] * 3, rtol=1e-5)


def test_slots_have_names_of_variable_scopes():
    """As in TensorFlow, name scopes do not count, and a second slot of a name gets a number."""
    with tf.Graph().as_default():
        with v1.variable_scope("s"):
            v = v1.get_variable("v", [2])
        with tf.name_scope("train"):
            v1.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(v))
            v1.train.FtrlOptimizer(0.1, accum_name="ac", linear_name="li").minimize(tf.reduce_sum(v))
        with v1.variable_scope("train2"):
            optimizer = v1.train.RMSPropOptimizer(0.1, centered=True)
            optimizer.minimize(tf.reduce_sum(v))
        assert [x.name.removesuffix(":0") for x in v1.global_variables()] == [
            "s/v", "train/beta1_power", "train/beta2_power", "s/v/Adam", "s/v/Adam_1", "s/v/ac", "s/v/li",
            "train2/s/v/RMSProp", "train2/s/v/RMSProp_1", "train2/s/v/RMSProp_2",
        ]
        own = [x.name for x in optimizer.variables()]
        assert own == [f"train2/s/v/RMSProp{suffix}:0" for suffix in ("", "_1", "_2")]


def test_variables_of_an_optimizer_are_those_of_the_graph():
    optimizer = v1.train.MomentumOptimizer(0.1, 0.9)
    for name in ("a", "b"):
        with tf.Graph().as_default():
            optimizer.minimize(tf.reduce_sum(v1.get_variable(name, [2])))
            assert [x.name for x in optimizer.variables()] == [f"{name}/Momentum:0"]
    with tf.Graph().as_default():
        assert optimizer.variables() == []


def test_a_step_has_the_nodes_that_tensorflows_has():
    with tf.Graph().as_default() as graph:
        v = v1.get_variable("w", [2])
        count = v1.train.get_or_create_global_step()
        with tf.name_scope("train"):
            step = v1.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(v), global_step=count)
        names = {node.name: node.type for node in graph.get_operations()}
        assert step.name == "train/Adam"
        assert names["train/Adam/update_w/ResourceApplyAdam"] == "ResourceApplyAdam"
        assert {f"train/Adam/{x}" for x in ("learning_rate", "beta1", "beta2", "epsilon", "update")} <= set(names)
        assert v1.get_collection(v1.GraphKeys.TRAIN_OP) == [step]


def test_settings_are_floats_of_32_bits_as_in_tensorflow():
    v = tf.Variable(0.0, dtype=tf.float64)
    v1.train.GradientDescentOptimizer(0.1).apply_gradients([(tf.constant(-1.0, tf.float64), v)])
    assert v.numpy() == np.float32(0.1)


@pytest.mark.parametrize("optimizer,moved", [(v1.train.AdagradDAOptimizer, 0), (v1.train.AdamOptimizer, 1)])
def test_only_adam_moves_rows_without_gradients(optimizer, moved):
    with tf.Graph().as_default(), v1.Session() as session:
        count = v1.train.get_or_create_global_step()
        table = v1.get_variable("table", initializer=[[1.0], [1.0]])
        for_rows = v1.placeholder(tf.int32, [None])
        made = optimizer(0.1, count) if moved == 0 else optimizer(0.1)
        step = made.minimize(tf.reduce_sum(tf.gather(table, for_rows)), global_step=count)
        session.run(v1.global_variables_initializer())
        session.run(step, {for_rows: [1]})
        once = session.run(table)[1, 0]
        session.run(step, {for_rows: [0]})
        assert (session.run(table)[1, 0] != once) == bool(moved)


def test_an_optimizer_without_an_op_says_what_it_lacks():
    v = tf.Variable(1.0)
    with pytest.raises(NotImplementedError, match="_apply_dense"):
        v1.train.Optimizer(False, "Nothing").apply_gradients([(tf.constant(1.0), v)])


def test_a_loss_of_integers():
    with tf.Graph().as_default():
        v = tf.compat.v1.get_variable("v", initializer=1.0)
        with pytest.raises(ValueError, match="Invalid type tf.int32 for Const:0, expected"):
            tf.compat.v1.train.GradientDescentOptimizer(0.1).compute_gradients(tf.constant(1), [v])


@pytest.mark.parametrize("name", ["GradientDescent", "Adagrad", "Momentum", "RMSProp", "Ftrl", "Adadelta"])
def test_rows_that_occur_several_times_count_once_with_their_sum(name):
    options = {"momentum": 0.9} if name == "Momentum" else {}
    found = []
    for indices, values in (([2, 0, 2, 2], [1.0, 2.0, 3.0, 4.0]), ([0, 2], [2.0, 8.0]), ([], [])):
        with tf.Graph().as_default(), v1.Session() as session:
            table = v1.get_variable("table", initializer=[[1.0], [2.0], [3.0]])
            rows = tf.IndexedSlices(np.reshape(values, [-1, 1]).astype("float32"), tf.constant(indices, tf.int64))
            step = getattr(v1.train, f"{name}Optimizer")(0.1, **options).apply_gradients([(rows, table)])
            session.run(v1.global_variables_initializer())
            for _ in range(2):
                session.run(step)
            found.append(session.run(table).ravel().tolist())
    assert found[0] == pytest.approx(found[1]) and found[0][1] == 2.0 and found[2] == [1.0, 2.0, 3.0]


def test_one_replica_makes_its_step_alone():
    """`tests/distribute/programs/v1_optimizers.py` has two replicas."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    assert not replicas.several() and not strategy.run(replicas.several)
    with strategy.scope():
        v = tf.Variable(3.0)
    optimizer = tf.compat.v1.train.MomentumOptimizer(0.5, 0.9)
    strategy.run(lambda: optimizer.minimize(lambda: v * 2.0, var_list=[v]))
    assert float(v) == 2.0
