"""`tf.saved_model.load`: the objects of a SavedModel, with their variables and functions.

The SavedObjectGraph lists the objects. They are created first (variables without values), then the functions are built
from the library and bound to the variables and constants they captured, then the objects are connected, and last the
checkpoint is restored. Functions with which TensorFlow saves and restores in a session are never built.
"""

from __future__ import annotations

import copy
import functools
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from reflow.api.export import export
from reflow.core.context import init_scope, state
from reflow.core.resources import Handle
from reflow.core.tensor import EagerTensor, Tensor
from reflow.eager.variable_enums import VariableAggregation, VariableSynchronization
from reflow.eager.variables import Variable
from reflow.function.plans import PLANS, plans
from reflow.graph.import_ import Library
from reflow.graph.import_limits import check_constants
from reflow.graph.proto_values import decode_dtype, decode_shape, decode_tensor
from reflow.io.assets import Asset
from reflow.ops.convert import convert_to_tensor
from reflow.ops.kernels.array.shaping import const
from reflow.saved_model import checks, fingerprint, in_graph, revived, saved_model_proto, structures
from reflow.saved_model.asset import checked_path
from reflow.saved_model.functions import LoadedFunction, RestoredFunction, bind, restored_function
from reflow.saved_model.gradients import CapturedTensor, SavedGradient
from reflow.saved_model.options import LoadOptions
from reflow.saved_model.resource import CREATE, RestoredResource
from reflow.saved_model.signatures import SignatureMap
from reflow.tracking import registration
from reflow.tracking.data_structures import ListWrapper, _DictWrapper, _TupleWrapper
from reflow.tracking.resource import TrackableResource
from reflow.tracking.trackable import AutoTrackable, Trackable, has_values
from reflow.train import metrics, object_graph, restore, restored_values
from reflow.train.restore_status import in_session_mode


@export("saved_model.contains_saved_model")
def contains_saved_model(export_dir) -> bool:
    """Says whether a folder has the file of a SavedModel.

    Args:
      export_dir: The folder.

    Returns:
      A bool.

    >>> contains_saved_model("/no/such/folder")
    False
    """
    names = (saved_model_proto.FILENAME, saved_model_proto.TEXT_FILENAME, saved_model_proto.CHUNKED_FILENAME)
    return any(os.path.exists(os.path.join(os.fspath(export_dir), name)) for name in names)


@export("saved_model.load", "compat.v1.saved_model.load_v2")
def load(export_dir, tags=None, options: LoadOptions | None = None):
    """Loads a SavedModel.

    One that TensorFlow 1 wrote gives an object with `signatures`, `variables`, the `graph`, and `prune`, which cuts
    functions out of it.

    Args:
      export_dir: The folder of the model.
      tags: The tags of the part to load, if there are several.
      options: A `tf.saved_model.LoadOptions`.

    Returns:
      The root object, with the functions, variables and other children that were saved.

    Raises:
      ValueError: The model is corrupt, or has no part with these tags.
      OSError: There is no SavedModel in the folder.

    >>> import tempfile
    >>> module, folder = tf.Module(), tempfile.mkdtemp()
    >>> module.double = tf.function(lambda x: 2 * x, input_signature=[tf.TensorSpec([], tf.float32)])
    >>> tf.saved_model.save(module, folder)
    >>> tf.saved_model.load(folder).double(3.0).numpy().item()
    6.0
    """
    root = load_partial(export_dir, {_ROOT: None}, tags, options)[_ROOT]
    if os.path.isdir(os.path.join(os.fspath(export_dir), PLANS)):
        plans.load().serve_by_plans(root, os.fspath(export_dir))
    return root


@export("__internal__.saved_model.load_partial")
def load_partial(export_dir, filters, tags=None, options: LoadOptions | None = None) -> dict:
    """Some objects of a SavedModel, by the paths that were asked for.

    Args:
      export_dir: the folder.
      filters: paths of objects ("root.layers"), or a dictionary from paths to None, an object or `(object, setter)`: an
        object that exists already takes the place of the one in the file, and gets its children by
        `setter(object, name, child)`, or as attributes.
      tags: of the MetaGraph, if there are several.
      options: a `tf.saved_model.LoadOptions`.
    """
    if options is not None and not isinstance(options, LoadOptions):
        raise TypeError(f"Expected `options` to be a tf.saved_model.LoadOptions. Received: {options!r}")
    folder = os.fspath(export_dir)
    metrics.IncrementReadApi("load_v2")
    model = saved_model_proto.read(folder)
    meta = _chosen(model, tags, folder)
    options = copy.copy(options) if options is not None else LoadOptions()
    if saved_model_proto.written_here(model):
        options.experimental_allow_unsafe_ops = True
    metrics.IncrementRead("2" if meta.object_graph_def.nodes else "1")
    metrics.SetReadPath(folder)
    fingerprint.note_read(folder)
    filters = filters if isinstance(filters, dict) else dict.fromkeys(filters)
    with init_scope():
        try:
            if not meta.HasField("object_graph_def") or not meta.object_graph_def.nodes:
                from reflow.compat.saved_model.in_eager import load_version_one

                return {_ROOT: load_version_one(folder, meta, options)}
            places = {path: _place(meta.object_graph_def.nodes, path) for path in filters}
            pairs = {path: what if isinstance(what, tuple) else (what, setattr) for path, what in filters.items()
                     if what is not None}
            given = {places[path]: pair for path, pair in pairs.items()}
            loader = _Loader(folder, meta, options, given)
            loader.load()
            return {path: loader.objects[i] for path, i in places.items()}
        # a file can be wrong in any way
        except (AttributeError, LookupError, ArithmeticError, RecursionError) as error:
            if any(what is not None for what in filters.values()):
                raise  # the fault may be in an object that was given
            raise ValueError(f"The SavedModel in {folder} is corrupt: {type(error).__name__}: {error}") from error


_ROOT = "root"


def _place(protos, path: str) -> int:
    """The id of the object at a path of children's names below the root."""
    i, rest = 0, path.split(".")[1:]
    while rest:
        children = {child.local_name: child.node_id for child in protos[i].children}
        # names may have dots
        name = next((".".join(rest[:n]) for n in range(1, len(rest) + 1) if ".".join(rest[:n]) in children), None)
        if name is None:
            raise ValueError(f"Attempted to load from path {path!r}, but the SavedModel has no such object.")
        i, rest = children[name], rest[name.count(".") + 1 :]
    return i


def _chosen(model, tags, folder: str):
    """The MetaGraphDef with the wanted tags."""
    available = [sorted(m.meta_info_def.tags) for m in model.meta_graphs]
    if tags is None:
        if len(model.meta_graphs) != 1:
            raise ValueError(
                "Importing a SavedModel with `tf.saved_model.load` requires a `tags=` argument if there is more than "
                f"one MetaGraph. Got `tags=None`, but there are {len(available)} MetaGraphs in the SavedModel with tag "
                f"sets: {available}. Pass a `tags=` argument to load this SavedModel."
            )
        return model.meta_graphs[0]
    wanted = {tags} if isinstance(tags, str) else set(tags)
    for meta in model.meta_graphs:
        if set(meta.meta_info_def.tags) == wanted:
            return meta
    raise ValueError(
        f"Got an incompatible argument to `tags`: {tags}. The SavedModel at {folder} has one MetaGraph with tags "
        f"{available[0]}. You may omit the argument, pass 'None', or pass matching tags."
    )


class _Loader:
    """One load."""

    def __init__(self, folder: str, meta, options: LoadOptions, given: dict[int, tuple]):
        self.folder, self.meta, self.options = folder, meta, options
        self.protos = meta.object_graph_def.nodes
        self.constants = {n.name: n for n in meta.graph_def.node if n.op == const.name}
        self.objects: dict[int, object] = {i: obj for i, (obj, _) in given.items()}
        #: how objects of other classes than those of this module get their children
        self.setters: dict[int, Callable] = {i: setter for i, (_, setter) in given.items()}
        self.concrete: dict[str, LoadedFunction] = {}
        self.in_graph = in_session_mode()
        self.prefix = os.path.join(folder, "variables", "variables")
        assets = os.path.join(folder, "assets")
        self.gradients = {g.registered_op_type: SavedGradient(g.registered_op_type)
                          for g in meta.graph_def.library.registered_gradients}
        self.library = Library(
            meta.graph_def.library.function, options.experimental_allow_unsafe_ops, assets, self.gradients, self._kept()
        )
        inside = [node for function in meta.graph_def.library.function for node in function.node_def]
        check_constants([("", node) for node in (*self.constants.values(), *inside)])

    def _kept(self) -> dict[str, list[str]]:
        """The nodes of functions whose values a gradient needs."""
        kept: dict[str, list[str]] = {}
        for proto in self.protos:
            if proto.WhichOneof("kind") == "captured_tensor":
                tensor = proto.captured_tensor
                kept.setdefault(tensor.concrete_function, []).append(tensor.name.partition(":")[0])
        return kept

    def load(self):
        order = self._order()
        self.stored, self.places = self._open_checkpoint()
        for i in order:
            if (i not in self.objects
                    and self.protos[i].WhichOneof("kind") not in ("function", "bare_concrete_function")):
                self._object(i)
        self._build_functions()
        for i, proto in enumerate(self.protos):
            if i in self.setters:
                continue
            if proto.WhichOneof("kind") == "function":
                self.objects[i] = restored_function(proto.function, self.concrete)
            elif proto.WhichOneof("kind") == "bare_concrete_function":
                self.objects[i] = self._bare(proto.bare_concrete_function)
        for i, proto in enumerate(self.protos):
            self._connect(i, self.objects[i], proto)
            for saver in proto.saveable_objects.values():
                self._set_saver(self.objects[i], saver)
        self._restore()
        self._initialize_resources()
        root = self.objects[0]
        if isinstance(root, _UserObject):
            object.__setattr__(root, "tensorflow_version", self.meta.meta_info_def.tensorflow_version)
            object.__setattr__(root, "tensorflow_git_version", self.meta.meta_info_def.tensorflow_git_version)
            if self.options.experimental_load_function_aliases:
                if hasattr(root, "function_aliases"):
                    raise ValueError(
                        "Could not load with experimental_load_function_aliases option because the top-level object "
                        "already has an attribute with name 'function_aliases'."
                    )
                root.function_aliases = self._aliases()
        return root

    def _initialize_resources(self):
        for i, obj in self.objects.items():
            fill: Any = None
            if isinstance(obj, RestoredResource):
                fill = self._checked(obj._initialize)
            elif i in self.setters and isinstance(obj, TrackableResource):
                fill = obj._initialize
            filled = None if fill is None else fill()
            if self.in_graph and filled is not None:
                in_graph.note_initializers([filled])

    def _order(self) -> list[int]:
        """The ids of all objects, each tuple after its elements."""
        try:
            checks.check_references(self.meta.object_graph_def)
            tuples = checks.tuples_inside_out(self.protos)
        except ValueError as error:
            raise ValueError(f"The SavedModel in {self.folder} is corrupt: {error}.") from None
        return [*(set(range(len(self.protos))) - set(tuples)), *tuples]

    def _checked(self, function):
        """A function of the file that loading itself will call."""
        traces = function.concrete_functions if isinstance(function, RestoredFunction) else [function]
        for trace in traces:
            if isinstance(trace, LoadedFunction):
                checks.check_ends(trace.graph, self.library.allowed)
            elif isinstance(trace, Trackable):
                raise ValueError(
                    f"The SavedModel in {self.folder} is corrupt: it has an object where a function belongs."
                )
        return function

    # --- objects

    def _object(self, i: int):
        if i not in self.objects:
            proto = self.protos[i]
            kind = proto.WhichOneof("kind")
            registered = registration.get_registered_class(proto.registered_name) if proto.registered_name else None
            make = (getattr(self, f"_make_{kind}", None) if registered is None
                    else functools.partial(self._make_registered, registered))
            if make is None:
                raise NotImplementedError(
                    f"The SavedModel in {self.folder} has an object of kind '{kind}' (object {i}), which is not "
                    "supported."
                )
            known = revived.deserialize(proto.user_object) if kind == "user_object" else None
            if known is not None:
                self.objects[i], self.setters[i] = known
            elif kind == "variable" and registered is None and self.in_graph:
                self.objects[i] = in_graph.new_variable(proto.variable, self.prefix, self._key_of(i))
            else:
                self.objects[i] = make(proto)
        return self.objects[i]

    def _key_of(self, i: int) -> str | None:
        """The key in the checkpoint of the value of a variable."""
        attributes = self.stored[self.places[i]].attributes if i in self.places else ()
        return next((key for _, _, key in attributes), None)

    def _make_user_object(self, proto):
        kind = proto.user_object.identifier
        if kind == "signature_map":
            return SignatureMap()
        if kind == "trackable_list_wrapper":
            return ListWrapper([])
        if kind == "trackable_dict_wrapper":
            return _DictWrapper({})
        if kind == "trackable_tuple_wrapper":
            return _TupleWrapper(tuple([None if i is None else self._object(i) for i in checks.elements(proto)]))
        return type("_UserObject", (_UserObject,), {})()

    def _make_registered(self, cls, proto):
        needed = {each.local_name: self._object(each.node_id) for each in proto.dependencies}
        return cls._deserialize_from_proto(
            object_proto=proto, proto=proto.serialized_user_proto, dependencies=needed, export_dir=self.folder,
            asset_file_def=self.meta.asset_file_def,
            operation_attributes={n.name: n.attr for n in self.constants.values()},
        )

    def _make_variable(self, proto):
        return new_variable(proto.variable)

    def _make_constant(self, proto):
        node = self.constants.get(proto.constant.operation)
        if node is None:
            raise ValueError(
                f"The SavedModel in {self.folder} is corrupt: it has no constant '{proto.constant.operation}'."
            )
        tensor = node.attr["value"].tensor
        value = EagerTensor(decode_tensor(tensor), decode_dtype(tensor.dtype))
        return convert_to_tensor(value.numpy(), value.dtype) if self.in_graph else value

    def _make_asset(self, proto):
        index = proto.asset.asset_file_def_index
        if not 0 <= index < len(self.meta.asset_file_def):
            raise ValueError(f"The SavedModel in {self.folder} is corrupt: it has no asset {index}.")
        asset = Asset(checked_path(self.folder, self.meta.asset_file_def[index].filename))
        if self.in_graph:
            in_graph.note_asset(asset.asset_path)
        return asset

    def _make_captured_tensor(self, proto):
        return CapturedTensor(proto.captured_tensor.concrete_function, proto.captured_tensor.name)

    def _make_resource(self, proto):
        return RestoredResource(proto.resource.device)

    # --- functions

    def _build_functions(self):
        saved = self.meta.object_graph_def.concrete_functions
        missing = sorted(set(saved) - self.library.protos.keys())
        if missing:
            raise ValueError(f"The SavedModel in {self.folder} is corrupt: its library lacks the functions {missing}.")
        self.graphs = dict(self.library.load(sorted(saved)))
        functions = {g.registered_op_type: g.gradient_func for g in self.meta.graph_def.library.registered_gradients}
        for op_type, name in functions.items():
            captured = [self._captured(name, i) for i in saved[name].bound_inputs]
            self.gradients[op_type].bind(self.library.graph(name), captured, saved[name])
        for name in sorted(set(saved) - set(functions.values())):
            self._concrete(name)

    def _concrete(self, name: str) -> LoadedFunction:
        """A function of the file, bound to what it captures."""
        if name not in self.concrete:
            graph = self.graphs.pop(name, None)
            if graph is None:
                raise ValueError(
                    f"The SavedModel in {self.folder} is corrupt: '{name}' makes a resource that it captures."
                )
            proto = self.meta.object_graph_def.concrete_functions[name]
            function = self.concrete[name] = self._bound(name, graph)
            if any(hasattr(self.objects[i], "distribute_strategy") for i in proto.bound_inputs):
                function.bound_here = lambda: self._bound(name, graph)
        return self.concrete[name]

    def _bound(self, name: str, graph) -> LoadedFunction:
        """A function bound to the variables as they are here: of a distributed one, a replica's copy, or the first."""
        proto = self.meta.object_graph_def.concrete_functions[name]
        bound = [(self._captured(name, i), self.objects[i]) for i in proto.bound_inputs]
        return LoadedFunction(*bind(name, graph, bound, proto))

    def _resource(self, i: int, obj: RestoredResource):
        """The handle of a resource, which one of the file's functions makes."""
        if obj._resource_handle_value is None:
            children = {c.local_name: c.node_id for c in self.protos[i].children}
            names = list(self.protos[children[CREATE]].function.concrete_functions) if CREATE in children else []
            if len(names) != 1 or names[0] not in self.meta.object_graph_def.concrete_functions:
                raise ValueError(f"The SavedModel in {self.folder} is corrupt: nothing makes the resource {i}.")
            obj._resource_handle_value = self._checked(self._concrete(names[0]))()
        return obj._resource_handle_value

    def _captured(self, name, i):
        obj = self.objects.get(i)
        if isinstance(obj, RestoredResource):
            return self._resource(i, obj)
        if isinstance(obj, Variable):
            return obj.handle
        if isinstance(obj, Asset):
            return obj.asset_path
        if isinstance(obj, Tensor):
            return obj
        if isinstance(obj, CapturedTensor):
            return self.library.graph(obj.function).get_tensor_by_name(obj.name)
        if i in self.setters and hasattr(obj, "resource_handle"):
            return obj.resource_handle
        raise ValueError(
            f"The function '{name}' captures object {i}, which is no variable, constant, asset or resource."
        )

    def _bare(self, proto):
        function = self.concrete.get(proto.concrete_function_name)
        if function is None:
            raise ValueError(
                f"The SavedModel in {self.folder} is corrupt: it has no function '{proto.concrete_function_name}'."
            )
        function.flat_names = list(proto.argument_keywords)
        function.positional = proto.allowed_positional_arguments
        spec = structures.decode(proto.function_spec.fullargspec)
        if isinstance(spec, tuple) and isinstance(spec[0], list):
            function.argument_names = tuple(spec[0])
        return function

    def _aliases(self):
        groups: dict = {}
        for name, alias in self.meta.meta_info_def.function_aliases.items():
            if name in self.concrete:
                groups.setdefault(alias, []).append(self.concrete[name])
        return {alias: self._polymorphic(traces) for alias, traces in groups.items()}

    def _polymorphic(self, traces: list):
        """The function that has exactly these traces, or the list of them."""
        wanted = {id(t) for t in traces}
        functions = (f for f in self.objects.values() if isinstance(f, RestoredFunction))
        return next((f for f in functions if {id(t) for t in f.concrete_functions} == wanted), traces)

    # --- connections and values

    def _connect(self, i: int, obj, proto):
        if i in self.setters:
            for child in proto.children:
                self.setters[i](obj, child.local_name, self.objects[child.node_id])
        elif isinstance(obj, ListWrapper):
            obj.extend(None if i is None else self.objects[i] for i in checks.elements(proto))
        elif isinstance(obj, _DictWrapper):
            for child in proto.children:
                obj[child.local_name] = self.objects[child.node_id]
        elif (isinstance(obj, (SignatureMap, _UserObject, RestoredResource))
              or registration.get_registered_class_name(obj)):
            for child in proto.children:
                obj._add_trackable_child(child.local_name, self.objects[child.node_id])

    def _restore(self):
        """Give variables and tables their values: those of the objects with the same names on the way from the root."""
        variables = {
            i: o
            for i, o in self.objects.items()
            if isinstance(o, Variable)
            or (isinstance(o, RestoredResource) and o._saver is not None)
            or (i in self.setters and isinstance(o, TrackableResource) and has_values(o))
        }
        stored, places = self.stored, self.places
        if self.options.experimental_skip_checkpoint or not stored:
            return
        reader = restore.open_reader(self.prefix)
        self._restore_by_savers(stored, places, reader.prefix)
        variables = {i: v for i, v in variables.items() if not self.protos[i].registered_saver}
        due = [(v, stored[places[i]]) for i, v in variables.items() if i in places and stored[places[i]].attributes]
        lost = [
            getattr(v, "name", f"object {i}")
            for i, v in variables.items()
            if i not in places or not stored[places[i]].attributes
        ]
        if lost and not self.options.allow_partial_checkpoint:
            raise AssertionError(
                f"Found {len(lost)} Python objects that were not bound to checkpointed values, likely due to changes "
                f"in the Python program. Showing {len(lost[:10])} of {len(lost)} unmatched objects: {lost[:10]}"
            )
        if self.in_graph:
            nodes = restored_values.GraphNodes()
            nodes.prefix = convert_to_tensor(self.prefix)
            in_graph.note_initializers(
                restored_values.assign(reader, [each for each in due if not isinstance(each[0], Variable)], nodes)
            )
            for variable in (variables[i] for i in self.setters if isinstance(variables.get(i), Variable)):
                reading = restored_values.assign(reader, [each for each in due if each[0] is variable], nodes)
                in_graph.initialize_by(variable, reading)
        else:
            restored_values.assign(reader, due)

    def _open_checkpoint(self):
        """The objects of the checkpoint, and which of the file's objects each is. Empty if nothing has a value."""
        valued = any(p.registered_saver or p.saveable_objects or p.WhichOneof("kind") == "variable"
                     for p in self.protos)
        given = bool(self.setters) and os.path.exists(f"{self.prefix}.index")
        if self.options.experimental_skip_checkpoint or not (valued or given):
            return [], {}
        stored = object_graph.parse(restore._scalar_string(restore.open_reader(self.prefix)))
        return stored, self._match(stored)

    def _restore_by_savers(self, stored, places, prefix):
        """Let registered savers read the values that they wrote."""
        if self.in_graph and any(stored[place].registered_saver is not None for place in places.values()):
            raise NotImplementedError(
                "Loading a SavedModel that uses a registered checkpoint saver is not supported in graph mode."
            )
        due: dict = {}
        for i, place in places.items():
            if stored[place].registered_saver is not None:
                name, object_name = stored[place].registered_saver
                if registration.get_strict_predicate_restore(name):
                    registration.validate_restore_function(self.objects[i], name)
                    due.setdefault(name, {})[object_name] = self.objects[i]
        restored_values.run_savers(due, prefix)

    def _set_saver(self, obj, proto):
        """The functions for the values of a table; of a variable they are not needed."""
        functions = [self.objects.get(i) for i in (proto.save_function, proto.restore_function)]
        if isinstance(obj, RestoredResource) and all(isinstance(f, LoadedFunction) for f in functions):
            obj.set_saver(*map(self._checked, functions))

    def _match(self, stored) -> dict[int, int]:
        """Object -> node of the checkpoint's object graph, by the names of children and slots."""
        if not stored:
            return {}
        places, pending = {0: 0}, [0]
        while pending:
            i = pending.pop()
            children = dict(stored[places[i]].children)
            pairs = [(c.node_id, children.get(c.local_name)) for c in self.protos[i].children]
            slots = {(slot_name, original): slot for original, slot_name, slot in stored[places[i]].slot_variables}
            pairs += [
                (s.slot_variable_node_id, slots.get((s.slot_name, places.get(s.original_variable_node_id))))
                for s in self.protos[i].slot_variables
            ]
            for mine, theirs in pairs:
                if theirs is not None and mine not in places:
                    places[mine] = theirs
                    pending.append(mine)
        return places


class _UserObject(AutoTrackable):
    """An object whose class is not known here: its attributes and functions, without other methods."""

    def _add_trackable_child(self, name, value):
        if name == "__call__" and isinstance(value, _UserObject):  # which may become callable later
            target: Any = value
            setattr(type(self), "__call__", staticmethod(lambda *args, **kwargs: target(*args, **kwargs)))  # noqa: B010
            self._track_trackable(value, name)
        elif name == "__call__" and callable(value):
            # each loaded object has a class of its own
            setattr(type(self), "__call__", staticmethod(value))  # noqa: B010
        elif name.startswith("__"):
            raise ValueError(f"An object in the SavedModel has an attribute named {name!r}, which is reserved.")
        object.__setattr__(self, "_self_setattr_tracking", True)
        if not name.startswith("__"):
            setattr(self, name, value)


def new_variable(proto) -> Variable:
    """The variable of a SavedVariable. As for every variable, the creators in scope apply:
    a strategy's makes a copy per replica."""
    if not state.variable_creators:
        return uninitialized_variable(proto)
    return in_graph.by_creators(proto, functools.partial(uninitialized_variable, proto))


def uninitialized_variable(proto, name: str | None = None, **given) -> Variable:
    """A variable without a value, which the checkpoint provides. One made by a creator is on the device in scope, with
    zeros until then.
    """
    variable = object.__new__(Variable)
    variable._dtype, variable._dims = decode_dtype(proto.dtype), decode_shape(proto.shape)
    variable._trainable, variable._constraint, variable._caching_device = proto.trainable, None, None
    variable._synchronization = VariableSynchronization(proto.synchronization)
    variable._aggregation = VariableAggregation(proto.aggregation)
    variable._shared_name = name or proto.name or "Variable"
    if given:
        zero = b"" if variable._dtype.kind == "s" else 0
        first = EagerTensor(np.full([n or 0 for n in variable._dims or ()], zero, variable._dtype.np_dtype),
                            variable._dtype)
        variable._handle = state.backend.handle(variable._dtype, variable._dims, variable._shared_name, first)
    else:
        variable._handle = EagerTensor(Handle(variable._dtype, variable._dims, variable._shared_name))
    variable._read_attrs = {"dtype": variable._dtype, "_handle_shape": variable._dims}
    return variable
