"""Saves training that is about to be interrupted: `PreemptionCheckpointHandler`, `TerminationConfig`,
`PreemptionWatcher`.

A machine that is to be preempted gets a *notice*: a SIGTERM, or a user function that returns True. The handler checks
for it between steps, never within one. After a notice one more step runs, a checkpoint is saved, and the process ends
with a status that asks for a restart. The next process restores the checkpoint when it creates its handler. With a
grace period, training continues after the checkpoint until the time is almost over, and saves once more.

All processes save after the same step: between steps they tell each other whether one of them has a notice. Only the
chief's checkpoint is kept; the others write theirs to folders that they remove again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from reflow.api.export import export
from reflow.core import dtypes, errors
from reflow.core.logging import logger
from reflow.eager.variables import Variable
from reflow.train.checkpoint import Checkpoint
from reflow.train.manager import CheckpointManager

RESTART_STATUS = 42  # TensorFlow's exit status of a process that wants to be started again
POLL_SECONDS = 1.0
SAFETY = 6  # average steps that are left of a grace period when the last one begins
_COUNTER = "checkpointed_runs"  # as TensorFlow calls it in checkpoints


@export("distribute.experimental.TerminationConfig")
class TerminationConfig:
    """How a `PreemptionCheckpointHandler` learns of the end, and what it does then.

    Args:
      termination_watcher_fn: called about once a second; True means that this machine will be taken away. Default:
        SIGTERM means it.
      exit_fn: called after the last checkpoint. Default: ends the process with status 42.
      grace_period: seconds from the notice to the end. Default 0: the process ends after the first checkpoint.
      save_fn: saves the checkpoint. Default: the checkpoint manager's `save`.

    >>> tf.distribute.experimental.TerminationConfig(grace_period=60).grace_period
    60
    """

    def __init__(
        self, termination_watcher_fn: Callable[[], bool] | None = None, exit_fn: Callable[[], Any] | None = None,
        grace_period: float | None = None, save_fn: Callable[..., Any] | None = None,
    ):
        self.termination_watcher_fn, self.exit_fn = termination_watcher_fn, exit_fn
        self.grace_period, self.save_fn = grace_period, save_fn


@export("distribute.experimental.PreemptionCheckpointHandler")
class PreemptionCheckpointHandler:
    """Saves a checkpoint when the process is about to be interrupted, and restores it in the next one.

    Args:
      cluster_resolver: the strategy's `cluster_resolver`; None for one process.
      checkpoint_or_checkpoint_manager: what to save.
      checkpoint_dir: where, if a checkpoint is given and no manager.
      termination_config: see `TerminationConfig`.

    Raises:
      InvalidArgumentError: if a checkpoint is given without `checkpoint_dir`.
      NotImplementedError: for a cluster with parameter servers, as in TensorFlow.

    >>> import tempfile
    >>> config = tf.distribute.experimental.TerminationConfig(termination_watcher_fn=lambda: False)
    >>> saved = tf.train.Checkpoint(v=tf.Variable(1.0))
    >>> handler = tf.distribute.experimental.PreemptionCheckpointHandler(None, saved, tempfile.mkdtemp(), config)
    >>> handler.run(lambda x: x + 1, 1), int(handler.total_run_calls)
    (2, 1)
    """

    def __init__(
        self, cluster_resolver: Any, checkpoint_or_checkpoint_manager: Checkpoint | CheckpointManager,
        checkpoint_dir: str | None = None, termination_config: TerminationConfig | None = None,
    ):
        given = checkpoint_or_checkpoint_manager
        if isinstance(given, Checkpoint) and not checkpoint_dir:
            raise errors.InvalidArgumentError(
                None, None, "When a checkpoint is passed, a checkpoint_dir must be passed as well."
            )
        if cluster_resolver and "ps" in cluster_resolver.cluster_spec().as_dict():
            raise NotImplementedError(
                "PreemptionCheckpointHandler does not support usage with "
                "tf.distribute.experimental.ParameterServerStrategy."
            )
        config = termination_config or TerminationConfig()
        self._exit = config.exit_fn or (lambda: sys.exit(RESTART_STATUS))
        self._grace, self._save_fn = config.grace_period or 0, config.save_fn
        self._group = _processes(cluster_resolver)
        self._made_folder: str | None = None
        reads, self._writes = self._managers(given, checkpoint_dir)
        self._checkpointed_runs = Variable(np.int64(0), trainable=False, dtype=dtypes.int64, name=_COUNTER)
        for manager in (reads, self._writes):
            if not hasattr(manager._checkpoint, _COUNTER):
                setattr(manager._checkpoint, _COUNTER, self._checkpointed_runs)
        reads.restore_or_initialize()
        self._runs = int(getattr(reads._checkpoint, _COUNTER).numpy())
        self._average = 0.0  # seconds of a step
        self._save_after: int | None = None  # the number of runs after which to save
        self._counting_down = self._ended = False
        self._deadline = 0.0
        self._notice = _Notice(config.termination_watcher_fn)
        logger.info("PreemptionCheckpointHandler initialized or restored.")

    def _managers(self, given: Any, folder: str | None) -> tuple[CheckpointManager, CheckpointManager]:
        """The manager to restore with, and the one to save with."""
        if isinstance(given, CheckpointManager):
            return given, given
        assert folder is not None
        reads = CheckpointManager(given, folder, max_to_keep=1)
        if self._group is None or self._group.index == 0:
            return reads, reads
        self._made_folder = os.path.join(folder, f"workertemp_{self._group.index}")
        return reads, CheckpointManager(given, self._made_folder, max_to_keep=1)

    @property
    def total_run_calls(self) -> int:
        """How often `run` was called, in this process and in those that saved what it has restored."""
        return self._runs

    def run(self, distributed_train_function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Save and end if it is time; otherwise call the function, and return what it returns."""
        self._check()
        start = time.monotonic()
        result = distributed_train_function(*args, **kwargs)
        self._runs += 1
        self._average += (time.monotonic() - start - self._average) / self._runs
        return result

    def save_checkpoint_if_preempted(self, *args: Any, **kwargs: Any) -> None:
        """Save and end if it is time: to be called after each step, in place of `run`.

        The arguments go to the manager's `save`.
        """
        self._check(*args, **kwargs)
        self._runs += 1

    @contextlib.contextmanager
    def watch_preemption_scope(self) -> Iterator[None]:
        """A block of calls of `run`. Errors in it are the block's own."""
        yield

    def _check(self, *args: Any, **kwargs: Any) -> None:
        if self._ended:
            return
        if self._save_after is None:
            if self._agreed(self._notice.given() and (not self._counting_down or time.monotonic() > self._deadline)):
                self._save_after = self._runs + 1
                if not self._counting_down:
                    self._deadline = self._notice.when + self._grace - SAFETY * self._average
        elif self._save_after <= self._runs:
            self._save_after = None
            self._save(*args, **kwargs)
            if self._grace <= 0 or self._counting_down:
                self._end()
            else:
                logger.info("Continue training for the grace period.")
                self._counting_down = True

    def _agreed(self, mine: bool) -> bool:
        """Whether it is true of this process or, in a cluster, of any."""
        return mine if self._group is None else bool(self._group.sum([np.array([mine], np.int32)])[0][0])

    def _save(self, *args: Any, **kwargs: Any) -> None:
        logger.info("PreemptionCheckpointHandler: Starting saving a checkpoint.")
        getattr(self._writes._checkpoint, _COUNTER).assign(self._runs)
        (self._save_fn or self._writes.save)(*args, **kwargs)
        self._writes.sync()
        logger.info("Checkpoint finished at path %s", self._writes._directory)

    def _end(self) -> None:
        self._ended = True
        self._notice.stop()
        self._agreed(True)  # no process ends before all have saved
        if self._made_folder is not None:
            shutil.rmtree(self._made_folder, ignore_errors=True)
        logger.info("PreemptionCheckpointHandler: checkpoint saved. Exiting.")
        self._exit()


def _processes(cluster_resolver: Any) -> Any:
    """The processes of the cluster; None if there is only this one."""
    if not cluster_resolver or not cluster_resolver.cluster_spec().jobs:
        return None
    from reflow.distribute import processes  # which needs JAX

    return processes.current()


class _Notice:
    """Whether this machine will be taken away: a function that is polled says so, or a SIGTERM."""

    def __init__(self, watch: Callable[[], bool] | None):
        self.when = 0.0
        self._given, self._stopped = threading.Event(), threading.Event()
        if watch is None:
            signal.signal(signal.SIGTERM, lambda *_: self._give())
        else:
            threading.Thread(target=_poll, args=(weakref.ref(self), watch, self._stopped), daemon=True).start()
            weakref.finalize(self, self._stopped.set)

    def _give(self) -> None:
        if not self._given.is_set():
            self.when = time.monotonic()
            self._given.set()

    def given(self) -> bool:
        return self._given.is_set()

    def stop(self) -> None:
        self._stopped.set()


def _poll(notice: weakref.ref[_Notice], watch: Callable[[], bool], stopped: threading.Event) -> None:
    """Polls until the notice comes, the owner is gone, or it is stopped."""
    while not stopped.is_set():
        if watch():
            found = notice()
            if found is not None:
                found._give()
            return
        stopped.wait(POLL_SECONDS)


@export("distribute.experimental.PreemptionWatcher")
class PreemptionWatcher:
    """Watches the TPU workers of a cluster for notices. There are none here: as TensorFlow's away from TPUs, it says so
    and sees nothing.

    >>> watcher = tf.distribute.experimental.PreemptionWatcher()
    >>> watcher.preemption_message is None
    True
    """

    def __init__(self) -> None:
        logger.warning("Preemption watcher does not support environment: no TPU")

    @property
    def preemption_message(self) -> str | None:
        """What the notice said; None while there is none."""
        return None

    def block_until_worker_exit(self) -> None:
        """Wait until workers that were given notice have ended: returns at once."""
