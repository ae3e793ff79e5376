# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.experimental.tensorrt`."""

from reflow.engine.tf_trt import ConversionParams as ConversionParams
from reflow.engine.tf_trt import Converter as Converter
