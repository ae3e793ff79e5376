"""`tf.profiler.experimental`: XLA's profiler, whose files (`plugins/profile/<run>/*.xplane.pb`) TensorBoard reads."""

from __future__ import annotations

import collections
import os
import sys

from reflow.api.export import export
from reflow.core import errors

ProfilerOptions = export("profiler.experimental.ProfilerOptions")(
    collections.namedtuple(
        "ProfilerOptions",
        ["host_tracer_level", "python_tracer_level", "device_tracer_level", "delay_ms"],
        defaults=(2, 0, 1, None),
    )
)

_running: list[str] = []


def is_running() -> bool:
    """Whether a profile is being taken."""
    return bool(_running)


@export("profiler.experimental.start")
def start(logdir, options=None):
    """Begin to profile; `stop` writes the profile below `logdir`."""
    import jax

    if _running:
        raise errors.AlreadyExistsError(None, None, "Another profiler is running.")
    settings = jax.profiler.ProfileOptions()
    chosen = options if options is not None else ProfilerOptions()
    chosen = chosen._asdict() if hasattr(chosen, "_asdict") else dict(chosen)
    settings.host_tracer_level = chosen["host_tracer_level"]
    settings.python_tracer_level = chosen["python_tracer_level"]
    settings.device_tracer_level = chosen["device_tracer_level"]
    jax.profiler.start_trace(os.fspath(logdir), profiler_options=settings)
    _running.append(os.fspath(logdir))


@export("profiler.experimental.stop")
def stop(save=True):
    """End the profile and write it."""
    import jax

    if not _running:
        raise errors.UnavailableError(None, None, "Cannot export profiling results. No profiler is running.")
    if not save:
        raise NotImplementedError("stop(save=False) is not there yet: XLA's profiler always writes what it recorded.")
    jax.profiler.stop_trace()
    _running.clear()


@export("profiler.experimental.Profile")
class Profile:
    """A `with` block that is profiled."""

    def __init__(self, logdir, options=None):
        self._logdir, self._options = logdir, options

    def __enter__(self):
        start(self._logdir, self._options)

    def __exit__(self, *exc):
        stop()


@export("profiler.experimental.Trace")
class Trace:
    """A `with` block that the profile shows under a name: `Trace("train", step_num=step)`."""

    def __init__(self, name, **kwargs):
        self._name, self._metadata, self._span = name, kwargs, None

    def set_metadata(self, **kwargs):
        """Add keys to the entry."""
        self._metadata.update(kwargs)

    def __enter__(self):
        if "jax" in sys.modules:  # without JAX there is no profile to show up in
            self._span = sys.modules["jax"].profiler.TraceAnnotation(self._name, **self._metadata)
            self._span.__enter__()
        return self

    def __exit__(self, *exc):
        if self._span is not None:
            self._span.__exit__(*exc)
