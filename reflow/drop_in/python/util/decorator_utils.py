"""`tensorflow.python.util.decorator_utils`: parts of decorators that change docstrings."""

import functools
import inspect

_NOTICES = ("Deprecated", "Warning", "Caution", "Important", "Note")


def get_qualified_name(function):
    """The name of a function with those of the classes around it."""
    return getattr(function, "__qualname__", function.__name__)


def _normalize_docstring(docstring):
    """A docstring without its indentation and the empty lines around it."""
    return inspect.cleandoc(docstring) if docstring else ""


def add_notice_to_docstring(doc, instructions, no_doc_str, suffix_str, notice, notice_type="Warning"):
    """A docstring with a notice behind its first line, to which `suffix_str` is added.

    `no_doc_str` stands for an empty one.
    """
    if notice_type not in _NOTICES:
        raise ValueError(f"Unrecognized notice type. Should be one of: {list(_NOTICES)}")
    if not notice:
        raise ValueError("The `notice` arg must not be empty.")
    first, *rest = _normalize_docstring(doc).splitlines() if doc else [no_doc_str]
    said = ["", f"{notice_type}: {notice[0]}", *notice[1:], *([instructions] if instructions else [])]
    if rest and rest[0].strip():
        said.append("")
    return "\n".join([f"{first} {suffix_str}" if doc else first, *said, *rest])


def validate_callable(func, decorator_name):
    """Refuse to decorate what cannot be called."""
    if not callable(func):
        raise ValueError(
            f"{func} is not a function. If this is a property, make sure @property appears before @{decorator_name} in "
            f"your source code:\n\n@property\n@{decorator_name}\ndef method(...)"
        )


class classproperty:
    """A property of a class."""

    def __init__(self, func):
        self._func = func

    def __get__(self, owner_self, owner_cls):
        return self._func(owner_cls)


class cached_classproperty(classproperty):
    """A property of a class that is computed once for each class."""

    def __init__(self, func):
        super().__init__(functools.cache(func))
