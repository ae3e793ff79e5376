"""`tensorflow.python.training.evaluation`: one evaluation of a checkpoint in a monitored session.

The *evaluation step* is a local variable that counts the batches of an evaluation. It is the count that a hook compares
with the number of batches that are wanted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflow.api.array.arrange import identity
from reflow.api.framework.core_names import control_dependencies
from reflow.compat.behavior import GraphKeys, get_default_graph
from reflow.compat.graph_variables import VariableV1
from reflow.compat.train.hooks import FinalOpsHook
from reflow.compat.train.monitored import ChiefSessionCreator, MonitoredSession
from reflow.compat.train.session_run_hook import SessionRunArgs, SessionRunHook
from reflow.core import dtypes
from reflow.core.logging import logger


def _get_or_create_eval_step() -> Any:
    """The variable that counts the batches of an evaluation, made if there is none."""
    graph = get_default_graph()
    found = graph.get_collection(GraphKeys.EVAL_STEP)
    if len(found) > 1:
        raise ValueError("Multiple tensors added to tf.GraphKeys.EVAL_STEP")
    if found:
        return found[0]
    make: Any = VariableV1
    keys = [GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP]
    return make(0, name="eval_step", dtype=dtypes.int64, trainable=False, collections=keys)


class _StopAfterNEvalsHook(SessionRunHook):
    """Ends an evaluation after `num_evals` batches; None means when the data ends.

    A tenth of them, at most, are logged one by one.
    """

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._num_evals = num_evals
        self._evals_completed: Any = None
        self._log_progress = log_progress
        self._log_frequency = 1 if num_evals is None or num_evals < 20 else num_evals // 10

    def _set_evals_completed_tensor(self, updated_eval_step: Any) -> None:
        self._evals_completed = updated_eval_step

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs({"evals_completed": self._evals_completed})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        completed = run_values.results["evals_completed"]
        if self._log_progress and (completed % self._log_frequency == 0 or completed == self._num_evals):
            logger.info("Evaluation [%d%s]", completed, "" if self._num_evals is None else f"/{self._num_evals}")
        if self._num_evals is not None and completed >= self._num_evals:
            run_context.request_stop()


def _with_count(eval_ops: Any, count: Any) -> Any:
    """What is evaluated, and the step that counts: in a dictionary, a list, or a list with a single op."""
    if isinstance(eval_ops, dict):
        return {**eval_ops, "update_eval_step": count}
    return [*eval_ops, count] if isinstance(eval_ops, (tuple, list)) else [eval_ops, count]


def _evaluate_once(
    checkpoint_path: str | None, master: str = "", scaffold: Any = None, eval_ops: Any = None,
    feed_dict: Mapping[Any, Any] | None = None, final_ops: Any = None,
    final_ops_feed_dict: Mapping[Any, Any] | None = None, hooks: Sequence[SessionRunHook] | None = None,
    config: Any = None,
) -> Any:
    """Restore a checkpoint, run `eval_ops` until a hook or the data ends it, and give the values of `final_ops`.

    Args:
      checkpoint_path: of the checkpoint; None initialises the variables instead.
      master: of the session, as are `scaffold` and `config`.
      eval_ops: an op, or a list or dictionary of them; None runs `final_ops` only.
      feed_dict: what is fed to `eval_ops`.
      final_ops: evaluated at the end.
      final_ops_feed_dict: what is fed to them.
      hooks: of the session.
    """
    step = _get_or_create_eval_step()
    given = list(hooks or [])
    if eval_ops is not None:
        count = step.assign_add(1, use_locking=True)
        eval_ops = _with_count(eval_ops, count)
        flat = list(eval_ops.values()) if isinstance(eval_ops, dict) else eval_ops
        with control_dependencies(flat):
            completed = identity(step.read_value())
        for hook in given:
            if isinstance(hook, _StopAfterNEvalsHook):
                hook._set_evals_completed_tensor(completed)
    final = FinalOpsHook(final_ops, final_ops_feed_dict)
    creator = ChiefSessionCreator(scaffold, checkpoint_filename_with_path=checkpoint_path, master=master, config=config)
    with MonitoredSession(session_creator=creator, hooks=[*given, final]) as session:
        while eval_ops is not None and not session.should_stop():
            session.run(eval_ops, feed_dict)
    return final.final_ops_values
