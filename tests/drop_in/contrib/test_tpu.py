"""`TPUEstimator` without a TPU."""

import numpy as np
import pytest

import reflow as tf
from reflow.drop_in.contrib.index import contrib

v1 = tf.compat.v1


def model_fn(features, labels, mode, params):
    tpu = contrib.tpu
    w = v1.get_variable("w", initializer=0.0)
    loss = tf.reduce_mean((w - labels) ** 2) + 0.0 * features["x"].shape[0]
    if mode == "train":
        optimizer = tpu.CrossShardOptimizer(v1.train.GradientDescentOptimizer(0.5))
        return tpu.TPUEstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss, v1.train.get_global_step()))
    if mode == "eval":
        def metric_fn(labels, size):
            return {"size": v1.metrics.mean(size), "label": v1.metrics.mean(labels)}

        return tpu.TPUEstimatorSpec(
            mode, loss=loss, eval_metrics=(metric_fn, [labels, tf.constant(float(params["batch_size"]))])
        )
    return tpu.TPUEstimatorSpec(mode, predictions={"w": w + 0.0 * features["x"]})


def input_fn(params):
    data = {"x": np.zeros(6, "f")}, np.full(6, 3.0, "f")
    return tf.data.Dataset.from_tensor_slices(data).apply(contrib.data.batch_and_drop_remainder(params["batch_size"]))


def test_functions_get_the_size_of_batches(tmp_path):
    tpu = contrib.tpu
    config = tpu.RunConfig(
        model_dir=str(tmp_path), tpu_config=tpu.TPUConfig(iterations_per_loop=5), master=None, cluster=None
    )
    estimator = tpu.TPUEstimator(
        model_fn, config=config, use_tpu=False, train_batch_size=6, eval_batch_size=2, predict_batch_size=3
    )
    estimator.train(input_fn, max_steps=1)
    found = estimator.evaluate(input_fn)
    assert found["size"] == 2.0 and found["label"] == 3.0 and found["loss"] == 0.0 and found["global_step"] == 1
    assert [p["w"] for p in estimator.predict(input_fn)] == [3.0] * 6


def test_tpus_and_reserved_names_are_refused():
    with pytest.raises(ValueError, match="use_tpu=False runs the model"):
        contrib.tpu.TPUEstimator(model_fn, use_tpu=True)
    with pytest.raises(ValueError, match="batch_size are reserved"):
        contrib.tpu.TPUEstimator(model_fn, use_tpu=False, params={"batch_size": 1})
    with pytest.raises(ValueError, match="run in this process here"):
        contrib.tpu.RunConfig(master="grpc://x")
