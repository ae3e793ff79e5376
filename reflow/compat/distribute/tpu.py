"""`tf.compat.v1.tpu`: computations as replicas, in graphs of version 1 and eagerly.

The host represents the cores of a TPU: a computation runs for each replica, in lockstep with the others
(`reflow/distribute/replicas.py`), so `cross_replica_sum` is a rendezvous of all of them. The system needs TPUs, or
simulated ones (`REFLOW_SIMULATED_TPUS`).
"""

from __future__ import annotations

import contextlib
import enum
import functools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from reflow.api.array.arrange import concat, split
from reflow.api.control.printing import group
from reflow.api.export import export
from reflow.api.framework.core_names import control_dependencies
from reflow.api.math.arithmetic import add_n, cast, truediv
from reflow.compat.train.optimizers import Optimizer
from reflow.compat.variable_scopes import variable_scope
from reflow.core import dtypes, nest
from reflow.core.name_scope import name_scope
from reflow.core.tensor import Tensor
from reflow.distribute.replicas import Replica, meet, run_in_step
from reflow.distribute.tpu.system import TPUClusterResolver, initialize_tpu_system, shutdown_tpu_system
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import run


@export("compat.v1.tpu.PaddingSpec")
class PaddingSpec(enum.IntEnum):
    """How `replicate` pads shapes that are not known.

    >>> [spec.name for spec in tf.compat.v1.tpu.PaddingSpec]
    ['AUTO', 'POWER_OF_TWO']
    """

    AUTO = 0
    POWER_OF_TWO = 1


@export("compat.v1.tpu.core")
def core(num: int) -> str:
    """The device of one core of each replica.

    >>> tf.compat.v1.tpu.core(1)
    'device:TPU_REPLICATED_CORE:1'
    """
    return f"device:TPU_REPLICATED_CORE:{num}"


@export("compat.v1.tpu.initialize_system")
def initialize_system(
    embedding_config: Any = None, job: str | None = None, compilation_failure_closes_chips: bool = True,
    tpu_cancellation_closes_chips: bool | None = None,
) -> Tensor:
    """Start the TPU system; returns its topology as a string. The arguments are for chips, which do not exist here.

    Raises:
      NotFoundError: there is no TPU, and none is simulated.

    >>> try:
    ...     tf.compat.v1.tpu.initialize_system()
    ... except tf.errors.NotFoundError as error:
    ...     print(type(error).__name__)
    NotFoundError
    """
    return convert_to_tensor(initialize_tpu_system(TPUClusterResolver("local")).serialized())


@export("compat.v1.tpu.shutdown_system")
def shutdown_system(job: str | None = None) -> Any:
    """End the TPU system; returns an operation that does nothing more.

    Raises:
      InvalidArgumentError: no system was initialized.

    >>> try:
    ...     tf.compat.v1.tpu.shutdown_system()
    ... except tf.errors.InvalidArgumentError as error:
    ...     print(type(error).__name__)
    InvalidArgumentError
    """
    shutdown_tpu_system(TPUClusterResolver("local"))
    return group()


@export("compat.v1.tpu.bfloat16_scope")
@contextlib.contextmanager
def bfloat16_scope(name: str | None = None) -> Iterator[Any]:
    """A variable scope in which variables of `bfloat16` are kept in `float32` and read as what was asked for.

    >>> with tf.Graph().as_default(), tf.compat.v1.tpu.bfloat16_scope():
    ...     w = tf.compat.v1.get_variable("w", [1], tf.bfloat16)
    ...     w.dtype.name, tf.compat.v1.global_variables()[0].dtype.base_dtype.name
    ('bfloat16', 'float32')
    """

    def getter(inner: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        if kwargs.get("dtype") != dtypes.bfloat16:
            return inner(*args, **kwargs)
        return cast(inner(*args, **(kwargs | {"dtype": dtypes.float32})), dtypes.bfloat16)

    with variable_scope(name or "", custom_getter=getter) as scope:
        yield scope


# --- replicas ---------------------------------------------------------------------------------------------------------


def _outputs(result: Any) -> Any:
    """The results of a replica's computation as TensorFlow returns them.

    Single values as tuples, operations after all of it.
    """
    if result is None:
        return group()
    flat = [result] if not isinstance(result, (list, tuple)) else [*nest.flatten(result)]
    tensors = [convert_to_tensor(x) for x in flat if not _is_operation(x)]
    waiting = [x for x in flat if _is_operation(x)]
    if not tensors:
        return group(*waiting)
    with control_dependencies(waiting) if waiting else contextlib.nullcontext():
        return [_kept(x) for x in tensors]


def _is_operation(x: Any) -> bool:
    return hasattr(x, "node_def") and not isinstance(x, Tensor)


def _kept(x: Tensor) -> Any:
    return run("Identity", x)


@export("compat.v1.tpu.replicate")
def replicate(
    computation: Callable[..., Any], inputs: Sequence[Sequence[Any]] | None = None, infeed_queue: Any = None,
    device_assignment: Any = None, name: str | None = None, maximum_shapes: Any = None,
    padding_spec: PaddingSpec | None = None, xla_options: Any = None,
) -> list:
    """Run a computation as several replicas.

    Args:
      computation: a function of a replica's inputs.
      inputs: for each replica a list of inputs, of the same length.
      infeed_queue: None: there is no TPU to feed.
      device_assignment: on which cores the replicas are; the host stands for all of them.
      name: of the nodes.
      maximum_shapes: for shapes that are not known; they may be unknown here.
      padding_spec: how such shapes are padded; they are not.
      xla_options: an `XLAOptions`.

    Returns:
      For each replica a list of outputs; an operation where there are none.

    Raises:
      TypeError: `inputs` is not a list of lists.
      ValueError: replicas have different numbers of inputs, or there is an infeed queue.

    >>> total = lambda x: tf.compat.v1.tpu.cross_replica_sum(x)
    >>> [[float(x) for x in outputs] for outputs in tf.compat.v1.tpu.replicate(total, [[1.0], [2.0]])]
    [[3.0], [3.0]]
    """
    if infeed_queue is not None:
        raise ValueError("`infeed_queue` needs a TPU.")
    rows = [[]] if inputs is None else inputs
    if not isinstance(rows, list) or not all(isinstance(row, (list, tuple)) for row in rows):
        raise TypeError(f"tpu.replicate() inputs must be a list of lists/tuples, received {inputs!r}")
    if len({len(row) for row in rows}) > 1:
        raise ValueError(
            "tpu.replicate() inputs must have the same number of tensors for each replica. Received: "
            f"{[len(r) for r in rows]}"
        )
    functions = [
        functools.partial(lambda row: _outputs(computation(*row)), [convert_to_tensor(x) for x in row]) for row in rows
    ]
    with name_scope(name or "TPUReplicate"):
        return run_in_step(functions, [contextlib.nullcontext()] * len(rows))


@export("compat.v1.tpu.rewrite")
def rewrite(
    computation: Callable[..., Any], inputs: Sequence[Any] | None = None, infeed_queue: Any = None,
    device_assignment: Any = None, name: str | None = None, xla_options: Any = None,
) -> Any:
    """Run a computation as one replica: `replicate` of one list of inputs.

    >>> [float(x) for x in tf.compat.v1.tpu.rewrite(lambda x, y: (x + y, x * y), [2.0, 3.0])]
    [5.0, 6.0]
    """
    return replicate(
        computation, None if inputs is None else [[*inputs]], infeed_queue, device_assignment, name,
        xla_options=xla_options,
    )[0]


@export("compat.v1.tpu.outside_compilation")
def outside_compilation(computation: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function that a TPU leaves to the host.

    >>> tf.compat.v1.tpu.outside_compilation(lambda x: x + 1, 2)
    3
    """
    return computation(*args, **kwargs)


def _axes(given: Sequence[int] | None, count: int) -> list[int]:
    axes = [0] * count if given is None else [*given]
    if len(axes) != count:
        raise ValueError(f"There must be an axis for each of {count} tensors. Received: {given}")
    return axes


@export("compat.v1.tpu.shard")
def shard(
    computation: Callable[..., Any], inputs: Sequence[Any] | None = None, num_shards: int = 1,
    input_shard_axes: Sequence[int] | None = None, outputs_from_all_shards: bool | Sequence[bool] = True,
    output_shard_axes: Sequence[int] | None = None, infeed_queue: Any = None, device_assignment: Any = None,
    name: str | None = None, xla_options: Any = None,
) -> Any:
    """Divide inputs between replicas, run a computation as each, and put the outputs together.

    Args:
      computation: a function of a replica's parts.
      inputs: the tensors that are divided.
      num_shards: how many replicas there are.
      input_shard_axes: for each input the axis that is divided; the first by default.
      outputs_from_all_shards: for all outputs, or for each, whether the parts are put together, else the first
        replica's is taken.
      output_shard_axes: for each output the axis along which parts are put together; the first by default.
      infeed_queue, device_assignment, name, xla_options: as in `replicate`.

    Raises:
      ValueError: there are no replicas; there is not an axis for each tensor.

    >>> tf.compat.v1.tpu.shard(lambda x: x * 2.0, [tf.constant([1.0, 2.0])], num_shards=2)[0].numpy().tolist()
    [2.0, 4.0]
    """
    if num_shards <= 0:
        raise ValueError(f"num_shards must be a positive integer. Received {num_shards}")
    tensors = [convert_to_tensor(x) for x in inputs or ()]
    parts = [split(x, num_shards, axis) for x, axis in zip(tensors, _axes(input_shard_axes, len(tensors)), strict=True)]
    rows = [[part[i] for part in parts] for i in range(num_shards)]
    results = replicate(computation, rows, infeed_queue, device_assignment, name, xla_options=xla_options)
    if not isinstance(results[0], list):
        return group(*results)
    columns = list(zip(*results, strict=True))
    several = outputs_from_all_shards
    joined = [several] * len(columns) if isinstance(several, bool) else [*several]
    axes = _axes(output_shard_axes, len(columns))
    return [
        concat([*column], axis) if all_ else column[0] for column, axis, all_ in zip(columns, axes, joined, strict=True)
    ]


@export("compat.v1.tpu.batch_parallel")
def batch_parallel(
    computation: Callable[..., Any], inputs: Sequence[Any] | None = None, num_shards: int = 1, infeed_queue: Any = None,
    device_assignment: Any = None, name: str | None = None, xla_options: Any = None,
) -> Any:
    """`shard` along the first axis of everything.

    >>> tf.compat.v1.tpu.batch_parallel(lambda x: x + 1, [tf.constant([1, 2, 3, 4])], num_shards=2)[0].numpy().tolist()
    [2, 3, 4, 5]
    """
    return shard(computation, inputs, num_shards, None, True, None, infeed_queue, device_assignment, name, xla_options)


def _reduced(x: Any, group_assignment: Sequence[Sequence[int]] | None, mean: bool) -> Any:
    if not isinstance(threading.current_thread(), Replica):
        raise ValueError(
            "cross_replica_sum and CrossShardOptimizer must be used inside of a computation that tpu.replicate runs."
        )

    def hold(brought: list) -> list:
        results: list = [None] * len(brought)
        for members in group_assignment or [range(len(brought))]:
            total = add_n([brought[i] for i in members])
            total = truediv(total, cast(len(members), total.dtype)) if mean else total
            for i in members:
                results[i] = total
        return results

    return meet(hold, convert_to_tensor(x))


@export("compat.v1.tpu.cross_replica_sum")
def cross_replica_sum(x: Any, group_assignment: Sequence[Sequence[int]] | None = None, name: str | None = None) -> Any:
    """In a computation that is replicated: the sum over all replicas, or over those of the replica's group.

    Raises:
      ValueError: it is called elsewhere.

    >>> f = lambda x: tf.compat.v1.tpu.cross_replica_sum(x, [[0, 1], [2]])
    >>> [int(x) for (x,) in tf.compat.v1.tpu.replicate(f, [[1], [2], [4]])]
    [3, 3, 4]
    """
    return _reduced(x, group_assignment, mean=False)


@export("compat.v1.tpu.CrossShardOptimizer")
class CrossShardOptimizer(Optimizer):
    """An optimizer around another that sums or averages gradients over all replicas first.

    Args:
      opt: the optimizer that takes the steps.
      reduction: `tf.compat.v1.losses.Reduction.MEAN` or `SUM`.
      name: of the nodes.
      group_assignment: as in `cross_replica_sum`.

    Raises:
      ValueError: for another reduction.
      TypeError: `opt` is an optimizer of Keras'.

    >>> inner = tf.compat.v1.train.GradientDescentOptimizer(0.1)
    >>> tf.compat.v1.tpu.CrossShardOptimizer(inner).get_name()
    'CrossShardOptimizer'
    """

    def __init__(
        self, opt: Any, reduction: str = "weighted_mean", name: str = "CrossShardOptimizer",
        group_assignment: Any = None,
    ) -> None:
        if reduction not in ("weighted_sum", "weighted_mean"):
            raise ValueError(f"Unsupported reduction: {reduction}.")
        if not isinstance(opt, Optimizer):
            raise TypeError(
                f"CrossShardOptimizer only works with tf.training.Optimizer and not Keras Optimizer. Received: {opt!r}"
            )
        super().__init__(False, name)
        self._opt, self._reduction, self._group_assignment = opt, reduction, group_assignment

    # as TensorFlow has it
    def compute_gradients(self, loss: Any, var_list: Any = None, **kwargs: Any) -> list:  # type: ignore[override]
        return self._opt.compute_gradients(loss, var_list=var_list, **kwargs)  # type: ignore[no-any-return]

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: str | None = None) -> Any:
        mean = self._reduction == "weighted_mean"
        pairs = [(None if g is None else _reduced(g, self._group_assignment, mean), v) for g, v in grads_and_vars]
        return self._opt.apply_gradients(pairs, global_step, name)

    def get_slot(self, *args: Any, **kwargs: Any) -> Any:
        return self._opt.get_slot(*args, **kwargs)

    def get_slot_names(self, *args: Any, **kwargs: Any) -> Any:
        """The slots of the optimizer inside."""
        return self._opt.get_slot_names(*args, **kwargs)

    def variables(self) -> list:
        return self._opt.variables()  # type: ignore[no-any-return]
