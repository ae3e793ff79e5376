"""`tensorflow.python.util.all_util`: which names of a module its docstring shows, as lines `@@name`."""

import re
import sys

_HIDDEN: dict = {}  # full name -> the module it was taken from, and the object


def make_all(module_name, doc_string_modules=None):
    """The names of a module that its docstring, or those of other modules, refer to."""
    module = sys.modules[module_name]
    texts = [other.__doc__ or "" for other in ([module] if doc_string_modules is None else doc_string_modules)]
    named = {name for text in texts for name in re.findall(r"^@@(\w+)$", text, re.MULTILINE)}
    return sorted(name for name in named if hasattr(module, name))


def remove_undocumented(module_name, allowed_exception_list=None, doc_string_modules=None):
    """Take away the public names of a module that no docstring refers to."""
    module = sys.modules[module_name]
    kept = {*make_all(module_name, doc_string_modules), *(allowed_exception_list or ())}
    for name in [name for name in dir(module) if not name.startswith("_") and name not in kept]:
        _HIDDEN[f"{module_name}.{name}"] = module, getattr(module, name)
        delattr(module, name)


def reveal_undocumented(symbol_name, target_module=None):
    """Put back a name that `remove_undocumented` took away."""
    if symbol_name not in _HIDDEN:
        raise LookupError(f"Symbol {symbol_name} is not a hidden symbol")
    module, value = _HIDDEN[symbol_name]
    setattr(target_module or module, symbol_name.rpartition(".")[2], value)
