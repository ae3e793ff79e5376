"""`import horovod.keras as hvd`, and `horovod.tensorflow.keras`."""

# ruff: noqa: F401 - names that programs import from here

from reflow.horovod import callbacks
from reflow.horovod.exchange import (
    Adasum,
    Average,
    Compression,
    Max,
    Min,
    Product,
    Sum,
    allgather,
    allgather_object,
    allreduce,
    alltoall,
    barrier,
    broadcast,
    broadcast_object,
    broadcast_variables,
    grouped_allreduce,
    join,
    reducescatter,
)
from reflow.horovod.processes import (
    ccl_built,
    cross_rank,
    cross_size,
    cuda_built,
    ddl_built,
    gloo_built,
    gloo_enabled,
    init,
    is_homogeneous,
    is_initialized,
    local_rank,
    local_size,
    mpi_built,
    mpi_enabled,
    mpi_threads_supported,
    nccl_built,
    rank,
    rocm_built,
    shutdown,
    size,
)
from reflow.horovod.training import DistributedOptimizer


def broadcast_global_variables(root_rank):
    """Nothing holds all variables in TensorFlow 2: a program names them."""
    raise RuntimeError(
        "hvd.broadcast_global_variables() does not support eager execution. Please use `hvd.broadcast_variables(<variables>)` instead."
    )


def load_model(filepath, custom_optimizers=None, custom_objects=None, compression=Compression.none):
    """Load a Keras model and make its optimizer a `DistributedOptimizer`."""
    import keras

    known = {kind.__name__: kind for kind in custom_optimizers or ()} | (custom_objects or {})
    model = keras.saving.load_model(filepath, custom_objects=known)
    model.optimizer = DistributedOptimizer(model.optimizer, compression=compression)
    return model
