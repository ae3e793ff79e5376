"""Names of `tf.compat.v1` for things of TensorFlow 2 that do the same job, although TensorFlow 1 has others there.

Names that lead to the very same thing in both are not listed: `tools/make_namespaces.py` knows them.
"""

from reflow.api import initializers
from reflow.api.array import blocks
from reflow.api.control import py_functions
from reflow.api.debugging import asserts
from reflow.api.export import export_value
from reflow.api.math import segment, special
from reflow.api.random import sampling
from reflow.api.sparse import tensors
from reflow.data import dataset, iterators
from reflow.eager import variables
from reflow.io import datasets, files

export_value(variables.VariableAggregation, "compat.v1.VariableAggregation")
export_value(asserts.assert_all_finite, "compat.v1.verify_tensor_all_finite")
export_value(asserts.assert_equal, "compat.v1.assert_equal")
export_value(asserts.assert_integer, "compat.v1.assert_integer")
export_value(asserts.assert_type, "compat.v1.assert_type")
export_value(segment.bincount, "compat.v1.bincount")
export_value(segment.confusion_matrix, "compat.v1.confusion_matrix")
export_value(special.polyval, "compat.v1.polyval")
export_value(special.xdivy, "compat.v1.xdivy")
export_value(blocks.depth_to_space, "compat.v1.depth_to_space")
export_value(blocks.space_to_depth, "compat.v1.space_to_depth")
export_value(files.decode_raw, "compat.v1.decode_raw")
export_value(sampling.categorical, "compat.v1.multinomial")
export_value(py_functions.numpy_function, "compat.v1.py_func")
export_value(tensors.add, "compat.v1.sparse_add")
export_value(dataset.DatasetV2, "compat.v1.data.Dataset")
export_value(iterators.IteratorBase, "compat.v1.data.Iterator")
export_value(datasets.TFRecordDataset, "compat.v1.data.TFRecordDataset")
export_value(datasets.TextLineDataset, "compat.v1.data.TextLineDataset")
export_value(initializers.Constant, "compat.v1.constant_initializer", "compat.v1.initializers.constant")
export_value(initializers.Ones, "compat.v1.ones_initializer", "compat.v1.initializers.ones")
export_value(initializers.Zeros, "compat.v1.zeros_initializer", "compat.v1.initializers.zeros")
export_value(initializers.RandomNormal, "compat.v1.random_normal_initializer")
export_value(initializers.RandomUniform, "compat.v1.random_uniform_initializer")
