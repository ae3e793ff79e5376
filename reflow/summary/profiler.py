"""`tf.profiler.experimental`: XLA's profiler, whose files (`plugins/profile/<run>/*.xplane.pb`) TensorBoard reads."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from typing import NamedTuple

from reflow.api.export import export
from reflow.core import errors
from reflow.summary import op_names


@export("profiler.experimental.ProfilerOptions")
class ProfilerOptions(NamedTuple):
    """Says how much a profile records.

    Args:
      host_tracer_level: How much of the runtime, from 0 (nothing) to 3.
      python_tracer_level: 1 to record calls of Python functions.
      device_tracer_level: 1 to record what runs on GPUs.
      delay_ms: After how long the profile begins; only `tf.profiler.experimental.client.trace` keeps to it.

    >>> tf.profiler.experimental.ProfilerOptions(python_tracer_level=1).host_tracer_level
    2
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


_running: list[tuple[str, str]] = []  # where the profile shall go, and where XLA writes it


def is_running() -> bool:
    """Whether a profile is being taken."""
    return bool(_running)


@export("profiler.experimental.start")
def start(logdir, options=None):
    """Begins to profile; `stop` writes the profile.

    Args:
      logdir: The folder that the profile is put below.
      options: A `ProfilerOptions`, or a dictionary of its fields.

    Returns:
      None.

    Raises:
      AlreadyExistsError: A profile is being taken already.

    >>> import tempfile
    >>> tf.profiler.experimental.start(tempfile.mkdtemp())
    >>> tf.profiler.experimental.stop(save=False)
    """
    import jax

    if _running:
        raise errors.AlreadyExistsError(None, None, "Another profiler is running.")
    settings = jax.profiler.ProfileOptions()
    given = options if options is not None else ProfilerOptions()
    chosen = given._asdict() if isinstance(given, ProfilerOptions) else dict(given)
    settings.host_tracer_level = chosen["host_tracer_level"]
    settings.python_tracer_level = chosen["python_tracer_level"]
    settings.device_tracer_level = chosen["device_tracer_level"]
    folder = tempfile.mkdtemp()  # XLA's profiler always writes, and `stop` may not want it
    jax.profiler.start_trace(folder, profiler_options=settings)
    _running.append((os.fspath(logdir), folder))


@export("profiler.experimental.stop")
def stop(save=True):
    """Ends the profile and writes it.

    Args:
      save: Whether it is written.

    Returns:
      None.

    Raises:
      UnavailableError: No profile is being taken.

    >>> import tempfile
    >>> tf.profiler.experimental.start(tempfile.mkdtemp())
    >>> x = tf.ones([9]) + 1
    >>> tf.profiler.experimental.stop(save=False)
    """
    import jax

    if not _running:
        raise errors.UnavailableError(None, None, "Cannot export profiling results. No profiler is running.")
    logdir, folder = _running.pop()
    try:
        jax.profiler.stop_trace()
        if save:
            op_names.give_names(folder)
            shutil.copytree(folder, logdir, dirs_exist_ok=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@export("profiler.experimental.Profile")
class Profile:
    """Profiles what happens in a `with` block.

    Args:
      logdir: The folder that the profile is put below.
      options: A `ProfilerOptions`, or a dictionary of its fields.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with tf.profiler.experimental.Profile(folder):
    ...     x = tf.ones([9]) + 1
    >>> tf.io.gfile.listdir(folder)
    ['plugins']
    """

    def __init__(self, logdir, options=None):
        self._logdir, self._options = logdir, options

    def __enter__(self):
        start(self._logdir, self._options)

    def __exit__(self, *exc):
        stop()


@export("profiler.experimental.Trace")
class Trace:
    """Shows a `with` block in the profile under a name: `Trace("train", step_num=step)`.

    Args:
      name: The name.
      **kwargs: More to show with it; `step_num` is the number of a training step.

    >>> for step in range(2):
    ...     with tf.profiler.experimental.Trace("train", step_num=step):
    ...         x = tf.ones([9]) + 1
    """

    def __init__(self, name, **kwargs):
        self._name, self._metadata, self._span = name, kwargs, None

    def set_metadata(self, **kwargs):
        """Adds to what the profile shows with the name, before the block begins.

        Args:
          **kwargs: More to show.
        """
        self._metadata.update(kwargs)

    def __enter__(self):
        if "jax" in sys.modules:  # without JAX there is no profile to show up in
            self._span = sys.modules["jax"].profiler.TraceAnnotation(self._name, **self._metadata)
            self._span.__enter__()
        return self

    def __exit__(self, *exc):
        if self._span is not None:
            self._span.__exit__(*exc)
