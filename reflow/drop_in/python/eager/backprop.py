"""`tensorflow.python.eager.backprop`: gradients as functions of functions."""

from reflow.core import dtypes
from reflow.core.indexed_slices import IndexedSlices
from reflow.core.shapes import TensorShape
from reflow.drop_in.python import pywrap_tfe
from reflow.eager.tape import GradientTape
from reflow.ops import registry
from reflow.ops.convert import convert_to_tensor


def _positions(args, params) -> list[int]:
    return list(range(len(args))) if params is None else list(params)


def val_and_grad_function(f, params=None):
    """A function that returns `f`'s value and its gradients for its arguments, or those at positions `params`."""

    def decorated(*args, **kwargs):
        dy = kwargs.pop("dy", None)
        if kwargs:
            raise ValueError(f"Functions to be differentiated cannot receive keyword arguments. {list(kwargs)}")
        tensors = [convert_to_tensor(a) for a in args]
        with GradientTape() as tape:
            tape.watch(tensors)
            value = f(*tensors)
        if value is None:
            raise ValueError(
                "Cannot differentiate a function that returns None; did you forget to return a value from f?"
            )
        sources = [tensors[i] for i in _positions(args, params)]
        return value, tape.gradient(value, sources, output_gradients=dy)

    return decorated


def gradients_function(f, params=None):
    """A function that returns the gradients of `f` for its arguments, dense; see `val_and_grad_function`."""

    def decorated(*args, **kwargs):
        _, gradients = val_and_grad_function(f, params)(*args, **kwargs)
        return [convert_to_tensor(g) if isinstance(g, IndexedSlices) else g for g in gradients]

    return decorated


def make_vjp(f, params=None, persistent=True):
    """A function that returns `f`'s value and a function from its cotangent to those of the arguments."""

    def decorated(*args, **kwargs):
        tensors = [convert_to_tensor(a) for a in args]
        with GradientTape(persistent=persistent) as tape:
            tape.watch(tensors)
            value = f(*tensors, **kwargs)
        sources = [tensors[i] for i in _positions(args, params)]

        def vjp(dy=None):
            return tape.gradient(value, sources, output_gradients=dy)

        return value, vjp

    return decorated


def implicit_val_and_grad(f):
    """A function that returns the value of `f` and pairs of gradients and the trainable variables that it read."""

    def decorated(*args, **kwargs):
        with GradientTape() as tape:
            value = f(*args, **kwargs)
            if value is None:
                raise ValueError(
                    "Cannot differentiate a function that returns None; did you forget to return a value from f?"
                )
        variables = tape.watched_variables()
        if not variables:
            raise ValueError("No trainable variables were accessed while the function was being computed.")
        return value, list(zip(tape.gradient(value, variables), variables))

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
