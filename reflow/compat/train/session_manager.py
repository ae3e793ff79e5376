"""`tf.compat.v1.train.SessionManager`: sessions whose variables are restored from a checkpoint, or initialized."""

from __future__ import annotations

import time

import numpy as np

from reflow.api.export import export
from reflow.compat.behavior import get_default_graph
from reflow.compat.session import Session
from reflow.core import errors
from reflow.core.logging import logger
from reflow.graph.graph import SymbolicTensor
from reflow.train.checkpoint_state import get_checkpoint_state


@export("compat.v1.train.SessionManager")
class SessionManager:
    """Makes sessions that are ready to train.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable("v", initializer=tf.constant(3))
    ...     start = tf.compat.v1.global_variables_initializer()
    ...     manager = tf.compat.v1.train.SessionManager()
    ...     with manager.prepare_session("", init_op=start) as session:
    ...         session.run(v).item()
    3

    Args:
      local_init_op: what initialises local variables and tables, after the others.
      ready_op: a tensor of the names of variables that have no value yet; empty when all have.
      ready_for_local_init_op: the same, asked before `local_init_op` runs.
      graph: the graph of the sessions.
      recovery_wait_secs: how long to wait between two looks at a model that others initialise.
    """

    def __init__(
        self, local_init_op=None, ready_op=None, ready_for_local_init_op=None, graph=None, recovery_wait_secs=30,
        local_init_run_options=None, local_init_feed_dict=None,
    ):
        self._local_init_op, self._ready_op = local_init_op, ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = graph if graph is not None else get_default_graph()
        self._recovery_wait_secs = recovery_wait_secs
        self._options, self._feeds = local_init_run_options, local_init_feed_dict
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError(
                "If you pass a ready_for_local_init_op you must also pass a local_init_op , "
                f"ready_for_local_init_op [{ready_for_local_init_op}]"
            )

    def _restore(self, master, saver, directory, path, wait, max_wait_secs, config):
        """A session, and whether its variables came from a checkpoint."""
        session = Session(master, graph=self._graph, config=config)
        if directory and path:
            raise ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.")
        if saver is None or not (directory or path):
            return session, False
        if path:
            saver.restore(session, path)
            return session, True
        waited = 0.0
        found = get_checkpoint_state(directory)
        while not (found and found.model_checkpoint_path):
            if not wait or waited >= max_wait_secs:
                return session, False
            logger.info("Waiting for checkpoint to be available.")
            time.sleep(self._recovery_wait_secs)
            waited += self._recovery_wait_secs
            found = get_checkpoint_state(directory)
        saver.restore(session, found.model_checkpoint_path)
        saver.recover_last_checkpoints(found.all_model_checkpoint_paths)
        return session, True

    def prepare_session(
        self, master, init_op=None, saver=None, checkpoint_dir=None, checkpoint_filename_with_path=None,
        wait_for_checkpoint=False, max_wait_secs=7200, config=None, init_feed_dict=None, init_fn=None,
    ):
        """A session that is ready: restored, or else initialised by `init_op` and `init_fn`.

        Raises:
          RuntimeError: the model cannot be initialised.
        """
        session, restored = self._restore(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config
        )
        if not restored:
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError(
                    "Model is not initialized and no init_op or init_fn or local_init_op was given"
                )
            if init_op is not None:
                session.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(session)
        local, message = self._try_local_init(session)
        if not local:
            raise RuntimeError(
                f"Init operations did not make model ready for local_init.  Init op: {_names(init_op)}, init fn: "
                f"{init_fn}, error: {message}"
            )
        ready, message = self._ready(self._ready_op, session, "Model not ready")
        if not ready:
            raise RuntimeError(
                f"Init operations did not make model ready.  Init op: {_names(init_op)}, init fn: {init_fn}, "
                f"local_init_op: {_names(self._local_init_op)}, error: {message}"
            )
        return session

    def recover_session(
        self, master, saver=None, checkpoint_dir=None, checkpoint_filename_with_path=None, wait_for_checkpoint=False,
        max_wait_secs=7200, config=None,
    ):
        """A session, and whether it is ready; it may have been restored from a checkpoint."""
        session, restored = self._restore(
            master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint, max_wait_secs, config
        )
        local, message = self._try_local_init(session)
        if not restored:
            return session, False
        restoring = checkpoint_dir or checkpoint_filename_with_path
        if not local:
            logger.info("Restoring model from %s did not make model ready for local init: %s", restoring, message)
            return session, False
        ready, message = self._ready(self._ready_op, session, "Model not ready")
        if not ready:
            logger.info("Restoring model from %s did not make model ready: %s", restoring, message)
            return session, False
        logger.info("Restored model from %s", restoring)
        return session, True

    def wait_for_session(self, master, config=None, max_wait_secs=float("inf")):
        """A session whose model another process initialises; waits for it.

        Raises:
          tf.errors.DeadlineExceededError: it took longer than `max_wait_secs`.
        """
        until = time.monotonic() + (float("inf") if max_wait_secs is None else max_wait_secs)
        while True:
            session = Session(master, graph=self._graph, config=config)
            local, local_message = self._try_local_init(session)
            message = None
            if local:
                ready, message = self._ready(self._ready_op, session, "Model not ready")
                if ready:
                    return session
            session.close()
            if time.monotonic() + self._recovery_wait_secs > until:
                raise errors.DeadlineExceededError(
                    None, None, f"Session was not ready after waiting {max_wait_secs} secs."
                )
            logger.info(
                "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s", local_message, message
            )
            time.sleep(self._recovery_wait_secs)

    def _try_local_init(self, session):
        """Run the local initialisation if the model is ready for it."""
        if self._local_init_op is None:
            return True, None
        ready, message = self._ready(self._ready_for_local_init_op, session, "Model not ready for local init")
        if ready:
            logger.info("Running local_init_op.")
            session.run(self._local_init_op, feed_dict=self._feeds, options=self._options)
            logger.info("Done running local_init_op.")
        return ready, message

    @staticmethod
    def _ready(op, session, what):
        """Whether a tensor of names of uninitialised variables is empty, and what is missing."""
        if op is None:
            return True, None
        try:
            value = session.run(op)
        except errors.FailedPreconditionError as error:
            if not any(word in str(error) for word in ("uninitialized", "never initialized")):
                logger.warning("%s : error [%s]", what, error)
                raise
            return False, str(error)
        if value is None or not isinstance(op, SymbolicTensor) or value.size == 0 or value.dtype == np.int32:
            return True, None  # int32 has `assert_variables_initialized`: that it ran is the answer
        names = ", ".join(name.decode("utf-8") for name in value.tolist())
        return False, f"Variables not initialized: {names}"


def _names(op):
    return [o.name for o in op] if isinstance(op, (list, tuple)) else None if op is None else op.name
