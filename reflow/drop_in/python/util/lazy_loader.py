"""`tensorflow.python.util.lazy_loader`: modules that are imported when they are first used."""

import importlib
import types

from reflow.core.logging import warn


class LazyLoader(types.ModuleType):
    """Stands for a module, which takes its place among a module's names on first use."""

    def __init__(self, local_name, parent_module_globals, name, warning=None):
        super().__init__(name)
        vars(self).update(
            _tfll_local_name=local_name, _tfll_parent_module_globals=parent_module_globals, _tfll_warning=warning
        )

    def _load(self):
        module = importlib.import_module(self.__name__)
        self._tfll_parent_module_globals[self._tfll_local_name] = module
        if self._tfll_warning:
            warn(self._tfll_warning)
            vars(self)["_tfll_warning"] = None
        return module

    def __getattr__(self, name):
        return getattr(self._load(), name)

    def __setattr__(self, name, value):
        setattr(self._load(), name, value)

    def __delattr__(self, name):
        delattr(self._load(), name)

    def __dir__(self):
        return dir(self._load())

    def __repr__(self):
        return f"<LazyLoader {self.__name__} as {self._tfll_local_name}>"

    def __reduce__(self):
        return importlib.import_module, (self.__name__,)
