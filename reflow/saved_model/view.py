"""The objects of a SavedModel: everything below the root, with functions, their traces and captured constants.

Functions are not trackable objects themselves; here a small node represents each function, trace and constant, so that
one walk assigns the ids for the checkpoint and for the SavedObjectGraph.
"""

from __future__ import annotations

from reflow.core.logging import logger
from reflow.core.tensor import Tensor
from reflow.data.dataset import DatasetV2
from reflow.function.concrete import ConcreteFunction
from reflow.io.assets import is_asset_path
from reflow.saved_model import signatures, structures
from reflow.saved_model.datasets import children_of
from reflow.saved_model.resource import functions_of, is_resource
from reflow.tracking.trackable import ObjectGraphView, SaveType, Trackable, convert_to_trackable, is_function


class FunctionNode(Trackable):
    """A `tf.function`: its children are the traces that are kept."""

    def __init__(self, function):
        self.function = function


class ConcreteNode(Trackable):
    """A concrete function: its children are the constants it captures."""

    def __init__(self, concrete: ConcreteFunction):
        self.concrete = concrete


class ConstantNode(Trackable):
    """A captured constant."""

    def __init__(self, tensor: Tensor):
        self.tensor = tensor


class ModelView(ObjectGraphView):
    """Children as a SavedModel has them."""

    def __init__(self, root):
        super().__init__(root)
        self.signature_map: signatures.SignatureMap | None = None  # set before the root's children are first read
        self._nodes: dict = {}  # the object of each node, by identity; the values keep it alive
        self._children: dict = {}
        self._traces: dict = {}  # of functions, by identity
        self._named: dict = {}  # what `trackable_children` found, by identity
        self._cache: dict = {}  # for objects that make their functions when they are saved, as models of Keras 2 do

    def node(self, kind, thing):
        """The node that represents a function, trace or constant: always the same one."""
        return self._nodes.setdefault((kind, id(thing)), kind(thing))

    def children(self, obj, save_type=SaveType.SAVEDMODEL, **kwargs) -> dict:  # type: ignore[override]
        if id(obj) not in self._children:
            self._children[id(obj)] = (obj, self._find_children(obj))
        return self._children[id(obj)][1]

    def _find_children(self, obj) -> dict:
        if isinstance(obj, FunctionNode):
            return {f"trace_{i}": self.node(ConcreteNode, c) for i, c in enumerate(self.traces(obj.function))}
        if isinstance(obj, ConcreteNode):
            return {
                f"capture_{i}": self.node(ConstantNode, t)
                for i, t in enumerate(obj.concrete._captured)
                if t._dtype.kind != "o" and not is_asset_path(t)  # an asset is a node
            }
        if isinstance(obj, ConstantNode):
            return {}
        found = self.trackable_children(obj)
        if isinstance(obj, DatasetV2):
            found = found | children_of(obj)
        if is_resource(obj):
            found = found | functions_of(obj)
        children = {name: self._wrapped(child) for name, child in found.items()}
        if obj is self.root and self.signature_map is not None:
            old = children.get(signatures.ATTRIBUTE)
            if old is not None and not isinstance(old, signatures.SignatureMap):
                raise ValueError(
                    f"Exporting an object {obj} which has an attribute named '{signatures.ATTRIBUTE}'. This is a "
                    "reserved attribute used to store SavedModel signatures in objects which come from "
                    f"`tf.saved_model.load`. Delete this attribute (e.g. `del obj.{signatures.ATTRIBUTE}`) before "
                    "saving if this shadowing is acceptable."
                )
            children[signatures.ATTRIBUTE] = self.signature_map
        return children

    def trackable_children(self, obj) -> dict:
        """The children that an object itself names for a SavedModel.

        Computed once: a property may create a new function each time.
        """
        if id(obj) not in self._named:
            obj._maybe_initialize_trackable()
            self._named[id(obj)] = (obj, obj._trackable_children(SaveType.SAVEDMODEL, cache=self._cache))
        return self._named[id(obj)][1]

    def _wrapped(self, child):
        if isinstance(child, ConcreteFunction):
            return self.node(ConcreteNode, child)
        return self.node(FunctionNode, child) if is_function(child) else convert_to_trackable(child)

    def traces(self, function) -> list[ConcreteFunction]:
        """The traces of a function that can be written; others are left out, with a line in the log.

        Traces that come later are not written.
        """
        if id(function) not in self._traces:
            self._traces[id(function)] = (function, self._find_traces(function))
        return self._traces[id(function)][1]

    def _find_traces(self, function) -> list[ConcreteFunction]:
        kept = []
        for concrete in signatures.concrete_functions(function):
            try:
                structures.encode(signatures.plain_signature(concrete))
            except structures.NotEncodableError as reason:
                logger.info(
                    "Unsupported signature for serialization: %s: %s", concrete.structured_input_signature, reason
                )
                continue
            kept.append(concrete)
        return kept
