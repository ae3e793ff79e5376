"""The table of TensorFlow's private names: all resolve, and all are TensorFlow's."""

from reflow.drop_in import facade, names
from tests.drop_in.processes import check


def missing(paths):
    """The paths that `reflow` does not have."""
    lacking = []
    for path in paths:
        try:
            facade.resolve(path)
        except AttributeError:
            lacking.append(path)
    return sorted(set(lacking))


def test_every_private_name_resolves():
    assert missing(path for table in names.PRIVATE.values() for path in table.values()) == []


def test_private_names_are_those_that_tensorflow_has():
    """Every row of the recorded table whose public name Reflow has leads to that object."""
    out = check("""
        import importlib
        from reflow.drop_in import facade, names, private_modules

        found = lacking = 0
        for module, rows in names.recorded().items():
            private = importlib.import_module(module)
            for name, path in rows.items():
                if isinstance(path, dict) or path.startswith(("raw_ops.", "module:")):
                    continue
                if hasattr(private_modules.written(module), name):
                    continue
                try:
                    public = facade.resolve(names.PRIVATE.get(module, {}).get(name, path))
                except AttributeError:
                    lacking += not hasattr(private, name)
                    continue
                assert getattr(private, name) is public, (module, name, path)
                found += 1
        print(found, lacking)
    """)
    found, lacking = map(int, out.split())
    assert found >= 1400, (found, lacking)  # of 3,165; the rest waits for its public name


def test_constants_ops_and_modules_of_the_recording():
    out = check("""
        from tensorflow.python.framework import errors, ops
        from tensorflow.python.ops import array_ops, math_ops
        from tensorflow.python.util import nest
        product = math_ops.gen_math_ops.mat_mul([[2.0]], [[3.0]]).numpy()
        print(errors.INVALID_ARGUMENT, product, array_ops.ops is ops, nest.is_nested([]))
    """)
    assert out.strip() == "3 [[6.]] True True"


def test_generated_functions_have_the_names_of_tensorflow():
    out = check("""
        import tensorflow as tf
        from tensorflow.python.ops import gen_math_ops, gen_nn_ops, gen_stateless_random_ops_v2
        from tensorflow.python.ops.linalg.sparse import gen_sparse_csr_matrix_ops
        print(gen_nn_ops.conv2d(tf.ones([1, 2, 2, 1]), tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], "VALID").numpy().item())
        print(gen_nn_ops.Conv2D is tf.raw_ops.Conv2D, gen_nn_ops.Conv2D.__name__, gen_math_ops._max([1, 3], 0).numpy())
        print(gen_stateless_random_ops_v2.stateless_random_get_alg().numpy())
        print(callable(gen_sparse_csr_matrix_ops.csr_sparse_matrix_to_dense))
    """)
    assert out.split() == ["4.0", "True", "conv2d", "3", "1", "True"]


def test_what_a_module_written_by_hand_imports_hides_nothing():
    out = check("""
        import tensorflow as tf
        from tensorflow.python.framework import dtypes
        from tensorflow.python.ops import array_ops, confusion_matrix, ctc_ops, math_ops, nn_ops
        same = math_ops.dtypes is dtypes, array_ops.dtypes is dtypes, dtypes.bool is tf.bool
        print(*same, hasattr(confusion_matrix.cond, "cond"))
        print(nn_ops.convolution is tf.compat.v1.nn.convolution, ctc_ops.ctc_loss is tf.compat.v1.nn.ctc_loss)
    """)
    assert set(out.split()) == {"True"}


def test_a_typo_in_a_private_name_gets_the_closest():
    out = check("""
        from tensorflow.python.ops import math_ops
        missing = lambda: __import__("tensorflow.python.ops.mathops")
        for make in (lambda: math_ops.matmull, missing, lambda: math_ops.zzz):
            try:
                make()
            except (AttributeError, ModuleNotFoundError) as error:
                print(error)
    """)
    typo, module, strange = out.strip().splitlines()
    assert "Did you mean matmul" in typo and "tensorflow.python.ops.math_ops" in module and "mean" not in strange


def test_modules_that_keras_imports_exist():
    asked = "compat.v1 data errors experimental.dtensor io.gfile saved_model.experimental summary"
    assert missing(asked.split()) == []


def test_every_stamped_class_exists():
    assert missing(names.CLASSES) == []


def test_one_class_is_not_stamped_twice():
    classes = [facade.resolve(path) for path in names.CLASSES if path not in missing(names.CLASSES)]
    assert len(classes) == len(set(map(id, classes)))


def test_classes_are_found_under_the_names_they_are_given():
    out = check("""
        import importlib, pickle, typing
        import tensorflow as tf
        from reflow.drop_in import facade, names

        for path, full in names.class_names().items():
            module, _, name = full.rpartition(".")
            if getattr(importlib.import_module(module), name) is not facade.resolve(path):
                print(path, full)
        print(type(tf.Variable(1)), tf.random.Generator)
        error = tf.errors.NotFoundError(None, None, "gone")
        print(type(error), pickle.loads(pickle.dumps(tf.errors.NotFoundError)) is tf.errors.NotFoundError)
        print(type(tf.data.Dataset.range(2).batch(2)), type(tf.data.TFRecordDataset("a")))
        body = {"__annotations__": {"values": tf.Tensor}}
        hints = typing.get_type_hints(type("Mine", (tf.experimental.ExtensionType,), body))
        print(hints["values"])
    """)
    assert out.splitlines() == [
        "<class 'tensorflow.python.ops.resource_variable_ops.ResourceVariable'> "
        "<class 'tensorflow.python.ops.stateful_random_ops.Generator'>",
        "<class 'tensorflow.python.framework.errors_impl.NotFoundError'> True",
        (
            "<class 'tensorflow.python.data.ops.batch_op._BatchDataset'> <class "
            "'tensorflow.python.data.ops.readers.TFRecordDatasetV2'>"
        ),
        "<class 'tensorflow.python.framework.tensor.Tensor'>",
    ]


def test_names_that_libraries_import():
    out = check("""
        from tensorflow.core.example import example_pb2, feature_pb2
        from tensorflow.core.protobuf import saved_model_pb2
        from tensorflow.python.data.ops.iterator_ops import OwnedIterator  # GPflow
        from tensorflow.python.ops.rnn_cell import LSTMCell, LSTMStateTuple  # TensorLayer
        import tensorflow as tf

        one = example_pb2.Example(features=feature_pb2.Features(feature={
            "a": feature_pb2.Feature(int64_list=feature_pb2.Int64List(value=[3]))}))
        wanted = {"a": tf.io.FixedLenFeature([], tf.int64)}
        print(tf.io.parse_single_example(one.SerializeToString(), wanted)["a"].numpy())
        print(saved_model_pb2.SavedModel(saved_model_schema_version=1).saved_model_schema_version)
        print(isinstance(iter(tf.data.Dataset.range(2)), OwnedIterator), LSTMCell is tf.compat.v1.nn.rnn_cell.LSTMCell)
        print(tf.compat.v1.__version__ == tf.__version__, tf.compat.v1.GraphKeys.VARIABLES)
    """)
    assert out.split() == ["3", "1", "True", "True", "True", "variables"]


def test_annotations_of_a_program_are_what_it_wrote():
    """The program does not inherit `from __future__ import annotations` from the module that runs it."""
    out = check("""
        def f(x: int): pass
        exec("def g(x: float): pass")
        print(f.__annotations__, g.__annotations__)
    """)
    assert out.strip() == "{'x': <class 'int'>} {'x': <class 'float'>}"
