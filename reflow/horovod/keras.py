"""`import horovod.keras as hvd`, and `horovod.tensorflow.keras`."""

from reflow.horovod import callbacks as callbacks
from reflow.horovod.exchange import (
    Adasum as Adasum,
)
from reflow.horovod.exchange import (
    Average as Average,
)
from reflow.horovod.exchange import (
    Compression as Compression,
)
from reflow.horovod.exchange import (
    Max as Max,
)
from reflow.horovod.exchange import (
    Min as Min,
)
from reflow.horovod.exchange import (
    Product as Product,
)
from reflow.horovod.exchange import (
    Sum as Sum,
)
from reflow.horovod.exchange import (
    allgather as allgather,
)
from reflow.horovod.exchange import (
    allgather_object as allgather_object,
)
from reflow.horovod.exchange import (
    allreduce as allreduce,
)
from reflow.horovod.exchange import (
    alltoall as alltoall,
)
from reflow.horovod.exchange import (
    barrier as barrier,
)
from reflow.horovod.exchange import (
    broadcast as broadcast,
)
from reflow.horovod.exchange import (
    broadcast_object as broadcast_object,
)
from reflow.horovod.exchange import (
    broadcast_variables as broadcast_variables,
)
from reflow.horovod.exchange import (
    grouped_allreduce as grouped_allreduce,
)
from reflow.horovod.exchange import (
    join as join,
)
from reflow.horovod.exchange import (
    reducescatter as reducescatter,
)
from reflow.horovod.processes import (
    ccl_built as ccl_built,
)
from reflow.horovod.processes import (
    cross_rank as cross_rank,
)
from reflow.horovod.processes import (
    cross_size as cross_size,
)
from reflow.horovod.processes import (
    cuda_built as cuda_built,
)
from reflow.horovod.processes import (
    ddl_built as ddl_built,
)
from reflow.horovod.processes import (
    gloo_built as gloo_built,
)
from reflow.horovod.processes import (
    gloo_enabled as gloo_enabled,
)
from reflow.horovod.processes import (
    init as init,
)
from reflow.horovod.processes import (
    is_homogeneous as is_homogeneous,
)
from reflow.horovod.processes import (
    is_initialized as is_initialized,
)
from reflow.horovod.processes import (
    local_rank as local_rank,
)
from reflow.horovod.processes import (
    local_size as local_size,
)
from reflow.horovod.processes import (
    mpi_built as mpi_built,
)
from reflow.horovod.processes import (
    mpi_enabled as mpi_enabled,
)
from reflow.horovod.processes import (
    mpi_threads_supported as mpi_threads_supported,
)
from reflow.horovod.processes import (
    nccl_built as nccl_built,
)
from reflow.horovod.processes import (
    rank as rank,
)
from reflow.horovod.processes import (
    rocm_built as rocm_built,
)
from reflow.horovod.processes import (
    shutdown as shutdown,
)
from reflow.horovod.processes import (
    size as size,
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
