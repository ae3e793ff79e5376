"""`tf.saved_model.save`: writes objects, their variables and their functions to a folder that TensorFlow and Reflow
load.

    saved_model.pb        one MetaGraphDef: a small graph with the variables' handles, the captured constants and a call
                          per signature; all functions in its library; the objects (SavedObjectGraph)
    variables/variables   a checkpoint of the same objects
    assets/               files of `tf.saved_model.Asset`
    fingerprint.pb        hashes of the other files

`saved_model.pb` is written last of the files that loading needs, so a folder that has one is complete.
"""

from __future__ import annotations

import inspect
import os
import pathlib
import shutil

from tensorboard.compat.proto import meta_graph_pb2, saved_object_graph_pb2

from reflow.api.export import export
from reflow.core import errors, version
from reflow.core.context import state
from reflow.core.os_errors import os_errors
from reflow.core.specs import TensorSpec, type_spec_from_value
from reflow.core.tensor import EagerTensor
from reflow.eager.variables import Variable
from reflow.function.concrete import ConcreteFunction
from reflow.graph.export import Exporter, OwnGradient
from reflow.graph.proto_values import encode_shape
from reflow.io.assets import Asset
from reflow.saved_model import debug, fingerprint, revived, saved_model_proto, signatures, structures
from reflow.saved_model.constants import SERVING
from reflow.saved_model.gradients import CapturedTensor, traced
from reflow.saved_model.main_graph import MainGraph
from reflow.saved_model.options import SaveOptions, VariablePolicy
from reflow.saved_model.resource import CREATE, INITIALIZE, is_resource, saver_functions
from reflow.saved_model.view import ConcreteNode, ConstantNode, FunctionNode, ModelView
from reflow.tracking import registration
from reflow.tracking.data_structures import ListWrapper, _DictWrapper, _TupleWrapper
from reflow.tracking.trackable import ObjectIdentityDictionary, Trackable, is_function
from reflow.train import checkpoint, gathering, metrics, object_graph
from reflow.train.in_graph import GraphSaves
from reflow.train.restore_status import in_session_mode
from reflow.train.saveables import Callable

ORDERS = 2  # of derivatives of user-defined gradients that a file holds; TensorFlow writes the first alone
UNTRACKED = (
    "Tried to export a function which references an 'untracked' resource. TensorFlow objects (e.g. tf.Variable) "
    "captured by functions must be 'tracked' by assigning them to an attribute of a tracked object or assigned to an "
    "attribute of the main object directly. See the information below:\n\tFunction name = {name}\n\tCaptured Tensor = "
    "{tensor!r}"
)


@export("saved_model.save")
def save(obj, export_dir, signatures=None, options: SaveOptions | None = None):
    """Writes a trackable object, its variables and its functions to a folder.

    Args:
      obj: The object, such as a `tf.Module`.
      export_dir: The folder; it is created.
      signatures: What servers may call: a `tf.function` or concrete function, or a dictionary of them by name.
      options: A `tf.saved_model.SaveOptions`.

    Returns:
      None.

    Raises:
      ValueError: `obj` is not trackable.
      AssertionError: It is called inside a `tf.function`, or a function uses a variable that `obj` does not have.

    >>> import tempfile
    >>> module = tf.Module()
    >>> module.double = tf.function(lambda x: 2.0 * x, input_signature=[tf.TensorSpec([None], tf.float32)])
    >>> folder = tempfile.mkdtemp()
    >>> save(module, folder)
    >>> tf.saved_model.load(folder).double([1.0]).numpy().tolist()
    [2.0]
    """
    save_and_return_nodes(obj, export_dir, signatures, options)


@export("__internal__.saved_model.save_and_return_nodes")
def save_and_return_nodes(
    obj, export_dir, signatures=None, options: SaveOptions | None = None, experimental_skip_checkpoint: bool = False
) -> tuple[list, ObjectIdentityDictionary]:
    """Write an object as `save` does, perhaps without the values of its variables. Returns the objects in the order of
    their ids, and of each the path to it from the root."""
    if state.graph is not None and state.graph.building_function:
        raise AssertionError(
            "`tf.saved_model.save` is not supported inside a traced @tf.function. Move the call to the outer "
            "eagerly-executed context."
        )
    if not isinstance(obj, Trackable):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the `Trackable` class, for "
            f"export. Got {obj} with type {type(obj)}."
        )
    if options is not None and not isinstance(options, SaveOptions):
        raise TypeError(f"Expected `options` to be a tf.saved_model.SaveOptions. Received: {options!r}")
    metrics.IncrementWriteApi("save_v2")
    writer = _Writer(obj, signatures, options or SaveOptions())
    folder = os.fspath(export_dir)
    with os_errors(folder):
        os.makedirs(os.path.join(folder, "variables"), exist_ok=True)
        writer.copy_assets(folder)
    if not experimental_skip_checkpoint:
        writer.write_values(os.path.join(folder, "variables", "variables"))
    path = saved_model_proto.write(folder, [writer.meta_graph])
    with os_errors(folder):
        fingerprint.write(folder, writer.meta_graph, pathlib.Path(path).read_bytes())
        if writer.options.save_debug_info:
            debug.write_info(folder, writer.exporter)
    metrics.IncrementWrite("2")
    metrics.SetWritePath(folder)
    return writer.objects, writer.view.breadth_first_traversal()[1]


class _Writer:
    """Builds the MetaGraphDef and gathers the values."""

    def __init__(self, root, given, options: SaveOptions):
        self.options = options
        self.view = ModelView(root)
        if given is None:
            given = signatures.default_signature(_functions_of(self.view))
        self.signatures = signatures.canonical(given)
        self.view.signature_map = signatures.SignatureMap(self.signatures)
        gathered = gathering.serialize(self.view)
        gathered.add_object_graph()
        self.objects, self.nodes = gathered.objects, gathered.nodes
        self.gathered = gathered
        if not in_session_mode():
            gathered.values = {key: _saved_value(gathered.owners[key], value) for key, value in gathered.values.items()}
        self.savers = self._add_savers()
        self.ids = {id(obj): i for i, obj in enumerate(self.objects)}
        self.exporter = Exporter(options.experimental_custom_gradients)
        self.graph = MainGraph(self.exporter)
        self._variables: dict[int, Variable | None] = {}  # by the id of an object
        self.bound: dict = {}  # id of a captured tensor -> (node id, name of the node in the graph)
        self.object_graph = saved_object_graph_pb2.SavedObjectGraph()
        self.meta_graph = meta_graph_pb2.MetaGraphDef()
        self._place_state()
        self._write_functions()
        self._write_gradients()
        self._place_resources()
        self._write_objects()
        self._write_meta_graph()

    # --- state

    def _add_savers(self) -> dict[int, tuple[str, int, int]]:
        """Nodes for the functions that save and restore the values of tables: by table, its name and their ids."""
        savers = {}
        for i, (obj, node) in enumerate(list(zip(self.objects, self.nodes, strict=True))):
            if is_resource(obj) and node.attributes:
                ((name, _, _),) = node.attributes
                savers[i] = (name, len(self.objects), len(self.objects) + 1)
                self.objects += [ConcreteNode(f) for f in saver_functions(obj, name)]
                self.nodes += [object_graph.ObjectNode(), object_graph.ObjectNode()]
        return savers

    def _variable(self, obj) -> Variable | None:
        """The variable behind an object; computed once."""
        if id(obj) not in self._variables:
            self._variables[id(obj)] = _wrapped_variable(obj)
        return self._variables[id(obj)]

    def _place_state(self):
        """A node of the graph for every variable and constant."""
        for i, obj in enumerate(self.objects):
            variable = self._variable(obj)
            if variable is not None:
                known = self.bound.get(variable.handle._id)
                if known is None:
                    self.bound[variable.handle._id] = (i, self.graph.variable(variable, self._device(variable)))
                elif obj is variable:  # reached as Keras' variable before: functions are bound to the plain one
                    self.bound[variable.handle._id] = (i, known[1])
            elif isinstance(obj, ConstantNode):
                self.bound[obj.tensor._id] = (i, self.graph.constant(obj.tensor))
            elif isinstance(obj, Asset):
                self.bound[obj.asset_path._id] = (i, self.graph.asset(obj))
            elif is_resource(obj):
                self.bound[obj.resource_handle._id] = (i, "")  # its node calls a function, see `_place_resources`

    def _place_resources(self):
        """A node that makes each resource, by a call of its function."""
        for i, obj in enumerate(self.objects):
            if is_resource(obj):
                self.bound[obj.resource_handle._id] = (i, self._call_of(obj, CREATE))

    def _call_of(self, resource, name: str) -> str:
        """A node of the graph that calls one of a resource's functions."""
        (concrete,) = self.view.traces(self.view.children(resource)[name].function)
        captures = [node for _, node in self._captures(concrete)]
        return self.graph.call(concrete, self.names[id(concrete)], captures)

    def _device(self, variable) -> str:
        return "" if self.options.experimental_variable_policy is VariablePolicy.NONE else variable.device

    def _captures(self, concrete: ConcreteFunction) -> list:
        """(node id, graph node) of each capture."""
        found = []
        for tensor in concrete._captured:
            place = self.bound.get(getattr(tensor, "_id", None))
            if place is None:
                raise AssertionError(UNTRACKED.format(name=concrete.function_name, tensor=tensor))
            found.append(place)
        return found

    # --- functions

    def _prepare_functions(self):
        """Name the arguments of all functions. One error for all nodes that TensorFlow has no ops for; ValueError for a
        trace that belongs to several devices."""
        problems: list[str] = []
        for obj in self.objects:
            if isinstance(obj, ConcreteNode):
                if not obj.concrete.graph.saveable:
                    reasons = "\n".join(sorted(obj.concrete.graph.saving_errors))
                    raise ValueError(
                        f"Unable to save function {obj.concrete.function_name} for the following reason(s):\n{reasons}"
                    )
                try:
                    self.exporter.name_arguments(obj.concrete.graph, signatures.argument_names(obj.concrete))
                except errors.UnimplementedError as error:
                    problems += [line for line in str(error).splitlines() if line not in problems]
        if problems:
            raise errors.UnimplementedError(None, None, "\n".join(problems))

    def _write_functions(self):
        self.names: dict = {}
        self._prepare_functions()
        for obj in self.objects:
            if not isinstance(obj, ConcreteNode) or id(obj.concrete) in self.names:
                continue
            concrete = obj.concrete
            captures = self._captures(concrete)
            name = self.names[id(concrete)] = self.exporter.name_of(concrete.graph, concrete.graph.name)
            proto = self.object_graph.concrete_functions[name]
            proto.bound_inputs.extend(i for i, _ in captures)
            proto.canonicalized_input_signature.CopyFrom(structures.encode(signatures.named_signature(concrete)))
            proto.output_signature.CopyFrom(structures.encode(signatures.named_by_keys(concrete.output_specs)))

    def _write_gradients(self):
        """The user-defined gradients, and those of the nodes in them: each order may have another, without an end."""
        written = 0
        for _ in range(ORDERS):
            due = self.exporter.own_gradients[written:]
            written += len(due)
            self._write_gradients_of_order(due)

    def _write_gradients_of_order(self, due):
        """A function for each gradient; what it takes from the node's function are objects of the file."""
        for own in due:
            made = traced(own)
            name = self.exporter.registered[own.op_type] = self.exporter.name_of(made.graph, "internal_grad_fn")
            proto = self.object_graph.concrete_functions[name]
            proto.bound_inputs.extend(self._gradient_capture(own, tensor) for tensor in made.captured)
            taken = tuple(TensorSpec(t.shape, t.dtype) for t in made.graph.arguments)
            proto.canonicalized_input_signature.CopyFrom(structures.encode((taken, {})))
            given = [None if g is None else type_spec_from_value(g) for g in made.structure]
            proto.output_signature.CopyFrom(structures.encode(given))

    def _gradient_capture(self, own: OwnGradient, tensor) -> int:
        """The id of the object that represents a tensor used by a gradient."""
        if tensor._id in self.bound:
            return self.bound[tensor._id][0]
        if isinstance(tensor, EagerTensor):
            obj: object = ConstantNode(tensor)
            self.bound[tensor._id] = (len(self.objects), self.graph.constant(tensor))
        elif tensor._graph is own.node.graph:
            obj = CapturedTensor(own.writer.proto.signature.name, own.writer.name_of(tensor))
        else:
            raise AssertionError(UNTRACKED.format(name=f"the gradient of {own.node.name}", tensor=tensor))
        self.objects.append(obj)
        self.nodes.append(object_graph.ObjectNode())
        return len(self.objects) - 1

    # --- objects

    def _write_objects(self):
        for obj, node in zip(self.objects, self.nodes, strict=True):
            proto = self.object_graph.nodes.add()
            for name, child in node.children:
                proto.children.add(node_id=child, local_name=name)
            for original, slot_name, slot in node.slot_variables:
                proto.slot_variables.add(
                    original_variable_node_id=original, slot_name=slot_name, slot_variable_node_id=slot
                )
            if isinstance(obj, (FunctionNode, ConcreteNode)):
                for name, child in node.children:
                    proto.dependencies.add(node_id=child, local_name=name)
            self._describe(obj, proto)
            self._describe_registered(obj, node, proto)
        for i, (name, save, restore) in self.savers.items():
            saver = self.object_graph.nodes[i].saveable_objects[name]
            saver.save_function, saver.restore_function = save, restore

    def _describe(self, obj, proto):
        variable = self._variable(obj)
        if variable is not None:
            self._describe_variable(variable, proto.variable)
        elif isinstance(obj, ConstantNode):
            proto.constant.operation = self.bound[obj.tensor._id][1]
            proto.registered_name = "tf.TrackableConstant"
        elif isinstance(obj, FunctionNode):
            proto.function.concrete_functions.extend(self.names[id(c)] for c in self.view.traces(obj.function))
            _function_spec(obj.function, proto.function.function_spec)
        elif isinstance(obj, ConcreteNode):
            self._describe_concrete(obj.concrete, proto.bare_concrete_function)
        elif isinstance(obj, CapturedTensor):
            proto.captured_tensor.name, proto.captured_tensor.concrete_function = obj.name, obj.function
        elif isinstance(obj, Asset):
            proto.asset.asset_file_def_index = self.graph.assets.index(obj)
        elif is_resource(obj):
            proto.resource.device = obj._resource_device
        else:
            written = revived.serialize(obj)
            if written is not None:
                proto.user_object.CopyFrom(written)
                return
            proto.user_object.identifier = _identifier(obj)
            proto.user_object.version.producer = proto.user_object.version.min_consumer = 1

    def _describe_registered(self, obj, node, proto):
        """Of an object of a registered class: the class' name, what the object says, what must be there before it."""
        name = registration.get_registered_class_name(obj)
        if name is not None:
            proto.registered_name = name
            message = obj._serialize_to_proto(object_proto=proto)
            if message is not None:
                proto.serialized_user_proto.Pack(message)
            needed = obj._deserialization_dependencies(self.view.children(obj))
            for child, node_id in node.children:
                if child in needed:
                    proto.dependencies.add(node_id=node_id, local_name=child)
        if node.registered_saver is not None:
            proto.registered_saver = node.registered_saver[0]

    def _describe_variable(self, variable, proto):
        proto.dtype = variable.dtype.enum
        encode_shape(variable.shape._dims, proto.shape)
        proto.shape.SetInParent()
        proto.trainable = bool(variable.trainable)
        proto.synchronization = variable.synchronization.value
        proto.aggregation = variable.aggregation.value
        proto.name = variable.name.removesuffix(":0")
        proto.device = self._device(variable)
        if self.options.experimental_variable_policy is VariablePolicy.EXPAND_DISTRIBUTED_VARIABLES:
            for copy in getattr(variable, "values", ()):  # of a distributed variable, one a replica
                proto.experimental_distributed_variable_components.add(
                    name=copy.name.removesuffix(":0"), device=copy.device
                )

    def _describe_concrete(self, concrete, proto):
        names = signatures.argument_names(concrete)
        proto.concrete_function_name = self.names[id(concrete)]
        proto.argument_keywords.extend(names)
        named = isinstance(concrete, signatures.NamedFunction)
        proto.allowed_positional_arguments = concrete.positional if named else len(names)
        args, kwargs = signatures.plain_signature(concrete)
        parameters = concrete.argument_names
        positional = [parameters[i] if i < len(parameters) else f"args_{i}" for i in range(len(args))]
        _encode_spec(proto.function_spec, FullArgSpec(positional, kwonlyargs=list(kwargs)), None, None)

    # --- the rest

    def _write_meta_graph(self):
        meta = self.meta_graph
        info = meta.meta_info_def
        info.tags.extend([SERVING, *(self.options.extra_tags or ())])
        info.tensorflow_version, info.stripped_default_attrs = version.TENSORFLOW, True
        info.tensorflow_git_version = f"v{version.TENSORFLOW}"
        for key, concrete in self.signatures.items():
            inputs = [name for _, name in self._captures(concrete)]
            meta.signature_def[key].CopyFrom(self.graph.signature(key, concrete, self.names[id(concrete)], inputs))
        resources = [obj for obj in self.objects if is_resource(obj)]
        self.graph.add_init_op(meta, [self._call_of(obj, INITIALIZE) for obj in resources])
        if not self.options.experimental_skip_saver:
            both = zip(self.objects, self.nodes, strict=True)
            keys = [
                (a[2], self._variable(obj)) for obj, node in both if self._variable(obj) is not None
                for a in node.attributes
            ]
            self.graph.add_saver(meta, keys, lambda v: self.bound[v.handle._id][1])
        self.graph.add_assets(meta)
        for alias, function in self.options.function_aliases.items():
            for trace in signatures.concrete_functions(function):
                if id(trace) in self.names:
                    info.function_aliases[self.names[id(trace)]] = alias
        meta.graph_def.CopyFrom(self.graph.finish())
        if self.options.experimental_debug_stripper:
            debug.strip(meta.graph_def)
        _check_namespaces(meta.graph_def, self.options.namespace_whitelist)
        meta.object_graph_def.CopyFrom(self.object_graph)

    def write_values(self, prefix: str) -> None:
        """Write the checkpoint; the values of a plain graph's variables are in the session around."""
        options = self.options.for_checkpoint()
        if in_session_mode():
            GraphSaves().run(self.view, prefix, None, options)
        else:
            checkpoint.writer(self.gathered, prefix, options)()

    def copy_assets(self, folder):
        os.makedirs(os.path.join(folder, "assets"), exist_ok=True)
        for name, asset in zip(self.graph.asset_names, self.graph.assets, strict=True):
            shutil.copyfile(asset.path, os.path.join(folder, "assets", name))


def _saved_value(owner, value):
    if isinstance(value, Callable):
        raise NotImplementedError(
            f"Unable to export SavedModel with object of type {type(owner)} because "
            "`_serialize_to_tensors` returns a Callable."
        )
    return gathering.value_of(value)


def _check_namespaces(graph_def, allowed: list[str] | None) -> None:
    """Reject ops of libraries, `Namespace>Op`, that a list does not name.

    A program that loads the model must have them too.
    """
    if allowed is None:
        return
    inside = [node for function in graph_def.library.function for node in function.node_def]
    found = sorted(
        {node.op for node in (*graph_def.node, *inside) if ">" in node.op and node.op.partition(">")[0] not in allowed}
    )
    if found:
        raise ValueError(
            f"Attempted to save ops from non-whitelisted namespaces to SavedModel: {found}. Who loads the model needs "
            f"the libraries that define them. Add {sorted({op.partition('>')[0] for op in found})} to "
            "`namespace_whitelist` of tf.saved_model.SaveOptions if that is so."
        )


def _functions_of(view: ModelView) -> dict:
    return {name: child for name, child in view.trackable_children(view.root).items() if is_function(child)}


def _wrapped_variable(obj) -> Variable | None:
    """The variable that an object is, or is a wrapper of: as Keras' variables are, or one that hands its export on."""
    if isinstance(obj, Variable):
        return obj
    if not hasattr(obj, "_should_act_as_resource_variable"):
        return None
    inner = getattr(obj, "_value", None)
    if inner is None and hasattr(obj, "_export_to_saved_model_graph"):
        exported = ObjectIdentityDictionary()
        obj._export_to_saved_model_graph(exported, ObjectIdentityDictionary(), None)
        inner = next((key for key in exported if isinstance(key, Variable)), None)
    return inner if isinstance(inner, Variable) else None


def _identifier(obj) -> str:
    for kind, identifier in _WRAPPERS.items():
        if isinstance(obj, kind):
            return identifier
    return obj._object_identifier


_WRAPPERS = {
    ListWrapper: "trackable_list_wrapper",
    _DictWrapper: "trackable_dict_wrapper",
    _TupleWrapper: "trackable_tuple_wrapper",
}


# --- how a function is called -----------------------------------------------------------------------------------------


class FullArgSpec(inspect.FullArgSpec):
    """`inspect.FullArgSpec`, by which SavedModels describe parameters; named as there."""

    def __new__(cls, args, varargs=None, varkw=None, defaults=None, kwonlyargs=(), kwonlydefaults=None):
        return super().__new__(cls, list(args), varargs, varkw, defaults, list(kwonlyargs), kwonlydefaults, {})


def _function_spec(function, proto):
    signature = function.function_spec
    if not isinstance(signature, inspect.Signature):
        raise TypeError(f"Cannot save {function!r}: the parameters of its Python function are not known.")
    kinds = inspect.Parameter
    parameters = list(signature.parameters.values())
    plain = [p for p in parameters if p.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)]
    if plain and plain[0].name == "self":
        raise TypeError("Can not serialize tf.function with unbound 'self' parameter.")
    keyword = [p for p in parameters if p.kind is kinds.KEYWORD_ONLY]
    spec = FullArgSpec(
        [p.name for p in plain], next((p.name for p in parameters if p.kind is kinds.VAR_POSITIONAL), None),
        next((p.name for p in parameters if p.kind is kinds.VAR_KEYWORD), None),
        tuple(p.default for p in plain if p.default is not p.empty) or None, [p.name for p in keyword],
        {p.name: p.default for p in keyword if p.default is not p.empty} or None,
    )
    _encode_spec(proto, spec, function.input_signature, function.options.jit_compile)


def _encode_spec(proto, spec: FullArgSpec, input_signature, jit_compile):
    proto.fullargspec.CopyFrom(structures.encode(spec))
    proto.input_signature.CopyFrom(structures.encode(input_signature))
    proto.jit_compile = {None: 0, True: 1, False: 2}[jit_compile]
