# Written by tools/make_namespaces.py: do not edit. `make namespaces` writes it anew.
"""The namespace `tf.compat.v1.python_io`."""

from reflow.io.tf_record import TFRecordCompressionType as TFRecordCompressionType
from reflow.io.tf_record import TFRecordOptions as TFRecordOptions
from reflow.io.tf_record import TFRecordWriter as TFRecordWriter
from reflow.io.tf_record import tf_record_iterator as tf_record_iterator
