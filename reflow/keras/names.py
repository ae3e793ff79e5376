"""The names under which TensorFlow's users, Keras first, know things: the table that `drop_in` reads.

A *public module* is one that TensorFlow documents (`tensorflow.nn`); it resolves to the attribute of `reflow`
of the same path. A *private module* (`tensorflow.python.eager.context`) is not documented, but Keras and
other libraries import from it; `PRIVATE` says, name by name, where in Reflow the thing lives. Targets are
attribute paths inside `reflow`. Names without a public home in TensorFlow live in `reflow.__internal__`.
"""

from __future__ import annotations


def _in(namespace: str, names: str) -> dict[str, str]:
    """Table rows for names that are the same on both sides: `_in("math", "abs")` is `{"abs": "math.abs"}`."""
    prefix = f"{namespace}." if namespace else ""
    return {name: prefix + name for name in names.split()}


#: First components of public module paths. `compat.v1` and `compat.v2` repeat them below themselves.
_V2_MODULES = """
    __internal__ __operators__ audio autodiff autograph bitwise compat config data debugging distribute
    dtensor dtypes errors experimental feature_column graph_util image initializers io keras linalg lite
    lookup losses math metrics mlir nest nn optimizers profiler quantization queue ragged random raw_ops
    saved_model security sets signal sparse strings summary sysconfig test tools tpu train types version
    xla
"""
_V1_MODULES = "app flags gfile layers logging manip python_io resource_loader spectral user_ops"
PUBLIC_MODULES = frozenset((_V2_MODULES + _V1_MODULES).split())

#: What Keras 3.15 itself (and its tests) import from private modules. Every row is needed.
KERAS = {
    "tensorflow.compiler.tf2xla.python.xla": _in("__internal__.xla", "dynamic_update_slice"),
    "tensorflow.python.data.experimental.ops.distribute": {
        "compute_batch_size": "__internal__.data.compute_batch_size"
    },
    "tensorflow.python.eager.context": _in("__internal__.eager_context", "async_wait context _reset_context"),
    "tensorflow.python.framework.config": {
        "enable_op_determinism": "config.experimental.enable_op_determinism",
        **_in("__internal__.config", "disable_op_determinism is_op_determinism_enabled"),
    },
    "tensorflow.python.framework.tensor_util": {
        "is_tf_type": "is_tensor",
        "is_tensor": "is_tensor",
        "constant_value": "get_static_value",
        "make_tensor_proto": "make_tensor_proto",
        "MakeNdarray": "make_ndarray",
    },
    "tensorflow.python.framework.type_spec_registry": _in(
        "__internal__.type_spec_registry", "lookup get_name register"
    ),
    "tensorflow.python.lib.io.tf_record": {
        "tf_record_iterator": "compat.v1.io.tf_record_iterator",
        "TFRecordWriter": "io.TFRecordWriter",
        "TFRecordOptions": "io.TFRecordOptions",
    },
    "tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops": _in(
        "__internal__.sparse_csr",
        "sparse_tensor_to_csr_sparse_matrix sparse_matrix_sparse_mat_mul csr_sparse_matrix_to_sparse_tensor",
    ),
    "tensorflow.python.ops.math_ops": _in("math", "is_nan"),
    "tensorflow.python.trackable.data_structures": _in("__internal__.tracking", "ListWrapper _DictWrapper"),
}

#: What other libraries and users' programs import from private modules.
FRIENDS = {
    "tensorflow.python.autograph.impl.api": {"do_not_convert": "autograph.experimental.do_not_convert"},
    "tensorflow.python.client.device_lib": {"list_local_devices": "__internal__.config.list_local_devices"},
    "tensorflow.python.data.ops.dataset_ops": {
        "Dataset": "data.Dataset",
        "DatasetV2": "data.Dataset",
        "DatasetSpec": "data.DatasetSpec",
    },
    "tensorflow.python.data.ops.iterator_ops": {
        "IteratorBase": "data.Iterator",
        "IteratorSpec": "data.IteratorSpec",
    },
    "tensorflow.python.data.ops.optional_ops": {
        "Optional": "experimental.Optional",
        "OptionalSpec": "OptionalSpec",
    },
    "tensorflow.python.data.ops.options": {"Options": "data.Options"},
    "tensorflow.python.distribute.distribute_lib": _in(
        "distribute",
        "Strategy ReplicaContext get_strategy has_strategy get_replica_context in_cross_replica_context",
    ),
    "tensorflow.python.distribute.mirrored_strategy": _in("distribute", "MirroredStrategy"),
    "tensorflow.python.distribute.reduce_util": _in("distribute", "ReduceOp"),
    "tensorflow.python.eager.backprop": _in("", "GradientTape"),
    "tensorflow.python.eager.def_function": _in("", "function"),
    "tensorflow.python.framework.composite_tensor": _in("__internal__", "CompositeTensor"),
    "tensorflow.python.framework.constant_op": _in("", "constant"),
    "tensorflow.python.framework.func_graph": _in("__internal__", "FuncGraph"),
    "tensorflow.python.framework.indexed_slices": _in("", "IndexedSlices IndexedSlicesSpec"),
    "tensorflow.python.framework.ops": {
        **_in("", "Graph Operation RegisterGradient control_dependencies convert_to_tensor init_scope"),
        **_in("", "inside_function no_gradient"),
        **_in("__internal__", "EagerTensor"),
        **_in("compat.v1", "GraphKeys device get_default_graph reset_default_graph"),
        **_in("compat.v1", "enable_eager_execution executing_eagerly_outside_functions get_collection"),
        "name_scope": "name_scope",
        "name_scope_v2": "name_scope",
        "device_v2": "device",
    },
    "tensorflow.python.framework.random_seed": {
        "set_seed": "random.set_seed",
        "set_random_seed": "compat.v1.set_random_seed",
        "get_seed": "compat.v1.get_seed",
    },
    "tensorflow.python.framework.sparse_tensor": _in("", "SparseTensor SparseTensorSpec"),
    "tensorflow.python.framework.tensor": _in("", "Tensor TensorSpec"),
    "tensorflow.python.framework.tensor_shape": {
        "TensorShape": "TensorShape",
        **_in("compat.v1", "Dimension dimension_value"),
    },
    "tensorflow.python.framework.tensor_spec": _in("", "TensorSpec"),
    "tensorflow.python.framework.type_spec": _in("", "TypeSpec type_spec_from_value"),
    "tensorflow.python.module.module": _in("", "Module"),
    "tensorflow.python.ops.ragged.ragged_tensor": _in("", "RaggedTensor RaggedTensorSpec"),
    "tensorflow.python.ops.tensor_array_ops": _in("", "TensorArray TensorArraySpec"),
    "tensorflow.python.ops.variables": {
        **_in("", "Variable VariableSynchronization"),
        "VariableAggregation": "compat.v1.VariableAggregation",
        "VariableAggregationV2": "VariableAggregation",
    },
    "tensorflow.python.platform.gfile": {
        "GFile": "io.gfile.GFile",
        "Exists": "compat.v1.gfile.Exists",
        "FastGFile": "compat.v1.gfile.FastGFile",
        "Glob": "compat.v1.gfile.Glob",
        "MakeDirs": "compat.v1.gfile.MakeDirs",
    },
    "tensorflow.python.platform.tf_logging": _in("compat.v1.logging", "debug error fatal info warn warning"),
    "tensorflow.python.saved_model.signature_constants": _in(
        "saved_model", "DEFAULT_SERVING_SIGNATURE_DEF_KEY PREDICT_METHOD_NAME"
    ),
    "tensorflow.python.saved_model.tag_constants": _in("saved_model", "SERVING TRAINING GPU"),
    "tensorflow.python.trackable.autotrackable": _in("__internal__.tracking", "AutoTrackable"),
    "tensorflow.python.trackable.base": _in(
        "__internal__.tracking", "Trackable TrackableReference no_automatic_dependency_tracking"
    ),
    "tensorflow.python.types.core": {
        "Tensor": "__internal__.types.Tensor",
        "ConcreteFunction": "types.experimental.ConcreteFunction",
        "PolymorphicFunction": "types.experimental.GenericFunction",
    },
    "tensorflow.python.types.distribute": {
        **_in("distribute", "DistributedValues"),
        "DistributedDatasetInterface": "distribute.DistributedDataset",
        "DistributedIteratorInterface": "distribute.DistributedIterator",
        "PerReplica": "types.experimental.distributed.PerReplica",
    },
    "tensorflow.python.util.deprecation": {"silence": "__internal__.silence_deprecation"},
    "tensorflow.python.util.nest": _in(
        "nest", "assert_same_structure flatten is_nested map_structure pack_sequence_as"
    ),
}

#: The one table: private module path -> {name: attribute path inside reflow}.
PRIVATE = {module: KERAS.get(module, {}) | FRIENDS.get(module, {}) for module in sorted(KERAS | FRIENDS)}

#: Private modules that mostly repeat public functions: a name that `PRIVATE` lacks is looked up in these
#: namespaces of Reflow, in order ("" is the top level).
NAMESPACES = {
    "tensorflow.python.framework.dtypes": ("dtypes", ""),
    "tensorflow.python.framework.errors": ("errors",),
    "tensorflow.python.framework.errors_impl": ("errors",),
    "tensorflow.python.ops.array_ops": ("",),
    "tensorflow.python.ops.bitwise_ops": ("bitwise",),
    "tensorflow.python.ops.check_ops": ("debugging",),
    "tensorflow.python.ops.clip_ops": ("",),
    "tensorflow.python.ops.control_flow_ops": ("",),
    "tensorflow.python.ops.image_ops": ("image",),
    "tensorflow.python.ops.linalg_ops": ("linalg",),
    "tensorflow.python.ops.lookup_ops": ("lookup",),
    "tensorflow.python.ops.math_ops": ("math", ""),
    "tensorflow.python.ops.nn": ("nn",),
    "tensorflow.python.ops.nn_ops": ("nn",),
    "tensorflow.python.ops.random_ops": ("random",),
    "tensorflow.python.ops.sparse_ops": ("sparse",),
    "tensorflow.python.ops.string_ops": ("strings",),
}

#: Generated protobuf modules, `tensorflow.core.<folder>.<name>_pb2`, are TensorBoard's copies of the same
#: files.
PROTO_PREFIX = "tensorflow.core."
PROTO_PACKAGE = "tensorboard.compat.proto"

#: Module and class names that real TensorFlow 2.21 gives these classes. Keras compares them as strings
#: (`is_tf_dataset`: a class named `DatasetV2` in a module whose name contains `tensorflow.python.`) and
#: writes those of type specs to files.
CLASSES = {
    "DType": "tensorflow.python.framework.dtypes.DType",
    "IndexedSlices": "tensorflow.python.framework.indexed_slices.IndexedSlices",
    "IndexedSlicesSpec": "tensorflow.python.framework.indexed_slices.IndexedSlicesSpec",
    "OptionalSpec": "tensorflow.python.data.ops.optional_ops.OptionalSpec",
    "RaggedTensor": "tensorflow.python.ops.ragged.ragged_tensor.RaggedTensor",
    "RaggedTensorSpec": "tensorflow.python.ops.ragged.ragged_tensor.RaggedTensorSpec",
    "SparseTensor": "tensorflow.python.framework.sparse_tensor.SparseTensor",
    "SparseTensorSpec": "tensorflow.python.framework.sparse_tensor.SparseTensorSpec",
    "Tensor": "tensorflow.python.framework.tensor.Tensor",
    "TensorShape": "tensorflow.python.framework.tensor_shape.TensorShape",
    "TensorSpec": "tensorflow.python.framework.tensor.TensorSpec",
    "TypeSpec": "tensorflow.python.framework.type_spec.TypeSpec",
    "__internal__.EagerTensor": "tensorflow.python.framework.ops.EagerTensor",
    "__internal__.types.Tensor": "tensorflow.python.types.core.Tensor",
    "data.Dataset": "tensorflow.python.data.ops.dataset_ops.DatasetV2",
    "data.DatasetSpec": "tensorflow.python.data.ops.dataset_ops.DatasetSpec",
    "data.IteratorSpec": "tensorflow.python.data.ops.iterator_ops.IteratorSpec",
    "experimental.Optional": "tensorflow.python.data.ops.optional_ops.Optional",
}

#: Modules of Keras that TensorFlow also has at its top level.
KERAS_NAMESPACES = ("initializers", "losses", "metrics", "optimizers")

#: Public modules that `import keras` itself asks for; they must exist even if nothing in them works yet.
KERAS_MODULES = (
    "compat.v1",
    "data",
    "errors",
    "experimental.dtensor",
    "io.gfile",
    "saved_model.experimental",
    "summary",
)
