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
    "ops.kernels.math.elementwise",
    "ops.kernels.math.reduce",
    "ops.kernels.linalg.dense",
    "ops.kernels.linalg.banded",
    "ops.kernels.nn.candidates",
    "ops.kernels.math.statistics",
    "ops.kernels.array.shaping",
    "ops.kernels.array.slicing",
    "ops.kernels.array.blocks",
    "ops.kernels.array.gather",
    "ops.kernels.nn.activations",
    "ops.kernels.nn.conv",
    "ops.kernels.random.sampling",
    "ops.kernels.control.state",
    "ops.kernels.control.flow",
    "ops.kernels.control.printing",
    "ops.kernels.control.lists",
    "data.kernels.optional",
    "data.kernels.dataset",
    "ops.kernels.strings.format",
    "ops.kernels.sparse.tensors",
    "ops.kernels.control.xla",
    "ops.kernels.image.resize",
    "ops.kernels.image.patches",
    "ops.kernels.image.transform",
    "ops.kernels.image.colors",
    "ops.kernels.image.crops",
    "ops.kernels.image.boxes",
    "ops.kernels.image.distorted",
    "ops.kernels.image.glimpses",
    "ops.kernels.sparse.sets",
    "ops.kernels.nn.quantization",
    "ops.kernels.nn.ctc",
    "ops.kernels.nn.morphology",
    "ops.kernels.strings.hashing",
    "ops.kernels.strings.elementwise",
    "ops.kernels.strings.unicode",
    "ops.kernels.strings.regex",
    "lookup.kernels",
    "ops.kernels.sparse.crosses",
    "io.kernels",
    "summary.kernels.writers",
    "summary.kernels.version1",
    "ops.kernels.image.files",
    "ops.kernels.signal.audio",
    "eager.execute",
    "eager.placed",
    "graph.graph",
    "runtime.interpret",
    "compile.runner",
    "compile.placed",
    "function.branch_gradients",
    "function.loop_gradients",
    "api.math.arithmetic",
    "api.math.reduce",
    "api.math.special",
    "api.math.clip",
    "api.math.segment",
    "api.linalg.products",
    "api.linalg.diag",
    "api.linalg.solve",
    "api.linalg.norms",
    "api.linalg.lu",
    "api.signal.frames",
    "api.linalg.banded",
    "api.array.arrange",
    "api.array.creation",
    "api.array.indexing",
    "api.array.sorting",
    "api.array.blocks",
    "api.nn.activations",
    "api.nn.statistics",
    "api.nn.losses",
    "api.nn.conv",
    "api.nn.conv_transpose",
    "api.nn.pool",
    "api.nn.morphology",
    "api.nn.dropout",
    "api.random.sampling",
    "api.framework.core_names",
    "api.operators",
    "api.gradients",
    "api.control.printing",
    "api.control.tensor_array",
    "api.control.branches",
    "api.control.functional",
    "api.control.vectorized",
    "api.framework.explain",
    "api.control.py_functions",
    "api.config",
    "distribute.strategy",
    "distribute.clusters",
    "api.framework.tracking",
    "api.image.sizes",
    "api.sparse.tensors",
    "api.sets",
    "api.debugging.check_numerics",
    "api.nn.candidates",
    "api.nn.backprop",
    "api.math.statistics",
    "api.control.critical_section",
    "api.framework.dlpack",
    "api.experimental_numpy",
    "api.quantization",
    "api.nn.ctc",
    "api.ragged.build",
    "api.ragged.parts",
    "api.ragged.index",
    "api.ragged.elementwise",
    "api.ragged.factories",
    "api.framework.extension_type",
    "api.ragged.row_partition",
    "api.nn.embeddings",
    "api.framework.internal",
    "api.framework.decorators",
    "api.debugging.asserts",
    "api.debugging.shapes",
    "io.gfile",
    "api.framework.small_namespaces",
    "api.framework.autograph",
    "api.raw_ops",
    "api.audio",
    "api.strings.elementwise",
    "api.strings.rows",
    "api.strings.unicode",
    "lookup.public",
    "api.sparse.crosses",
    "api.initializers",
    "api.image.geometry",
    "api.image.files",
    "api.image.quality",
    "api.image.stateless",
    "api.image.boxes",
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
    "api.framework.v1_names",
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
_importlib.import_module("reflow.devices.placement").loaded()  # what was made until here is not the user's


def __getattr__(name: str):
    if name in ("keras", "datasets"):  # Keras takes a second to import: it does so when it is asked for
        return _importlib.import_module(f"reflow.{name}")
    if name in ("initializers", "losses", "metrics", "optimizers"):
        return getattr(_importlib.import_module("reflow.keras"), name)
    raise AttributeError(f"module 'reflow' has no attribute {name!r}")


from reflow.drop_in.install import install_as_tensorflow as install_as_tensorflow  # noqa: E402
