"""`tensorflow.python.util.module_wrapper`: modules that load names on use, and warn of deprecated ones."""

import importlib
import inspect
import types

from reflow.api.framework.internal import unwrap
from reflow.core.logging import warn
from reflow.drop_in.python.util.fast_module_type import FastModuleType
from reflow.drop_in.tools.compatibility import all_renames_v2

#: of how many names of a module it is said that they are deprecated
_PER_MODULE_WARNING_LIMIT = 1
_VERSION_ONE = (".compat.v1", ".compat.v2.compat.v1")


def get_rename_v2(name):
    """What a name of TensorFlow 1 is called now, or None."""
    return all_renames_v2.symbol_renames.get(name)


def contains_deprecation_decorator(decorators):
    return any(decorator.decorator_name == "deprecated" for decorator in decorators)


def has_deprecation_decorator(symbol):
    """Whether a function or class warns of its own deprecation."""
    decorators, symbol = unwrap(symbol)
    if contains_deprecation_decorator(decorators):
        return True
    return inspect.isclass(symbol) and contains_deprecation_decorator(unwrap(symbol.__init__)[0])


class TFModuleWrapper(FastModuleType):
    """Stands for a module: `public_apis` says by name from which module (the first of a pair,
    "" for the name itself) a thing comes."""

    compat_v1_usage_recorded = False

    def __init__(self, wrapped, module_name, public_apis=None, deprecation=True, has_lite=False):
        super().__init__(wrapped.__name__)
        kept = {
            "_tfmw_wrapped_module": wrapped, "_tfmw_module_name": module_name, "_tfmw_public_apis": public_apis or {},
            "_tfmw_print_deprecation_warnings": deprecation, "_tfmw_has_lite": has_lite, "_tfmw_warned": set(),
        }  # fmt: skip
        for name, value in {**vars(wrapped), **kept}.items():
            if name not in (public_apis or {}) or not has_lite:
                self.__dict__[name] = value
        self.__dict__["__all__"] = getattr(wrapped, "__all__", None) or [
            *(public_apis or {}), *(name for name in vars(wrapped) if not name.startswith("_"))]  # fmt: skip
        for name in ("_fastdict_key_in", *kept, "__all__"):
            self._fastdict_insert(name, getattr(self, name))
        self.set_getattribute_callback(TFModuleWrapper._getattribute)
        self.set_getattr_callback(TFModuleWrapper._getattr)

    def _getattribute(self, name):
        """An attribute that is there; the first uses of deprecated ones are logged."""
        value = types.ModuleType.__getattribute__(self, name)
        if not name.startswith("_"):
            self._tfmw_add_deprecation_warning(name, value)
            self._fastdict_insert(name, value)
        return value

    def _getattr(self, name):
        """An attribute of the module behind, or one that is loaded now."""
        value = getattr(self._tfmw_wrapped_module, name, self)
        if value is self or name == "lite" and self._tfmw_has_lite:
            value = self._tfmw_import_module(name)
        self.__dict__[name] = value
        self._tfmw_add_deprecation_warning(name, value)
        self._fastdict_insert(name, value)
        return value

    def _tfmw_import_module(self, name):
        if name not in self._tfmw_public_apis:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        if self.__name__.endswith(_VERSION_ONE):
            TFModuleWrapper.compat_v1_usage_recorded = True
        module, attribute = self._tfmw_public_apis[name]
        if not module:
            return importlib.import_module(attribute)
        return getattr(importlib.import_module(module), attribute)

    def _tfmw_add_deprecation_warning(self, name, value):
        """Log the new name of a deprecated thing, a few times for each module."""
        warned = self._tfmw_warned
        if not self._tfmw_print_deprecation_warnings or name in warned or len(warned) >= _PER_MODULE_WARNING_LIMIT:
            return
        full = f"tf.{self._tfmw_module_name}.{name}" if self._tfmw_module_name else f"tf.{name}"
        new = get_rename_v2(full)
        if new and not (callable(value) and has_deprecation_decorator(value)):
            warned.add(name)
            warn("The name %s is deprecated. Please use %s instead.\n", full, new)

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        setattr(self._tfmw_wrapped_module, name, value)
        if not name.startswith("_") and name not in self.__all__:
            self.__all__.append(name)

    def __delattr__(self, name):
        super().__delattr__(name)
        if hasattr(self._tfmw_wrapped_module, name):
            delattr(self._tfmw_wrapped_module, name)

    def __dir__(self):
        return sorted({*self._tfmw_public_apis, *self.__dict__, *dir(self._tfmw_wrapped_module)})

    def __repr__(self):
        return repr(self._tfmw_wrapped_module)

    def __reduce__(self):
        return importlib.import_module, (self.__name__,)
