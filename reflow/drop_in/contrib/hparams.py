"""`tf.contrib.training.HParams`: named values that a command line can change."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

_ASSIGNMENT = re.compile(
    r"\s*(?P<name>[a-zA-Z][\w.]*)\s*(?:\[\s*(?P<index>\d+)\s*\])?\s*=\s*"
    r"(?:\[(?P<values>[^\]]*)\]|(?P<value>[^,\[]*))\s*(?:,|$)"
)


def _as(kind: type, text: str, name: str) -> Any:
    """The text of a value, as what the parameter is."""
    text = text.strip()
    try:
        if kind is bool:
            return {"true": True, "false": False, "1": True, "0": False}[text.lower()]
        if kind is str:
            quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
            return ast.literal_eval(text) if quoted else text
        return kind(text)
    except (KeyError, ValueError):
        raise ValueError(f"Could not parse hparam {name!r} of type '{kind.__name__}' with value {text!r}") from None


class HParams:
    """A set of hyperparameters: attributes whose types stay what they were at first.

    `parse("lr=0.1,units=[1,2]")` changes some; `override_from_dict`, `parse_json` and `set_hparam` do too. `values()`
    is a dictionary.
    """

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        if hparam_def is not None:
            raise ValueError("HParams: hparam_def is not supported; give the values by name.")
        self._hparam_types: dict[str, tuple[type, bool]] = {}
        self._model_structure = model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name: str, value: Any) -> None:
        """Add a parameter; a list must hold something, all of one type."""
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        several = isinstance(value, (list, tuple))
        if several and not value:
            raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
        self._hparam_types[name] = (type(value[0]) if several else type(value), several)
        setattr(self, name, list(value) if several else value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Sets a parameter, which keeps its type."""
        kind, several = self._hparam_types[name]
        if isinstance(value, (list, tuple)) != several:
            word = (
                "Must pass a list for multi-valued parameter" if several
                else "Must not pass a list for single-valued parameter"
            )
            raise ValueError(f"{word}: {name}")
        setattr(self, name, [self._cast(name, kind, v) for v in value] if several else self._cast(name, kind, value))

    @staticmethod
    def _cast(name: str, kind: type, value: Any) -> Any:
        if kind is type(None) or value is None or isinstance(value, kind) and not isinstance(value, bool):
            return value
        same = isinstance(value, str) == issubclass(kind, str) and isinstance(value, bool) == issubclass(kind, bool)
        if not same or kind is int and not float(value).is_integer():
            raise ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")
        return kind(value)

    def del_hparam(self, name: str) -> None:
        """Removes a parameter, if it exists."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Change parameters by a text such as `a=1,b=[2,3],c[0]=4`."""
        changed: dict[str, Any] = {}
        at = 0
        while at < len(values):
            found = _ASSIGNMENT.match(values, at)
            if found is None:
                raise ValueError(f"Malformed hyperparameter value: {values[at:]}")
            at = found.end()
            name, index, several = found["name"], found["index"], found["values"] is not None
            if name not in self._hparam_types:
                raise ValueError(f"Unknown hyperparameter type for {name}")
            kind, is_list = self._hparam_types[name]
            if several:
                changed[name] = [_as(kind, text, name) for text in found["values"].split(",") if text.strip()]
            elif index is not None:
                changed.setdefault(name, list(getattr(self, name)))[int(index)] = _as(kind, found["value"], name)
            else:
                changed[name] = [_as(kind, found["value"], name)] if is_list else _as(kind, found["value"], name)
        return self.override_from_dict(changed)

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        """Change parameters by a dictionary; an unknown one raises `KeyError`."""
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    def parse_json(self, values_json: str) -> HParams:
        """Change parameters by a JSON object."""
        return self.override_from_dict(json.loads(values_json))

    def to_json(self, indent=None, separators=None, sort_keys=False) -> str:
        """The parameters as a JSON object; functions are left out."""
        plain = {name: value for name, value in self.values().items() if not callable(value)}
        return json.dumps(plain, indent=indent, separators=separators, sort_keys=sort_keys)

    def values(self) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """A parameter, or `default`, which must be of its type."""
        return getattr(self, key) if key in self._hparam_types else default

    def get_model_structure(self) -> Any:
        """The model's structure, as it was given."""
        return self._model_structure

    def set_model_structure(self, model_structure: Any) -> None:
        """Change the model's structure."""
        self._model_structure = model_structure

    def __contains__(self, key: str) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return str(sorted(self.values().items()))

    def __repr__(self) -> str:
        return f"HParams({self})"
