"""`tensorflow.python.eager.backprop`: gradients as functions of functions."""

import inspect
from collections.abc import Sequence

from reflow.api.array.arrange import identity
from reflow.core import dtypes, nest
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.shapes import TensorShape
from reflow.core.tensor import Tensor
from reflow.drop_in.python import pywrap_tfe
from reflow.drop_in.python.eager.backprop_util import IsTrainable
from reflow.eager.tape import GradientTape
from reflow.ops import registry
from reflow.ops.convert import convert_to_tensor

NOTHING_RETURNED = "Cannot differentiate a function that returns None; did you forget to return a value from {}?"


def _get_arg_spec(f, params, param_args) -> Sequence[int]:
    """The positions of the arguments to differentiate for: all, or those in `params`, by position or by name.

    Raises:
        ValueError: the names of `f`'s arguments are not known, or `params` mixes names and positions.
    """
    by_position = params is not None and all(isinstance(param, int) for param in params)
    try:
        names = inspect.getfullargspec(f).args
    except TypeError as error:
        if params is None or by_position:
            return range(len(param_args)) if params is None else params
        raise ValueError(
            "Either callable provided is not a function or could not inspect its arguments by name: "
            f"{f}. Original error: {error}"
        ) from error
    if params is None:
        return range(len(names) - (names[0] == "self") if names else len(param_args))
    if all(isinstance(param, str) for param in params):
        return [names.index(param) for param in params]
    if by_position:
        return params
    raise ValueError(f"params must be all strings or all integers; got {params}.")


def make_vjp(f, params=None, persistent=True):
    """A function that returns `f`'s value and a function from its cotangent to those of the arguments."""

    def decorated(*args, **kwargs):
        assert not kwargs, "The gradient function can't take keyword arguments."
        positions = _get_arg_spec(f, params, args)
        tensors = [convert_to_tensor(a) if isinstance(a, (int, float, complex, str)) else a for a in args]
        for i in positions:  # one tensor passed twice is two arguments
            tensors[i] = identity(tensors[i])
        sources = [tensors[i] for i in positions]
        with GradientTape(persistent=persistent) as tape:
            tape.watch([source for source in sources if IsTrainable(source)])
            value = f(*tensors)
            if value is None:
                raise ValueError(NOTHING_RETURNED.format(f.__name__))
            value = nest.map_structure(identity, value)

        def vjp(dy=None):
            flat = None if dy is None else [convert_to_tensor(x) for x in nest.flatten(dy)]
            seeds = None if flat is None else nest.pack_sequence_as(value, flat)
            return tape.gradient(value, sources, output_gradients=seeds)

        return value, vjp

    return decorated


def val_and_grad_function(f, params=None):
    """A function that returns `f`'s value and its gradients for its arguments, or those in `params`."""

    def decorated(*args, **kwargs):
        dy = kwargs.pop("dy", None)
        if kwargs:
            raise ValueError("Functions to be differentiated cannot receive keyword arguments.")
        value, vjp = make_vjp(f, params)(*args)
        return value, vjp(dy=dy)

    return decorated


def gradients_function(f, params=None):
    """A function that returns the gradients of `f` for its arguments; see `val_and_grad_function`."""

    def decorated(*args, **kwargs):
        return val_and_grad_function(f, params)(*args, **kwargs)[1]

    return decorated


def implicit_val_and_grad(f):
    """A function that returns the value of `f` and pairs of gradients and the trainable variables that it read."""

    def decorated(*args, **kwargs):
        with GradientTape() as tape:
            value = f(*args, **kwargs)
            if value is None:
                raise ValueError(NOTHING_RETURNED.format(f.__name__))
        variables = tape.watched_variables()
        if not variables:
            raise ValueError("No trainable variables were accessed while the function was being computed.")
        return value, list(zip(tape.gradient(value, variables), variables, strict=True))

    return decorated


def implicit_grad(f):
    """A function that returns pairs of gradients of `f` and the trainable variables that it read."""

    def decorated(*args, **kwargs):
        return implicit_val_and_grad(f)(*args, **kwargs)[1]

    return decorated


def op_attr_type(op_type, attr_name):
    """The kind of an op's attribute, a number of `pywrap_tfe`; in a list if the attribute is one."""
    kind = registry.get(op_type).definition.attrs[attr_name].type
    inner = kind.removeprefix("list(").removesuffix(")")
    number = getattr(pywrap_tfe, f"TF_ATTR_{inner.upper()}")
    return [number] if kind != inner else number


def make_attr(attr_type, value):
    """The value of an attribute of a kind, as a node's attributes have it.

    Dtypes from their numbers, shapes as protos, texts as bytes.
    """
    if isinstance(attr_type, list):
        return [make_attr(attr_type[0], part) for part in value]
    if attr_type == pywrap_tfe.TF_ATTR_TYPE:
        return dtypes.as_dtype(value)
    if attr_type == pywrap_tfe.TF_ATTR_SHAPE:
        return TensorShape(value).as_proto()
    return value.encode() if isinstance(value, str) else value


def _num_elements(grad) -> int:
    """The number of elements of a gradient, 0 if it is not known.

    Raises:
        ValueError: it is neither a tensor nor indexed slices.
    """
    if not isinstance(grad, (Tensor, IndexedSlices)):
        raise ValueError("`grad` not a Tensor or IndexedSlices.")
    values = grad.values if isinstance(grad, IndexedSlices) else grad
    return values.shape.num_elements() or 0

