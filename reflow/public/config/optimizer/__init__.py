# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.config.optimizer`."""

from reflow.api.runtime_settings import get_experimental_options as get_experimental_options
from reflow.api.runtime_settings import get_jit as get_jit
from reflow.api.runtime_settings import set_experimental_options as set_experimental_options
from reflow.api.runtime_settings import set_jit as set_jit
