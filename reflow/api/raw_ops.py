"""`tf.raw_ops`: every registered op as a function with keyword arguments only, created from its OpDef on first use.

An op without a kernel is not an attribute, except for ops that programs try first and replace on `NotFoundError`.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
import types

import numpy as np

from reflow.api.call import call, input_tensor, known_dtypes, output_tuple
from reflow.api.export import export_value
from reflow.core import dtypes, shapes
from reflow.core.context import state
from reflow.core.errors import InvalidArgumentError, OpError
from reflow.eager.execute import check_dtypes, check_same_dtypes, check_shapes
from reflow.graph.ref_variables import resource_form
from reflow.ops import opdef, registry
from reflow.ops.attr_checks import check_call
from reflow.ops.opdef import MISSING


def snake_case(name: str) -> str:
    """The Python name of an op.

    >>> snake_case("MatMul"), snake_case("TopKV2"), snake_case("Conv2DBackpropInput")
    ('mat_mul', 'top_kv2', 'conv2d_backprop_input')
    """
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    name = re.sub(r"(\d)D(?![a-z])", r"\1d", name)
    return re.sub(r"([a-z\d])([A-Z])", r"\1_\2", name).replace(">", "_").lower()


#: arguments that have another name here than in the OpDef
RENAMED = {
    **{
        op: {"reduction_indices": "axis"} for op in ("All", "Any", "EuclideanNorm", "Max", "Mean", "Min", "Prod", "Sum")
    },
    "ExpandDims": {"dim": "axis"},
    "Select": {"t": "x", "e": "y"},
    "Split": {"split_dim": "axis"},
    "SplitV": {"split_dim": "axis"},
    "Squeeze": {"squeeze_dims": "axis"},
    "Where": {"input": "condition"},
}


def signature(definition) -> inspect.Signature:
    """Inputs, attributes without a default, attributes with one, `name`.

    >>> str(signature(opdef.lookup("Cast")))
    '(x, DstT, Truncate=False, name=None)'
    """
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    free = [a for a in definition.attrs.values() if a.name not in definition.inferred_attrs]
    required = [*(a.name for a in definition.inputs), *(a.name for a in free if a.default is MISSING)]
    new = RENAMED.get(definition.name, {})
    return inspect.Signature(
        [inspect.Parameter(new.get(n, n), kind) for n in required]
        + [
            inspect.Parameter(new.get(a.name, a.name), kind, default=registry.decode_default(a))
            for a in free
            if a.default is not MISSING
        ]
        + [inspect.Parameter("name", kind, default=None)]
    )


class _Raw:
    """The public function of one op."""

    def __init__(self, definition):
        self.definition = definition
        self.__name__ = self.__qualname__ = snake_case(definition.name)
        self.__doc__ = f"The op {definition.name}, with TensorFlow's inputs and attributes as keyword arguments."
        self.__signature__ = signature(definition)
        self._tuple = output_tuple(definition.name) if len(definition.outputs) > 1 else None

    def __call__(self, *args, **kwargs):
        if args:
            keys = list(self.__signature__.parameters)
            raise TypeError(
                f"{self.__name__} only takes keyword args (possible keys: {keys}). Please pass these args as "
                "kwargs instead."
            )
        self._check_names(kwargs)
        record = registry.get(self.definition.name)
        label = kwargs.pop("name", None)
        for old, new in RENAMED.get(self.definition.name, {}).items():
            if new in kwargs:
                kwargs[old] = kwargs.pop(new)
        inputs, lists = self._inputs(kwargs)
        attrs = {
            a.name: _attr(self.__name__, a, kwargs[a.name]) for a in self.definition.attrs.values() if a.name in kwargs
        }
        for attr in self.definition.attrs.values():
            known = attr.name in attrs or attr.name in self.definition.inferred_attrs or attr.default is MISSING
            if not known and (record.kernel_attrs is None or attr.name in record.kernel_attrs):
                attrs[attr.name] = registry.decode_default(attr)
        if state.graph is not None:
            return self._packed(call(self.definition.name, inputs, attrs | lists, label), attrs | lists)
        full = self._check(record, inputs, attrs | lists)
        if record.plain:
            attrs = record.bind(attrs)
        try:
            if not record.lenient:
                check_shapes(record, inputs, full)
        except InvalidArgumentError as objection:
            raise self._refusal(record, inputs, attrs | lists, objection) from None
        return self._packed(call(self.definition.name, inputs, attrs | lists, label), attrs | lists)

    def _refusal(self, record, inputs, attrs, objection):
        """The error for a rejected call: if the kernel rejects it too, its message is TensorFlow's."""
        if not record.stateful:
            try:
                call(self.definition.name, inputs, attrs, None)
            except OpError as error:
                return error
            except Exception:  # noqa: BLE001 - a kernel that never sees such inputs may fail in any way
                pass
        return objection

    def _check(self, record, inputs, attrs):
        """Refuse what the OpDef does not allow; returns all attributes. (In a graph the new node is checked.)"""
        check_dtypes(record, inputs)
        at = 0
        for arg in self.definition.inputs:
            count = attrs[arg.number_attr] if arg.number_attr else len(attrs[arg.type_list_attr]) if arg.is_list else 1
            if arg.number_attr:
                check_same_dtypes(record, inputs, range(at, at + count))
            at += count
        full = registry.full_attrs(record, [t.dtype for t in inputs], attrs)
        check_call(self.definition, full)
        return full

    def _check_names(self, kwargs):
        parameters = self.__signature__.parameters
        for name in kwargs:
            if name not in parameters:
                raise TypeError(f"{self.__name__}() got an unexpected keyword argument '{name}'")
        missing = [n for n, p in parameters.items() if p.default is p.empty and n not in kwargs]
        if missing:
            names = " and ".join(f"'{n}'" for n in missing)
            plural = "s" if len(missing) > 1 else ""
            raise TypeError(f"{self.__name__}() missing {len(missing)} required positional argument{plural}: {names}")

    def _inputs(self, kwargs):
        """Flat tensors, and the attributes that tell how many belong to each list argument."""
        known = known_dtypes(self.definition, kwargs)
        flat: list = []
        lists: dict = {}
        for arg in self.definition.inputs:
            value = kwargs[arg.name]
            if not arg.is_list:
                tensors = [input_tensor(value, len(flat), arg, known, self.definition)]
            else:
                if not isinstance(value, (list, tuple)):
                    raise TypeError(f"Expected list for '{arg.name}' argument to '{self.__name__}' Op, not {value}.")
                tensors = [input_tensor(v, len(flat) + i, arg, known, self.definition) for i, v in enumerate(value)]
                if arg.number_attr:
                    if lists.setdefault(arg.number_attr, len(tensors)) != len(tensors):
                        raise ValueError(
                            f"List argument '{arg.name}' to '{self.__name__}' Op with length {len(tensors)} must match "
                            f"length {lists[arg.number_attr]} of argument "
                            f"'{_first_list(self.definition, arg.number_attr)}'."
                        )
                else:
                    lists[arg.type_list_attr] = [t.dtype for t in tensors]
            flat.extend(tensors)
        return flat, lists

    def _packed(self, result, attrs):
        """The result in the form of the OpDef's outputs."""
        outputs = self.definition.outputs
        if not outputs:
            return None if state.graph is None else state.graph.nodes[-1]
        if self._tuple is None:
            return result
        flat, grouped = list(result), []
        for arg in outputs:
            count = attrs[arg.number_attr] if arg.number_attr else len(attrs[arg.type_list_attr]) if arg.is_list else 1
            if count > len(flat):
                words = (
                    f"'{arg.name}' should be {count} tensors and is {len(flat)}: inputs and "
                    "attributes do not fit together"
                )
                raise InvalidArgumentError(None, None, f"{words} [Op:{self.definition.name}] name: ")
            grouped.append(flat[:count] if arg.is_list else flat[0])
            del flat[:count]
        return self._tuple(*grouped)

    def __repr__(self):
        return f"<function {self.__name__}>"


class _OnReferences(_Raw):
    """The public function of an op that TensorFlow 1 ran on reference variables: its form for resource variables, the
    only ones here. Where TensorFlow returns the reference, this returns the value after the op."""

    def __call__(self, *args, **kwargs):
        if args or state.graph is None:
            self._refuse(args)
        self._check_names(kwargs)
        written = [arg.name for arg in self.definition.inputs if arg.is_ref]
        for name in written:
            if not hasattr(kwargs[name], "handle"):
                words = f"requires that input '{name}' be a mutable tensor (e.g.: a tf.Variable)"
                raise TypeError(f"'{self.definition.name}' Op {words}")
        form = opdef.lookup(resource_form(self.definition.name))
        renamed = {old.name: new.name for old, new in zip(self.definition.inputs, form.inputs, strict=True)}
        taken = signature(form).parameters
        given = {
            renamed.get(name, name): value.handle if name in written else value for name, value in kwargs.items()
        }
        variable = kwargs[written[0]]
        if "T" in taken:
            given["T"] = variable.dtype.base_dtype
        result = function_of(form.name)(**{name: value for name, value in given.items() if name in taken})
        if not self.definition.outputs[0].is_ref:
            return result
        with state.graph.control_dependencies([result]):
            return variable.read_value()

    def _refuse(self, args):
        if args:
            super().__call__(*args)
        arg = next(a for a in (*self.definition.outputs, *self.definition.inputs) if a.is_ref)
        raise RuntimeError(f"{self.__name__} op does not support eager execution. Arg '{arg.name}' is a ref.")


def _has_resource_form(name: str) -> bool:
    """Whether an op on reference variables runs here, as the op on resource variables."""
    known = name in opdef.names() and name not in registry.REGISTRY and any(a.is_ref for a in opdef.lookup(name).inputs)
    return known and resource_form(name) in registry.REGISTRY


def _first_list(definition, number_attr: str) -> str:
    """The first input whose length an attribute holds."""
    return next(a.name for a in definition.inputs if a.number_attr == number_attr)


def _attr(op_name: str, attr, value):
    """An attribute's value as nodes hold it; TypeError if it is of another kind."""
    if attr.is_list:
        if not isinstance(value, (list, tuple)):
            raise TypeError(f"Expected list for '{attr.name}' argument to '{op_name}' Op, not {value!r}.")
        kind = attr.type[5:-1]
        return [_one_attr(attr, kind, v) for v in value]
    return _one_attr(attr, attr.type, value)


def _one_attr(attr, kind: str, value):
    if kind == "bool":
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"Expected bool for argument '{attr.name}' not {value!r}.")
        return bool(value)
    if kind == "int":
        if isinstance(value, (bool, str, bytes)) or not hasattr(value, "__index__"):
            raise TypeError(f"Expected int for argument '{attr.name}' not {value!r}.")
        return int(value)
    if kind == "float":
        if isinstance(value, (str, bytes)):
            raise TypeError(f"Expected float for argument '{attr.name}' not {value!r}.")
        return float(value)
    if kind == "string":
        if not isinstance(value, (str, bytes)):
            raise TypeError(f"Expected string for argument '{attr.name}' not {value!r}.")
        return value if isinstance(value, str) else value.decode(errors="surrogateescape")
    if kind == "type":
        return dtypes.as_dtype(value)
    if kind == "func":  # a concrete function, or its graph
        return getattr(value, "graph", value)
    return shapes.dims_of(value) if kind == "shape" else value


@functools.cache
def function_of(name: str) -> _Raw:
    """The public function of the op called `name`."""
    return (_OnReferences if _has_resource_form(name) else _Raw)(opdef.lookup(name))


class RawOps(types.ModuleType):
    """The namespace: attributes are created on first access."""

    def __getattr__(self, name: str):
        there = name in registry.REGISTRY or _has_resource_form(name)
        if not there or name.startswith(opdef.OWN_PREFIX) or name in opdef.unlisted():
            raise AttributeError(f"module 'tf.raw_ops' has no attribute {name!r}")
        return function_of(name)

    def __dir__(self):
        known = (*registry.REGISTRY, *filter(_has_resource_form, opdef.names()))
        listed = (n for n in known if not n.startswith(opdef.OWN_PREFIX))
        return sorted(n for n in listed if n not in opdef.unlisted())


raw_ops = sys.modules["reflow.raw_ops"] = RawOps("reflow.raw_ops", "The public namespace tf.raw_ops.")
export_value(raw_ops, "raw_ops", "compat.v1.raw_ops")
