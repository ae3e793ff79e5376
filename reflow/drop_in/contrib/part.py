"""A part of `tf.contrib`: a module that has some names of its own, knows the successors of others, and explains the
rest.

Programs also import from the files in which a part was written:
`tensorflow.contrib.learn.python.learn.estimators.run_config`. Below `python`, every module stands for the part itself
(`Inside`): it has the part's names, whatever its own is.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from typing import Any

from reflow.drop_in.facade import resolve

#: as a name in a table of successors: all other names are below this namespace of `tf`
REST = "*"


class Part(types.ModuleType):
    """A part of `tf.contrib`; what it lacks raises."""

    def __init__(
        self, name: str, things: Mapping[str, Any], successors: Mapping[str, str], hints: Mapping[str, str]
    ) -> None:
        super().__init__(f"tensorflow.{name}")
        self.__path__ = []
        self._successors, self._hints = successors, hints
        vars(self).update(things)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "python" and self.__name__ != "tensorflow.contrib":
            return Inside(f"{self.__name__}.python", self)
        successor = self._successors.get(name)
        if successor is not None:
            return resolve(successor)
        for space in self._successors.get(REST, "").split():
            try:
                return resolve(f"{space}.{name}")
            except AttributeError:
                continue
        raise AttributeError(self.explain(name))

    def explain(self, name: str) -> str:
        """Why there is no such name, and what to use in its place."""
        part = self.__name__.removeprefix("tensorflow.")
        hint = f"; the modern form is {self._hints[name]}" if name in self._hints else "; TensorFlow 2 has no contrib"
        return f"Reflow has no tf.{part}.{name}{hint}"


class Inside(types.ModuleType):
    """A module below `python` of a part."""

    def __init__(self, name: str, part: Part) -> None:
        super().__init__(name)
        self.__path__ = []
        self._part = part

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return getattr(self._part, name)
        except AttributeError:
            if name.startswith("_") or not name.islower():
                raise
        return Inside(f"{self.__name__}.{name}", self._part)

    def explain(self, name: str) -> str:
        """Why there is no such module."""
        return self._part.explain(name)


def names_of(module: Any, names: str) -> dict[str, Any]:
    """Some names of a module, by themselves."""
    return {name: getattr(module, name) for name in names.split()}
