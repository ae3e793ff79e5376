"""Tensors: the objects that user code holds.

`Tensor` is the public class. An `EagerTensor` holds a value; a `SymbolicTensor` (in `reflow/graph`) refers to the
output of a graph node. A *value* is a NumPy array, a `jax.Array`, or, for resources and variants, a `HostObject`.
Memory inside tensors is never written: data is copied on the way in, and `.numpy()` copies on the way out.
`reflow/api/operators.py` installs the operators (`+`, `[]`, ...).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np

from reflow.core import dtypes, errors
from reflow.core.context import new_id, state
from reflow.core.shapes import TensorShape
from reflow.core.types import ShapeLike, TensorLike, Value

ndarray = np.ndarray
FROM_NUMPY, _STRING = dtypes.FROM_NUMPY, dtypes.string


class HostObject:
    """Base of values that are Python objects: handles, tensor lists, optionals, iterators, datasets."""

    __slots__ = ()
    tensor_dtype = dtypes.variant
    shape = ()
    # whether another process owns the object, and this is only its address (`reflow/distribute/remote.py`)
    remote = False


LIMITATIONS = (
    "https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/reference/limitations.md"
)


class TensorBase:
    """`tf.__internal__.types.Tensor`: the common base of tensors and variables."""

    __slots__ = ()

    if TYPE_CHECKING:  # the operators that `reflow/api/operators.py` installs

        def _binary(self, other: TensorLike) -> Tensor: ...
        def _unary(self) -> Tensor: ...
        def __getitem__(self, key: Any) -> Tensor: ...
        def __iter__(self) -> Iterator[Tensor]: ...
        def __int__(self) -> int: ...
        def __float__(self) -> float: ...

        __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = __matmul__ = _binary
        __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = __rmatmul__ = _binary
        __and__ = __or__ = __xor__ = __rand__ = __ror__ = __rxor__ = _binary
        __lt__ = __le__ = __gt__ = __ge__ = _binary
        __neg__ = __abs__ = __invert__ = _unary

    @property
    def dtype(self) -> dtypes.DType:
        """The element type."""
        raise AttributeError("dtype")

    @property
    def shape(self) -> TensorShape:
        """The static shape, as far as it is known."""
        raise AttributeError("shape")


class Tensor(TensorBase):
    """An array that ops produce and consume; memory on a device (eager) or the output of a graph node (symbolic).

    >>> x = tf.constant([[1.0, 2.0]])
    >>> isinstance(x, tf.Tensor), x.shape, x.dtype
    (True, TensorShape([1, 2]), tf.float32)
    """

    __slots__ = ()
    _dtype: dtypes.DType
    _id: int
    __array_priority__ = 100
    _is_symbolic = False
    _USE_EQUALITY = True  # whether `==` compares elements; `reflow/compat/switches/equality.py` sets it
    OVERLOADABLE_OPERATORS: set[str] = set()

    if TYPE_CHECKING:  # what subclasses have
        _value: Value
        _static: Any
        _graph: Any
        op: Any
        _host: Callable[[], Any]

        def numpy(self) -> Any: ...
        def __len__(self) -> int: ...

    ndim = property(lambda self: self.shape.rank)
    rank = property(lambda self: self.shape.rank)

    def get_shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self.shape

    @property
    def name(self) -> Any:
        """The name of a tensor in a graph."""
        raise AttributeError("name")

    def set_shape(self, shape: ShapeLike) -> None:
        """Refine the static shape of a tensor in a graph; for an eager tensor, check it."""
        raise NotImplementedError("set_shape")

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """The value of a tensor in a graph, in a session of version 1."""
        raise NotImplementedError("eval")

    def ref(self) -> Reference:
        """A hashable reference, for use as a dictionary key.

        >>> x = tf.constant(1); {x.ref(): 2}[x.ref()]
        2
        """
        return Reference(self)

    def experimental_ref(self) -> Reference:
        """The old name of `ref`."""
        return Reference(self)

    def _not_allowed(self, what: str) -> NoReturn:
        raise errors.OperatorNotAllowedInGraphError(
            f"{what} is not allowed. You can attempt the following resolutions to the problem: If you are running in "
            "Graph mode, use Eager execution mode or decorate this function with @tf.function. If you are using "
            "AutoGraph, you can try decorating this function with @tf.function. If that does not work, then you may be "
            "using an unsupported feature or your source code may not be visible to AutoGraph. See "
            f"{LIMITATIONS}#access-to-source-code for more information."
        )

    # TensorFlow's names: tensor-like classes of libraries override them

    def _disallow_bool_casting(self) -> NoReturn:
        self._not_allowed("Using a symbolic `tf.Tensor` as a Python `bool`")

    def _disallow_iteration(self) -> NoReturn:
        self._not_allowed("Iterating over a symbolic `tf.Tensor`")

    def __bool__(self) -> bool:
        self._disallow_bool_casting()

    def __nonzero__(self) -> bool:
        """Python 2's name for `__bool__`."""
        return bool(self)

    def _shape_tuple(self) -> tuple[int | None, ...] | None:
        """The static shape as a tuple; None if the rank is unknown."""
        return self.shape._dims

    def _shape_as_list(self) -> list[int | None] | None:
        """The static shape as a list; None if the rank is unknown."""
        dims = self.shape._dims
        return None if dims is None else list(dims)

    def _rank(self) -> int | None:
        return self.shape.rank

    def _datatype_enum(self) -> int:
        """The number of the dtype in TensorFlow's protos."""
        return self.dtype.as_datatype_enum

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")


class Reference:
    """`tensor.ref()`: hashable, and equal for the same object."""

    __slots__ = ("_object", "__weakref__")

    def __init__(self, obj: Any) -> None:
        self._object = obj

    def deref(self) -> Any:
        return self._object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reference) and self._object is other._object

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return id(self._object)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._object!r}>"


class EagerTensor(Tensor):
    """A tensor with a value. Internal code creates it around a value that no other code will write to."""

    __slots__ = ("_value", "_dtype", "_id", "_device", "_passed", "__dict__", "__weakref__")

    _device: str  # the device of the op that created it, if that is not where its memory is
    #: whether functions capture it even if it is small. An asset's path is captured, since it changes when the model is
    #: loaded.
    always_captured = False

    def __init__(self, value: Value, dtype: dtypes.DType | None = None, device: str | None = None) -> None:
        if device is not None:  # TensorFlow's constructor: any value, and the number of a dtype
            value, dtype = _convert_any(value, dtype, device)
        self._value = value
        if dtype is None:
            try:
                dtype = FROM_NUMPY[value.dtype]
                if dtype is _STRING and value.size and isinstance(value.flat[0], HostObject):
                    dtype = value.flat[0].tensor_dtype  # a vector of lists or handles
            except (AttributeError, KeyError):
                if not isinstance(value, HostObject):
                    raise TypeError("function missing required argument 'device' (pos 2)") from None
                dtype = value.tensor_dtype
        self._dtype = dtype
        self._id = new_id()
        self._passed = False  # whether it was passed to a function as an argument

    @property
    def dtype(self) -> dtypes.DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return TensorShape._of(self._value.shape)

    is_tensor_like = True

    @property
    def device(self) -> str:
        """The name of the device that ran the op that created this tensor."""
        return getattr(self, "_device", None) or state.backend.device_of(self._value)

    @property
    def backing_device(self) -> str:
        """The name of the device that holds the memory: small integers created by a GPU op stay on the host."""
        label = self.device
        if type(self._value) is ndarray and ("CPU" not in label or self._dtype is dtypes.int32):
            return state.backend.device_of(self._value)
        return label

    def eval(self, feed_dict: Any = None, session: Any = None) -> NoReturn:
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're looking for?"
        )

    def consumers(self) -> NoReturn:
        raise NotImplementedError("Tensor.consumers is undefined when eager execution is enabled.")

    def _num_elements(self) -> int:
        return int(np.prod(self._value.shape, dtype=np.int64))

    def _host(self) -> Any:
        """The value as a host array; do not write to it."""
        value = self._value
        return value if type(value) is ndarray or isinstance(value, HostObject) else fetched(value)

    def _numpy(self) -> Any:
        if self._dtype.kind == "o":
            raise self._without_array()
        value = self._host()
        return value[()] if value.ndim == 0 else value

    def _without_array(self) -> errors.InvalidArgumentError:
        return errors.InvalidArgumentError(
            None, None, f"Cannot convert a Tensor of dtype {self._dtype.name} to a NumPy array."
        )

    def numpy(self) -> Any:
        """A new NumPy array with this tensor's elements (a NumPy scalar if it has no dimensions)."""
        value = self._numpy()
        return value.copy() if type(value) is ndarray else value

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self._dtype.kind == "o":
            raise self._without_array()
        value: np.ndarray = self._host()
        if (dtype is not None and value.dtype != dtype) or copy:
            return value.astype(dtype or value.dtype)
        view = value.view()
        view.flags.writeable = False
        return view

    def __buffer__(self, flags: int) -> memoryview:
        """The elements as a read-only buffer: `memoryview(tensor)`, from Python 3.12 on."""
        if self._dtype.kind == "o":
            raise BufferError(self._without_array().message)
        return self.__array__().data

    def __dlpack__(
        self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None
    ) -> Any:
        """A DLPack capsule of the elements.

        A consumer of DLPack 1.0 gets the memory itself, marked as read-only. An older one could write to it, so it gets
        a copy. BufferError if `copy` is False and a copy is needed.
        """
        if self._dtype.is_host_only:
            raise errors.InvalidArgumentError(None, None, f"DT_{self._dtype.name.upper()} is not supported by dlpack")
        if self._on_accelerator():
            if copy is False:
                raise BufferError("A tensor on an accelerator is exported as a copy.")
            return self._value.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=True)
        if stream is not None:
            raise RuntimeError("tf.Tensor does not support DLPack export with a non-None stream")
        return _exported(self._host(), {"max_version": max_version, "dl_device": dl_device}, copy)

    def __dlpack_device__(self) -> Any:
        return (self._value if self._on_accelerator() else self._host()).__dlpack_device__()

    def _on_accelerator(self) -> bool:
        value = self._value
        return type(value) is not ndarray and value.platform() != "cpu"

    def __int__(self) -> int:
        return int(self._numpy())

    def __float__(self) -> float:
        return float(self._numpy())

    def __complex__(self) -> complex:
        return complex(self._numpy())

    def __index__(self) -> int:
        value = self._host()
        if value.ndim or value.dtype.kind not in "iu":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return int(value[()])

    def __bool__(self) -> bool:
        value = self._host()
        if value.size != 1:
            if not value.size:
                return False
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        return bool(value.reshape(())[()])

    def __len__(self) -> int:
        dims: tuple[int, ...] = self._value.shape
        if not dims:
            raise TypeError("Scalar tensor has no `len()`")
        return dims[0]

    def __format__(self, spec: str) -> str:
        return self._text(str) if self._dtype.kind == "o" else format(self._numpy(), spec)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_pickle, (np.array(self._host()), self._dtype.name)

    def set_shape(self, shape: ShapeLike) -> None:
        if not self.shape.is_compatible_with(shape):
            supplied = TensorShape(shape)
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {supplied}.")

    def cpu(self) -> EagerTensor:
        """The same tensor on the CPU."""
        return state.backend.copy_to(self, "CPU:0")

    def gpu(self, gpu_index: int = 0) -> EagerTensor:
        """The same tensor on a GPU. RuntimeError if there is none."""
        return state.backend.copy_to(self, f"GPU:{gpu_index}")

    def _text(self, spell: Callable[[Any], str]) -> str:
        if self._dtype.kind == "o":
            return _objects_text(self._value)
        value = self._numpy()
        if spell is repr and isinstance(value, np.generic):  # as a Python number, in all its digits
            return repr(value.item())
        return spell(value)

    def __repr__(self) -> str:
        if self._dtype.kind == "o":
            return f"<tf.Tensor: shape={self.shape}, dtype={self._dtype.name}, value={_objects_text(self._value)}>"
        text = self._text(repr)
        separator = "\n" if "\n" in text else ""
        return f"<tf.Tensor: shape={self.shape}, dtype={self._dtype.name}, numpy={separator}{text}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from reflow.core import html

        seen = html.preview(self._host()) if self._dtype.kind != "o" else html.code(repr(self._value))
        return html.card("tf.Tensor", {"shape": self.shape, "dtype": self._dtype.name}, seen)

    def __str__(self) -> str:
        text = self._text(str)
        separator = "\n" if "\n" in text else ""
        return f"tf.Tensor({separator}{text}, shape={self.shape}, dtype={self._dtype.name})"


def _objects_text(value: Any) -> str:
    """A host object, or an array of them in one line."""
    if not isinstance(value, np.ndarray):
        return repr(value)
    return np.array2string(value, max_line_width=sys.maxsize, formatter={"object": repr})


def _convert_any(value: Any, dtype: Any, device: str) -> tuple[Value, dtypes.DType]:
    """The value and the dtype of a tensor made from any convertible object.

    Installed by `reflow/ops/convert.py`, a higher layer.
    """
    raise NotImplementedError


def install_converter(function: Callable[[Any, Any, str], tuple[Value, dtypes.DType]]) -> None:
    global _convert_any
    _convert_any = function  # type: ignore[assignment]  # mypy takes the parameters' names for a part of the type


def _exported(array: np.ndarray, options: dict[str, Any], copy: bool | None) -> Any:
    """The DLPack capsule of a tensor's array: a read-only view if the consumer supports that, else a copy."""
    knows_read_only = options["max_version"] is not None and options["max_version"][0] >= 1
    exportable = array.dtype.kind != "V" and array.flags.c_contiguous  # NumPy cannot export bfloat16, JAX can
    if knows_read_only and exportable and not copy:
        view = array.view()
        view.flags.writeable = False
        return view.__dlpack__(copy=copy, **options)
    if copy is False:
        raise BufferError("The consumer does not know read-only memory (DLPack 1.0): only a copy can be exported.")
    if array.dtype.kind == "V":
        import jax

        from reflow.core import fork

        fork.enter_xla()
        return jax.device_put(np.array(array)).__dlpack__(**options)
    return np.array(array, order="C").__dlpack__(**options)


def fetched(value: Value) -> np.ndarray:
    """A device array as a host array. Programs run asynchronously, so a failure may surface only here."""
    try:
        return np.asarray(value)
    except RuntimeError as error:
        errors.raise_of_program(error)
        raise




def _no_attribute(message: str) -> property:
    def missing(self: EagerTensor) -> NoReturn:
        raise AttributeError(message)

    return property(missing)


for _name in ("name", "graph", "op", "value_index"):
    _missing = _no_attribute(f"Tensor.{_name} is undefined when eager execution is enabled.")
    setattr(EagerTensor, _name, _missing)
def _numpy_method(name: str) -> property:
    """A NumPy array method, which `experimental_enable_numpy_behavior` adds to tensors."""

    def missing(self: Tensor) -> NoReturn:
        raise AttributeError(
            f"{type(self).__name__} object has no attribute '{name}'.\n"
            "        If you are looking for numpy-related methods, please run the following:\n"
            "        tf.experimental.numpy.experimental_enable_numpy_behavior()\n"
        )

    return property(missing)


for _name in ("T", "astype", "ravel", "transpose", "reshape", "clip", "size", "tolist", "data"):
    setattr(Tensor, _name, _numpy_method(_name))
setattr(Tensor, "__round__", lambda self, ndigits=None: self.astype)  # noqa: B010  # a method of NumPy's, too


def _from_pickle(array: np.ndarray, dtype_name: str) -> EagerTensor:
    return EagerTensor(array, dtypes.as_dtype(dtype_name))


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, variable, sparse or ragged tensor, or another of TensorFlow's tensor-like objects.

    >>> is_tensor(3)
    False
    """
    return isinstance(x, TensorBase) or getattr(x, "is_tensor_like", False) is True
