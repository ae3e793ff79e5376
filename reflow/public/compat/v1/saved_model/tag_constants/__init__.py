# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.saved_model.tag_constants`."""

from reflow.saved_model.constants import GPU as GPU
from reflow.saved_model.constants import SERVING as SERVING
from reflow.saved_model.constants import TPU as TPU
from reflow.saved_model.constants import TRAINING as TRAINING
