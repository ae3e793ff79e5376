"""`tf.Variable`: a handle to a cell, with TensorFlow's methods around it.

Every read is a dispatched `ReadVariableOp` and every write a dispatched `Assign*VariableOp` or `ResourceScatter*`, so
the tape and graphs see them. The tape identifies a variable by its handle; `tape.gradient(y, v)` asks for the handle's
cotangent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from reflow.core import dtypes
from reflow.core.context import init_scope, state
from reflow.core.errors import InvalidArgumentError
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.scope import Swapped
from reflow.core.shapes import TensorShape, compatible, dims_of, is_fully_known
from reflow.core.specs import VariableSpec
from reflow.core.tensor import EagerTensor, Reference, TensorBase
from reflow.eager.variable_enums import VariableAggregation, VariableSynchronization
from reflow.ops import registry
from reflow.ops.convert import convert_to_tensor
from reflow.ops.dispatch import dispatch, run
from reflow.ops.kernels.control.state import assign_add_variable, assign_sub_variable, assign_variable
from reflow.tracking.trackable import Trackable

NO_VALUE = (
    "The `initial_value` arg to `tf.Variable` must be specified except when you are not providing a "
    "`variable_def`. You provided neither."
)


def check_constraint(constraint: Any) -> None:
    """Check that a constraint is callable, or None."""
    if constraint is not None and not callable(constraint):
        raise ValueError(
            f"Argument `constraint` must be None or a callable. a callable. Got a {type(constraint)}:  {constraint}"
        )


class _VariableMeta(type):
    """Routes `tf.Variable(...)` through the active variable creator scopes, as TensorFlow does."""

    def __call__(cls, *args, **kwargs):
        if cls is not Variable:
            return super().__call__(*args, **kwargs)
        graph = state.graph
        if graph is not None and (not graph.building_function or outermost_graph(graph) is not None):
            make_here = _graph_variable_in(graph)
        else:
            make_here = super().__call__
        if not state.variable_creators:
            return make_here(*args, **kwargs)
        kwargs = {**_CREATOR_ARGUMENTS, **kwargs, **dict(zip(_CREATOR_ARGUMENTS, args, strict=False))}

        make: Any = make_here
        for creator in state.variable_creators:
            make = _bind_creator(creator, make)
        return make(**kwargs)


#: the arguments that creators get, in the order of `Variable`'s parameters, with their defaults
_CREATOR_ARGUMENTS = {
    "initial_value": None, "trainable": None, "validate_shape": True, "caching_device": None, "name": None,
    "variable_def": None, "dtype": None, "import_scope": None, "constraint": None,
    "synchronization": VariableSynchronization.AUTO, "aggregation": VariableAggregation.NONE, "shape": None,
    "experimental_enable_variable_lifting": None,
}  # fmt: skip
_graph_variable: Any = None


def outermost_graph(graph):
    """The plain graph around the functions being traced; None if that is eager code."""
    while graph is not None and graph.building_function:
        graph = graph.parent
    return graph


def _graph_variable_in(graph):
    """The class while a plain graph is built: function, branch and loop bodies leave a variable to the outer graph."""
    outer = outermost_graph(graph)
    if outer is graph:
        return _graph_variable

    def make(*args, **kwargs):
        with init_scope(), outer.scope(str(graph.scope_now) or None):
            return _graph_variable(*args, **kwargs)

    return make


def install_graph_variables(cls) -> None:
    """Called once by `reflow.compat`: the class of variables in a plain graph, which sessions run."""
    global _graph_variable
    _graph_variable = cls


def _bind_creator(creator, next_creator):
    return lambda **kwargs: creator(next_creator, **kwargs)


def _scatter_method(kind: str, doc: str):
    """A method that modifies rows of a variable with an op."""
    name, op_name = f"scatter_{kind}", f"ResourceScatter{kind.capitalize()}"

    def method(self, sparse_delta, use_locking=False, name=None):
        return self._scatter(op_name, sparse_delta)

    method.__name__, method.__qualname__, method.__doc__ = name, f"Variable.{name}", doc
    return method



class variable_creator_scope(Swapped):
    """Lets `variable_creator(next_creator, **kwargs)` create the variables in a `with` block.

    Args:
      variable_creator: A function that returns a variable, most often that of `next_creator(**kwargs)`.

    >>> def counted(next_creator, **kwargs):
    ...     return next_creator(**{**kwargs, "name": "counted"})
    >>> with variable_creator_scope(counted):
    ...     Variable(1.0).name
    'counted:0'
    """

    def __init__(self, variable_creator) -> None:
        super().__init__(state, lambda: {"variable_creators": (*state.variable_creators, variable_creator)})


class Variable(Trackable, TensorBase, metaclass=_VariableMeta):
    """A tensor whose value can be changed.

    Args:
      initial_value: The first value, which decides on dtype and shape; or a function that returns it.
      trainable: Whether tapes and optimizers take it; by default yes, unless it is synchronized on reading.
      validate_shape: Ignored.
      caching_device: Ignored.
      name: A name, "Variable" by default.
      variable_def: Must be None.
      dtype: The dtype; by default that of the value.
      import_scope: Must be None.
      constraint: A function that optimizers apply to the new value.
      synchronization: When the copies of a distributed variable are synchronized.
      aggregation: How the writes of several replicas are combined.
      shape: The shape, with None for sizes that may change; by default that of the value.
      experimental_enable_variable_lifting: Ignored.

    Raises:
      ValueError: There is no value, or its shape or dtype is not the one asked for.

    >>> v = Variable([1.0, 2.0])
    >>> v.assign_add([1.0, 1.0]).numpy().tolist()
    [2.0, 3.0]
    """

    _should_act_as_resource_variable = True
    _is_resource_variable = True
    _is_composite = False
    is_tensor_like = True
    __array_priority__ = 100

    def __init__(
        self, initial_value=None, trainable=None, validate_shape=True, caching_device=None, name=None,
        variable_def=None, dtype=None, import_scope=None, constraint=None, synchronization=VariableSynchronization.AUTO,
        aggregation=VariableAggregation.NONE, shape=None, experimental_enable_variable_lifting=True,
    ) -> None:
        if initial_value is None:
            raise ValueError(NO_VALUE)
        if variable_def is not None or import_scope is not None:
            raise ValueError("tf.Variable cannot be built from a `variable_def` when eager execution is enabled.")
        check_constraint(constraint)
        self._synchronization = VariableSynchronization(synchronization or 0)
        self._aggregation = VariableAggregation(aggregation or 0)
        if trainable is None:
            trainable = self._synchronization is not VariableSynchronization.ON_READ
        self._trainable = bool(trainable)
        self._constraint = constraint
        self._caching_device = caching_device
        graph = state.graph
        if graph is not None and graph.building_function:
            graph.variable_created(self)
        full_name = _scoped_name(name or "Variable")
        value = _eager_value(initial_value, None if dtype is None else dtypes.as_dtype(dtype))
        self._dtype = value._dtype
        self._dims = dims_of(shape) if shape is not None else tuple(value._value.shape)
        if not compatible(self._dims, tuple(value._value.shape)):
            raise ValueError(
                f"In this `tf.Variable` creation, the initial value's shape ({value.shape}) is not compatible with the "
                f"explicitly supplied `shape` argument ({shape})."
            )
        self._shared_name = full_name
        self._handle = state.backend.handle(self._dtype, self._dims, full_name, value)
        self._read_attrs = {"dtype": self._dtype, "_handle_shape": self._dims}

    # --- facts

    handle = property(lambda self: self._handle)
    dtype = property(lambda self: self._dtype)
    shape = property(lambda self: TensorShape._of(self._dims))
    name = property(lambda self: self._shared_name + ":0")
    trainable = property(lambda self: self._trainable)
    constraint = property(lambda self: self._constraint)
    synchronization = property(lambda self: self._synchronization)
    aggregation = property(lambda self: self._aggregation)
    device = property(lambda self: self._handle.device)
    create = property(lambda self: None)
    initializer = property(lambda self: None)
    graph = property(lambda self: self._handle.graph)
    ndim = property(lambda self: None if self._dims is None else len(self._dims))
    _id = property(lambda self: self._handle._id)
    _unique_id = property(lambda self: f"{self._shared_name}_{self._handle._id}")
    _in_graph_mode = False
    _initial_value: Any = None

    @property
    def op(self):
        """In a function's body, the node that last wrote the variable (for `v.assign(x).op`); else the handle's."""
        graph = state.graph
        written = graph.last_write(self._handle) if graph is not None and graph.building_function else None
        return self._handle.op if written is None else written

    @property
    def initial_value(self):
        """In a graph, the initial tensor of a variable of that graph. Other variables do not keep it: it would be a
        second copy of a model.
        """
        if state.graph is None:
            raise RuntimeError("This property is not supported when eager execution is enabled.")
        return self._initial_value

    def get_shape(self) -> TensorShape:
        """The shape of the value."""
        return self.shape

    def set_shape(self, shape) -> None:
        """Narrows what is known of the shape."""
        self._dims = dims_of(TensorShape(self._dims).merge_with(shape))
        self._handle._value.dims = self._dims
        self._read_attrs["_handle_shape"] = self._dims

    @property
    def _type_spec(self) -> VariableSpec:
        return VariableSpec.from_value(self)

    def _shape_invariant_to_type_spec(self, shape) -> VariableSpec:
        return VariableSpec(shape, self._dtype, self._trainable)

    def ref(self) -> Reference:
        """A hashable reference: keys of sets and dictionaries."""
        return Reference(self)

    experimental_ref = ref

    def __hash__(self) -> int:
        raise TypeError(f"Variable is unhashable. Instead, use variable.ref() as the key. (Variable: {self})")

    # --- reading

    def value(self):
        """The current value as a tensor, which later assignments do not change."""
        if state.direct is not None:  # nothing is recording
            return EagerTensor(self._handle._value.read(), self._dtype)
        self._touch()
        return dispatch(READ, (self._handle,), self._read_attrs)

    read_value = value

    def __tf_tensor__(self, dtype=None, name=None):
        if dtype is not None and dtype is not self._dtype:
            raise ValueError(
                f"Incompatible type conversion requested to type {dtype.name} for `tf.Variable of type "
                f"{self._dtype.name}. (Variable: {self})"
            )
        return self.value()

    def numpy(self):
        """The value as a new NumPy array."""
        return self._value_now().numpy()

    def __array__(self, dtype=None, copy=None):
        return self._value_now().__array__(dtype, copy)

    def _value_now(self) -> EagerTensor:
        """The value; not while a function is traced, which would keep it forever."""
        if state.graph is not None and state.graph.building_function:
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        return EagerTensor(self._handle._value.read(), self._dtype)

    def _export_to_saved_model_graph(self, object_map: Any, tensor_map: Any, options: Any, **kwargs: Any) -> list:
        """For wrappers that delegate the export: note that the variable represents itself in a SavedModel."""
        object_map[self], tensor_map[self.handle] = self, self.handle
        return [self.handle]

    def sparse_read(self, indices, name=None):
        """Rows at `indices`, without reading the whole variable."""
        self._touch()
        return run(
            "ResourceGather", self._handle, convert_to_tensor(indices), dtype=self._dtype, _handle_shape=self._dims
        )

    def gather_nd(self, indices, name=None):
        """The slices at these indices: `tf.gather_nd`."""
        return run("GatherNd", self.value(), convert_to_tensor(indices))

    def is_initialized(self, name=None):
        """A bool tensor: whether it has a value."""
        return run("VarIsInitializedOp", self._handle)

    def initialized_value(self):
        """Its value: it is initialized when it is made."""
        return self.value()

    def eval(self, session=None):
        """The value as an array, computed by a session in a graph."""
        if state.graph is None:
            raise RuntimeError("This operation is not supported when eager execution is enabled.")
        return self.value().eval(session=session)

    def _touch(self) -> None:
        """Tell the graph and the tapes that this variable is used."""
        if state.graph is not None:
            state.graph.watch_variable(self)
        if self._trainable:
            for tape in state.tapes:
                tape.watch_variable(self)

    # --- writing

    def _write(self, op, value, read_value: bool, name=None):
        """Run an op that assigns, adds or subtracts a value."""
        scatter = _OF_ROWS.get(op)
        if isinstance(value, IndexedSlices) and scatter is not None:
            return self._scatter(scatter, value)
        tensor = convert_to_tensor(value, self._dtype)
        if scatter is not None and self._dtype.kind not in "fciuq":
            raise InvalidArgumentError(
                None, None, f"No OpKernel was registered to support Op '{op.name}' with dtype {self._dtype.name}"
            )
        if scatter is None and not compatible(self._dims, tensor.shape._dims):
            raise ValueError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable shape {self.shape}, and "
                f"the assigned value shape {tensor.shape} are incompatible."
            )
        graph = state.graph
        if graph is not None:
            graph.watch_variable(self)
        if graph is None or name is None:
            dispatch(op, (self._handle, tensor), {"dtype": self._dtype})
        else:
            with graph.name_scope_for(name):
                dispatch(op, (self._handle, tensor), {"dtype": self._dtype})
        return self._written() if read_value else None

    def _written(self) -> UnreadVariable:
        """The result of a write: this variable under another name, as TensorFlow prints it, without a state."""
        view = object.__new__(UnreadVariable)
        view.__dict__ = self.__dict__
        if state.graph is not None and getattr(state.graph, "wraps_version_1", False):
            view.__dict__ = {**self.__dict__, "written_by": state.graph.nodes[-1]}
        return view

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Replaces the value.

        Args:
          value: The new value, of the dtype of the variable and of a shape that fits its own.
          use_locking: Ignored.
          name: A name for the operation.
          read_value: Whether to return the variable; else None.

        Returns:
          The variable, or None.

        Raises:
          ValueError: The shape does not fit.
        """
        return self._write(assign_variable, value, read_value, name)

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        """Adds to the value; the arguments are those of `assign`."""
        return self._write(assign_add_variable, delta, read_value, name)

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        """Subtracts from the value; the arguments are those of `assign`."""
        return self._write(assign_sub_variable, delta, read_value, name)

    def load(self, value, session=None) -> None:
        """Assigns a value."""
        self.assign(value)

    def _scatter(self, op_name: str, slices):
        if not isinstance(slices, IndexedSlices):
            raise TypeError(f"Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: {slices}")
        if state.graph is not None:
            state.graph.watch_variable(self)
        values = convert_to_tensor(slices.values, self._dtype)
        run(op_name, self._handle, convert_to_tensor(slices.indices), values)
        return self._written()

    scatter_add = _scatter_method("add", "Add slices to rows.")
    scatter_sub = _scatter_method("sub", "Subtract slices from rows.")
    scatter_mul = _scatter_method("mul", "Multiply rows by slices.")
    scatter_div = _scatter_method("div", "Divide rows by slices.")
    scatter_max = _scatter_method("max", "Keep the larger of rows and slices.")
    scatter_min = _scatter_method("min", "Keep the smaller of rows and slices.")
    scatter_update = _scatter_method("update", "Replace rows by slices.")

    def _scatter_nd(self, op_name, indices, updates):
        if state.graph is not None:
            state.graph.watch_variable(self)
        run(op_name, self._handle, convert_to_tensor(indices), convert_to_tensor(updates, self._dtype))
        return self._written()

    def scatter_nd_add(self, indices, updates, name=None):
        """Add `updates` at multi-dimensional `indices`."""
        return self._scatter_nd("ResourceScatterNdAdd", indices, updates)

    def scatter_nd_sub(self, indices, updates, name=None):
        """Subtract `updates` at multi-dimensional `indices`."""
        return self._scatter_nd("ResourceScatterNdSub", indices, updates)

    def scatter_nd_update(self, indices, updates, name=None):
        """Write `updates` at multi-dimensional `indices`."""
        return self._scatter_nd("ResourceScatterNdUpdate", indices, updates)

    def scatter_nd_max(self, indices, updates, name=None):
        """Keep the larger of the value and `updates` at `indices`."""
        return self._scatter_nd("ResourceScatterNdMax", indices, updates)

    def scatter_nd_min(self, indices, updates, name=None):
        """Keep the smaller of the value and `updates` at `indices`."""
        return self._scatter_nd("ResourceScatterNdMin", indices, updates)

    def _strided_slice_assign(self, begin, end, strides, value, masks):
        """`v[a:b].assign(x)`: called by the slice that `__getitem__` returned."""
        if state.graph is not None:
            state.graph.watch_variable(self)
        values = convert_to_tensor(value, self._dtype)
        run("ResourceStridedSliceAssign", self._handle, begin, end, strides, values, **masks)
        return self._written()

    def batch_scatter_update(self, sparse_delta, use_locking=False, name=None):
        """Replace rows in each batch: `indices` has the batch's dimensions and one more.

        >>> v = Variable([[1.0, 2.0], [3.0, 4.0]])
        >>> v.batch_scatter_update(IndexedSlices([[9.0], [8.0]], [[0], [1]])).numpy().tolist()
        [[9.0, 2.0], [3.0, 8.0]]
        """
        indices = convert_to_tensor(sparse_delta.indices)
        dims = indices.shape._dims
        if not is_fully_known(dims):
            raise ValueError(f"batch_scatter_update needs indices of a known shape. Received: {indices.shape}")
        batch = [convert_to_tensor(axis, indices._dtype) for axis in np.indices(dims)[:-1]]
        places = run("Pack", *batch, indices, N=len(batch) + 1, axis=-1)
        return self._scatter_nd("ResourceScatterNdUpdate", places, sparse_delta.values)

    def count_up_to(self, limit):
        """Increment by one and return the previous value; OutOfRangeError once `limit` is reached.

        >>> Variable(1).count_up_to(3).numpy().item()
        1
        """
        self._touch()
        return run("ResourceCountUpTo", self._handle, limit=int(limit), T=self._dtype)

    # --- copying, text

    def __deepcopy__(self, memo):
        copy = Variable(
            self.value(), trainable=self._trainable, name=self._shared_name, dtype=self._dtype,
            constraint=self._constraint, synchronization=self._synchronization, aggregation=self._aggregation,
            shape=TensorShape(self._dims),
        )
        copy._shared_name = self._shared_name
        memo[id(self)] = copy
        return copy

    def __copy__(self):
        return self

    def __reduce__(self):
        return _rebuild, (self.numpy(), self._trainable, self._shared_name, self._dtype.name, self._dims)

    def __repr__(self) -> str:
        if state.graph is not None and state.graph.building_function:
            return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self._dtype.name}>"
        value = self.numpy()
        text = repr(value.item() if isinstance(value, np.generic) else value)
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self._dtype.name}, numpy={_own_line(text)}>"

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from reflow.core import html

        facts = {"name": self.name, "shape": self.shape, "dtype": self._dtype.name, "trainable": self.trainable}
        return html.card("tf.Variable", facts, html.preview(np.asarray(self.numpy())))

    def _init_from_args(self, initial_value=None, trainable=None, collections=None, caching_device=None,
                        **kwargs) -> None:
        """For subclasses that call this instead of `__init__`."""
        Variable.__init__(self, initial_value, trainable, caching_device=caching_device, **kwargs)

    @staticmethod
    def from_proto(variable_def, import_scope=None):
        """The variable whose nodes, named by a VariableDef, are in the default graph."""
        return _graph_variable(variable_def=variable_def, import_scope=import_scope)

    # --- checkpoints

    def _serialize_to_tensors(self):
        return {"VARIABLE_VALUE": self.value()}

    def _restore_from_tensors(self, tensors) -> None:
        self.assign(tensors["VARIABLE_VALUE"])

    def _gather_saveables_for_checkpoint(self):
        return {"VARIABLE_VALUE": self}


class UnreadVariable(Variable):
    """What `assign` returns: the variable itself, printed as `UnreadVariable`.

    In a graph of `wrap_function`, where only what is needed runs, reading it needs the write `written_by`.
    """

    written_by: Any = None
    name = property(lambda self: "UnreadVariable")  # type: ignore[assignment]

    @property
    def op(self):
        """The node that wrote the variable; None in eager code, where the write is complete."""
        return None if state.graph is None else super().op

    def value(self):
        if self.written_by is None or state.graph is None:
            return super().value()
        with state.graph.control_dependencies([self.written_by]):
            return super().value()

    read_value = value


def _own_line(text: str) -> str:
    return "\n" + text if "\n" in text else text


def _rebuild(value, trainable, name, dtype, dims):
    return Variable(value, trainable=trainable, name=name, dtype=dtype, shape=TensorShape(dims))


def _scoped_name(name: str) -> str:
    graph = state.graph
    scope = graph.current_scope if graph is not None else state.name_scope
    return scope + name.removesuffix(":0")


def _eager_value(value, dtype):
    """An initial value as an eager tensor."""
    with init_scope():
        if callable(value) and not isinstance(value, TensorBase):
            value = value()
        if getattr(value, "_is_symbolic", False):
            value = value.graph.value_at_trace(value)
        tensor = (
            convert_to_tensor(value, dtype)
            if dtype is None or not hasattr(value, "_dtype")
            else convert_to_tensor(value)
        )
        if dtype is not None and tensor._dtype is not dtype:
            tensor = convert_to_tensor(value, dtype)
    return tensor


#: the row-wise op for each whole-variable op
_OF_ROWS = {assign_add_variable: "ResourceScatterAdd", assign_sub_variable: "ResourceScatterSub"}
READ = registry.get("ReadVariableOp")
