"""`tensorflow.python.util.fast_module_type`: modules whose attributes a program looks up itself, each once."""

import types


class FastModuleType(types.ModuleType):
    """A module with a cache of attributes in front of two functions of a program's: one in place of `__getattribute__`,
    and one that is called when that raises an AttributeError."""

    def __getattribute__(self, name):
        own = types.ModuleType.__getattribute__(self, "__dict__")
        cache = own.get("_fast_attributes", {})
        if name in cache:
            return cache[name]
        try:
            return own.get("_getattribute_callback", types.ModuleType.__getattribute__)(self, name)
        except AttributeError:
            if "_getattr_callback" not in own:
                raise
            return own["_getattr_callback"](self, name)

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        self._fastdict_insert(name, value)

    def __delattr__(self, name):
        super().__delattr__(name)
        types.ModuleType.__getattribute__(self, "__dict__").get("_fast_attributes", {}).pop(name, None)

    def set_getattribute_callback(self, callback):
        """Look attributes up by `callback(module, name)`."""
        _keep(self, "_getattribute_callback", callback)

    def set_getattr_callback(self, callback):
        """Look attributes up by `callback(module, name)` that are not found otherwise."""
        _keep(self, "_getattr_callback", callback)

    def _fastdict_insert(self, name, value):
        types.ModuleType.__getattribute__(self, "__dict__").setdefault("_fast_attributes", {})[name] = value

    def _fastdict_get(self, name):
        if not self._fastdict_key_in(name):
            raise KeyError(f"module has no attribute '{name}'")
        return types.ModuleType.__getattribute__(self, "__dict__")["_fast_attributes"][name]

    def _fastdict_key_in(self, name):
        return name in types.ModuleType.__getattribute__(self, "__dict__").get("_fast_attributes", {})


def _keep(module, name, callback):
    if not callable(callback):
        raise TypeError("input args must be callable")
    types.ModuleType.__getattribute__(module, "__dict__")[name] = callback


def get_fast_module_type_class():
    """The class, which is made in C++ in TensorFlow."""
    return FastModuleType
