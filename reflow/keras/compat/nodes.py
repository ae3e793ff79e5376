"""`Layer`: Keras 2's information about a layer's calls and its submodules.

`get_output_at`, `inbound_nodes`, `submodules`, …
"""

from __future__ import annotations

import functools
import inspect

from reflow.core.name_scope import name_scope
from reflow.keras.compat.patching import Fallback


def install(keras) -> None:
    layer = keras.layers.Layer
    for of in ("input", "output"):
        setattr(layer, f"get_{of}_at", _tensor_at(of))
        setattr(layer, f"get_{of}_shape_at", _shape_at(of))
        setattr(layer, f"get_{of}_mask_at", _mask_at(of))
        setattr(layer, f"{of}_mask", property(functools.partial(_first_mask, of)))
    layer.inbound_nodes = property(lambda self: self._inbound_nodes, doc="The calls of this layer.")
    layer.outbound_nodes = property(lambda self: self._outbound_nodes, doc="The calls on what this layer gave.")
    layer.stateful = Fallback(lambda self: False)
    layer.updates = property(lambda self: [], doc="Updates run by themselves since TensorFlow 2: none are left to run.")
    layer.state_updates = layer.updates
    layer.add_update = _add_update
    layer.submodules = property(_submodules, doc="All layers inside, at any depth.")
    layer.name_scope = lambda self: name_scope(self.name)
    layer.with_name_scope = classmethod(_with_name_scope)


def _tensor_at(of: str):
    def get(self, node_index):
        return self._get_node_attribute_at_index(node_index, f"{of}_tensors", of)

    get.__doc__ = f"The {of} of the layer's call number `node_index`."
    return get


def _shape_at(of: str):
    def get(self, node_index):
        found = getattr(self, f"get_{of}_at")(node_index)
        return [t.shape for t in found] if isinstance(found, list) else found.shape

    get.__doc__ = f"The shape of the {of} of the layer's call number `node_index`."
    return get


def _mask_at(of: str):
    def get(self, node_index):
        found = getattr(self, f"get_{of}_at")(node_index)
        masks = [getattr(t, "_keras_mask", None) for t in (found if isinstance(found, list) else [found])]
        return masks if isinstance(found, list) else masks[0]

    get.__doc__ = f"The mask of the {of} of the layer's call number `node_index`."
    return get


def _first_mask(of: str, layer):
    return getattr(layer, f"get_{of}_mask_at")(0)


def _add_update(self, updates) -> None:
    """Run an update, if it is a function; assignments have run already."""
    for update in updates if isinstance(updates, (list, tuple)) else [updates]:
        if callable(update):
            update()


def _submodules(self) -> tuple:
    return tuple(self._flatten_layers(include_self=False))


def _with_name_scope(cls, method):
    @functools.wraps(method)
    def scoped(self, *args, **kwargs):
        with name_scope(self.name):
            return method(self, *args, **kwargs)

    vars(scoped)["__signature__"] = inspect.signature(method)
    return scoped
