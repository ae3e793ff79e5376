"""`tensorflow.python.ops.functional_ops`: control flow over traced functions (`Defun`, concrete functions)."""

from reflow.api.config import device
from reflow.api.gradients import gradients
from reflow.core import nest
from reflow.core.shapes import TensorShape
from reflow.core.tensor import Tensor
from reflow.function.control_flow import cond as cond_
from reflow.function.control_flow import while_loop
from reflow.ops.convert import convert_to_tensor


def _listed(results) -> list:
    return [r for r in nest.flatten(results) if isinstance(r, Tensor)]


def If(cond, inputs, then_branch, else_branch, name=None):
    """The results of one of two functions of the same inputs, as a list."""
    tensors = [convert_to_tensor(x) for x in inputs]
    chosen = cond_(
        cond, lambda: _listed(then_branch(*tensors)), lambda: _listed(else_branch(*tensors)), name=name or "If"
    )
    return _listed(chosen)


def While(input_, cond, body, name=None, hostmem=None):
    """What the inputs become when `body` is applied to them as long as `cond` is true of them, as a list."""
    return _looped(cond, lambda *values: _listed(body(*values)), input_, name or "While")


def _looped(cond, body, inputs, name) -> list:
    """A loop whose values may have any shape: functions with declared types know none."""
    tensors = [convert_to_tensor(x) for x in inputs]
    return _listed(while_loop(cond, body, tensors, shape_invariants=[TensorShape(None)] * len(tensors), name=name))


def For(start, limit, delta, inputs, body, name=None, hostmem=None, rewrite_with_while=None):
    """What the inputs become when `body` is applied to a number and them, for every number from `start` to `limit`, as
    a list."""
    first, end, step = (convert_to_tensor(x) for x in (start, limit, delta))

    def once(number, *values):
        return [number + step, *_listed(body(number, *values))]

    def is_inside(number, *_):
        return (end - number) * step > 0

    return _looped(is_inside, once, [first, *inputs], name or ("While" if rewrite_with_while else "For"))[1:]


def Gradient(inputs, f, name=None):
    """The gradients of a function at the first inputs; the others are the gradients of its results."""
    count = len(f.declared_input_types)
    tensors = [convert_to_tensor(x) for x in inputs]
    results = _listed(f(*tensors[:count]))
    return gradients(results, tensors[:count], grad_ys=tensors[count:])


def remote_call(args, Tout, f, target, name=None):
    """The results of a function that runs on another device, as a list."""
    with device(target):
        return _listed(f(*args))
