"""`tensorflow.python.distribute.single_loss_example`: small networks that are trained under strategies."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.api.array.arrange import reshape
from reflow.api.framework.core_names import control_dependencies
from reflow.api.math.reduce import reduce_mean, reduce_sum
from reflow.compat.behavior import get_collection
from reflow.compat.layers.core import BatchNormalization, Dense
from reflow.data.dataset import DatasetV2
from reflow.drop_in.python.distribute.step_fn import StandardSingleLossStep


def _ones() -> DatasetV2:
    return DatasetV2.from_tensors([[1.0]]).repeat()


def _square_error(layer: Any, x: Any) -> Any:
    y = reshape(layer(x), []) - 1.0
    return y * y


def _minimize(optimizer: Any, loss: Any, layer: Any) -> Any:
    """`minimize` of an optimizer of version 1, or of one that wants to be told the variables."""
    wants_variables = inspect.signature(optimizer.minimize).parameters["var_list"].default is inspect.Parameter.empty
    return optimizer.minimize(loss, lambda: layer.trainable_variables) if wants_variables else optimizer.minimize(loss)


def single_loss_example(
    optimizer_fn: Callable[[], Any], distribution: Any, use_bias: bool = False, iterations_per_step: int = 1
) -> tuple[StandardSingleLossStep, Any]:
    """A step that trains one unit to give 1 for 1, and the layer that has it."""
    layer = Dense(1, use_bias=use_bias)
    step = StandardSingleLossStep(
        _ones, lambda _, x: _square_error(layer, x), optimizer_fn(), distribution, iterations_per_step
    )
    return step, layer


def minimize_loss_example(optimizer: Any, use_bias: bool = False, use_callable_loss: bool = True) -> tuple:
    """A function that trains one unit to give 1 for 1, one that makes its dataset, and the layer."""
    layer = Dense(1, use_bias=use_bias)

    def model_fn(x: Any) -> Any:
        def loss() -> Any:
            return _square_error(layer, x)

        return _minimize(optimizer, loss if use_callable_loss else loss(), layer)

    return model_fn, lambda: _ones().batch(1, drop_remainder=True), layer


def batchnorm_example(
    optimizer_fn: Callable[[], Any], batch_per_epoch: int = 1, momentum: float = 0.9, renorm: bool = False,
    update_ops_in_replica_mode: bool = False,
) -> tuple:
    """A function that trains a unit behind a batch normalization, one that makes its dataset, and the normalization."""
    optimizer = optimizer_fn()
    normalization = BatchNormalization(renorm=renorm, momentum=momentum, fused=False)
    layer = Dense(1, use_bias=False)

    def dataset_fn() -> DatasetV2:
        batches, rows, columns = np.ogrid[:batch_per_epoch, :16, :8]
        return DatasetV2.from_tensor_slices(np.float32(rows * 8 + columns + batches * 100)).repeat()

    def model_fn(x: Any) -> Any:
        def loss() -> Any:
            y = normalization(x, training=True)
            with control_dependencies(get_collection("update_ops") if update_ops_in_replica_mode else []):
                return reduce_mean(reduce_sum(layer(y)) - 1.0)

        return _minimize(optimizer, loss, layer)

    return model_fn, dataset_fn, normalization
