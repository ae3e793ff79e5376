"""Sessions, variables, optimizers, savers and summaries of TensorFlow 1.

The same output as TensorFlow's `tf.compat.v1`.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import reflow as tf
from reflow.compat.sessions.timeline import Timeline
from reflow.compile.runner import plan_of
from reflow.core.context import swapped

HERE = Path(__file__).parent
NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
v1 = tf.compat.v1


def test_a_whole_program_prints_what_tensorflow_prints(tmp_path):
    paths = os.pathsep.join(filter(None, [str(HERE.parents[1]), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "reflow", str(HERE / "v1_program.py")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=os.environ | {"PYTHONPATH": paths})
    assert done.returncode == 0, done.stderr
    expected = (HERE / "v1_program.txt").read_text()
    got, wanted = done.stdout.splitlines(), expected.splitlines()
    assert [NUMBER.sub("#", line) for line in got] == [NUMBER.sub("#", line) for line in wanted]
    for mine, theirs in zip(got, wanted, strict=True):  # the last of the digits differs between processors
        numbers = [[float(n) for n in NUMBER.findall(line)] for line in (mine, theirs)]
        np.testing.assert_allclose(*numbers, rtol=2e-5, atol=2e-5, err_msg=mine)


def test_sessions_have_their_own_values():
    with tf.Graph().as_default():
        v = tf.Variable(1.0)
        up = v.assign_add(1.0)
        first, second = v1.Session(), v1.Session()
        for session in (first, second):
            session.run(v.initializer)
        assert first.run(up) == 2.0 and first.run(up) == 3.0
        assert second.run(v) == 1.0
        with pytest.raises(tf.errors.FailedPreconditionError, match="Variable"):
            v1.Session().run(v)


def test_a_step_is_compiled_and_feeds_may_be_any_tensor():
    with tf.Graph().as_default():
        x = v1.placeholder(tf.float32, [None])
        doubled = x * 2.0
        total = tf.reduce_sum(doubled)
        with v1.Session() as session:
            for n in (2, 2, 2, 5):
                assert session.run(total, {x: np.ones(n)}) == 2 * n
            assert session.run(total, {doubled: [10.0, 1.0]}) == 11.0  # instead of computing it
            (program,) = [p for p in session._programs.values() if p.graph.inputs[0].op.name.startswith("Placeholder")]
            (region,) = plan_of(program.graph).steps
            assert sum(p.call is not None for p in region.programs.values()) == 1


def test_only_what_is_fetched_runs():
    with tf.Graph().as_default():
        v = tf.Variable(0.0)
        one, two = v.assign_add(1.0), v.assign_add(10.0)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(one)
            assert session.run(v) == 1.0
            session.run(v1.group(one, two))
            assert session.run(v) == 12.0


def test_slots_are_initialised_without_what_their_step_waits_for():
    """Batch normalisation in version 1: the training step waits for the updates of moving averages,
    which need a feed."""
    with tf.Graph().as_default(), v1.Session() as session:
        x, v = v1.placeholder(tf.float32, []), v1.get_variable("v", initializer=2.0)
        moving = v1.get_variable("moving", initializer=0.0, trainable=False)
        with tf.control_dependencies([moving.assign(x)]):
            inside = v1.get_variable("inside", [], initializer=tf.ones_initializer())
            step = v1.train.AdamOptimizer(0.5).minimize(v * v)
        session.run(v1.global_variables_initializer())
        session.run(step, {x: 5.0})
        assert session.run([moving, inside]) == [5.0, 1.0] and session.run(v) < 2.0


def test_closed_and_wrong():
    with tf.Graph().as_default() as graph:
        a = tf.constant(1.0)
        session = v1.Session()
        session.close()
        with pytest.raises(RuntimeError, match="closed Session"):
            session.run(a)
        with pytest.raises(ValueError, match="No default session"):
            a.eval()
    with (
        tf.Graph().as_default(), v1.Session() as other, pytest.raises(ValueError, match="not an element of this graph")
    ):
        other.run(a)
    assert graph is not None


def test_a_saver_forgets_the_oldest_and_tells_what_is_missing(tmp_path):
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=tf.constant([1.0, 2.0]))
        session.run(v.initializer)
        saver = v1.train.Saver(max_to_keep=2)
        for step in range(3):
            saver.save(session, str(tmp_path / "model"), global_step=step, write_meta_graph=False)
        kept = sorted(f.name for f in tmp_path.iterdir())
        assert [k for k in kept if k.endswith(".index")] == ["model-1.index", "model-2.index"]
        w = v1.get_variable("w", initializer=tf.constant(0.0))
        with pytest.raises(tf.errors.NotFoundError, match="Key w not found in checkpoint"):
            v1.train.Saver([w]).restore(session, v1.train.latest_checkpoint(str(tmp_path)))
        with pytest.raises(ValueError, match="not a valid checkpoint"):
            saver.restore(session, str(tmp_path / "nothing"))


def test_a_fed_array_is_copied_and_what_is_fetched_again_stays_what_it_is():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [2])
        kept = tf.Variable([0.0, 0.0])
        assign, total = kept.assign(x), tf.reduce_sum(x)
        session.run(v1.global_variables_initializer())
        value = np.ones(2, np.float32)
        for _ in range(3):
            assert session.run([assign.op, total], {x: value}) == [None, 2.0]
        value[:] = 7.0
        assert session.run(kept).tolist() == [1.0, 1.0]
        assert session.run(total, {x: value[::-1]}) == 14.0
        with pytest.raises(ValueError, match="Cannot feed value of shape"):
            session.run(total, {x: np.ones(3, np.float32)})
        session.graph.prevent_fetching(total.op)
        with pytest.raises(ValueError, match="not fetchable"):
            session.run(total, {x: value})
        session.graph.prevent_feeding(x)
        with pytest.raises(ValueError, match="may not be fed"):
            session.run(kept, {x: value})


def test_a_run_in_steps_must_fetch_something():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32, [])
        with pytest.raises(tf.errors.InvalidArgumentError, match="at least one target to fetch or execute"):
            session.partial_run_setup([], [x])


def test_what_a_write_returns_is_the_variable_behind_it():
    """Recorded from TensorFlow: names, chains of writes, a variable of another shape,
    and one that another graph assigns to."""
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v = tf.Variable([1.0, 2.0])
        session.run(v.initializer)
        written = v.assign([3.0, 4.0])
        assert (
            isinstance(written, tf.Variable)
            and (written.name, written.op.name) == ("AssignVariableOp", "AssignVariableOp")
        )
        assert session.run(written.assign_add([1.0, 1.0]).scatter_nd_update([[0]], [9.0])).tolist() == [9.0, 5.0]
        with tf.control_dependencies([written]):
            assert tf.constant(1).op.control_inputs == [written.op]
        fed = v1.placeholder(tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"wrong shape. Expected \[2\] got \[3\]"):
            session.run(v.assign(fed), {fed: [1.0, 2.0, 3.0]})
        unset = tf.Variable([0.0])
        assert session.run(unset.assign(fed), {fed: [1.0, 2.0, 3.0]}).tolist() == [1.0, 2.0, 3.0]
        cached = tf.Variable(2.0, caching_device="/job:localhost", name="cached")
        assert (cached.value().name, cached.value().device) == ("cached/Read/Identity:0", "/job:localhost")
        handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[2])
        assert session.run(handle).dtype.names == ("resource",)
    with tf.Graph().as_default():
        assert v.assign([0.0, 0.0]).graph is graph
    with graph.as_default():
        assert tf.Variable.from_proto(v.to_proto()).handle is v.handle


def test_slices_are_fetched_as_arrays():
    with tf.Graph().as_default(), v1.Session() as session:
        got = session.run(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([3]), tf.constant([4, 2])))
    assert type(got).__name__ == "IndexedSlicesValue" and got.dense_shape.tolist() == [4, 2]


def test_devices_of_a_session():
    with tf.Graph().as_default(), v1.Session() as session:
        (device,) = session.list_devices()
    assert (device.name, device.device_type, device.memory_limit_bytes) == (
        "/job:localhost/replica:0/task:0/device:CPU:0", "CPU", 1 << 28
    )
    assert repr(device) == f"_DeviceAttributes({device.name}, CPU, 268435456, {device.incarnation})"


def test_a_run_in_steps_fetches_a_tensor_once():
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder(tf.float32, [])
        y = x + 1.0
        handle = session.partial_run_setup([y], [x])
        assert session.partial_run(handle, y, {x: 1.0}) == 2.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="The fetch add:0 has already been fetched.$"):
            session.partial_run(handle, y)


def test_a_trace_tells_the_devices_apart():
    """`device_count` gives a session further CPUs, all of them the host."""
    metadata = v1.RunMetadata()
    with tf.Graph().as_default(), v1.Session(config=v1.ConfigProto(device_count={"CPU": 2})) as session:
        with tf.device("/cpu:1"):
            x = tf.random.normal([])
        session.run(x, options=v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE), run_metadata=metadata)
    assert "/job:localhost/replica:0/task:0/device:CPU:1" in [stats.device for stats in metadata.step_stats.dev_stats]
    analysis = Timeline(metadata.step_stats).analyze_step_stats()
    assert (
        "traceEvents" in analysis.chrome_trace.format_to_string() and analysis.allocator_maximums["cpu"].num_bytes >= 4
    )


def test_the_dtype_of_a_variable_follows_from_its_initial_value():
    """Recorded from TensorFlow: a value decides, a function without arguments needs no shape, strings are empty."""
    with tf.Graph().as_default():
        given = {"a": [1, 2, 3], "b": np.float64(2.0), "c": lambda: tf.constant([1, 2])}
        made = [v1.get_variable(name, initializer=value) for name, value in given.items()]
        assert [v.dtype for v in made] == [tf.int32, tf.float64, tf.int32] and made[2].shape == [2]
        assert made[0].initial_value.name == "a/Initializer/initial_value:0"
        assert v1.get_variable("s", [2], tf.string).initial_value.name == "s/Initializer/zeros:0"
        with pytest.raises(
            ValueError, match="Initializer type '<dtype: 'int32'>' and explicit dtype '<dtype: 'float32'>' don't match."
        ):
            v1.get_variable("d", initializer=[1, 2], dtype=tf.float32)
        with pytest.raises(ValueError, match="An initializer for variable e of <dtype: 'complex64'> is required"):
            v1.get_variable("e", [2], tf.complex64)


def test_where_the_nodes_of_a_variable_are():
    """Recorded from TensorFlow: reads and initial values are anywhere, what a function makes is beside its variable."""
    with tf.Graph().as_default():
        with tf.device("/job:ps"):
            v = tf.Variable(lambda: tf.constant(1.0), name="v")
        with tf.device("/job:worker"):
            devices = [v.assign(1.0).op.device, v.value().device, v.device, v.initializer.device]
        assert devices == ["/job:worker", "", "/job:ps", "/job:ps"]
        assert (v.initial_value.device, v.initial_value.op.colocation_groups()) == ("", [b"loc:@v"])


def test_a_node_is_put_into_the_graph_of_its_inputs():
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.0)
    with tf.Graph().as_default() as other:
        y = tf.identity(x, name="scope/y")
    assert (y.graph, y.name, other.get_operations()) == (graph, "scope/y:0", [])


def test_a_rewired_graph_that_cannot_run_says_why():
    with tf.Graph().as_default(), v1.Session() as session:
        x, y, text = tf.constant(1), tf.constant(2), tf.constant("")
        x.op._add_control_input(y.op)
        y.op._add_control_input(x.op)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Graph is invalid, contains a cycle with 2 nodes"):
            session.run(x)
        z = tf.add(tf.constant(3), tf.constant(4), name="z")
        z.op._update_input(0, text)
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="Input 0 of node z was passed string from Const_2:0 incompatible"
        ):
            session.run(z)


def test_a_node_may_have_a_full_type():
    with tf.Graph().as_default():
        op = tf.constant(1.0).op
        op.experimental_set_type(type(op.node_def.experimental_type)(type_id=1))
    assert op.node_def.experimental_type.type_id == 1


def _training(session_seed: int = 3):
    """A small network with dropout in a graph of its own: a session, its training step, its loss, its feeds."""
    with tf.Graph().as_default() as graph:
        v1.set_random_seed(session_seed)
        x = v1.placeholder(tf.float32, [None, 4])
        hidden = tf.nn.relu(x @ v1.get_variable("w", [4, 8]) + v1.get_variable("b", [8]))
        out = tf.nn.dropout(hidden, 0.5) @ v1.get_variable("u", [8, 1])
        loss = tf.reduce_mean(tf.square(out - tf.reduce_sum(x, 1, keepdims=True)))
        train = v1.train.MomentumOptimizer(0.01, 0.9).minimize(loss)
        session = v1.Session(graph=graph)
        session.run(v1.global_variables_initializer())
    return session, train, loss, {x: np.arange(12, dtype=np.float32).reshape(3, 4) / 10}


def test_a_compiled_training_step_is_the_interpreted_one():
    (compiled, *step), (interpreted, *other) = _training(), _training()
    for _ in range(4):
        loss = compiled.run(step[:2], step[2])[1]
        with swapped(interpreting=True):
            expected = interpreted.run(other[:2], other[2])[1]
        np.testing.assert_allclose(loss, expected, rtol=1e-5)
    weights = [s.run(s.graph.get_tensor_by_name("u/Read/ReadVariableOp:0")) for s in (compiled, interpreted)]
    np.testing.assert_allclose(*weights, rtol=1e-5)


def test_a_callable_of_options():
    from tensorboard.compat.proto import config_pb2

    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x, y = (tf.compat.v1.placeholder(tf.float32, [], name=name) for name in "xy")
        count = tf.compat.v1.get_variable("count", initializer=0.0, use_resource=True)
        session.run(count.initializer)
        total, step = tf.add(x, y, name="total"), count.assign_add(1.0)
        options = config_pb2.CallableOptions(feed=["x:0"], fetch=["total:0"], target=[step.op.name])
        connection = options.tensor_connection.add()
        connection.from_tensor, connection.to_tensor = tf.multiply(x, 10.0).name, "y:0"
        call = session._make_callable_from_options(options)
        assert [call(2.0), call(3.0)] == [[22.0], [33.0]] and session.run(count) == 2.0
        with pytest.raises(ValueError):
            call(1.0, 2.0)
        options.run_options.trace_level = config_pb2.RunOptions.FULL_TRACE
        metadata = config_pb2.RunMetadata()
        assert (
            session._make_callable_from_options(options)(2.0, run_metadata=metadata) == [22.0]
            and metadata.step_stats.dev_stats
        )
        total.op.note = "of the user"  # as operations of TensorFlow take attributes
        assert session.graph.get_operation_by_name("total").note == "of the user"


def test_a_feed_that_is_not_in_the_graph_is_named():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        y = tf.constant(1.0)
        with pytest.raises(
            TypeError,
            match="^Cannot interpret feed_dict key as Tensor: The name 'nope:0' refers to a Tensor which does not",
        ):
            session.run(y, {"nope:0": 1.0})


def test_a_variable_begins_with_what_another_has():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.compat.v1.Variable(1, name="v")
        w = tf.compat.v1.Variable(v, name="w")
        session.run(tf.compat.v1.global_variables_initializer())
        assert session.run(w) == 1 and w.create is w.initializer
        session.run(v.assign(7))
        session.run(w.initializer)
        assert session.run(w) == 7
        node = session.graph.get_tensor_by_name("v:0")
        assert session.run(tf.compat.v1.is_variable_initialized(node))


def test_ranks_ask_for_values_without_resource_variables():
    tf.compat.v1.disable_resource_variables()
    try:
        with tf.Graph().as_default(), tf.compat.v1.Session():
            tf.compat.v1.Variable([1.0, 2.0], name="v")
            ready = tf.compat.v1.assert_variables_initialized()
            manager = tf.compat.v1.train.SessionManager(ready_op=ready)
            with pytest.raises(RuntimeError, match="did not make model ready"):
                manager.prepare_session("", init_op=tf.compat.v1.no_op())
            manager.prepare_session("", init_op=tf.compat.v1.global_variables_initializer())
    finally:
        tf.compat.v1.enable_resource_variables()


def test_a_session_needs_a_graph():
    with pytest.raises(TypeError, match='Argument `graph` must be a tf.Graph, but got "int"'):
        tf.compat.v1.Session(graph=5)


def test_reads_of_an_imported_graph_have_the_shapes_of_its_variables():
    with tf.Graph().as_default() as graph:
        tf.identity(tf.compat.v1.get_variable("w", [3, 2]), name="y")
    with tf.Graph().as_default():
        (found,) = tf.import_graph_def(graph.as_graph_def(), return_elements=["y:0"])
    assert found.shape == [3, 2]
