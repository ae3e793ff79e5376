"""`SymbolicTensor`: an output of a graph node, with a dtype, a partial shape, perhaps a partial value, but no data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, Self

from reflow.core.context import new_id, state
from reflow.core.dtypes import DType
from reflow.core.errors import InaccessibleTensorError, advised
from reflow.core.shapes import TensorShape, dims_of, merge
from reflow.core.tensor import Tensor
from reflow.core.types import Dims, ShapeLike
from reflow.ops.shape_facts import PartialValue

if TYPE_CHECKING:
    from reflow.graph.graph import Graph
    from reflow.graph.node import Node


GUIDE = "https://www.tensorflow.org/guide/function#all_outputs_of_a_tffunction_must_be_return_values"


class SymbolicTensor(Tensor):
    """An output of a graph node."""

    __slots__ = ("op", "value_index", "_graph", "_dtype", "_dims", "_static", "_id", "__dict__", "__weakref__")
    _is_symbolic = True
    is_tensor_like = True

    def __init__(
        self, node: Node, index: int, graph: Graph, dtype: DType, dims: Dims | None, static: PartialValue
    ) -> None:
        self.op: Node = node
        self.value_index = index
        self._graph = graph
        self._dtype = dtype
        self._dims = dims
        self._static = static
        self._id = new_id()

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return TensorShape._of(self._dims)

    @property
    def graph(self) -> Graph:
        return self._graph

    @property
    def name(self) -> str:
        return f"{self.op.name}:{self.value_index}"

    device = property(lambda self: self.op.device)

    # --- undefined while a graph is built

    @property
    def _value(self) -> NoReturn:
        raise out_of_scope(self, "here")

    _host = _numpy = lambda self: self._value

    @property
    def numpy(self) -> NoReturn:
        error = AttributeError("'SymbolicTensor' object has no attribute 'numpy'")
        raise advised(
            error, "it has no value while the function is traced: use `tf` functions and `tf.print` here, or return it."
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NoReturn:
        error = NotImplementedError(
            f"Cannot convert a symbolic tf.Tensor ({self.name}) to a numpy array. This error may indicate that you're "
            "trying to pass a Tensor to a NumPy call, which is not supported."
        )
        raise advised(error, "call TensorFlow's function, `tf.sin` for `np.sin`, or use `tf.numpy_function`.")

    def __len__(self) -> NoReturn:
        raise TypeError(
            f"len is not well defined for a symbolic Tensor ({self.name}). Please call `x.shape` rather than `len(x)` "
            "for shape information."
        )

    def __iter__(self) -> Iterator[Any]:
        if state.graph is not None:
            self._disallow_iteration()
        if not self._dims or self._dims[0] is None:
            what = (
                "scalar tensor" if self._dims == ()
                else "tensor with unknown " + ("first dimension" if self._dims else "shape")
            )
            raise TypeError(f"Cannot iterate over a {what}.")
        return (self[i] for i in range(self._dims[0]))

    def __index__(self) -> int:
        if isinstance(self._static, int):
            return self._static
        raise TypeError("'SymbolicTensor' object cannot be interpreted as an integer")

    def __int__(self) -> int:
        if isinstance(self._static, int):
            return self._static
        raise TypeError("int() argument must be a string, a bytes-like object or a real number, not 'SymbolicTensor'")

    def __float__(self) -> NoReturn:
        raise TypeError("float() argument must be a string or a real number, not 'SymbolicTensor'")

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value, computed by a session (`tf.compat.v1`)."""
        return self.evaluated(self, feed_dict, session)

    def evaluated(self, fetch: Any, feed_dict: Any, session: Any) -> Any:
        """The value of an object that this tensor is part of."""
        return _session(session, "Cannot evaluate tensor using `eval()`", "eval").run(fetch, feed_dict)

    # --- looking

    def set_shape(self, shape: ShapeLike) -> None:
        """Refine the static shape."""
        given = dims_of(shape)
        if self._dims is not None and given is not None:
            _check_shapes(self._dims, given)
        self._dims = merge(self._dims, given)

    def _as_node_def_input(self) -> str:
        """The name of this tensor in the inputs of a NodeDef."""
        return self.op.name if self.value_index == 0 else self.name

    def consumers(self) -> list[Node]:
        """The operations that use this tensor."""
        return [n for n in self._graph.nodes for t in n.inputs if t is self]

    # In a plain `tf.Graph`, tensors compare by identity and can be keys, as in TensorFlow. In a function `==` is an op.

    def __eq__(self, other: object) -> bool:
        return Tensor.__eq__(self, other) if self._graph.building_function else self is other

    def __ne__(self, other: object) -> bool:
        return Tensor.__ne__(self, other) if self._graph.building_function else self is not other

    def __hash__(self) -> int:
        return Tensor.__hash__(self) if self._graph.building_function else self._id

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self._dtype.name}>"

    def __str__(self) -> str:
        shape = "" if self._dims is None else f", shape={self.shape}"
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name})'

    def __format__(self, spec: str) -> str:
        return str(self)


def _check_shapes(mine: Dims, given: Dims) -> None:
    """Reject a shape that contradicts the known one."""
    both = f"Shapes are [{_text(mine)}] and [{_text(given)}]."
    if len(mine) != len(given):
        raise ValueError(f"Shapes must be equal rank, but are {len(mine)} and {len(given)}")
    for i, (a, b) in enumerate(zip(mine, given, strict=True)):
        if a is not None and b is not None and a != b:
            raise ValueError(f"Dimension {i} in both shapes must be equal, but are {a} and {b}. {both}")


def _text(dims: Dims) -> str:
    return ",".join("?" if d is None else str(d) for d in dims)


def out_of_scope(tensor: SymbolicTensor, where: str, inner: bool = False) -> Exception:
    """The error for a symbolic tensor used outside of the function that was traced; `inner`.

    Used in the surrounding one.
    """
    kind = InaccessibleTensorError if inner else TypeError
    defined = "".join(f"  {line}\n" for line in tensor.op.origin().splitlines())
    return kind(
        f"{tensor!r} is out of scope and cannot be used here. Use return values, explicit Python locals or TensorFlow "
        f"collections to access it.\nPlease see {GUIDE} for more information.\n\n"
            + (f"{tensor!r} was defined here:\n{defined}\n" if defined else "")
            + f"The tensor {tensor!r} cannot be accessed from {where}, because it was defined in {tensor._graph!r}, "
            "which is out of scope."
    )


def _session(session: Any, what: str, method: str) -> Any:
    session = session or default_session()
    if session is None:
        raise ValueError(
            f"{what}: No default session is registered. Use `with sess.as_default()` or pass an explicit session to "
            f"`{method}(session=sess)`"
        )
    return session


def default_session() -> Any:
    """The session that `eval` and `run` use. Installed by `tf.compat.v1`, a higher layer."""
    return None


def install_sessions(getter: Callable[[], Any]) -> None:
    global default_session
    default_session = getter
