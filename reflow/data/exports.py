"""Loads everything in `tf.data`."""

from reflow.data import dataset, experimental, iterators, optional, options

__all__ = ["dataset", "experimental", "iterators", "optional", "options"]
