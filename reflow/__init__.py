"""Reflow: TensorFlow 2, written again from scratch in readable Python on the XLA engine.

    import reflow as tf

The public names are exported by decorators in `reflow/api` (and by `data`, `train`, `saved_model` for theirs); this
file loads them and arranges them in namespaces.
"""

import importlib as _importlib
import sys as _sys
import types as _types

from reflow.api.export import TABLE as _TABLE

__version__ = "2.21.0"  # the version of TensorFlow whose programs run here
__reflow_version__ = "0.1.0"
newaxis = None

#: modules that export public names, in the order in which they load
_MODULES = (
    "ops.kernels.math",
    "ops.kernels.reduce",
    "ops.kernels.linalg",
    "ops.kernels.banded",
    "ops.kernels.candidates",
    "ops.kernels.statistics",
    "ops.kernels.array",
    "ops.kernels.gather",
    "ops.kernels.nn",
    "ops.kernels.conv",
    "ops.kernels.random",
    "ops.kernels.state",
    "ops.kernels.control",
    "ops.kernels.effects",
    "ops.kernels.lists",
    "ops.kernels.optional",
    "ops.kernels.dataset",
    "ops.kernels.format",
    "ops.kernels.sparse",
    "ops.kernels.xla",
    "ops.kernels.image_resize",
    "ops.kernels.image_patches",
    "ops.kernels.image_transform",
    "ops.kernels.image_colours",
    "ops.kernels.image_crops",
    "ops.kernels.image_boxes",
    "ops.kernels.image_distorted",
    "ops.kernels.image_glimpses",
    "ops.kernels.sets",
    "ops.kernels.quantization",
    "ops.kernels.ctc",
    "ops.kernels.morphology",
    "ops.kernels.hashing",
    "ops.kernels.strings",
    "ops.kernels.strings_unicode",
    "ops.kernels.strings_regex",
    "ops.kernels.lookup",
    "ops.kernels.crosses",
    "ops.kernels.files",
    "ops.kernels.summary",
    "ops.kernels.summary_v1",
    "ops.kernels.image_files",
    "ops.kernels.audio",
    "eager.execute",
    "eager.placed",
    "graph.graph",
    "runtime.interpret",
    "compile.runner",
    "compile.placed",
    "function.branch_gradients",
    "function.loop_gradients",
    "api.math",
    "api.math_reduce",
    "api.math_special",
    "api.clip",
    "api.segment",
    "api.linalg",
    "api.linalg_diag",
    "api.linalg_solve",
    "api.linalg_norms",
    "api.linalg_lu",
    "api.signal_frames",
    "api.linalg_banded",
    "api.array",
    "api.nn_activations",
    "api.nn_statistics",
    "api.nn_losses",
    "api.nn_conv",
    "api.nn_conv_transpose",
    "api.nn_pool",
    "api.nn_morphology",
    "api.nn_dropout",
    "api.random",
    "api.core_names",
    "api.operators",
    "api.gradients",
    "api.effects",
    "api.tensor_array",
    "api.branches",
    "api.functional",
    "api.vectorized",
    "api.explain",
    "api.py_functions",
    "api.config",
    "api.distribute",
    "api.distribute_clusters",
    "api.tracking",
    "api.image",
    "api.sparse",
    "api.sets",
    "api.check_numerics",
    "api.candidates",
    "api.nn_backprop",
    "api.statistics",
    "api.sections",
    "api.dlpack",
    "api.experimental_numpy",
    "api.quantization",
    "api.ctc",
    "api.ragged_build",
    "api.ragged_parts",
    "api.ragged_index",
    "api.ragged_elementwise",
    "api.ragged",
    "api.extension_type",
    "api.row_partition",
    "api.embeddings",
    "api.internal",
    "api.decorators",
    "api.debugging",
    "api.debugging_shapes",
    "api.gfile",
    "api.misc",
    "api.autograph",
    "api.raw_ops",
    "api.audio",
    "api.strings",
    "api.strings_rows",
    "api.strings_unicode",
    "api.lookup",
    "api.crosses",
    "api.initializers",
    "api.image_geometry",
    "api.image_files",
    "api.image_quality",
    "api.image_stateless",
    "api.image_boxes",
    "api.test_case",
    "data.exports",
    "io.exports",
    "summary.exports",
    "train.exports",
    "saved_model.exports",
    "compat.behavior",
    "compat.session",
    "compat.graph_variables",
    "compat.variable_scopes",
    "compat.optimizers",
    "compat.summary",
    "compat.ctc",
    "compat.functions",
    "compat.convolutions",
    "compat.training",
    "compat.wrapped",
    "compat.freeze",
    "api.v1_names",
)


def _load():
    for name in _MODULES:
        _importlib.import_module(f"reflow.{name}")


def _namespace(path: str):
    """The module `reflow.<path>` for a dotted namespace, made on first use."""
    full = f"reflow.{path}"
    module = _sys.modules.get(full)
    if module is None:
        module = _sys.modules[full] = _types.ModuleType(full, f"The public namespace tf.{path}.")
        parent, _, leaf = path.rpartition(".")
        setattr(_namespace(parent) if parent else _sys.modules[__name__], leaf, module)
    return module


def _getattr_v1(name: str):
    """`tf.compat.v1.keras`, as late as `tf.keras`."""
    if name == "keras":
        return _importlib.import_module("reflow.keras")
    raise AttributeError(f"module 'reflow.compat.v1' has no attribute {name!r}")


def _arrange():
    for name, thing in _TABLE.items():
        parent, _, leaf = name.rpartition(".")
        setattr(_namespace(parent) if parent else _sys.modules[__name__], leaf, thing)
    _namespace("compat").v2 = _sys.modules[__name__]
    _namespace("compat.v1").__getattr__ = _getattr_v1


_load()
_arrange()
_importlib.import_module("reflow.core.devices").loaded()  # what was made until here is not the user's


def __getattr__(name: str):
    if name in ("keras", "datasets"):  # Keras takes a second to import: it does so when it is asked for
        return _importlib.import_module(f"reflow.{name}")
    if name in ("initializers", "losses", "metrics", "optimizers"):
        return getattr(_importlib.import_module("reflow.keras"), name)
    raise AttributeError(f"module 'reflow' has no attribute {name!r}")


from reflow.keras.drop_in import install_as_tensorflow as install_as_tensorflow  # noqa: E402
