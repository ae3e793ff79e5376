"""The names under which TensorFlow's users, Keras first, know things: the table that `drop_in` reads.

A *public module* is one that TensorFlow documents (`tensorflow.nn`); it resolves to the attribute of `reflow`
of the same path. A *private module* (`tensorflow.python.eager.context`) is not documented, but Keras and
other libraries import from it; `PRIVATE` says, name by name, where in Reflow the thing lives. Targets are
attribute paths inside `reflow`. Names without a public home in TensorFlow live in `reflow.__internal__`. Names that
are only another way to a public thing (`tensorflow.python.ops.math_ops.matmul`) were recorded from TensorFlow:
`recorded`.
"""

from __future__ import annotations

import functools
import gzip
import json
import re
from pathlib import Path
from typing import Any


def _in(namespace: str, names: str) -> dict[str, str]:
    """Table rows for names that are the same on both sides: `_in("math", "abs")` is `{"abs": "math.abs"}`."""
    prefix = f"{namespace}." if namespace else ""
    return {name: prefix + name for name in names.split()}


#: First components of public module paths. `compat.v1` and `compat.v2` repeat them below themselves.
_V2_MODULES = """
    __internal__ __operators__ audio autodiff autograph bitwise compat config data debugging distribute
    dtensor dtypes errors estimator experimental feature_column graph_util image initializers io keras linalg lite
    lookup losses math metrics mlir nest nn optimizers profiler quantization queue ragged random raw_ops
    saved_model security sets signal sparse strings summary sysconfig test tools tpu train types version
    xla
"""
_V1_MODULES = "app flags gfile layers logging manip python_io resource_loader spectral user_ops"
PUBLIC_MODULES = frozenset((_V2_MODULES + _V1_MODULES).split())

#: The functions behind public ones for ragged tensors.
_RAGGED = {
    "tensorflow.python.ops.ragged.ragged_array_ops": {
        **_in(
            "", "bitcast broadcast_dynamic_shape broadcast_to dynamic_partition expand_dims fill ones rank reverse size"
        ),
        **_in("", "split tile zeros"),
        **{f"ragged_{name}": name for name in ("one_hot", "reshape")},
        "ragged_shape": "compat.v1.shape",
    },
    "tensorflow.python.ops.ragged.dynamic_ragged_shape": _in("", "ones"),
    "tensorflow.python.ops.ragged.ragged_bincount_ops": _in("math", "bincount")
    | {"sparse_bincount": "sparse.bincount"},
    "tensorflow.python.ops.ragged.ragged_check_ops": _in("debugging", "assert_type"),
    "tensorflow.python.ops.ragged.ragged_embedding_ops": _in(
        "compat.v1.nn", "embedding_lookup embedding_lookup_sparse safe_embedding_lookup_sparse"
    ),
    "tensorflow.python.ops.ragged.ragged_getitem": {"ragged_tensor_getitem": "RaggedTensor.__getitem__"},
    "tensorflow.python.ops.ragged.ragged_image_ops": {
        "resize_images_v1": "compat.v1.image.resize",
        "resize_images_v2": "image.resize",
    },
    "tensorflow.python.ops.ragged.ragged_operators": {
        **{f"ragged_{kind}": f"RaggedTensor.__{kind}__" for kind in ("abs", "and", "bool", "eq", "ge", "hash")},
    },
    "tensorflow.python.ops.ragged.ragged_concat_ops": _in("__internal__.ragged", "concat") | _in("ragged", "stack"),
    "tensorflow.python.ops.ragged.ragged_gather_ops": _in("__internal__.ragged", "gather gather_nd"),
    "tensorflow.python.ops.ragged.ragged_map_ops": _in("", "map_fn"),
    "tensorflow.python.ops.ragged.ragged_math_ops": {
        **_in("__internal__.ragged", "matmul"),
        **_in(
            "math",
            "reduce_all reduce_any reduce_max reduce_mean reduce_min reduce_prod reduce_std reduce_sum reduce_variance",
        ),
        **{
            f"segment_{kind}": f"math.unsorted_segment_{kind}"
            for kind in ("sum", "prod", "min", "max", "mean", "sqrt_n")
        },
        **_in("", "add_n"),
        "ragged_cumsum": "cumsum",
        "softmax": "nn.softmax",
        "dropout_v1": "compat.v1.nn.dropout",
        "dropout_v2": "nn.dropout",
        "stateless_dropout": "nn.experimental.stateless_dropout",
        "tensor_equals": "__operators__.eq",
        "tensor_not_equals": "__operators__.ne",
    },
    "tensorflow.python.ops.ragged.ragged_string_ops": _in("strings", "reduce_join")
    | {"string_format": "strings.format", "string_join": "strings.join"},
    "tensorflow.python.ops.ragged.ragged_squeeze_op": _in("", "squeeze"),
    "tensorflow.python.ops.ragged.ragged_tensor": _in(
        "__internal__.ragged", "convert_to_tensor_or_ragged_tensor is_ragged match_row_splits_dtypes"
    ),
    "tensorflow.python.ops.ragged.ragged_util": _in("__internal__.ragged", "repeat repeat_ranges"),
    "tensorflow.python.ops.ragged.ragged_where_op": {**_in("", "where"), "where_v2": "where"},
    "tensorflow.python.ops.ragged.row_partition": _in("__internal__.ragged", "RowPartitionSpec"),
}

#: What TensorFlow's distributions are made of.
_DISTRIBUTIONS = {
    f"tensorflow.python.ops.distributions.{module}": _in("__internal__.distributions", names)
    for module, names in {
        "beta": "BetaWithSoftplusConcentration",
        "bijector": "Bijector",
        "bijector_impl": "Bijector",
        "exponential": "ExponentialWithSoftplusRate",
        "gamma": "GammaWithSoftplusConcentrationRate",
        "identity_bijector": "Identity",
        "laplace": "LaplaceWithSoftplusScale",
        "normal": "NormalWithSoftplusScale",
        "special_math": "ndtr ndtri log_ndtr erfinv log_cdf_laplace LOGNDTR_FLOAT32_LOWER LOGNDTR_FLOAT32_UPPER "
        "LOGNDTR_FLOAT64_LOWER LOGNDTR_FLOAT64_UPPER",
        "student_t": "StudentTWithAbsDfSoftplusScale",
    }.items()
}

#: Older names of version 1's layers.
_LAYERS = {
    "tensorflow.python.layers.convolutional": {
        old.format(rank): f"compat.v1.layers.{new.format(rank)}"
        for old, new, ranks in (
            ("Convolution{}D", "Conv{}D", "123"),
            ("convolution{}d", "conv{}d", "123"),
            ("SeparableConvolution{}D", "SeparableConv{}D", "2"),
            ("separable_convolution{}d", "separable_conv{}d", "2"),
            *(
                (name, "Conv{}DTranspose", "23")
                for name in ("Convolution{}DTranspose", "Deconvolution{}D", "Deconv{}D")
            ),
            *(
                (name, "conv{}d_transpose", "23")
                for name in ("convolution{}d_transpose", "deconvolution{}d", "deconv{}d")
            ),
        )
        for rank in ranks
    },
    "tensorflow.python.layers.core": {
        "FullyConnected": "compat.v1.layers.Dense",
        "fully_connected": "compat.v1.layers.dense",
    },
    "tensorflow.python.layers.normalization": {
        "BatchNorm": "compat.v1.layers.BatchNormalization",
        "batch_norm": "compat.v1.layers.batch_normalization",
    },
    "tensorflow.python.layers.pooling": {
        "AvgPool2D": "compat.v1.layers.AveragePooling2D",
        "avg_pool2d": "compat.v1.layers.average_pooling2d",
        "MaxPool2D": "compat.v1.layers.MaxPooling2D",
        "max_pool2d": "compat.v1.layers.max_pooling2d",
    },
}

#: Names of private modules that have no public home in TensorFlow, or one in another module's words. Every row is
#: needed: the first part by Keras 3.15 itself, the second by other libraries and users' programs.
PRIVATE = {
    "tensorflow.compiler.tf2xla.python.xla": _in(
        "__internal__.xla", "call_module call_module_maximum_supported_version dynamic_slice dynamic_update_slice"
    ),
    "tensorflow.python.ops.bincount_ops": _in("__internal__.bincount", "validate_dense_weights"),
    "tensorflow.python.data.experimental.ops.distribute": _in("__internal__.data", "compute_batch_size"),
    "tensorflow.python.data.experimental.ops.global_shuffle_op": _in("__internal__.data", "_global_shuffle"),
    "tensorflow.python.data.experimental.ops.readers": _in("__internal__.data", "make_tf_record_dataset"),
    "tensorflow.python.data.ops.readers": {"_TFRecordDataset": "data.TFRecordDataset"},
    "tensorflow.python.data.ops.from_generator_op": _in("__internal__.data", "_GeneratorDataset"),
    "tensorflow.python.data.ops.iterator_ops": _in("__internal__.data", "OwnedIterator"),
    "tensorflow.python.data.ops.multi_device_iterator_ops": _in(
        "__internal__.data", "MultiDeviceIterator OwnedMultiDeviceIterator MultiDeviceIteratorSpec"
    ),
    "tensorflow.python.data.ops.from_sparse_tensor_slices_op": _in("__internal__.data", "_SparseTensorSliceDataset"),
    "tensorflow.python.data.ops.from_tensor_slices_op": _in("__internal__.data", "_TensorSliceDataset"),
    "tensorflow.python.data.ops.from_tensors_op": _in("__internal__.data", "_TensorDataset"),
    "tensorflow.python.data.ops.range_op": _in("__internal__.data", "_RangeDataset"),
    "tensorflow.python.data.util.random_seed": _in("__internal__.data", "get_seed"),
    "tensorflow.python.data.ops.debug_mode": _in("__internal__.data", "toggle_debug_mode"),
    "tensorflow.python.eager.context": _in("__internal__.eager_context", "async_wait context _reset_context"),
    "tensorflow.python.framework._dtypes": _in("", "DType"),
    "tensorflow.python.framework.config": _in(
        "__internal__.config", "disable_op_determinism is_op_determinism_enabled"
    ),
    "tensorflow.python.framework.type_spec_registry": _in(
        "__internal__.type_spec_registry", "lookup get_name register"
    ),
    "tensorflow.python.ops.linalg.sparse.sparse_csr_matrix_ops": _in(
        "__internal__.sparse_csr",
        "sparse_tensor_to_csr_sparse_matrix sparse_matrix_sparse_mat_mul csr_sparse_matrix_to_sparse_tensor",
    ),
    "tensorflow.python.platform._pywrap_tf2": {"is_enabled": "__internal__.tf2.enabled"},
    "tensorflow.python.trackable.data_structures": _in(
        "__internal__.tracking", "ListWrapper _DictWrapper NoDependency"
    ),
    # other libraries
    "tensorflow.python.distribute.collective_util": dict.fromkeys(
        ("Options", "_OptionsExported"), "distribute.experimental.CommunicationOptions"
    ),
    "tensorflow.python.distribute.input_lib": _in("__internal__.distribute", "InputWorkers MultiStepContext"),
    "tensorflow.python.distribute.v1.input_lib": _in(
        "__internal__.distribute", "DatasetIterator InputFunctionIterator"
    ),
    "tensorflow.python.distribute.tpu_strategy": {
        "TPUExtended": "__internal__.distribute.TPUExtended",
        "TPUStrategy": "distribute.experimental.TPUStrategy",
        "TPUStrategyV1": "compat.v1.distribute.experimental.TPUStrategy",
        "TPUStrategyV2": "distribute.TPUStrategy",
    },
    "tensorflow.python.distribute.parameter_server_strategy": {
        "ParameterServerStrategy": "compat.v1.distribute.experimental.ParameterServerStrategy",
        "ParameterServerStrategyV1": "compat.v1.distribute.experimental.ParameterServerStrategy",
        "ParameterServerStrategyExtended": "__internal__.distribute.CentralStorageExtended",
    },
    "tensorflow.python.distribute.collective_all_reduce_strategy": {
        "CollectiveAllReduceExtended": "__internal__.distribute.MultiWorkerExtended",
        "CollectiveAllReduceStrategy": "distribute.MultiWorkerMirroredStrategy",
        "CollectiveAllReduceStrategyV1": "compat.v1.distribute.experimental.MultiWorkerMirroredStrategy",
    },
    "tensorflow.python.distribute.ps_values": _in("__internal__.distribute", "AggregatingVariable"),
    "tensorflow.python.saved_model.save": _in("__internal__.saved_model", "save_and_return_nodes"),
    "tensorflow.python.trackable.resource": _in("__internal__.saved_model", "RestoredResource"),
    **dict.fromkeys(
        ("tensorflow.python.ops.rnn_cell", "tensorflow.python.ops.rnn_cell_impl"),
        _in(
            "compat.v1.nn.rnn_cell",
            "BasicLSTMCell BasicRNNCell DeviceWrapper DropoutWrapper GRUCell LSTMCell LSTMStateTuple "
            "MultiRNNCell RNNCell ResidualWrapper",
        ),
    ),
    "tensorflow.python.ops.distributions.distribution": _in(
        "compat.v1.distributions", "FULLY_REPARAMETERIZED NOT_REPARAMETERIZED"
    ),
    "tensorflow.python.ops.ref_variable": {"RefVariable": "compat.v1.Variable"},
    # one class in every mode
    "tensorflow.python.ops.tensor_array_ops": {
        **dict.fromkeys(("_EagerTensorArray", "_GraphTensorArray", "_GraphTensorArrayV2"), "TensorArray"),
        "build_ta_with_new_flow": "TensorArray.with_flow",
    },
    "tensorflow.python.framework.tensor_conversion": {
        "convert_to_tensor_v1": "compat.v1.convert_to_tensor",
        "convert_to_tensor_v2": "convert_to_tensor",
    },
    "tensorflow.python.distribute.distribute_lib": _in(
        "__internal__.distribute", "_get_default_strategy _get_default_replica_context get_cross_replica_context"
    )
    | {
        "StrategyExtendedV1": "compat.v1.distribute.StrategyExtended",
        "StrategyExtendedV2": "distribute.StrategyExtended",
        "StrategyV1": "compat.v1.distribute.Strategy",
    },
    "tensorflow.python.distribute.distribute_utils": _in("__internal__.distribute", "is_distributed_variable"),
    "tensorflow.python.distribute.values": _in(
        "__internal__.distribute",
        "DistributedValues PerReplica Mirrored DistributedVariable MirroredVariable SyncOnReadVariable PerReplicaSpec",
    ),
    "tensorflow.python.distribute.cluster_resolver.slurm_cluster_resolver": _in(
        "__internal__.distribute", "expand_hostlist expand_tasks_per_node"
    )
    | _in("distribute.cluster_resolver", "SlurmClusterResolver"),
    "tensorflow.python.client.device_lib": _in("__internal__.config", "list_local_devices"),
    "tensorflow.python.framework.ops": {
        **_in("", "convert_to_tensor name_scope Tensor"),  # Tensor until 2.13
        "EagerTensor": "__internal__.EagerTensor",
    },
    "tensorflow.python.framework.composite_tensor": _in(
        "__internal__.composite_tensor", "convert_variables_to_tensors"
    ),
    "tensorflow.python.framework.convert_to_constants": {
        "convert_variables_to_constants": "compat.v1.graph_util.convert_variables_to_constants",
        "convert_variables_to_constants_v2": "__internal__.freeze.convert_variables_to_constants_v2",
        "convert_variables_to_constants_v2_as_graph": "__internal__.freeze.convert_variables_to_constants_v2_as_graph",
    },
    # until 2.15
    "tensorflow.python.framework.graph_util": _in("compat.v1.graph_util", "convert_variables_to_constants"),
    "tensorflow.python.layers.utils": _in("__internal__.smart_cond", "smart_cond"),
    "tensorflow.python.framework.smart_cond": _in("__internal__.smart_cond", "smart_constant_value"),
    "tensorflow.python.ops.numpy_ops.np_dtypes": {
        **_in(
            "__internal__.numpy_dtypes",
            "is_allow_float64 set_allow_float64 is_prefer_float32 set_prefer_float32 "
            "default_float_type canonicalize_dtype",
        ),
        "_result_type": "experimental.numpy.result_type",
    },
    **_RAGGED,
    **_DISTRIBUTIONS,
    **_LAYERS,
    "tensorflow.python.ops.random_ops": _in("__internal__.random", "parameterized_truncated_normal"),
    "tensorflow.python.ops.resource_variable_ops": dict.fromkeys(
        ("ResourceVariable", "BaseResourceVariable"), "Variable"
    ),
    "tensorflow.python.ops.math_ops": {
        "mod": "math.floormod",
        "tensor_equals": "__operators__.eq",
        "tensor_not_equals": "__operators__.ne",
    },
    "tensorflow.python.ops.array_ops": {"batch_gather_nd": "gather_nd"},
    "tensorflow.python.training.experimental.mixed_precision": {
        f"{what}_mixed_precision_graph_rewrite_v1": f"compat.v1.mixed_precision.{what}_mixed_precision_graph_rewrite"
        for what in ("enable", "disable")
    },
    "tensorflow.python.ops.linalg_ops_impl": {"eye": "eye"},
    "tensorflow.python.saved_model.signature_constants": _in(
        "saved_model", "DEFAULT_SERVING_SIGNATURE_DEF_KEY PREDICT_METHOD_NAME"
    ),
    "tensorflow.python.saved_model.tag_constants": _in("saved_model", "SERVING TRAINING GPU"),
    "tensorflow.python.util.object_identity": _in(
        "__internal__.tracking", "ObjectIdentityDictionary ObjectIdentitySet"
    ),
    "tensorflow.python.util.tf_inspect": _in("__internal__", "getfullargspec"),
}


@functools.cache
def recorded() -> dict[str, dict[str, Any]]:
    """What the names of TensorFlow 2.21's private modules are: {module: {name: what}}.

    That is a public path, an op's generated function (`raw_ops.MatMul`), another private module (`module:…`) or a
    constant (`{"value": 128}`). Written by `tools/private_names.py` on real TensorFlow. What `PRIVATE` says goes first.
    """
    packed = Path(__file__).with_name("private_names.json.gz").read_bytes()
    return json.loads(gzip.decompress(packed))


#: Private modules that repeat another one: Python's own (TensorFlow's decorators are seen through as Python sees
#: through any), that of a library, or a public namespace.
STANDARD = {
    "tensorflow.python.util.tf_contextlib": "contextlib",
    "tensorflow.python.util.tf_inspect": "inspect",
    "tensorflow.python.platform.flags": "reflow.compat.program.flags",
    "tensorflow.python.training.checkpoint_management": "tensorflow.python.checkpoint.checkpoint_management",
    **dict.fromkeys(
        (
            f"tensorflow.python.layers.{module}"
            for module in ("base", "convolutional", "core", "layers", "normalization", "pooling")
        ),
        "reflow.public.compat.v1.layers",
    ),
}

#: Private modules of large folders of TensorFlow whose files stand in a smaller folder here.
_CONTROL_FLOW = (
    "cond_v2 control_flow_case control_flow_ops control_flow_util control_flow_util_v2 functional_ops list_ops map_ops "
    "while_v2"
)
_GRADIENTS = "nn_fused_batch_norm_grad"
_INSPECTION = "error_interpolation kernels op_callbacks"
_FUNCTION_DEFS = "convert_to_constants function_def_to_graph graph_to_function_def"
_SPECS = (
    "composite_tensor composite_tensor_gradient extension_type extension_type_field tensor tensor_shape type_spec "
    "type_spec_registry type_utils"
)

#: Private modules whose names stand in a module of Reflow.
HELD_BY = {
    **{
        f"tensorflow.python.ops.{name}": f"reflow.drop_in.python.ops.control_flow.{name}"
        for name in _CONTROL_FLOW.split()
    },
    **{
        f"tensorflow.python.framework.{name}": f"reflow.drop_in.python.framework.specs.{name}"
        for name in _SPECS.split()
    },
    **{
        f"tensorflow.python.ops.{name}": f"reflow.drop_in.python.ops.gradients.{name}" for name in _GRADIENTS.split()
    },
    **{
        f"tensorflow.python.ops.{name}": f"reflow.drop_in.python.ops.state.{name}"
        for name in ("gen_state_ops", "state_ops")
    },
    "tensorflow.python.ops.image_ops_impl": "reflow.drop_in.python.ops.images.image_ops_impl",
    **{
        f"tensorflow.python.ops.{name}": f"reflow.drop_in.python.ops.randomness.{name}"
        for name in ("random_ops", "random_ops_util", "stateful_random_ops")
    },
    **{
        f"tensorflow.python.framework.{name}": f"reflow.drop_in.python.framework.inspection.{name}"
        for name in _INSPECTION.split()
    },
    **{
        f"tensorflow.python.framework.{name}": f"reflow.drop_in.python.framework.functions.{name}"
        for name in _FUNCTION_DEFS.split()
    },
    **{
        f"tensorflow.python.ops.{name}": f"reflow.drop_in.python.ops.initializers.{name}"
        for name in ("init_ops", "init_ops_v2")
    },
    "tensorflow.core.example.example_pb2": "reflow.io.examples",
    "tensorflow.core.example.feature_pb2": "reflow.io.examples",
    "tensorflow.core.protobuf.fingerprint_pb2": "reflow.saved_model.fingerprint",
    "tensorflow.core.protobuf.queue_runner_pb2": "reflow.compat.train.queue_runners",
    "tensorflow.core.protobuf.saved_model_pb2": "reflow.saved_model.saved_model_proto",
    "tensorflow.core.protobuf.tensor_bundle_pb2": "reflow.train.protos",
    "tensorflow.core.protobuf.tensorflow_server_pb2": "reflow.distribute.cluster_spec",
    "tensorflow.python.compat.compat": "reflow.api.framework.forward_compatibility",
    "tensorflow.python.checkpoint.saveable_compat": "reflow.train.gathering",
    "tensorflow.python.checkpoint.sharding.sharding_policies": "reflow.train.sharding",
    "tensorflow.python.checkpoint.sharding.sharding_util": "reflow.train.sharding",
    "tensorflow.python.checkpoint.tensor_callable": "reflow.train.saveables",
    "tensorflow.python.distribute.cluster_resolver.sagemaker_cluster_resolver": "reflow.distribute.managed_resolvers",
    "tensorflow.python.eager.function": "reflow.drop_in.python.eager.polymorphic_function.concrete_function",
    "tensorflow.python.eager.monitoring": "reflow.core.monitoring",
    "tensorflow.python.framework._pywrap_python_api_dispatcher":
        "reflow.drop_in.python.framework.functions.python_api_dispatcher",
    "tensorflow.python.framework._python_memory_checker_helper": "reflow.drop_in.python.profiler.memory_checker_helper",
    "tensorflow.python.framework.auto_control_deps_utils": "reflow.drop_in.python.framework.auto_control_deps",
    "tensorflow.python.framework.c_api_util": "reflow.drop_in.python.framework.op_def_registry",
    "tensorflow.python.framework.cpp_shape_inference_pb2": "tensorboard.compat.proto.cpp_shape_inference_pb2",
    "tensorflow.python.ops.linalg.linear_operator_toeplitz":
        "reflow.drop_in.python.ops.linalg.linear_operator_circulant",
    "tensorflow.python.ops.composite_tensor_ops": "reflow.drop_in.python.ops.structured.composite_tensor_ops",
    "tensorflow.python.framework.tensor_spec": "reflow.drop_in.python.framework.specs.tensor",
    "tensorflow.python.saved_model.fingerprinting": "reflow.saved_model.fingerprint",
    "tensorflow.python.saved_model.model_utils.export_output": "reflow.compat.saved_model.export_outputs",
    "tensorflow.python.saved_model.model_utils.export_utils": "reflow.compat.saved_model.export_signatures",
    "tensorflow.python.saved_model.pywrap_saved_model.metrics": "reflow.train.metrics",
    "tensorflow.python.saved_model.registration": "reflow.tracking.registration",
    "tensorflow.python.saved_model.registration.registration": "reflow.tracking.registration",
    "tensorflow.python.saved_model.revived_types": "reflow.saved_model.revived",
    "tensorflow.python.saved_model.signature_def_utils": "reflow.compat.saved_model.signature_defs",
    "tensorflow.python.saved_model.signature_def_utils_impl": "reflow.compat.saved_model.signature_defs",
    "tensorflow.python.summary.plugin_asset": "reflow.compat.summary_files",
    "tensorflow.python.trackable.resource": "reflow.tracking.resource",
    "tensorflow.python.client.timeline": "reflow.compat.sessions.timeline",
    "tensorflow.python.training.checkpoint_state_pb2": "reflow.train.protos",
    "tensorflow.python.training.checkpoint_utils": "reflow.train.checkpoint_reader",
    "tensorflow.python.training.experimental.loss_scale": "reflow.compat.train.loss_scales",
    "tensorflow.python.training.moving_averages": "reflow.train.moving_average",
    "tensorflow.python.training.saver": "reflow.compat.train.saver_builder",
    "tensorflow.python.training.saving.saveable_object": "reflow.train.saveables",
}

#: Private modules written by hand that register ops: they are loaded when they are imported, not when a name of theirs
#: is used.
REGISTER_OPS = frozenset({"tensorflow.python.framework.test_ops"})

#: Modules of AutoGraph: `diastatic-malt` is TensorFlow's own rewriter as a package (`gast_rewriter`), the rest is
#: Reflow's.
AUTOGRAPH = {
    "tensorflow.python.autograph.pyct": "malt.pyct",
    "tensorflow.python.autograph.converters": "malt.converters",
    "tensorflow.python.autograph.core.config": "malt.core.config",
    "tensorflow.python.autograph.core.unsupported_features_checker": "malt.core.unsupported_features_checker",
    "tensorflow.python.autograph.core.function_wrappers": "reflow.api.autograph.conversion",
    "tensorflow.python.autograph.operators.conditional_expressions": "reflow.api.autograph.statements",
    "tensorflow.python.autograph.operators.logical": "reflow.api.autograph.builtin_functions",
    "tensorflow.python.autograph.operators.slices": "reflow.api.autograph.list_idioms",
    "tensorflow.python.autograph.operators.variables": "reflow.api.autograph.statements",
    "tensorflow.python.autograph.utils.type_registry": "malt.utils.type_registry",
}

#: Generated functions of the ops, `tensorflow.python.ops.gen_math_ops.mat_mul`: `raw_ops.MatMul` takes names only,
#: these also positions.
GENERATED = re.compile(r"tensorflow\.python\.ops\.(linalg\.sparse\.)?gen_\w+_ops(_v2)?")

#: The copy of Keras 2 inside TensorFlow, which many programs import by mistake: as `tf_keras`, it is
#: `tensorflow.keras`.
KERAS_IN_TENSORFLOW = "tensorflow.python.keras"

#: Generated protobuf modules, `tensorflow.core.<folder>.<name>_pb2`, are TensorBoard's copies of the same
#: files, or made from recorded ones (`protos.py`).
PROTO_PREFIX = "tensorflow.core.", "tensorflow.compiler."
PROTO_FOLDERS = (
    "debug", "example", "framework", "grappler.costs", "lib.core", "profiler", "protobuf", "protobuf.tpu",
    "tpu.kernels", "util", "util.quantization",
)  # fmt: skip
OPTIONS_PROTO = "tensorflow.core.framework.dataset_options_pb2"  # of `tf.data`
PROTO_PACKAGE = "tensorboard.compat.proto"

#: Module and class names that real TensorFlow 2.21 gives these classes. Keras compares them as strings
#: (`is_tf_dataset`: a class named `DatasetV2` in a module whose name contains `tensorflow.python.`) and
#: writes those of type specs to files.
#: A row of `class_names` below is stamped when its class is first loaded; these are at once.
CLASSES = {
    "DType": "tensorflow.python.framework.dtypes.DType",
    "IndexedSlices": "tensorflow.python.framework.indexed_slices.IndexedSlices",
    "IndexedSlicesSpec": "tensorflow.python.framework.indexed_slices.IndexedSlicesSpec",
    "OptionalSpec": "tensorflow.python.data.ops.optional_ops.OptionalSpec",
    "RaggedTensor": "tensorflow.python.ops.ragged.ragged_tensor.RaggedTensor",
    "RaggedTensorSpec": "tensorflow.python.ops.ragged.ragged_tensor.RaggedTensorSpec",
    "SparseTensor": "tensorflow.python.framework.sparse_tensor.SparseTensor",
    "SparseTensorSpec": "tensorflow.python.framework.sparse_tensor.SparseTensorSpec",
    "Module": "tensorflow.python.module.module.Module",
    "Tensor": "tensorflow.python.framework.tensor.Tensor",
    "TensorShape": "tensorflow.python.framework.tensor_shape.TensorShape",
    "TensorSpec": "tensorflow.python.framework.tensor.TensorSpec",
    "TypeSpec": "tensorflow.python.framework.type_spec.TypeSpec",
    # the class of what `tf.Variable` makes there
    "Variable": "tensorflow.python.ops.resource_variable_ops.ResourceVariable",
    # one enum here, named as in version 1
    "VariableAggregation": "tensorflow.python.ops.variables.VariableAggregation",
    "__internal__.EagerTensor": "tensorflow.python.framework.ops.EagerTensor",
    "__internal__.FuncGraph": "tensorflow.python.framework.func_graph.FuncGraph",
    "__internal__.SymbolicTensor": "tensorflow.python.framework.ops.SymbolicTensor",
    "__internal__.types.Tensor": "tensorflow.python.types.core.Tensor",
    "data.Dataset": "tensorflow.python.data.ops.dataset_ops.DatasetV2",
    "data.DatasetSpec": "tensorflow.python.data.ops.dataset_ops.DatasetSpec",
    "data.IteratorSpec": "tensorflow.python.data.ops.iterator_ops.IteratorSpec",
    "experimental.Optional": "tensorflow.python.data.ops.optional_ops.Optional",
}



_INPUT = "tensorflow.python.distribute.input_lib"
#: public classes that are interfaces in TensorFlow, and the classes of what a program gets there
_INSTANCES = {f"distribute.{name}": f"{_INPUT}.{name}" for name in ("DistributedDataset", "DistributedIterator")}


@functools.cache
def class_names() -> dict[str, str]:
    """The module and class names that TensorFlow 2.21 gives its public classes: {public path: full name}. Programs
    print them.

    Written by `tools/private_names.py`. What `CLASSES` says goes first.
    """
    packed = Path(__file__).with_name("class_names.json.gz").read_bytes()
    return json.loads(gzip.decompress(packed)) | _INSTANCES | CLASSES


#: modules of Horovod, and what stands for them
HOROVOD = {
    "horovod": "reflow.horovod",
    "horovod.tensorflow": "reflow.horovod.tensorflow",
    "horovod.keras": "reflow.horovod.keras",
    "horovod.keras.callbacks": "reflow.horovod.callbacks",
    "horovod.tensorflow.keras": "reflow.horovod.keras",
    "horovod.tensorflow.keras.callbacks": "reflow.horovod.callbacks",
}
#: Packages that are answered for -> the module that each is.
STANDS_FOR = {"tensorflow": "tensorflow", "tf_keras": "tensorflow.keras", "tensorflow_estimator": "tensorflow"}

#: what stands for TensorRT
TENSORRT = "reflow.engine"

_OLD_UTILS = "conv_utils data_utils generic_utils layer_utils np_utils tf_utils vis_utils"
_OLD_LAYERS = """
    layers.advanced_activations layers.convolutional layers.convolutional_recurrent layers.core layers.cudnn_recurrent
    layers.embeddings layers.local layers.merge layers.noise layers.normalization layers.pooling layers.recurrent
    layers.wrappers engine.base_layer engine.input_layer engine.input_spec engine.topology legacy.layers
"""
_OLD_MODELS = "engine engine.functional engine.sequential engine.training"
_ONLY_IN_TENSORFLOW = "preprocessing.text wrappers.scikit_learn"

#: Modules of Keras 2, below `keras` and `tensorflow.keras`, and the module below `tensorflow.keras` that has their
#: names now.
OLD_KERAS_MODULES = {
    **{f"utils.{name}": "utils" for name in _OLD_UTILS.split()},
    **dict.fromkeys(_OLD_LAYERS.split(), "layers"),
    **dict.fromkeys(_OLD_MODELS.split(), "models"),
    **{name: name for name in _ONLY_IN_TENSORFLOW.split()},
}

#: Modules of Keras that TensorFlow also has at its top level.
KERAS_NAMESPACES = ("initializers", "losses", "metrics", "optimizers")

#: a module of Keras that imports JAX, to patch versions of it that are too old for Keras
IMPORTS_JAX = "keras.src.callbacks.orbax_checkpoint"
