# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.random.experimental`."""

from reflow.api.random.generator import Generator as Generator
from reflow.api.random.generator import create_rng_state as create_rng_state
from reflow.api.random.generator import get_global_generator as get_global_generator
from reflow.api.random.generator import set_global_generator as set_global_generator
from reflow.api.random.index_shuffle import index_shuffle as index_shuffle
from reflow.api.random.sampling import Algorithm as Algorithm
from reflow.api.random.sampling import fold_in as stateless_fold_in
from reflow.api.random.sampling import split as stateless_split
from reflow.api.random.sampling import stateless_shuffle as stateless_shuffle

__all__ = [
    "Algorithm", "Generator", "create_rng_state", "get_global_generator", "index_shuffle", "set_global_generator",
    "stateless_fold_in", "stateless_shuffle", "stateless_split",
]
