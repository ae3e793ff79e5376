"""`tf.compat.v1.train.SyncReplicasOptimizer`: averages the gradients of several workers before each step.

Each worker adds its gradients to accumulators and then waits for a *token*, the number of the step it may begin. A
thread of the chief takes averages from the accumulators, applies them, and puts as many tokens into a queue as there
are workers. The accumulators drop gradients that were computed for an older step.
"""

from __future__ import annotations

from typing import Any

from reflow.api.array.creation import fill
from reflow.api.config import device
from reflow.api.control.printing import group, no_op
from reflow.api.export import export
from reflow.api.framework.core_names import control_dependencies
from reflow.compat.behavior import GraphKeys
from reflow.compat.graph_variables import VariableV1, global_variables, report_uninitialized_variables
from reflow.compat.train.optimizers import Optimizer
from reflow.compat.train.queue_runners import QueueRunner
from reflow.compat.train.session_manager import SessionManager
from reflow.compat.train.session_run_hook import SessionRunHook
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.logging import logger
from reflow.core.tensor import Tensor
from reflow.queues.gradients import ConditionalAccumulator, ConditionalAccumulatorBase, SparseConditionalAccumulator
from reflow.queues.public import FIFOQueue


@export("compat.v1.train.SyncReplicasOptimizer")
class SyncReplicasOptimizer(Optimizer):
    """An optimizer around another, which takes a step when enough workers have given their gradients.

    >>> with tf.Graph().as_default():
    ...     step = tf.compat.v1.train.get_or_create_global_step()
    ...     v = tf.compat.v1.get_variable("v", initializer=tf.constant(1.0))
    ...     inner = tf.compat.v1.train.GradientDescentOptimizer(0.25)
    ...     optimizer = tf.compat.v1.train.SyncReplicasOptimizer(inner, replicas_to_aggregate=1)
    ...     train = optimizer.minimize(v * 2.0, global_step=step)
    ...     with tf.compat.v1.train.MonitoredTrainingSession(
    ...         hooks=[optimizer.make_session_run_hook(is_chief=True)]
    ...     ) as session:
    ...         _ = session.run(train)
    ...         session.run(v).item()
    1.0

    Args:
      opt: the optimizer that takes the steps.
      replicas_to_aggregate: how many gradients make a step.
      total_num_replicas: how many workers there are; more than `replicas_to_aggregate` are a reserve.
      variable_averages, variables_to_average: moving averages that are kept of some variables.
    """

    def __init__(
        self, opt, replicas_to_aggregate, total_num_replicas=None, variable_averages=None, variables_to_average=None,
        use_locking=False, name="sync_replicas",
    ):
        super().__init__(use_locking, name)
        logger.info(
            "SyncReplicasV2: replicas_to_aggregate=%s; total_num_replicas=%s", replicas_to_aggregate,
            total_num_replicas or replicas_to_aggregate,
        )
        self._opt, self._replicas_to_aggregate = opt, replicas_to_aggregate
        self._total_num_replicas = replicas_to_aggregate if total_num_replicas is None else total_num_replicas
        self._tokens_per_step = max(self._total_num_replicas, replicas_to_aggregate)
        self._variable_averages, self._variables_to_average = variable_averages, variables_to_average
        self._gradients_applied = False
        self._global_step: Any = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list:
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """An operation that adds a worker's gradients and waits for the next token."""
        pairs = list(grads_and_vars)
        if not pairs:
            raise ValueError("Must supply at least one variable")
        if global_step is None:
            raise ValueError("Global step is required to check staleness")
        self._global_step = global_step
        make: Any = VariableV1
        self._local_step = make(
            0, name="sync_rep_local_step", trainable=False, dtype=global_step.dtype,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )
        self.local_step_init_op = self._local_step.assign(global_step.value(), read_value=False)
        self.ready_for_local_init_op = report_uninitialized_variables(global_variables())
        accumulators, added, averaged = self._accumulate(pairs)
        with device(global_step.device):
            step = self._opt.apply_gradients(averaged, global_step)
            self._sync_token_queue = FIFOQueue(
                -1, global_step.dtype, shapes=[()], name="sync_token_q", shared_name="sync_token_q"
            )
            with control_dependencies(added):
                token = self._sync_token_queue.dequeue()
            taken = self._local_step.assign(token, read_value=False)
            with control_dependencies([step]):
                passed = self._sync_token_queue.enqueue_many((fill([self._tokens_per_step], global_step.read_value()),))
            if self._variable_averages is not None:
                with control_dependencies([passed]):
                    passed = self._variable_averages.apply(self._variables_to_average)
            never_filled = FIFOQueue(1, global_step.dtype, shapes=[()], name="dummy_queue", shared_name="dummy_queue")
            self._chief_queue_runner = QueueRunner(never_filled, [passed])
        begun = [accumulator.set_global_step(global_step, name="SetGlobalStep") for accumulator in accumulators]
        self.chief_init_op = group(self.local_step_init_op, *begun)
        self._gradients_applied = True
        return taken

    def _accumulate(self, pairs: list) -> tuple[list, list, list]:
        """The variables' accumulators, the operations that add to them, and pairs of an average and a variable."""
        accumulators: list[ConditionalAccumulatorBase] = []
        added: list[Any] = []
        averaged: list[tuple[Any, Any]] = []
        for grad, variable in pairs:
            if grad is None:
                averaged.append((None, variable))
                continue
            with device(variable.device):
                shared_name = f"{variable.name}/grad_accum"
                if isinstance(grad, Tensor):
                    dense = ConditionalAccumulator(grad.dtype, variable.shape, shared_name=shared_name)
                    accumulators.append(dense)
                    apply, take = dense.apply_grad, dense.take_grad
                elif isinstance(grad, IndexedSlices):
                    rows = SparseConditionalAccumulator(grad.dtype, variable.shape, shared_name=shared_name)
                    accumulators.append(rows)
                    apply, take = rows.apply_indexed_slices_grad, rows.take_indexed_slices_grad
                else:
                    raise ValueError(f"Unknown grad type {type(grad)}")
                added.append(apply(grad, local_step=self._local_step))
                averaged.append((take(self._replicas_to_aggregate), variable))
        return accumulators, added, averaged

    def get_chief_queue_runner(self) -> QueueRunner:
        """The queue runner whose thread takes the steps; only the chief starts it."""
        if not self._gradients_applied:
            raise ValueError("Should be called after apply_gradients().")
        return self._chief_queue_runner

    def get_init_tokens_op(self, num_tokens=-1):
        """An operation that fills the queue with the first tokens: as many as make a step, unless a number is given."""
        if not self._gradients_applied:
            raise ValueError("get_init_tokens_op() should be called after apply_gradients().")
        needed = self._replicas_to_aggregate - self._total_num_replicas
        if num_tokens == -1:
            num_tokens = self._replicas_to_aggregate
        elif num_tokens < needed:
            raise ValueError(f"Too few tokens to finish the first step: {num_tokens} (given) vs {needed} (needed)")
        if num_tokens <= 0:
            return no_op(name="no_init_tokens")
        with device(self._global_step.device):
            return self._sync_token_queue.enqueue_many((fill([num_tokens], self._global_step.read_value()),))

    def make_session_run_hook(self, is_chief, num_tokens=-1) -> SessionRunHook:
        """The hook that a monitored session of a worker needs."""
        return _SyncReplicasHook(self, is_chief, num_tokens)

    def get_slot(self, var, name):
        return self._opt.get_slot(var, name)

    def get_slot_names(self) -> list:
        """The slots of the optimizer inside."""
        return self._opt.get_slot_names()

    def variables(self) -> list:
        return self._opt.variables()


class _SyncReplicasHook(SessionRunHook):
    """Begins the worker's step; the chief also gives out the first tokens and takes the steps."""

    def __init__(self, optimizer: SyncReplicasOptimizer, is_chief: bool, num_tokens: int) -> None:
        self._optimizer, self._is_chief, self._num_tokens = optimizer, is_chief, num_tokens

    def begin(self) -> None:
        made = self._optimizer
        if not made._gradients_applied:
            raise ValueError("SyncReplicasOptimizer.apply_gradient should be called before using the hook.")
        self._begin_op = made.chief_init_op if self._is_chief else made.local_step_init_op
        self._tokens_op = made.get_init_tokens_op(self._num_tokens) if self._is_chief else None

    def after_create_session(self, session, coord) -> None:
        what = "Model is not ready for SyncReplicasOptimizer local init."
        ready, message = SessionManager._ready(self._optimizer.ready_for_local_init_op, session, what)
        if not ready:
            raise RuntimeError(
                "Init operations did not make model ready for SyncReplicasOptimizer local_init. Init op: "
                f"{self._begin_op.name}, error: {message}"
            )
        session.run(self._begin_op)
        if self._is_chief:
            session.run(self._tokens_op)
            runner = self._optimizer.get_chief_queue_runner()
            runner.create_threads(session, coord=coord, daemon=True, start=True)
