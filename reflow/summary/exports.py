"""Loads everything in `tf.summary` and `tf.profiler`."""

from reflow.summary import kinds, profiler, trace, writer

__all__ = ["kinds", "profiler", "trace", "writer"]
