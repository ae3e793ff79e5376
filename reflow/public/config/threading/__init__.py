# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.config.threading`."""

from reflow.api.runtime_settings import get_inter_op_parallelism_threads as get_inter_op_parallelism_threads
from reflow.api.runtime_settings import get_intra_op_parallelism_threads as get_intra_op_parallelism_threads
from reflow.api.runtime_settings import set_inter_op_parallelism_threads as set_inter_op_parallelism_threads
from reflow.api.runtime_settings import set_intra_op_parallelism_threads as set_intra_op_parallelism_threads
