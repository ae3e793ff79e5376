"""Public names: `@export("add", "math.add")` makes a function available as `tf.add` and `tf.math.add`.

The decorator is the one place where an object declares its public names. `tools/make_namespaces.py` reads them and
writes the modules of `reflow/public/`, which import each object from where it is defined.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from typing import Any, TypeVar

Thing = TypeVar("Thing")
Made = TypeVar("Made", bound=Callable)

#: public name -> the thing
TABLE: dict[str, Any] = {}
#: public name -> the module that exported it
EXPORTED_BY: dict[str, str] = {}
#: what wants to know of names that are exported later: `listener(name, thing)` (`api/dispatching.py`)
LISTENERS: list[Callable[[str, Any], None]] = []


def export(*names: str) -> Callable[[Thing], Thing]:
    """Give an object its public names. A name is taken once."""
    return _exporter(names, sys._getframe(1).f_globals["__name__"])


def export_value(value: Thing, *names: str) -> Thing:
    """Export something that is not defined here by `def` or `class`; returns it.

    The generated modules import it by a name at the top level of a module, so a value that is made here is also bound
    here: `SERVING = export_value("serve", "saved_model.SERVING")`.
    """
    return _exporter(names, sys._getframe(1).f_globals["__name__"])(value)


def export_function(function: Made, *names: str, doc: str, example: str = "", name: str = "") -> Made:
    """Export a function created by a factory: set its name (by default the last part of its first public name), its
    docstring, and an example.

    Families of functions that differ in little more than the name of their op are made this way.
    """
    own = name or names[0].rpartition(".")[2]
    text = f"{doc.rstrip()}\n\n{inspect.cleandoc(example)}\n" if example else doc
    function.__name__, function.__qualname__, function.__doc__ = own, own, text
    return _exporter(names, sys._getframe(1).f_globals["__name__"])(function)


def with_sections(sections: str, **words: str) -> Callable[[Thing], Thing]:
    """A decorator for a family of functions: adds the sections that their docstrings share, before the example.

    Args:
      sections: `Args:`, `Returns:` and `Raises:`, or some of these. Arguments are listed in the order of the signature,
        without those that are not in it, and an own entry replaces a shared one; elsewhere own entries come first.
      **words: What stands in this docstring in the place of `{name}`.

    Returns:
      A decorator.

    >>> @with_sections("Returns:\\n  A tensor of {kind}.\\n", kind="integers")
    ... def round(x):
    ...     "Rounds each element."
    >>> print(round.__doc__.strip())
    Rounds each element.
    <BLANKLINE>
    Returns:
      A tensor of integers.
    """

    def add(thing: Thing) -> Thing:
        if thing.__doc__:  # there is no text in `python -OO`
            text, prompt, example = inspect.cleandoc(thing.__doc__).partition(">>>")
            summary, own = _sections_of(text)
            _, shared = _sections_of(sections.format(**words) if words else sections)
            parts = {name: [part[name] for part in (own, shared) if name in part] for name in _SECTIONS}
            parts["Args"] = _in_order(parts["Args"], thing)
            added = "".join(f"\n\n{name}:\n" + "\n".join(entries) for name, entries in parts.items() if entries)
            thing.__doc__ = f"{summary}{added}\n\n{prompt}{example}\n"
        return thing

    return add


_SECTIONS = ("Args", "Returns", "Raises")


def _sections_of(text: str) -> tuple[str, dict[str, str]]:
    """What stands before the sections of a docstring, and their entries by name."""
    summary, *parts = re.split(rf"^({'|'.join(_SECTIONS)}):\n", text, flags=re.MULTILINE)
    return summary.rstrip(), {name: entries.rstrip() for name, entries in zip(parts[::2], parts[1::2], strict=True)}


def _in_order(texts: list[str], thing: Any) -> list[str]:
    """The entries that are for parameters of a function or class, in their order. One may be for several: `x, y: …`."""
    made = vars(thing).get("__init__", thing) if inspect.isclass(thing) else thing  # a metaclass hides the signature
    places = {name: place for place, name in enumerate(inspect.signature(made).parameters)}
    entries = {re.findall(r"\w+", entry)[0]: entry for text in texts[::-1] for entry in re.split(r"\n(?=  \S)", text)}
    return [entries[name] for name in sorted(places.keys() & entries, key=places.__getitem__)]


def _exporter(names: tuple[str, ...], module: str) -> Callable[[Thing], Thing]:
    def register(thing: Thing) -> Thing:
        for name in names:
            if name in TABLE:
                raise ValueError(f"The public name tf.{name} is exported twice.")
            TABLE[name] = thing
            EXPORTED_BY[name] = module
            for listener in LISTENERS:
                listener(name, thing)
        return thing

    return register
