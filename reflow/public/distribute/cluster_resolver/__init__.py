# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.distribute.cluster_resolver`."""

from reflow.distribute.clusters import TPUClusterResolver as TPUClusterResolver

__all__ = [
    "TPUClusterResolver",
]
