"""`tf.__internal__`, `tf.distribute` with one replica, `tf.raw_ops`, `tf.io.gfile`: what Keras' backend stands on."""

import copy

import numpy as np
import pytest

import reflow as tf
from reflow.api import raw_ops as raw_ops_module
from reflow.ops import opdef, registry

internal = tf.__internal__


# --- tf.__internal__


def test_composites():
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]))
    for value in (tf.Variable(1.0), tf.sparse.from_dense([1, 0]), tf.ragged.constant([[1]]), slices):
        assert isinstance(value, internal.CompositeTensor)
    assert not isinstance(tf.constant(1), internal.CompositeTensor)
    assert isinstance(tf.constant(1), internal.EagerTensor)


def test_smart_cond():
    assert internal.smart_cond.smart_cond(True, lambda: 1, lambda: 2) == 1
    assert internal.smart_cond.smart_cond(tf.constant(False), lambda: 1, lambda: 2) == 2

    @tf.function
    def f(p, x):
        known = internal.smart_cond.smart_cond(tf.constant(True), lambda: 1, lambda: 2)
        assert known == 1
        return internal.smart_cond.smart_cond(p, lambda: x + 1, lambda: x - 1)

    assert f(tf.constant(False), tf.constant(5)).numpy() == 4
    with pytest.raises(TypeError, match="Argument `true_fn` must be callable"):
        internal.smart_cond.smart_cond(True, 1, lambda: 2)
    with pytest.raises(TypeError, match="Argument `pred` must be"):
        internal.smart_cond.smart_cond("x", lambda: 1, lambda: 2)


def test_eager_mode_inside_a_graph():
    with internal.FuncGraph("g").as_default():
        assert not tf.executing_eagerly()
        with internal.eager_context.eager_mode():
            assert tf.constant(3).numpy() == 3
    assert internal.tf2.enabled()
    internal.eager_context.async_wait()
    internal.eager_context.context().clear_kernel_cache()
    assert internal.eager_context.context().executing_eagerly()


def test_decorators():
    def target(a, b=2):
        """A target."""
        return a + b

    wrapped = internal.decorator.make_decorator(target, lambda *args: target(*args), "mine")
    decorators, inner = internal.decorator.unwrap(wrapped)
    assert inner is target and [d.decorator_name for d in decorators] == ["mine"]
    assert wrapped.__name__ == "target" and wrapped.__doc__ == "A target." and wrapped(1) == 3
    assert internal.decorator.unwrap(target) == ([], target)


def test_type_spec_registry():
    names = internal.type_spec_registry
    assert names.lookup("tf.TensorSpec") is tf.TensorSpec and names.get_name(tf.RaggedTensorSpec) == "tf.RaggedTensorSpec"
    with pytest.raises(ValueError, match="No TypeSpec has been registered with name 'nope'"):
        names.lookup("nope")
    with pytest.raises(ValueError, match="has already been registered"):
        names.register("tf.Another")(tf.TensorSpec)


def test_dynamic_update_slice():
    update = internal.xla.dynamic_update_slice
    x = tf.reshape(tf.range(12.0), [3, 4])
    assert update(x, -tf.ones([2, 2]), [1, 1]).numpy().tolist() == [[0, 1, 2, 3], [4, -1, -1, 7], [8, -1, -1, 11]]
    assert update(x, -tf.ones([2, 2]), [9, 9]).numpy().tolist() == [[0, 1, 2, 3], [4, 5, -1, -1], [8, 9, -1, -1]]
    assert tf.function(update)(x, -tf.ones([1, 4]), tf.constant([2, 0])).numpy()[2].tolist() == [-1] * 4


def test_do_not_convert():
    marked = tf.autograph.experimental.do_not_convert(lambda x: x + 1)
    assert marked(1) == 2 and hasattr(marked, "autograph_info__")
    assert tf.autograph.experimental.do_not_convert()(abs)(-1) == 1


# --- tf.distribute


def test_default_strategy():
    strategy = tf.distribute.get_strategy()
    assert not tf.distribute.has_strategy() and not tf.distribute.in_cross_replica_context()
    assert strategy.num_replicas_in_sync == 1 and isinstance(strategy, tf.distribute.Strategy)
    assert strategy.run(lambda x, y: x + y, args=(1,), kwargs={"y": 2}) == 3
    with strategy.scope():
        assert not tf.distribute.has_strategy() and tf.distribute.get_replica_context() is not None
    assert strategy.reduce("MEAN", tf.constant([1.0, 2.0]), axis=0).numpy() == 1.5
    assert strategy.reduce("SUM", tf.constant([1.0, 2.0]), axis=None).numpy().tolist() == [1.0, 2.0]
    assert strategy.experimental_local_results(3) == (3,)
    with pytest.raises(RuntimeError, match=r"worker_devices\(\) method unsupported by default tf.distribute.Strategy."):
        strategy.extended.worker_devices  # noqa: B018
    dataset = object()
    assert strategy.experimental_distribute_dataset(dataset) is dataset
    assert copy.deepcopy(strategy) is strategy


def test_default_replica_context():
    context = tf.distribute.get_replica_context()
    assert (context.num_replicas_in_sync, context.replica_id_in_sync_group) == (1, 0)
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]))
    assert context.all_reduce(tf.distribute.ReduceOp.SUM, [slices])[0] is slices
    assert context.all_reduce("mean", [2.0])[0].numpy() == 2.0
    with pytest.raises(ValueError, match="'FOO' is not a valid ReduceOp"):
        context.all_reduce("foo", [2.0])
    assert context.merge_call(lambda strategy, x: (strategy, x), args=(1,)) == (tf.distribute.get_strategy(), 1)


def test_the_path_of_apply_gradients():
    variable = tf.Variable(1.0)
    strategy = tf.distribute.get_strategy()

    def step(distribution, value):
        distribution.extended.update(variable, lambda v, x: v.assign_sub(x), args=(value,), group=False)

    with strategy.extended.colocate_vars_with(variable):
        internal.distribute.interim.maybe_merge_call(step, strategy, 0.5)
    assert variable.numpy() == 0.5
    assert internal.distribute.strategy_supports_no_merge_call()
    assert strategy.extended.variable_created_in_scope(variable)


@pytest.mark.parametrize("make", [lambda: tf.distribute.OneDeviceStrategy("/cpu:0"), tf.distribute.MirroredStrategy])
def test_strategies_of_one_device(make):
    strategy = make()
    outside = tf.Variable(0.0)
    with strategy.scope():
        assert tf.distribute.has_strategy() and tf.distribute.in_cross_replica_context()
        assert tf.distribute.get_replica_context() is None and tf.distribute.get_strategy() is strategy
        inside = tf.Variable(1.0)
        with pytest.raises(RuntimeError, match="Mixing different tf.distribute.Strategy objects"), make().scope():
            pass
    assert tf.distribute.get_strategy() is not strategy
    assert strategy.extended.variable_created_in_scope(inside) and not strategy.extended.variable_created_in_scope(outside)
    assert strategy.run(lambda: tf.distribute.get_replica_context().strategy) is strategy
    assert strategy.run(lambda: tf.distribute.in_cross_replica_context()) is False

    def merge():
        return tf.distribute.get_replica_context().merge_call(lambda s: tf.distribute.in_cross_replica_context())

    assert strategy.run(merge) is True
    assert strategy.extended.worker_devices == ("/job:localhost/replica:0/task:0/device:CPU:0",)
    assert strategy.run(tf.function(lambda: inside + 1)).numpy() == 2.0


def test_strategies_that_are_names_only():
    for name in ("TPUStrategy", "MultiWorkerMirroredStrategy", "ParameterServerStrategy"):
        kind = getattr(tf.distribute, name)
        assert issubclass(kind, tf.distribute.Strategy) and not isinstance(tf.distribute.get_strategy(), kind)
        with pytest.raises(NotImplementedError, match=name):
            kind()


# --- tf.raw_ops


def test_raw_ops():
    raw = tf.raw_ops
    assert raw.Add(x=1, y=tf.constant(2.0)).numpy() == 3.0
    assert raw.Pack(values=[1, 2], axis=0).numpy().tolist() == [1, 2]
    assert [t.numpy().tolist() for t in raw.Split(axis=0, value=tf.range(4), num_split=2)] == [[0, 1], [2, 3]]
    top = raw.TopKV2(input=tf.range(4), k=2)
    assert type(top).__name__ == "TopKV2"
    assert top.values.numpy().tolist() == [3, 2] and top.indices.numpy().tolist() == [3, 2]
    assert raw.Cast(x=tf.range(2), DstT=tf.float32, name="hi").dtype is tf.float32
    assert raw.NoOp() is None
    assert raw.Sum(input=[[1, 2]], axis=1).numpy().tolist() == [3]


@pytest.mark.parametrize("call, error, message", [
    (lambda r: r.Add(1, 2), TypeError, "add only takes keyword args (possible keys: ['x', 'y', 'name']). Please pass these "
     "args as "
                                       "kwargs instead."),
    (lambda r: r.Add(x=1, z=2), TypeError, "add() got an unexpected keyword argument 'z'"),
    (lambda r: r.Add(x=1), TypeError, "add() missing 1 required positional argument: 'y'"),
    (lambda r: r.Cast(x=1), TypeError, "cast() missing 1 required positional argument: 'DstT'"),
    (lambda r: r.MatMul(a=[[1.0]], b=[[1.0]], transpose_a=3), TypeError, "Expected bool for argument 'transpose_a' not 3."),
    (lambda r: r.Foo, AttributeError, "module 'tf.raw_ops' has no attribute 'Foo'"),
])
def test_raw_ops_refuse(call, error, message):
    with pytest.raises(error) as caught:
        call(tf.raw_ops)
    assert str(caught.value) == message


def test_an_op_that_programs_try_first_is_not_found():
    given = {a: 0 for a in raw_ops_module.signature(opdef.lookup("CudnnRNNV3")).parameters if a != "name"}
    with pytest.raises(tf.errors.NotFoundError):
        tf.raw_ops.CudnnRNNV3(**given)


def test_every_op_has_a_raw_function():
    for name in dir(tf.raw_ops):
        function = getattr(tf.raw_ops, name)
        assert list(function.__signature__.parameters)[-1] == "name" and name in registry.REGISTRY


def test_raw_ops_in_a_graph():
    @tf.function
    def f(x):
        return tf.raw_ops.MatMul(a=x, b=x, transpose_b=True)

    assert f(tf.constant([[1.0, 2.0]])).numpy().tolist() == [[5.0]]


# --- tf.io.gfile


def test_gfile(tmp_path):
    files = tf.io.gfile
    folder = files.join(str(tmp_path), "a", "b")
    files.makedirs(folder)
    with files.GFile(files.join(folder, "x.txt"), "w") as f:
        f.write("one\ntwo\n")
    path = files.join(folder, "x.txt")
    with files.GFile(path) as f:
        assert f.read(3) == "one" and f.tell() == 3 and f.size() == 8
        f.seek(0)
        assert list(f) == ["one\n", "two\n"]
    assert files.exists(path) and files.isdir(folder)
    assert files.listdir(folder) == ["x.txt"] and files.glob(folder + "/*") == [path]
    with pytest.raises(tf.errors.AlreadyExistsError):
        files.copy(path, path)
    files.copy(path, path + "2")
    files.rename(path + "2", path, overwrite=True)
    assert files.stat(path).length == 8 and not files.stat(path).is_directory
    files.remove(path)
    files.rmtree(str(tmp_path / "a"))
    assert not files.exists(folder)
    with pytest.raises(tf.errors.NotFoundError):
        files.GFile(path).read()
    with pytest.raises(tf.errors.NotFoundError):
        files.remove(path)
    with pytest.raises(tf.errors.UnimplementedError, match="File system scheme 'gs' not implemented"):
        files.exists("gs://bucket/x")


def test_versions_and_compat():
    assert tf.compat.as_text(b"a") == "a" and tf.compat.as_bytes("a") == b"a"
    assert tf.compat.v1.Dimension(3) == 3 and tf.compat.dimension_value(tf.compat.v1.Dimension(None)) is None
    graph = tf.compat.v1.get_default_graph()
    tf.compat.v1.reset_default_graph()
    assert tf.compat.v1.get_default_graph() is not graph
    assert np.issubdtype(np.int32, np.integer) and isinstance(3, tf.compat.integral_types)
