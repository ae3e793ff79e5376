"""Iterators, optionals, options, threads: what the table of pipelines does not reach."""

import base64
import time
import zlib

import numpy as np
import pytest

import reflow as tf
from tests.data.threads import prefetch_threads

D = tf.data.Dataset


def test_an_iterator_does_no_work_before_the_first_read():
    calls = []

    def generate():
        calls.append(1)
        yield 1

    before = len(prefetch_threads())
    iterator = iter(D.from_generator(generate, tf.int32, []).prefetch(4))
    time.sleep(0.02)
    assert not calls and len(prefetch_threads()) == before
    assert int(next(iterator)) == 1


def test_arrays_are_copied_on_entry():
    array = np.arange(3)
    ds = D.from_tensor_slices(array)
    array[:] = 9
    assert [int(x) for x in ds] == [0, 1, 2]


def test_generator_elements_are_copied():
    def generate():
        array = np.zeros(2, np.float32)
        for i in range(3):
            array[:] = i
            yield array

    ds = D.from_generator(generate, output_signature=tf.TensorSpec([2]))
    assert [x.numpy().tolist() for x in list(ds)] == [[0, 0], [1, 1], [2, 2]]


def test_an_iterator_is_a_run_time_argument():
    traces = []

    @tf.function
    def total(iterator):
        traces.append(1)
        return iterator.get_next() + iterator.get_next()

    for start in range(3):
        assert int(total(iter(D.range(start, 10)))) == 2 * start + 1
    assert len(traces) == 1


def test_iterator_spec_as_input_signature():
    @tf.function(input_signature=[tf.data.IteratorSpec(tf.TensorSpec([], tf.int64))])
    def square(iterator):
        x = iterator.get_next()
        return x * x

    assert int(square(iter(D.range(5, 6)))) == 25


def test_a_python_loop_in_a_graph_is_refused():
    @tf.function(autograph=False)
    def total():
        return [x for x in D.range(3)]

    with pytest.raises(ValueError, match="unusually high number"):
        total()


def test_iterator_facts():
    iterator = iter(D.from_tensor_slices(([1], ["a"])))
    assert isinstance(iterator, tf.data.Iterator)
    assert iter(iterator) is iterator
    assert iterator.element_spec == (tf.TensorSpec([], tf.int32), tf.TensorSpec([], tf.string))
    x, s = iterator.get_next()
    assert (int(x), s.numpy()) == (1, b"a")
    assert not iterator.get_next_as_optional().has_value()


def test_dataset_as_an_argument_and_a_result():
    @tf.function
    def doubled(dataset):
        return dataset.map(lambda x: x * 2)

    ds = doubled(D.range(3))
    assert isinstance(ds, D)
    assert [int(x) for x in ds] == [0, 2, 4]


def test_captured_dataset_is_read_in_a_function():
    ds = D.range(4)

    @tf.function
    def total():
        return ds.reduce(np.int64(0), lambda s, x: s + x)

    assert int(total()) == 6
    assert int(total()) == 6


def test_numpy_iterator():
    values = list(D.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]}).as_numpy_iterator())
    assert values == [{"a": 1, "b": b"x"}, {"a": 2, "b": b"y"}]
    assert isinstance(D.range(1).as_numpy_iterator(), tf.data.NumpyIterator)


def test_reduce_eager():
    assert int(D.range(5).reduce(np.int64(0), lambda s, _: s + 1)) == 5
    total, count = D.range(5).reduce((np.int64(0), 0), lambda s, x: (s[0] + x, s[1] + 1))
    assert (int(total), int(count)) == (10, 5)


def test_reduce_relaxes_the_shape_of_its_state():
    out = D.range(3).reduce(tf.zeros([0], tf.int64), lambda s, x: tf.concat([s, [x]], 0))
    assert out.numpy().tolist() == [0, 1, 2]


def test_get_single_element():
    assert D.from_tensors({"a": 1}).get_single_element()["a"].numpy() == 1


def test_keras_recognises_the_class():
    names = [(c.__name__, c.__module__) for c in type(D.range(1).map(lambda x: x)).__mro__]
    assert ("DatasetV2", "tensorflow.python.data.ops.dataset_ops") in names


def test_repr_and_truth():
    assert (
        repr(D.range(3).batch(2)) == "<_BatchDataset element_spec=TensorSpec(shape=(None,), dtype=tf.int64, name=None)>"
    )
    assert bool(D.range(0))
    assert len(D.range(7).batch(2)) == 4


def test_window_elements_are_datasets():
    windows = list(D.from_tensor_slices({"a": [1, 2, 3]}).window(2))
    assert [[int(x) for x in w["a"]] for w in windows] == [[1, 2], [3]]
    assert isinstance(windows[0]["a"], D)


def test_subclass_that_returns_another_dataset():
    class Squares(tf.data.Dataset):
        def __new__(cls, n):
            return D.range(n).map(lambda x: x * x)

    assert [int(x) for x in Squares(3)] == [0, 1, 4]


#: `tf.train.Checkpoint(v=tf.Variable(3.0), it=it).write("x")` of TensorFlow 2.21, with an iterator that has read two
#: elements
TENSORFLOWS_INDEX = (
    "c-muNVB=tvV&Y(Akl~Ma_HcFf4)FK%3vqPvagFzP@^W<!iFXfj4DjG!7h+IoV9{t}G%akqmd79~kXfRy=NJ+a<mnU|;u@^)8R8n`7~&rk9~|Ns"
    ";>sZ^#3IDR!L0Fz*>st5whV&|Um1$>FvlQIuq9!RKB2B0j6l=>Fl(@wzQ5LVm;neFK}1E5Dkq$C;M2kl42;a>409OaV$aXKy0MUvV;v(u13?h}"
    "yP;d9)crO9DU~y-"
)
TENSORFLOWS_DATA = (
    "c-pJy5-CZ|E6y)U%gHadvhplRElMoOFA`FPv8=3u^7BiqtOANs(^5;4GaMX}O4HI(i{gtjt5T&LI7EdQs;sya5r*icB$g!VIp^mV6r~myr>3~("
    "q~@mPl?aJ)adF5nGC+V3I|ru_gAyahtiHzP9gH{};eg8#R#pZM4#g#jC8foB$@wX%Fh}Wu90lV<8^lV*f!!BDjQfna#3UFPco}VAZe&7tD<)&="
    "ZL2q1aJk+Sx9fuv^U{It%uB5(ad1e_$xlkmi7(Cox;iH{J`<`d9wZx|nU|7UAr%PrhBq<ZP~#F3uwiCE1(+^B_xM{Q1A~J@17o^E@d_?sE;bHE"
    "A*Rd{E>;dEA;vN-CJsg}O(A724$lzRAjc5@ASv<85`8_#kdPoxr_d1BV11YbSgD<m1s7kKW00q#laFhBn4?dqs}M(6Vo_#dQckLrOc{z!RCOTz"
    "03ElquK"
)


def test_a_checkpoint_of_tensorflow_with_an_iterator(tmp_path, caplog):
    """The position is an object of TensorFlow's runtime; the weights beside it are restored."""
    for end, text in ((".index", TENSORFLOWS_INDEX), (".data-00000-of-00001", TENSORFLOWS_DATA)):
        (tmp_path / f"x{end}").write_bytes(zlib.decompress(base64.b85decode(text)))
    v, it = tf.Variable(0.0), iter(tf.data.Dataset.range(5))
    with caplog.at_level("WARNING"):
        status = tf.train.Checkpoint(v=v, it=it).read(str(tmp_path / "x"))
    assert v.numpy() == 3.0 and int(next(it)) == 0
    assert "holds the state of (root).it as variants of TensorFlow's runtime" in caplog.text
    with pytest.raises(AssertionError):
        status.assert_consumed()
    status.expect_partial()


def test_a_position_is_a_child_that_tensorflow_does_not_know(tmp_path):
    """TensorFlow refuses the whole of a checkpoint in which an iterator's own value is not written by itself,
    and passes over children."""
    v, it = tf.Variable(3.0), iter(tf.data.Dataset.range(5))
    next(it)
    path = tf.train.Checkpoint(v=v, it=it).write(str(tmp_path / "x"))
    assert [key for key, _ in tf.train.list_variables(path)][1:] == [
        "it/reflow_position/.ATTRIBUTES/ITERATOR", "v/.ATTRIBUTES/VARIABLE_VALUE"]  # fmt: skip
    other, later = tf.Variable(0.0), iter(tf.data.Dataset.range(5))
    tf.train.Checkpoint(v=other, it=later).read(path).assert_consumed()
    assert other.numpy() == 3.0 and int(next(later)) == 1
