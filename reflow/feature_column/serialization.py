"""Columns as dictionaries of plain values, and back.

`{"class_name": ..., "config": ...}`, the form that Keras 2 saves in models.
"""

from __future__ import annotations

import inspect
import types
from typing import Any

from reflow.api.export import export
from reflow.compat import initializers
from reflow.core import dtypes
from reflow.feature_column.base import FeatureColumn

#: class name -> class, of all kinds of columns
REGISTERED: dict[str, type] = {}


def registered(kind: type) -> type:
    """Decorates a kind of column that `deserialize_feature_column` finds by its name."""
    REGISTERED[kind.__name__] = kind
    return kind


@export("__internal__.feature_column.serialize_feature_column")
def serialize_feature_column(column: Any) -> Any:
    """A column as a dictionary; the key of a feature as it is.

    >>> serialize_feature_column("age")
    'age'
    """
    if isinstance(column, str):
        return column
    if isinstance(column, FeatureColumn):
        return {"class_name": type(column).__name__, "config": column.get_config()}
    raise ValueError(f"Instance: {column} is not a FeatureColumn")


@export("__internal__.feature_column.deserialize_feature_column")
def deserialize_feature_column(config: Any, custom_objects=None, columns_by_name: dict | None = None) -> Any:
    """The column of such a dictionary. Columns that are equal become one object, by `columns_by_name`."""
    if isinstance(config, str):
        return config
    columns_by_name = {} if columns_by_name is None else columns_by_name
    kind, arguments = _class_and_config(config, custom_objects, REGISTERED, "feature_column_v2")
    if not issubclass(kind, FeatureColumn):
        raise ValueError(f"Expected FeatureColumn class, instead found: {kind}")
    column = kind.from_config(arguments, custom_objects=custom_objects, columns_by_name=columns_by_name)
    return columns_by_name.setdefault(f"{type(column).__name__}:{column.name}", column)


def serialize_feature_columns(feature_columns) -> list:
    """Columns as dictionaries."""
    return [serialize_feature_column(column) for column in feature_columns]


def deserialize_feature_columns(configs, custom_objects=None) -> list:
    """Columns of dictionaries."""
    by_name: dict = {}
    return [deserialize_feature_column(config, custom_objects, by_name) for config in configs]


def _class_and_config(config, custom_objects, known: dict, what: str) -> tuple[type, dict]:
    if not isinstance(config, dict) or "class_name" not in config or "config" not in config:
        raise ValueError(f"Improper config format: {config}")
    name = config["class_name"]
    kind = (custom_objects or {}).get(name) or known.get(name)
    if kind is None:
        raise ValueError(f"Unknown {what}: {name}")
    return kind, config["config"]


def serialize_function(function: Any) -> Any:
    """A function as its name, an initializer as its class and configuration."""
    if function is None:
        return None
    if hasattr(function, "get_config"):
        return {"class_name": type(function).__name__, "config": function.get_config()}
    if hasattr(function, "__name__"):
        return function.__name__
    raise ValueError("Cannot serialize", function)


def deserialize_function(identifier: Any, custom_objects=None) -> Any:
    """What `serialize_function` wrote; a function is looked up in `custom_objects`."""
    if identifier is None or inspect.isfunction(identifier):
        return identifier
    if isinstance(identifier, dict):
        kind, config = _class_and_config(identifier, custom_objects, vars(initializers), "object")
        return kind.from_config(config) if hasattr(kind, "from_config") else kind(**config)
    if not isinstance(identifier, str):
        raise ValueError(f"Could not interpret serialized object: {identifier}")
    found = (custom_objects or {}).get(identifier)
    if found is None:
        raise ValueError(f"Unknown object: {identifier}")
    return found() if isinstance(found, type) else found


class Fields:
    """`get_config` and `from_config` of a named tuple of fields.

    What a field holds follows from its name: a column, a dtype, a function.
    """

    _fields: Any  # of the named tuple
    #: fields that hold a column or a tuple of columns
    COLUMNS: tuple[str, ...] = ()
    #: fields that hold a function or an initializer
    FUNCTIONS: tuple[str, ...] = ()
    #: fields that older files lack, and their values there
    LATER: types.MappingProxyType = types.MappingProxyType({})

    def get_config(self) -> dict:
        config = {name: getattr(self, name) for name in self._fields}
        for name in self.COLUMNS:
            held = config[name]
            config[name] = (
                tuple(map(serialize_feature_column, held)) if type(held) is tuple else serialize_feature_column(held)
            )
        for name in self.FUNCTIONS:
            config[name] = serialize_function(config[name])
        if isinstance(config.get("dtype"), dtypes.DType):
            config["dtype"] = config["dtype"].name
        return config

    @classmethod
    def from_config(cls, config, custom_objects=None, columns_by_name=None):
        config = {**cls.LATER, **config}
        if set(config) != set(cls._fields):
            raise ValueError(f"Invalid config: {config}, expected keys: {cls._fields}")
        fields = {name: _tuples(value) if isinstance(value, list) else value for name, value in config.items()}

        def column(value):
            return deserialize_feature_column(value, custom_objects, columns_by_name)

        for name in cls.COLUMNS:
            held = fields[name]
            fields[name] = tuple(map(column, held)) if isinstance(held, (list, tuple)) else column(held)
        for name in cls.FUNCTIONS:
            fields[name] = deserialize_function(fields[name], custom_objects)
        if "dtype" in fields:
            fields["dtype"] = dtypes.as_dtype(fields["dtype"])
        return cls(**fields)


def _tuples(value):
    """JSON has lists only; the fields of a column are tuples, so that columns are keys of dictionaries."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
