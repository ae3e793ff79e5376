"""Modules that are imported for their registrations: layers that install themselves below, tensor methods, op records.

`import reflow` loads what every program needs. The rest is loaded on first use: the functions of a namespace with its
module in `reflow/public/`, and an op's module when its record is looked up.
"""

# ruff: noqa: F401 - nothing here is used by name
import functools
import importlib
import os

from reflow.ops import registry

#: packages and modules that hold records of ops
KERNELS = (
    "reflow.ops.kernels", "reflow.data.kernels", "reflow.io.kernels", "reflow.lookup.kernels",
    "reflow.queues.kernels", "reflow.summary.kernels", "reflow.train.kernels", "reflow.distribute.kernels",
    "reflow.distribute.dtensor.kernels",
)
#: the index of records, one line per op: its name and its module; `make namespaces` writes it
INDEX = os.path.join(os.path.dirname(__file__), "ops", "modules.txt")
#: folders and modules in which public things are defined
FOLDERS = (
    "api", "compat", "data", "distribute", "engine.tf_trt", "estimator", "feature_column", "io", "lookup", "queues",
    "saved_model", "summary", "train",
)


def layers() -> None:
    """The layers to which dispatch hands an op.

    Eager execution, graphs, the interpreter, the compiler, gradients of calls.
    """
    import reflow.backends
    from reflow.function import branch_gradients, loop_gradients


def methods() -> None:
    """Tensors' methods and operators, wrappers of tracked lists and dictionaries, other hooks of the layers below."""
    from reflow.api import operators
    from reflow.api.autograph import status
    from reflow.api.control import vectorized
    from reflow.api.ragged import build, dispatched, elementwise, index, parts, shape_batches, variants
    from reflow.api.sparse import arithmetic, encoded
    from reflow.core import specs
    from reflow.eager.variables import install_graph_variables
    from reflow.function.plans import plans
    from reflow.tracking import data_structures

    install_graph_variables(_graph_variable)
    specs.coder.load = lambda: importlib.import_module("reflow.saved_model.structures")
    plans.load = lambda: importlib.import_module("reflow.engine.served")


def _graph_variable(*args, **kwargs):
    """The first variable in a plain graph: `reflow.compat` installs the class of such variables."""
    from reflow.compat.graph_variables import GraphVariable

    return GraphVariable(*args, **kwargs)


def all_ops() -> None:
    """All records."""
    for name in KERNELS:
        _import_below(name)


@functools.cache
def index() -> dict[str, str]:
    """Op name -> the module that registers it.

    >>> index()["Conv2D"]
    'reflow.ops.kernels.nn.conv'
    """
    if not os.path.exists(INDEX):  # not written yet: every op is looked for among all
        return {}
    with open(INDEX) as file:
        return dict(line.split() for line in file)


def everything() -> None:
    """Every record and every public thing: for tools that walk over them."""
    all_ops()
    for folder in FOLDERS:
        _import_below(f"reflow.{folder}")


def _import_below(name: str) -> None:
    import pkgutil

    module = importlib.import_module(name)
    for found in pkgutil.walk_packages(getattr(module, "__path__", ()), f"{name}."):
        importlib.import_module(found.name)


registry.REGISTRY.complete_by(all_ops, index)
layers()
methods()
