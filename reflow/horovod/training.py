"""Training with Horovod: tapes and optimizers that reduce gradients over all processes."""

from __future__ import annotations

from typing import Any

from reflow.core import nest
from reflow.core.indexed_slices import IndexedSlices
from reflow.eager.tape import GradientTape, UnconnectedGradients
from reflow.horovod.exchange import Average, Compression, Sum, grouped_allreduce
from reflow.horovod.processes import size
from reflow.ops.convert import convert_to_tensor


class Reducer:
    """How gradients become one over all processes."""

    def __init__(self, compression, sparse_as_dense, op, gradient_predivide_factor):
        if gradient_predivide_factor != 1.0 and op != Average:
            raise ValueError("gradient_predivide_factor not supported with op != Average")
        self.compression, self.sparse_as_dense, self.op, self.divide = (
            compression, sparse_as_dense, op, gradient_predivide_factor
        )

    def __call__(self, gradients) -> list:
        if size() == 1:
            return list(gradients)
        if self.sparse_as_dense:
            gradients = [convert_to_tensor(g) if isinstance(g, IndexedSlices) else g for g in gradients]
        if self.divide == 1.0:
            return grouped_allreduce(gradients, compression=self.compression, op=self.op)
        scales = {"prescale_factor": 1.0 / self.divide, "postscale_factor": self.divide / size()}
        return grouped_allreduce(gradients, compression=self.compression, op=Sum, **scales)


class _DistributedTape(GradientTape):
    """A tape whose gradients are reduced. It takes over what the given tape has recorded."""

    def __init__(self, tape: GradientTape, reduce: Reducer):
        self.__dict__.update(tape.__dict__)
        self._tape, self._reduce = tape, reduce

    def __enter__(self):
        self._tape.__enter__()
        return self

    def __exit__(self, *error):
        return self._tape.__exit__(*error)

    def gradient(self, target, sources, output_gradients=None, unconnected_gradients=UnconnectedGradients.NONE):
        found = self._tape.gradient(target, sources, output_gradients, unconnected_gradients)
        return nest.pack_sequence_as(found, self._reduce(nest.flatten(found)))

    def __getattr__(self, name):
        return getattr(self.__dict__["_tape"], name)


def DistributedGradientTape(
    gradtape, compression=Compression.none, sparse_as_dense=False, op=Average, gradient_predivide_factor=1.0
):
    """A tape whose `gradient` returns the mean over all processes, or what `op` says."""
    return _DistributedTape(gradtape, Reducer(compression, sparse_as_dense, op, gradient_predivide_factor))


def DistributedOptimizer(
    optimizer, name=None, compression=Compression.none, sparse_as_dense=False, backward_passes_per_step=1, op=Average,
    gradient_predivide_factor=1.0, average_aggregated_gradients=False,
):
    """A copy of a Keras optimizer that reduces gradients over all processes before it applies them.

    `backward_passes_per_step` gradients of a process are added up, or averaged with `average_aggregated_gradients`,
    before they are exchanged and applied.
    """
    reduce = Reducer(compression, sparse_as_dense, op, gradient_predivide_factor)
    config = optimizer.get_config()
    if backward_passes_per_step > 1:
        config["gradient_accumulation_steps"] = backward_passes_per_step
    scale = 1.0 if average_aggregated_gradients else float(backward_passes_per_step)

    def backend_update_step(self, grads, trainable_variables, learning_rate):
        grads = reduce([g if g is None or scale == 1.0 else g * scale for g in grads])
        return super(kind, self)._backend_update_step(grads, trainable_variables, learning_rate)

    members = {"_backend_update_step": backend_update_step, "_reflow_horovod": True}
    kind: Any = type(name or f"Distributed{type(optimizer).__name__}", (type(optimizer),), members)
    copy = kind.from_config(config)
    if optimizer.built:
        copy.build(optimizer._trainable_variables)
    return copy
