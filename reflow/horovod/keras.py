"""`import horovod.keras as hvd`, and `horovod.tensorflow.keras`."""

# ruff: noqa: F401 - names that programs import from here

from reflow.horovod import callbacks
from reflow.horovod.exchange import Compression
from reflow.horovod.names import *  # noqa: F403
from reflow.horovod.training import DistributedOptimizer


def broadcast_global_variables(root_rank):
    """TensorFlow 2 has no list of all variables, so a program must name them."""
    raise RuntimeError(
        "hvd.broadcast_global_variables() does not support eager execution. Please use "
        "`hvd.broadcast_variables(<variables>)` instead."
    )


def load_model(filepath, custom_optimizers=None, custom_objects=None, compression=Compression.none):
    """Load a Keras model and make its optimizer a `DistributedOptimizer`."""
    import keras

    known = {kind.__name__: kind for kind in custom_optimizers or ()} | (custom_objects or {})
    model = keras.saving.load_model(filepath, custom_objects=known)
    model.optimizer = DistributedOptimizer(model.optimizer, compression=compression)
    return model
