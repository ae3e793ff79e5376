# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.train.experimental`."""

from reflow.train.python_state import PythonState as PythonState
