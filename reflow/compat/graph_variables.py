"""Variables of a plain graph: `tf.Variable` where ops build a graph that a session runs.

Such a variable is a `VarHandleOp` node, an initializer and reads; its value lives in sessions. It is added to the
graph's collections, where `global_variables_initializer`, optimizers and savers find it.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from tensorboard.compat.proto.attr_value_pb2 import AttrValue
from tensorboard.compat.proto.variable_pb2 import SaveSliceInfoDef, VariableDef

from reflow.api.array import arrange, indexing
from reflow.api.control.printing import group
from reflow.api.export import export, export_function
from reflow.api.math import unary
from reflow.compat.behavior import GraphKeys, get_default_graph, resource_variables_enabled
from reflow.compat.scoped_names import prepend_scope, strip_scope
from reflow.core import dtypes
from reflow.core.context import state
from reflow.core.resources import HandleFacts
from reflow.core.shapes import dims_of
from reflow.eager import variables as eager_variables
from reflow.eager.variable_enums import VariableAggregation, VariableSynchronization
from reflow.eager.variables import Variable
from reflow.function.control_flow import cond
from reflow.graph.node import Node
from reflow.graph.symbolic import SymbolicTensor
from reflow.ops.convert import constant, convert_to_tensor
from reflow.ops.dispatch import run
from reflow.train import slices


class SaveSliceInfo:
    """Which part of a partitioned variable a variable is."""

    def __init__(self, full_name: str | None = None, full_shape: Any = None, var_offset: Any = None,
                 var_shape: Any = None):
        self.full_name, self.full_shape = full_name, full_shape
        self.var_offset, self.var_shape = var_offset, var_shape

    @property
    def spec(self) -> str:
        """The part as checkpoints write it."""
        return slices.spec(self.full_shape, self.var_offset, self.var_shape)

    def to_proto(self, export_scope: str | None = None) -> Any:
        return SaveSliceInfoDef(
            full_name=strip_scope(self.full_name or "", export_scope), full_shape=self.full_shape,
            var_offset=self.var_offset, var_shape=self.var_shape,
        )

    @staticmethod
    def from_proto(proto: Any, import_scope: str | None = None) -> SaveSliceInfo:
        name = prepend_scope(proto.full_name, import_scope)
        return SaveSliceInfo(name, list(proto.full_shape), list(proto.var_offset), list(proto.var_shape))


class GraphVariable(Variable):
    """A variable of a plain graph.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.Variable(3.0)
    ...     _ = session.run(v.initializer)
    ...     session.run(v.assign_add(1.0)).item()
    4.0
    """

    _in_graph_mode = True
    _save_slice_info: SaveSliceInfo | None = None  # of a part of a partitioned variable

    def __init__(
        self, initial_value=None, trainable=None, validate_shape=True, caching_device=None, name=None,
        variable_def=None, dtype=None, import_scope=None, constraint=None, synchronization=VariableSynchronization.AUTO,
        aggregation=VariableAggregation.NONE, shape=None, experimental_enable_variable_lifting=True, collections=None,
    ):
        if variable_def is not None:
            return self._init_from_proto(variable_def, import_scope)
        if initial_value is None:
            raise ValueError(eager_variables.NO_VALUE)
        eager_variables.check_constraint(constraint)
        self._synchronization = VariableSynchronization(synchronization or 0)
        self._aggregation = VariableAggregation(aggregation or 0)
        self._trainable = (
            self._synchronization is not VariableSynchronization.ON_READ if trainable is None else bool(trainable)
        )
        self._constraint, self._caching_device, self._cached_value = constraint, caching_device, None
        graph = state.graph
        graph.name_nodes()  # those before take their names first
        full = graph.unique_name((name or "Variable").removesuffix("/"), mark_as_used=False)
        self._shared_name = full
        # A variable can be initialised whatever its maker waits for: an optimizer's slots are made after updates.
        with graph.scope(full + "/"), graph.control_dependencies(None):
            with graph.colocate_with(None, ignore_existing=True):
                value = self._first_value(graph, initial_value, dtype, full)
            self._dtype = value._dtype
            self._dims = dims_of(shape) if shape is not None else value.shape._dims if validate_shape else None
            self._read_attrs = {"dtype": self._dtype, "_handle_shape": self._dims}
            self._handle = self._new_handle(graph)
            with graph.scope("IsInitialized"):
                self._is_initialized = run("VarIsInitializedOp", self._handle)
            # with the handle, whatever device functions choose for other nodes
            with graph.device(None), graph.device(self.device):
                with graph.name_scope_for("Assign"):
                    run("AssignVariableOp", self._handle, value, dtype=self._dtype)
                self._initializer, self._initial_value = graph.nodes[-1], value
                with graph.scope("Read"):
                    self._read = super().value()
                    if caching_device is not None:
                        with (graph.colocate_with(None, ignore_existing=True), graph.device(None),
                              graph.device(caching_device)):
                            self._cached_value = run("Identity", self._read)
        keys = [GraphKeys.GLOBAL_VARIABLES] if collections is None else list(collections)
        if self._trainable and GraphKeys.TRAINABLE_VARIABLES not in keys:
            keys.append(GraphKeys.TRAINABLE_VARIABLES)
        graph.add_to_collections(keys, self)

    @staticmethod
    def _first_value(graph, initial_value, dtype, name):
        """The initial value, placed anywhere; the result of a function is placed with the variable."""
        beside = AttrValue(list=AttrValue.ListValue(s=[f"loc:@{name}".encode()]))
        with graph.scope("Initializer"), graph._attr_scope({"_class": beside} if callable(initial_value) else {}):
            value = initial_value() if callable(initial_value) else initial_value
            if isinstance(value, GraphVariable):
                value = value.initialized_value()
            with graph.name_scope_for("initial_value"):
                return convert_to_tensor(value, None if dtype is None else dtypes.as_dtype(dtype))

    def _new_handle(self, graph):
        attrs = {"dtype": self._dtype, "shape": self._dims, "shared_name": self._shared_name, "container": ""}
        with graph.scope(None), graph.name_scope_for(self._shared_name):
            handle = run("VarHandleOp", **attrs)
        graph.name_nodes()
        handle._static = HandleFacts(self._dims, self._dtype)
        return handle

    # Outside of eager code variables are compared as objects, so that they can be in sets and be looked for in lists.
    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __hash__(self) -> int:
        return id(self)

    initializer = create = property(lambda self: self._initializer)
    initial_value = property(lambda self: self._initial_value)
    graph = property(lambda self: self._handle._graph)
    device = property(lambda self: self._handle.op.device or "")

    def set_shape(self, shape):
        """Say more about the shape."""
        self._dims = dims_of(self.shape.merge_with(shape))
        self._read_attrs["_handle_shape"], self._handle._static = self._dims, HandleFacts(self._dims, self._dtype)

    def graph_element(self):
        """What a session fetches for this variable: a separate read, which waits for no write.

        It was created with the variable, so that a finalized graph can run, and a value fetched with a training step is
        the one before it.
        """
        return self._read

    _as_graph_element = graph_element

    def value(self):
        """A read, or the one of the caching device."""
        if self._cached_value is not None:
            return self._cached_value
        with state.graph.colocate_with(None, ignore_existing=True):
            return super().value()

    def read_value(self):
        """A new read."""
        with state.graph.scope("Read"):
            value = super().value()
        return run("Identity", value)

    def _write(self, op, value, read_value, name=None):
        here = state.graph is self.graph or state.graph.building_function
        with contextlib.nullcontext() if here else self.graph.as_default():
            super()._write(op, value, False, name)
            return self._written() if read_value else state.graph.nodes[-1]

    def _written(self):
        """The variable after the new write; in version 1, whose variables expose their memory, a read after it."""
        write = state.graph.nodes[-1]
        with state.graph.control_dependencies([write]):
            read = Variable.value(self)
        return UnreadGraphVariable.behind(write, self, read) if resource_variables_enabled() else read

    def initialized_value(self):
        """The value, or the initial one where nothing has been assigned yet."""
        return cond(self.is_initialized(), self.value, lambda: self._initial_value)

    def eval(self, session=None):
        """The value in a session."""
        return self._read.eval(session=session)

    def load(self, value, session=None):
        """Assign a value in a session."""
        session = session or _session()
        session.run(self._initializer, {self._initializer.inputs[1]: value})

    def to_proto(self, export_scope: str | None = None) -> Any:
        """A VariableDef: the names of this variable's nodes. None if it is outside of `export_scope`."""
        if export_scope is not None and not self.name.startswith(f"{export_scope}/"):
            return None
        proto = VariableDef(
            variable_name=strip_scope(self._handle.name, export_scope),
            initializer_name=strip_scope(self._initializer.name, export_scope),
            snapshot_name=strip_scope(self._read.name, export_scope),
            is_resource=True, trainable=self._trainable,
            synchronization=self._synchronization.value, aggregation=self._aggregation.value,
        )
        if self._initial_value is not None:
            proto.initial_value_name = strip_scope(self._initial_value.name, export_scope)
        info = getattr(self, "_save_slice_info", None)
        if info is not None:
            proto.save_slice_info_def.CopyFrom(info.to_proto(export_scope))
        return proto

    def _init_from_proto(self, variable_def: Any, import_scope: str | None) -> None:
        """The variable whose nodes, named by a VariableDef, are in the default graph."""
        graph = get_default_graph()

        def element(name: str) -> Any:
            return graph.as_graph_element(prepend_scope(name, import_scope))

        handle = self._handle = element(variable_def.variable_name)
        attrs = handle.op.attrs
        self._dtype, self._dims = attrs["dtype"], attrs["shape"]
        self._shared_name = handle.op.name
        self._synchronization = VariableSynchronization(variable_def.synchronization)
        self._aggregation = VariableAggregation(variable_def.aggregation)
        self._trainable, self._constraint, self._caching_device = variable_def.trainable, None, None
        self._cached_value = None
        self._read_attrs = {"dtype": self._dtype, "_handle_shape": self._dims}
        handle._static = HandleFacts(self._dims, self._dtype)
        self._initializer = element(variable_def.initializer_name)
        named = variable_def.initial_value_name
        self._initial_value = element(named) if named else self._initializer.inputs[1]
        snapshot = variable_def.snapshot_name
        with graph.as_default():
            self._read = element(snapshot) if snapshot else self.value()
        if variable_def.HasField("save_slice_info_def"):
            self._save_slice_info = SaveSliceInfo.from_proto(variable_def.save_slice_info_def, import_scope)

    def _set_save_slice_info(self, save_slice_info: SaveSliceInfo) -> None:
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self) -> SaveSliceInfo | None:
        return self._save_slice_info

    def numpy(self):
        raise NotImplementedError("numpy() is only available when eager execution is enabled.")

    def __repr__(self):
        return f"<tf.Variable '{self.name}' shape={self.shape} dtype={self._dtype.name}>"


GraphVariable.SaveSliceInfo = SaveSliceInfo  # type: ignore[attr-defined] # TensorFlow defines it inside of the class


def _behind_the_write(name: str):
    """A method of a variable that was just written: the ops it adds run after the write."""

    def method(self, *args, **kwargs):
        with state.graph.control_dependencies([self.written_by]):
            return getattr(GraphVariable, name)(self, *args, **kwargs)

    method.__name__ = name
    return method


class UnreadGraphVariable(GraphVariable):
    """What a write returns: the variable as it is after the write.
    Reading or writing it waits for the write `written_by`."""

    written_by: Node

    @classmethod
    def behind(cls, write: Node, variable: GraphVariable, read: Any) -> UnreadGraphVariable:
        self = cls.__new__(cls)
        self.__dict__.update(variable.__dict__, written_by=write, _read=read, _cached_value=None, _initializer=None)
        return self

    name = property(lambda self: self.written_by.name)  # type: ignore[assignment]
    op = property(lambda self: self.written_by)  # type: ignore[assignment]

    value, read_value = _behind_the_write("value"), _behind_the_write("value")
    sparse_read, gather_nd = _behind_the_write("sparse_read"), _behind_the_write("gather_nd")
    _write, _scatter = _behind_the_write("_write"), _behind_the_write("_scatter")
    _scatter_nd, _strided_slice_assign = _behind_the_write("_scatter_nd"), _behind_the_write("_strided_slice_assign")


def _session():
    from reflow.compat.session import get_default_session

    session = get_default_session()
    if session is None:
        raise ValueError(
            "Either session argument should be provided or default session should be established. The "
            "current default session is None"
        )
    return session


eager_variables.install_graph_variables(GraphVariable)


class _V1Meta(type):
    """`tf.compat.v1.Variable` makes variables, with version 1's order of arguments; every variable is one."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, Variable)

    def __getattr__(cls, name: str) -> Any:
        """Methods of variables, asked of the class: those of graphs' variables."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(GraphVariable, name)

    def __call__(
        cls, initial_value=None, trainable=None, collections=None, validate_shape=True, caching_device=None, name=None,
        variable_def=None, dtype=None, expected_shape=None, import_scope=None, constraint=None, use_resource=None,
        synchronization=VariableSynchronization.AUTO, aggregation=VariableAggregation.NONE, shape=None,
        experimental_enable_variable_lifting=None,
    ):
        if variable_def is not None:
            return GraphVariable(variable_def=variable_def, import_scope=import_scope)
        options = {
            "trainable": trainable,
            "validate_shape": validate_shape,
            "caching_device": caching_device,
            "name": name,
            "dtype": dtype,
            "constraint": constraint,
            "synchronization": synchronization,
            "aggregation": aggregation,
            "shape": expected_shape if shape is None else shape,
        }
        if experimental_enable_variable_lifting is not None:
            options["experimental_enable_variable_lifting"] = experimental_enable_variable_lifting
        if eager_variables.outermost_graph(state.graph) is not None or getattr(state.graph, "wraps_version_1", False):
            options["collections"] = collections  # the holder of a wrapped function's variables adds them to its graph
        return Variable(initial_value, **options)


@export("compat.v1.Variable")
class VariableV1(metaclass=_V1Meta):  # type: ignore[misc]
    """A variable, made with the arguments of TensorFlow 1.

    Args:
      initial_value: A tensor, a value, or a function without arguments that gives one.
      trainable: Whether optimizers change it; True by default.
      collections: The collections of the graph to which it is added.
      validate_shape: Whether the shape of the initial value must be known.
      caching_device: The device on which reads are cached.
      name: A name for the variable.
      variable_def, import_scope: A protocol buffer to make the variable from, and a prefix for the names in it.
      dtype: The dtype to which the initial value is converted.
      expected_shape, shape: The shape, by an old and a new name.
      constraint, synchronization, aggregation, experimental_enable_variable_lifting: As in `tf.Variable`.
      use_resource: Has no effect: all variables are resources.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     steps = tf.compat.v1.Variable(3, trainable=False, name="steps")
    ...     session.run(steps.initializer)
    ...     steps.name, session.run(steps.assign_add(2)).item()
    ('steps:0', 5)
    """

    if TYPE_CHECKING:  # the metaclass makes a variable of another class

        def __init__(self, *args: Any, **kwargs: Any) -> None: ...


def _collected(name: str, doc: str, example: str):
    def listing(scope=None) -> list:
        return get_default_graph().get_collection(getattr(GraphKeys, name.upper()), scope)

    only = "Only variables whose names match this regular expression at their beginning are returned, if it is given."
    return export_function(listing, f"compat.v1.{name}", doc=f"{doc}\n\nArgs:\n  scope: {only}\n\nReturns:\n  A list.",
                           example=example)


global_variables = _collected("global_variables", "Returns the variables that sessions share and save.", example="""
    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable("v", [2])
    ...     [v.name for v in tf.compat.v1.global_variables()]
    ['v:0']
""")
local_variables = _collected("local_variables", "Returns the variables that are not saved.", example="""
    >>> with tf.Graph().as_default():
    ...     seen = tf.compat.v1.get_local_variable("seen", [2])
    ...     [v.name for v in tf.compat.v1.local_variables()]
    ['seen:0']
""")
trainable_variables = _collected("trainable_variables", "Returns the variables that optimizers change.", example="""
    >>> with tf.Graph().as_default():
    ...     kept = tf.compat.v1.get_variable("kept", [2], trainable=False)
    ...     trained = tf.compat.v1.get_variable("layer/trained", [2])
    ...     [v.name for v in tf.compat.v1.trainable_variables(scope="layer")]
    ['layer/trained:0']
""")
model_variables = _collected("model_variables", "Returns the variables of a model.", example="""
    >>> with tf.Graph().as_default():
    ...     keys = [tf.compat.v1.GraphKeys.GLOBAL_VARIABLES, tf.compat.v1.GraphKeys.MODEL_VARIABLES]
    ...     v = tf.compat.v1.get_variable("v", [2], collections=keys)
    ...     [v.name for v in tf.compat.v1.model_variables()]
    ['v:0']
""")
moving_average_variables = _collected(
    "moving_average_variables", "Returns the variables of which moving averages are kept.", example="""
    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable("v", [2])
    ...     update = tf.compat.v1.train.ExponentialMovingAverage(0.9).apply([v])
    ...     [v.name for v in tf.compat.v1.moving_average_variables()]
    ['v:0']
""")


@export("compat.v1.all_variables")
def all_variables() -> list:
    """The old name of `global_variables`.

    Returns:
      A list of variables.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable("v", [2])
    ...     [v.name for v in tf.compat.v1.all_variables()]
    ['v:0']
    """
    return global_variables()


@export("compat.v1.variables_initializer", "compat.v1.initialize_variables")
def variables_initializer(var_list, name="init"):
    """Returns an operation that gives variables their initial values.

    Args:
      var_list: The variables.
      name: A name for the operation.

    Returns:
      An operation.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", initializer=tf.constant([1, 2]))
    ...     session.run(tf.compat.v1.variables_initializer([v]))
    ...     session.run(v).tolist()
    [1, 2]
    """
    return group(*[v.initializer for v in var_list], name=name)


@export("compat.v1.global_variables_initializer", "compat.v1.initialize_all_variables",
        "compat.v1.initializers.global_variables")
def global_variables_initializer():
    """Returns an operation that gives all global variables their initial values.

    Returns:
      An operation; None in eager code, where variables have them already.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", initializer=tf.constant([1, 2]))
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     session.run(v).tolist()
    [1, 2]
    """
    return None if state.graph is None else variables_initializer(global_variables())


@export("compat.v1.local_variables_initializer", "compat.v1.initialize_local_variables",
        "compat.v1.initializers.local_variables")
def local_variables_initializer():
    """Returns an operation that gives all local variables their initial values.

    Returns:
      An operation; None in eager code.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     count = tf.compat.v1.get_local_variable("count", initializer=7)
    ...     session.run(tf.compat.v1.local_variables_initializer())
    ...     count.eval().item()
    7
    """
    return None if state.graph is None else variables_initializer(local_variables())


@export("compat.v1.is_variable_initialized")
def is_variable_initialized(variable):
    """Says whether a variable has a value in the session that runs this.

    Args:
      variable: The variable, or the tensor of its node, `graph.get_tensor_by_name("v:0")`.

    Returns:
      A scalar boolean tensor.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", [2])
    ...     session.run(tf.compat.v1.is_variable_initialized(v)).item()
    False
    """
    if isinstance(variable, SymbolicTensor) and variable.dtype is dtypes.resource:
        return run("VarIsInitializedOp", variable)
    return variable.is_initialized()


def _assigning(method: str, doc: str, shown: str):
    def assign(ref, value, use_locking=None, name=None):
        return getattr(ref, method)(value, name=name)

    example = f">>> v = tf.Variable([1, 2])\n>>> tf.compat.v1.{method}(v, [10, 10]).numpy().tolist()\n{shown}"
    return export_function(assign, f"compat.v1.{method}", doc=doc, example=example)


@export("compat.v1.assign")
def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    """Replaces the value of a variable.

    Args:
      ref: The variable.
      value: The new value.
      validate_shape: With False it may have another shape than the variable.
      use_locking: Has no effect.
      name: A name for the operation.

    Returns:
      The new value, as a tensor or as the variable.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v = tf.compat.v1.get_variable("v", [2])
    ...     session.run(tf.compat.v1.assign(v, [3.0, 4.0])).tolist()
    [3.0, 4.0]
    """
    value = convert_to_tensor(value, ref.dtype)
    if validate_shape is not False or ref.shape.is_compatible_with(value.shape):
        return ref.assign(value, name=name)
    run("AssignVariableOp", ref.handle, value, dtype=ref.dtype, validate_shape=False)
    if state.graph is None:
        return value
    with state.graph.control_dependencies([state.graph.nodes[-1]]):
        return arrange.identity(value, name=name)


assign_add = _assigning("assign_add", "Add to a variable's value; the result is the new value.", "[11, 12]")
assign_sub = _assigning("assign_sub", "Subtract from a variable's value; the result is the new value.", "[-9, -8]")


@export("compat.v1.report_uninitialized_variables")
def report_uninitialized_variables(var_list=None, name="report_uninitialized_variables"):
    """Returns the names of the variables that have no value in the session that runs this.

    Args:
      var_list: The variables; all global and local ones by default.
      name: A name for the operation.

    Returns:
      A vector of strings.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     v, w = tf.compat.v1.get_variable("v", [2]), tf.compat.v1.get_variable("w", [2])
    ...     session.run(v.initializer)
    ...     session.run(tf.compat.v1.report_uninitialized_variables()).tolist()
    [b'w']
    """
    variables = [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    if not variables:
        return constant([], dtypes.string)
    missing = [unary.logical_not(v.is_initialized()) for v in variables]
    names = constant([v.name.removesuffix(":0") for v in variables])
    return indexing.boolean_mask(names, arrange.stack(missing), name=name)


@export("compat.v1.tables_initializer", "compat.v1.initialize_all_tables")
def tables_initializer(name="init_all_tables"):
    """Returns an operation that fills all lookup tables of the default graph.

    Args:
      name: A name for the operation.

    Returns:
      An operation.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
    ...     numbers = table.lookup(tf.constant(["b", "c"]))
    ...     session.run(tf.compat.v1.tables_initializer())
    ...     session.run(numbers).tolist()
    [2, -1]
    """
    tables = get_default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*tables, name=name)
