"""The module `tensorflow`, and the names that Reflow's classes bear in it."""

from tests.drop_in.processes import check


def test_tensorflow_is_reflow():
    out = check("""
        import tensorflow as tf, reflow
        from tensorflow import constant
        assert constant is reflow.constant and tf.Tensor is reflow.Tensor
        print(tf.__version__, tf.__name__, "keras" in dir(tf), "core" in dir(tf))
        print([name for name in dir(tf) if not hasattr(tf, name)])
    """)
    assert out == "2.21.0 tensorflow True False\n[]"


def test_classes_carry_tensorflows_names(interpreter):
    assert not interpreter("""
        import tensorflow as tf
        assert (tf.Tensor.__module__, tf.Tensor.__name__) == ("tensorflow.python.framework.tensor", "Tensor")
        dataset = next(c for c in type(tf.data.Dataset.range(1)).__mro__ if c.__name__ == "DatasetV2")
        assert "tensorflow.python." in dataset.__module__
        import pickle
        assert pickle.loads(pickle.dumps(tf.TensorShape([1, None]))).as_list() == [1, None]
    """)
