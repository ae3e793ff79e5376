"""Ops of TensorFlow 1 whose handles are strings: tables, stacks and barriers in a session."""

import contextlib

import numpy as np
import pytest

import reflow as tf

raw, v1 = tf.raw_ops, tf.compat.v1


@pytest.fixture
def session():
    with tf.Graph().as_default(), v1.Session() as opened:
        yield opened


def test_a_table(session):
    table = raw.HashTable(key_dtype=tf.string, value_dtype=tf.int64)
    filled = raw.InitializeTable(table_handle=table, keys=["a", "b"], values=tf.constant([4, 5], tf.int64))
    with tf.control_dependencies([filled]):
        found = raw.LookupTableFind(table_handle=table, keys=["b", "c"], default_value=tf.constant(-1, tf.int64))
        size = raw.LookupTableSize(table_handle=table)
    assert [v.tolist() for v in session.run([found, size])] == [[5, -1], 2]


def test_a_mutable_table(session):
    table = raw.MutableHashTable(key_dtype=tf.string, value_dtype=tf.int64)
    put = raw.LookupTableInsert(table_handle=table, keys=["a"], values=tf.constant([4], tf.int64))
    with tf.control_dependencies([put]):
        keys, values = raw.LookupTableExport(table_handle=table, Tkeys=tf.string, Tvalues=tf.int64)
    assert [v.tolist() for v in session.run([keys, values])] == [[b"a"], [4]]


def test_a_stack(session):
    stack = raw.Stack(elem_type=tf.float32, stack_name="")
    pushed = raw.StackPush(handle=stack, elem=tf.constant([1.0, 2.0]))
    with tf.control_dependencies([pushed]):
        popped = raw.StackPop(handle=stack, elem_type=tf.float32)
    np.testing.assert_equal(session.run(popped), [1.0, 2.0])


def test_a_barrier(session):
    barrier = raw.Barrier(component_types=[tf.float32, tf.float32], shapes=[[], [2]])
    session.run(raw.BarrierInsertMany(handle=barrier, keys=["x", "y"], values=[1.0, 2.0], component_index=0))
    sizes = [raw.BarrierReadySize(handle=barrier), raw.BarrierIncompleteSize(handle=barrier)]
    assert session.run(sizes) == [0, 2]
    session.run(
        raw.BarrierInsertMany(handle=barrier, keys=["y", "x"], values=[[3.0, 4.0], [5.0, 6.0]], component_index=1)
    )
    assert session.run(sizes) == [2, 0]
    indices, keys, values = raw.BarrierTakeMany(
        handle=barrier, num_elements=2, component_types=[tf.float32, tf.float32]
    )
    got = session.run([indices, keys, *values])
    assert [v.tolist() for v in got] == [[-(2**63), 1 - 2**63], [b"x", b"y"], [1.0, 2.0], [[5.0, 6.0], [3.0, 4.0]]]
    session.run(raw.BarrierClose(handle=barrier))
    with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements"):
        session.run(indices)
    with pytest.raises(tf.errors.CancelledError):
        session.run(raw.BarrierInsertMany(handle=barrier, keys=["z"], values=[1.0], component_index=0))


def test_a_saver_keeps_the_position_of_an_iterator(tmp_path):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        iterator = tf.compat.v1.data.make_initializable_iterator(tf.data.Dataset.range(10).shuffle(4, seed=1))
        saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
        element, saver = iterator.get_next(), tf.compat.v1.train.Saver([saveable])
        session.run(iterator.initializer)
        session.run(element)
        prefix = saver.save(session, str(tmp_path / "position"))
        first = [session.run(element) for _ in range(5)]
        saver.restore(session, prefix)
        assert [session.run(element) for _ in range(5)] == first
        with pytest.raises(ValueError, match="Received sometimes"):
            tf.data.experimental.make_saveable_from_iterator(iterator, "sometimes")


@pytest.mark.parametrize("policy", [None, "fail", "warn", "ignore"])
def test_a_saver_refuses_state_outside_of_a_dataset(tmp_path, policy):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        dataset = tf.data.Dataset.range(10).map(lambda x: tf.random.uniform([]))
        iterator = tf.compat.v1.data.make_initializable_iterator(dataset)
        saver = tf.compat.v1.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator, policy)])
        session.run(iterator.initializer)
        fails = pytest.raises(tf.errors.FailedPreconditionError, match="RandomUniform is stateful")
        with fails if policy in (None, "fail") else contextlib.nullcontext():
            saver.save(session, str(tmp_path / "position"))


def test_a_reader_goes_back_to_where_its_state_was_taken(session):
    names = tf.queue.FIFOQueue(10, [tf.string], [[]])
    session.run(names.enqueue_many([["a", "b", "c"]]))
    reader = v1.IdentityReader()
    assert session.run(raw.QueueSize(handle=raw.FakeQueue(resource=names.queue_ref))) == 3
    record = reader.read(names)
    assert session.run(record) == [b"a", b"a"]
    state = session.run(reader.serialize_state())
    assert state == b'\x08\x01\x10\x01\x18\x01"\x01a'
    session.run(record)
    session.run(reader.restore_state(state))
    assert session.run([reader.num_records_produced(), reader.num_work_units_completed()]) == [1, 1]
    assert session.run(record) == [b"c", b"c"]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse state"):
        session.run(reader.restore_state(b"\xff"))
    with pytest.raises(tf.errors.UnimplementedError, match="SerializeState"):
        session.run(v1.TextLineReader().serialize_state())


@pytest.mark.parametrize("suffix", ["", "V2"])
def test_tensor_arrays(session, suffix):
    def run(name, **arguments):
        return getattr(raw, f"TensorArray{name}{suffix}")(**arguments)

    array = run("", size=3, dtype=tf.float32, clear_after_read=False)
    flow = run("Scatter", handle=array, indices=[0, 1], value=[[1.0, 2.0], [3.0, 4.0]], flow_in=0.0)
    flow = run("Write", handle=array, index=2, value=[5.0, 6.0], flow_in=flow)
    read = run("Read", handle=array, index=1, flow_in=flow, dtype=tf.float32)
    gathered = run("Gather", handle=array, indices=[2, 0], flow_in=flow, dtype=tf.float32)
    joined, lengths = run("Concat", handle=array, flow_in=flow, dtype=tf.float32)
    gradient = run("Grad", handle=array, flow_in=flow, source="gradients")
    parts = run("Split", handle=gradient, value=tf.range(6.0), lengths=tf.constant([2, 2, 2], tf.int64), flow_in=0.0)
    second = run("Read", handle=gradient, index=2, flow_in=parts, dtype=tf.float32)
    size = run("Size", handle=array, flow_in=flow)
    got = [v.tolist() for v in session.run([read, gathered, joined, lengths, second, size])]
    assert got == [[3.0, 4.0], [[5.0, 6.0], [1.0, 2.0]], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 2, 2], [4.0, 5.0], 3]
    session.run(run("Close", handle=array))


def test_tensor_arrays_are_packed_and_unpacked(session):
    array = raw.TensorArray(size=2, dtype=tf.float32)
    flow = raw.TensorArrayUnpack(handle=array, value=[[1.0, 2.0], [3.0, 4.0]], flow_in=0.0)
    packed = raw.TensorArrayPack(handle=array, flow_in=flow, dtype=tf.float32)
    np.testing.assert_equal(session.run(packed), [[1.0, 2.0], [3.0, 4.0]])
