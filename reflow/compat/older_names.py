"""Functions of `tf.compat.v1` that version 2 dropped, each implemented in a line or two with current functions."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any

from reflow.api import gradients as gradient_functions
from reflow.api.array import arrange
from reflow.api.control.printing import group
from reflow.api.debugging import asserts
from reflow.api.export import export, export_value
from reflow.api.linalg import diag, products
from reflow.api.math import arithmetic
from reflow.api.nn import activations, statistics
from reflow.api.quantization import quantize
from reflow.api.random import sampling
from reflow.api.raw_ops import raw_ops
from reflow.compat.behavior import get_default_graph, resource_variables_enabled
from reflow.compat.graph_variables import global_variables, local_variables, tables_initializer, variables_initializer
from reflow.compat.name_scopes import name_scope
from reflow.compat.reordered import count_nonzero, gather_nd, parse_example, parse_single_example
from reflow.core import dtypes, errors
from reflow.core.context import state
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.sparse import SparseTensor, SparseTensorValue
from reflow.core.tensor import Tensor
from reflow.devices.names import DeviceSpec
from reflow.eager.variables import Variable
from reflow.io import file_system
from reflow.ops.convert import convert_to_tensor

#: name below `tf.compat.v1` -> the thing, which has another name or place in version 2
RENAMED = {
    "manip.gather_nd": gather_nd,
    "manip.reshape": arrange.reshape,
    "math.count_nonzero": count_nonzero,
    "parse_example": parse_example,
    "parse_single_example": parse_single_example,
    "initializers.variables": variables_initializer,
    "initializers.tables_initializer": tables_initializer,
}

for name, thing in RENAMED.items():
    export_value(thing, f"compat.v1.{name}")
del name, thing


@export("compat.v1.DeviceSpec")
class DeviceSpecV1(DeviceSpec):
    """A device name, taken apart; its fields can be changed.

    >>> spec = tf.compat.v1.DeviceSpec(job="ps", device_type="CPU")
    >>> spec.task = 3
    >>> spec.to_string()
    '/job:ps/task:3/device:CPU:*'
    """

    __hash__ = None  # type: ignore[assignment]

    def __setattr__(self, field: str, value: Any) -> None:
        if field in self._FIELDS:
            merged = {f: getattr(self, f) for f in self._FIELDS} | {field: value}
            self.__init__(**merged)  # type: ignore[misc]
        else:
            object.__setattr__(self, field, value)

    def parse_from_string(self, spec: str) -> DeviceSpecV1:
        """Take the fields of a name."""
        parsed = DeviceSpec.from_string(spec)
        self.__init__(**{f: getattr(parsed, f) for f in self._FIELDS})  # type: ignore[misc]
        return self

    def merge_from(self, dev: DeviceSpec) -> None:
        """Take the fields that another one has."""
        for field in self._FIELDS:
            if getattr(dev, field) is not None:
                setattr(self, field, getattr(dev, field))


@export("compat.v1.add_check_numerics_ops")
def add_check_numerics_ops() -> Any:
    """An operation that checks every floating-point tensor of the graph for infinities and NaN.

    >>> with tf.Graph().as_default():
    ...     x = tf.constant(1.0) + 1.0
    ...     tf.compat.v1.add_check_numerics_ops().type
    'NoOp'
    """
    if state.graph is None:
        raise RuntimeError(
            "add_check_numerics_ops() is not compatible with eager execution. Use tf.debugging.enable_check_numerics()."
        )
    checks: list[Any] = []
    for node in list(get_default_graph().nodes):
        for i, output in enumerate(node.outputs):
            if output._dtype in (dtypes.float16, dtypes.float32, dtypes.float64):
                with get_default_graph().control_dependencies(checks[-1:]):
                    checks.append(asserts.check_numerics(output, message=f"{node.name}:{i}"))
    return group(*checks)


@export("compat.v1.assert_variables_initialized")
def assert_variables_initialized(var_list: Any = None) -> Any:
    """The ranks of variables, one number if there is one variable; None if there are none.

    After `disable_resource_variables` the ranks are those of values, and a run fails if a variable has none. Else a
    variable of a known shape has its rank without a value, and nothing fails: ask `report_uninitialized_variables`.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v, w = tf.compat.v1.get_variable("v", [2]), tf.compat.v1.get_variable("w", [2, 3])
    ...     session.run(tf.compat.v1.assert_variables_initialized()).tolist()
    ...     session.run(tf.compat.v1.assert_variables_initialized([w])).item()
    [1, 2]
    2
    """
    variables = [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    with get_default_graph().control_dependencies(
        [] if resource_variables_enabled() else [v.value() for v in variables]
    ):
        ranks = [arrange.rank(v) for v in variables]
    if len(ranks) < 2:
        return ranks[0] if ranks else None
    return arrange.stack(ranks)


@export("compat.v1.batch_scatter_update")
def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Replace rows of a variable in each batch.

    >>> v = tf.Variable([[1, 2], [3, 4]])
    >>> tf.compat.v1.batch_scatter_update(v, [[0], [1]], [[10], [40]]).numpy().tolist()
    [[10, 2], [3, 40]]
    """
    slices = IndexedSlices(convert_to_tensor(updates, ref.dtype), convert_to_tensor(indices))
    return ref.batch_scatter_update(slices, use_locking=use_locking, name=name)


@export("compat.v1.convert_to_tensor_or_indexed_slices")
def convert_to_tensor_or_indexed_slices(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A tensor of a value; `IndexedSlices` stay what they are.

    >>> tf.compat.v1.convert_to_tensor_or_indexed_slices([1.0, 2.0]).shape
    TensorShape([2])
    """
    return _tensor_unless(value, (IndexedSlices,), dtype, name)


@export("compat.v1.convert_to_tensor_or_sparse_tensor")
def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """A tensor of a value; sparse tensors stay sparse.

    >>> tf.compat.v1.convert_to_tensor_or_sparse_tensor([1.0, 2.0]).shape
    TensorShape([2])
    """
    value = SparseTensor(*value) if isinstance(value, SparseTensorValue) else value
    return _tensor_unless(value, (SparseTensor,), dtype, name)


def _tensor_unless(value: Any, kept: Any, dtype: Any, name: str | None) -> Any:
    if not isinstance(value, kept):
        return convert_to_tensor(value, dtype, name=name)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise RuntimeError(
            f"Sparse dtype mismatch. Requested: {dtypes.as_dtype(dtype).name}, Actual: {value.dtype.name}"
        )
    return value


@export("compat.v1.count_up_to")
def count_up_to(ref: Variable, limit: int, name: str | None = None) -> Tensor:
    """The variable's value before it grew by one; OutOfRangeError once it has reached the limit.

    >>> v = tf.Variable(0)
    >>> tf.compat.v1.count_up_to(v, limit=2).numpy().item(), v.numpy().item()
    (0, 1)
    """
    return ref.count_up_to(limit)


@export("compat.v1.user_ops.my_fact")
def my_fact() -> Tensor:
    """A fact: the result of TensorFlow's example of a user's own op.

    >>> tf.compat.v1.user_ops.my_fact().numpy()
    b'0! == 1'
    """
    return raw_ops.Fact()


@export("compat.v1.hessians")
def hessians(
    ys: Any, xs: Any, name: str = "hessians", colocate_gradients_with_ops: bool = False, gate_gradients: bool = False,
    aggregation_method: Any = None,
) -> list:
    """The matrices of second derivatives of the sum of `ys`; where they are computed is left to the compiler.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     x = tf.constant([1.0, 2.0])
    ...     session.run(tf.compat.v1.hessians(tf.reduce_sum(x ** 3), x))[0].tolist()
    [[6.0, 0.0], [0.0, 12.0]]
    """
    return gradient_functions.hessians(ys, xs, gate_gradients, aggregation_method, name)


@export("compat.v1.random_poisson")
def random_poisson(
    lam: Any, shape: Any, dtype: Any = dtypes.float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Poisson-distributed numbers: `shape` of them for each rate `lam`.

    >>> tf.compat.v1.random_poisson([0.5, 20.0], [4]).shape
    TensorShape([4, 2])
    """
    return sampling.poisson(shape, lam, dtype, seed, name)


@export("compat.v1.sparse_matmul")
def sparse_matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, a_is_sparse: bool = False,
    b_is_sparse: bool = False, name: str | None = None,
) -> Tensor:
    """A product of matrices of float32 or bfloat16, as float32. That one has many zeros makes no difference here.

    >>> tf.compat.v1.sparse_matmul([[1.0, 0.0]], [[2.0], [3.0]]).numpy().tolist()
    [[2.0]]
    """
    a, b = (arithmetic.cast(convert_to_tensor(x), dtypes.float32) for x in (a, b))
    return products.matmul(a, b, transpose_a, transpose_b, name=name)


@export("compat.v1.quantize_v2")
def quantize_v2(
    input: Any, min_range: Any, max_range: Any, T: Any, mode: str = "MIN_COMBINED", name: str | None = None,
    round_mode: str = "HALF_AWAY_FROM_ZERO", narrow_range: bool = False, axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """`tf.quantization.quantize` with the arguments of TensorFlow 1.

    >>> tf.compat.v1.quantize_v2([0.0, 1.0], 0.0, 1.0, tf.quint8).output.shape
    TensorShape([2])
    """
    return quantize(input, min_range, max_range, T, mode, round_mode, name, narrow_range, axis, ensure_minimum_range)


@export("compat.v1.gfile.Walk")
def Walk(top: Any, in_order: bool = True) -> Iterator:
    """The folders below one, each with its folders and files; a folder before what is in it if `in_order`.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     os.mkdir(os.path.join(folder, "inner"))
    ...     [
    ...         (os.path.basename(top) == "inner", folders, files)
    ...         for top, folders, files in tf.compat.v1.gfile.Walk(folder)
    ...     ]
    [(False, ['inner'], []), (True, [], [])]
    """
    return file_system.walk(top, in_order)


@export("compat.v1.linalg.transpose")
def matrix_transpose(a: Any, name: str = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """The last two dimensions exchanged.

    >>> tf.compat.v1.linalg.transpose([[1, 2]]).numpy().tolist()
    [[1], [2]]
    """
    return diag.matrix_transpose(a, name, conjugate)


@export("compat.v1.nn.xw_plus_b")
def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """`x @ weights + biases`.

    >>> tf.compat.v1.nn.xw_plus_b([[1.0, 2.0]], [[3.0], [4.0]], [0.5]).numpy().tolist()
    [[11.5]]
    """
    with name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        return statistics.bias_add(products.matmul(x, weights), biases, name=scope)


@export("compat.v1.nn.relu_layer")
def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """`relu(x @ weights + biases)`.

    >>> tf.compat.v1.nn.relu_layer([[1.0, 2.0]], [[3.0, -3.0], [4.0, 0.0]], [0.5, 0.5]).numpy().tolist()
    [[11.5, 0.0]]
    """
    with name_scope(name, "relu_layer", [x, weights, biases]) as scope:
        return activations.relu(statistics.bias_add(products.matmul(x, weights), biases), name=scope)


@export("compat.v1.container")
def container(container_name: str) -> Any:
    """A `with` block whose variables, queues and tables live in a container, which `tf.compat.v1.Session.reset` clears.

    >>> with tf.Graph().as_default(), tf.compat.v1.container("mine"):
    ...     tf.queue.FIFOQueue(1, tf.float32).queue_ref.op.get_attr("container")
    b'mine'
    """
    return get_default_graph().container(container_name)


@export("compat.v1.errors.error_code_from_exception_type")
def error_code_from_exception_type(cls: type) -> int:
    """The code of a class of errors.

    >>> tf.compat.v1.errors.error_code_from_exception_type(tf.errors.NotFoundError)
    5
    """
    try:
        return cls.code  # type: ignore[attr-defined]
    except AttributeError:
        warnings.warn(f"Unknown class exception {cls}", stacklevel=2)
        return errors.UNKNOWN


@export("compat.v1.errors.exception_type_from_error_code")
def exception_type_from_error_code(error_code: int) -> type:
    """The class of errors with a code.

    >>> tf.compat.v1.errors.exception_type_from_error_code(5).__name__
    'NotFoundError'
    """
    return {kind.code: kind for kind in errors.OpError.__subclasses__()}[error_code]


def _folder(depth: int = 2) -> str:
    """The folder of the file that calls who calls this."""
    return os.path.dirname(sys._getframe(depth).f_globals["__file__"])


@export("compat.v1.resource_loader.load_resource")
def load_resource(path: str) -> bytes:
    """The bytes of a file next to the calling one.

    >>> import os, runpy, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(os.path.join(folder, "program.py"), "w") as file:
    ...         _ = file.write("import reflow; words = reflow.compat.v1.resource_loader.load_resource('words.txt')")
    ...     with open(os.path.join(folder, "words.txt"), "w") as file:
    ...         _ = file.write("one two")
    ...     runpy.run_path(os.path.join(folder, "program.py"))["words"]
    b'one two'
    """
    with open(os.path.join(_folder(), path), "rb") as file:
        return file.read()


@export("compat.v1.resource_loader.get_data_files_path")
def get_data_files_path() -> str:
    """The folder of the file that calls this.

    >>> import os, runpy, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(os.path.join(folder, "program.py"), "w") as file:
    ...         _ = file.write("import reflow; where = reflow.compat.v1.resource_loader.get_data_files_path()")
    ...     runpy.run_path(os.path.join(folder, "program.py"))["where"] == folder
    True
    """
    return _folder()


@export("compat.v1.resource_loader.get_root_dir_with_all_resources")
def get_root_dir_with_all_resources() -> str:
    """The folder with the files of a program: that of the file that calls this.

    >>> import os, runpy, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open(os.path.join(folder, "program.py"), "w") as file:
    ...         _ = file.write(
    ...             "import reflow; where = reflow.compat.v1.resource_loader.get_root_dir_with_all_resources()")
    ...     runpy.run_path(os.path.join(folder, "program.py"))["where"] == folder
    True
    """
    return _folder()


@export("compat.v1.resource_loader.get_path_to_datafile")
def get_path_to_datafile(path: str) -> str:
    """A file next to the calling one.

    >>> tf.compat.v1.resource_loader.get_path_to_datafile("words.txt").endswith("words.txt")
    True
    """
    return os.path.join(_folder(), path)


@export("compat.v1.resource_loader.readahead_file_path")
def readahead_file_path(path: str, readahead: str = "128M") -> str:
    """The path itself: files are read as they are.

    >>> tf.compat.v1.resource_loader.readahead_file_path("data")
    'data'
    """
    return path
