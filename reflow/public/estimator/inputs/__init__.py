# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.estimator.inputs`."""

from reflow.estimator.input_functions import numpy_input_fn as numpy_input_fn
from reflow.estimator.input_functions import pandas_input_fn as pandas_input_fn
