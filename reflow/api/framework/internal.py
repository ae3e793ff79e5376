"""`tf.__internal__`: what Keras and other libraries use beyond the public names.

It also holds private names that `reflow/drop_in/names.py` maps here. Names about tracking are in `tracking.py`, those
about Keras in `keras_hooks.py`; others stand beside the public names of their subject.
"""

from __future__ import annotations

import abc
import contextlib
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

from reflow.api.array import arrange
from reflow.api.call import call
from reflow.api.export import export, export_value
from reflow.api.math import unary
from reflow.api.sparse import tensors
from reflow.core import dtypes, errors, nest, specs
from reflow.core.context import state, swapped
from reflow.core.indexed_slices import IndexedSlicesSpec
from reflow.core.ragged import RaggedTensorSpec
from reflow.core.sparse import SparseTensor, SparseTensorSpec
from reflow.core.tensor import EagerTensor, Tensor
from reflow.devices import placement as devices
from reflow.devices.names import DeviceSpec
from reflow.eager.variables import Variable
from reflow.function import control_flow
from reflow.function.function import Function
from reflow.graph.graph import SymbolicTensor
from reflow.ops.convert import convert_to_tensor

export_value(EagerTensor, "__internal__.EagerTensor")
export_value(SymbolicTensor, "__internal__.SymbolicTensor")
export_value(Function, "__internal__.function.Function")


@export("__internal__.CompositeTensor")
class CompositeTensor(abc.ABC):
    """What sparse and ragged tensors, indexed slices, optionals, iterators and variables share: a type spec and
    components.

    A subclass has a property `_type_spec`. Its metaclass is `ABCMeta` itself, so that a class with another abstract
    base may be one.

    >>> isinstance(Variable(1.0), CompositeTensor)
    True
    """

    _is_composite = True

    @property
    @abc.abstractmethod
    def _type_spec(self):
        """The spec of this value."""

    def _convert_variables_to_tensors(self):
        """This value with tensors in place of variables; a class whose components may be variables has its own."""
        return self

    @classmethod
    def __subclasshook__(cls, kind):
        if cls is not CompositeTensor:
            return NotImplemented
        return True if getattr(kind, "_is_composite", False) is True or issubclass(kind, Variable) else NotImplemented


@export("__internal__.composite_tensor.convert_variables_to_tensors")
def convert_variables_to_tensors(values):
    """A structure with the present values of its variables, also of those inside linear operators.

    >>> convert_variables_to_tensors([Variable(1.0), 2])[0].numpy().item()
    1.0
    """

    def read(x):
        if hasattr(x, "_convert_variables_to_tensors"):
            return x._convert_variables_to_tensors()
        return convert_to_tensor(x) if isinstance(x, Variable) else x

    return nest.map_structure(read, values)


# --- control flow and modes -----------------------------------------------------------------------------------------


@export("__internal__.smart_cond.smart_cond")
def smart_cond(pred, true_fn=None, false_fn=None, name=None):
    """`tf.cond`, or one of the functions directly if `pred` is known now.

    >>> smart_cond(True, lambda: 1, lambda: 2)
    1
    """
    for what, branch in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(branch):
            raise TypeError(f"Argument `{what}` must be callable. Received {branch}")
    known = smart_constant_value(pred)
    if known is None:
        return control_flow.cond(pred, true_fn, false_fn, name)
    return true_fn() if known else false_fn()


@export("__internal__.smart_cond.smart_constant_value")
def smart_constant_value(pred):
    """The truth of `pred` if it is known without running anything, else None."""
    if isinstance(pred, (Tensor, Variable)):
        if state.graph is not None and isinstance(pred, Variable):
            return None
        value = arrange.get_static_value(convert_to_tensor(pred))
        return None if value is None else bool(value)
    if pred in {0, 1}:
        return bool(pred)
    if isinstance(pred, bool):
        return pred
    raise TypeError(
        f"Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. Received: pred={pred} of type "
        f"{type(pred).__name__}"
    )


@export("__internal__.tf2.enabled")
def tf2_enabled() -> bool:
    """Whether TensorFlow 2 behaviour is on: until a program calls `disable_v2_behavior`.

    >>> tf.__internal__.tf2.enabled(), tf.executing_eagerly()
    (True, True)
    """
    return _version["two"]


_version = {"two": True}


def switch_version_two(on: bool) -> None:
    """Note which version's behaviour a program asked for."""
    _version["two"] = on


@export("__internal__.get_name_scope")
def get_name_scope() -> str:
    """The current name scope, without the final slash."""
    scope = state.graph.current_scope if state.graph is not None else state.name_scope
    return scope.rstrip("/")


@export("__internal__.get_enclosing_xla_context")
def get_enclosing_xla_context():
    """TensorFlow 1's XLA context: there is none."""


@export("__internal__.is_tfrt_enabled")
def is_tfrt_enabled() -> bool:
    """Whether TensorFlow's other runtime is on: never."""
    return False


@export("__internal__.execute_fn_for_device")
def execute_fn_for_device(device_branch_fns, default_fn, name="execute_fn"):
    """The function for the kind of device this runs on."""
    kind = "CPU" if state.backend.direct else devices.place_of_scope().kind
    return {k.upper(): f for k, f in device_branch_fns.items()}.get(kind, default_fn)()


# --- the eager context ----------------------------------------------------------------------------------------------


def _setting(name: str) -> property:
    """A setting of the runtime as a property."""
    return property(lambda self: getattr(devices.settings, name),
                    lambda self, value: setattr(devices.settings, name, value))


class ContextSwitch(NamedTuple):
    """A mode that was entered: eager mode, or building a graph."""

    is_building_function: bool
    enter_context_fn: Callable
    device_stack: Any = None


class ContextSwitches:
    """The modes that this thread has entered, outermost first."""

    @property
    def stack(self) -> list[ContextSwitch]:
        found, graph = [], state.graph
        while graph is not None:
            found.append(ContextSwitch(graph.building_function, graph.as_default))
            graph = graph.parent
        return [ContextSwitch(False, eager_mode), *reversed(found)] if state.default_graph is None else found[::-1]


class Context:
    """`context.context()`: the runtime seen as one object."""

    class Executor:
        """Runs eager ops: at once, so there is nothing to wait for."""

        def wait(self):
            """Return when all ops are done."""

        def is_async(self) -> bool:
            return False

        def clear_error(self):
            """Forget a failure."""

    executor = Executor()

    def __init__(self, config=None, device_policy=None, execution_mode=None, server_def=None):
        """A view of the one runtime; a server's definition is what `tf.distribute` was given."""
        self._scope_name = ""

    def device(self, name):
        """A `with` block whose ops run on a device."""
        from reflow.api.config import device as scope

        return scope(name.name if hasattr(name, "device_type") and not hasattr(name, "to_string") else name)

    def clear_kernel_cache(self):
        """Forget compiled kernels. Reflow's belong to their functions and go with them."""

    def ensure_initialized(self):
        devices.start()

    def executing_eagerly(self) -> bool:
        return state.graph is None

    def devices(self) -> list:
        return [devices.LOCAL + d.name for d in devices.logical_devices()]

    def list_logical_devices(self, device_type=None) -> list:
        return devices.logical_devices(device_type)

    def list_physical_devices(self, device_type=None) -> list:
        return devices.physical_devices(device_type)

    def num_gpus(self) -> int:
        return len(devices.logical_devices("GPU"))

    def async_wait(self):
        self.executor.wait()

    def abort_collective_ops(self, code: int, message: str) -> None:
        """Let all collectives fail, those that wait and those to come, until the context is reset."""
        from reflow.devices import meetings

        kind = next(c for c in errors.OpError.__subclasses__() if c.code == code)
        meetings.abort(kind(None, None, message))

    def enable_xla_devices(self):
        """Let ops be put on devices called XLA_CPU and XLA_GPU: Reflow's programs are XLA's on every device."""

    @property
    def device_name(self) -> str:
        """The full name of the device that the innermost scope names, whether it exists or not; "" without a scope."""
        if not state.device:
            return ""
        first = DeviceSpec.from_string(devices.LOCAL + devices.logical_devices()[0].name)
        return first.make_merged_spec(DeviceSpec.from_string(state.device)).to_string()

    device_spec = property(lambda self: DeviceSpec.from_string(self.device_name))

    @property
    def scope_name(self) -> str:
        """The eager name scope, ending in `/`. A context other than the one that runs ops has its own."""
        return state.name_scope if self is _context else self._scope_name

    @scope_name.setter
    def scope_name(self, name: str) -> None:
        if self is _context:
            state.name_scope = name
        else:
            self._scope_name = name

    @property
    def context_switches(self) -> ContextSwitches:
        """The modes that this thread has entered."""
        return ContextSwitches()

    soft_device_placement = _setting("soft_placement")
    log_device_placement = _setting("log_placement")
    intra_op_parallelism_threads = _setting("intra_op_threads")
    inter_op_parallelism_threads = _setting("inter_op_threads")

    @property
    def execution_mode(self) -> int:
        """0 if ops are done when they return, 1 if a program said that they need not be."""
        return int(not devices.settings.synchronous)

    @execution_mode.setter
    def execution_mode(self, mode: int) -> None:
        devices.settings.synchronous = not mode

    def get_memory_info(self, dev: str) -> dict:
        """Bytes in use on a device, see `tf.config.experimental.get_memory_info`."""
        from reflow.api.config import get_memory_info

        return get_memory_info(dev)

    def reset_memory_stats(self, dev: str) -> None:
        """See `tf.config.experimental.reset_memory_stats`."""
        from reflow.api.config import reset_memory_stats

        reset_memory_stats(dev)

    def get_optimizer_experimental_options(self) -> dict:
        """The graph optimizer's settings, as `tf.config.optimizer.get_experimental_options` returns them."""
        from reflow.api.runtime_settings import get_experimental_options

        return get_experimental_options()

    def set_optimizer_experimental_options(self, options) -> None:
        """Set switches of the graph optimiser, see `tf.config.optimizer.set_experimental_options`."""
        devices.settings.optimizer_options.update(options)

    run_eager_op_as_function = False

    @property
    def config(self):
        from tensorboard.compat.proto.config_pb2 import ConfigProto

        settings = devices.settings
        bridge = settings.mlir_bridge
        rollout = "UNSPECIFIED" if bridge is None else "ENABLED" if bridge else "DISABLED"
        return ConfigProto(
            allow_soft_placement=settings.soft_placement, log_device_placement=settings.log_placement,
            intra_op_parallelism_threads=settings.intra_op_threads,
            inter_op_parallelism_threads=settings.inter_op_threads,
            experimental={"enable_mlir_bridge": bool(bridge), "mlir_bridge_rollout": f"MLIR_BRIDGE_ROLLOUT_{rollout}"},
        )  # fmt: skip


_context = Context()


@export("__internal__.eager_context.context")
def context() -> Context:
    """The eager context."""
    return _context


@export("__internal__.eager_context.async_wait")
def async_wait():
    """Return when all ops that were started have finished: eager ops have when they return."""
    _context.async_wait()


@export("__internal__.eager_context._reset_context")
def _reset_context():
    """Forget device settings, as if the runtime had not started: for tests with other numbers of devices."""
    devices.reset()


@export("__internal__.eager_context.eager_mode")
def eager_mode():
    """Run ops at once in a `with` block, also inside a graph under construction."""
    return swapped(graph=None)


@export("__internal__.eager_context.get_config")
def get_config():
    """The runtime's settings as a ConfigProto."""
    return _context.config


@export("__internal__.eager_context.get_device_name")
def get_device_name() -> str:
    """The name of the current device scope."""
    return _context.device_name


@export("__internal__.eager_context.get_executor")
def get_executor():
    """What runs eager ops."""
    return _context.executor


# --- decorators -----------------------------------------------------------------------------------------------------


class TFDecorator:
    """What a decorator notes about the function it made: the one it wraps."""

    def __init__(self, decorator_name, target, decorator_doc="", decorator_argspec=None):
        self.decorator_name, self.decorated_target = decorator_name, target
        self.decorator_doc, self.decorator_argspec = decorator_doc, decorator_argspec

    def __call__(self, *args, **kwargs):
        return self.decorated_target(*args, **kwargs)


@export("__internal__.decorator.make_decorator")
def make_decorator(target, decorator_func, decorator_name=None, decorator_doc="", decorator_argspec=None):
    """Make `decorator_func` look like `target`, and remember `target` for `unwrap`.

    >>> f = make_decorator(len, lambda x: 0)
    >>> f.__name__, unwrap(f)[1] is len
    ('len', True)
    """
    caller: Any = inspect.currentframe()
    name = decorator_name or caller.f_back.f_code.co_name
    decorator = TFDecorator(name, target, decorator_doc, decorator_argspec)
    decorator_func._tf_decorator = decorator
    for attribute in ("__name__", "__qualname__", "__module__"):
        if hasattr(target, attribute):
            setattr(decorator_func, attribute, getattr(target, attribute))
    if getattr(target, "__dict__", None):
        # the others say what `target` itself is
        theirs = {k: v for k, v in vars(target).items() if not k.startswith("__")}
        vars(decorator_func).update(theirs | vars(decorator_func))
    decorator_func.__doc__ = decorator_doc or getattr(target, "__doc__", None)
    decorator_func.__wrapped__ = target
    if decorator_argspec:
        decorator_func.__signature__ = _as_signature(decorator_argspec, inspect.ismethod(unwrap(target)[1]))
    elif callable(target):
        with contextlib.suppress(TypeError, ValueError):  # some builtins have no signature
            decorator_func.__signature__ = inspect.signature(target)
    return decorator_func


def _as_signature(argspec: inspect.FullArgSpec | inspect.Signature, bound: bool) -> inspect.Signature:
    """The signature that an argspec describes; that of a bound method is without `self`."""
    if isinstance(argspec, inspect.Signature):
        return argspec
    kinds, empty = inspect.Parameter, inspect.Parameter.empty
    defaults = [empty] * (len(argspec.args) - len(argspec.defaults or ())) + list(argspec.defaults or ())
    parameters = [kinds(name, kinds.POSITIONAL_OR_KEYWORD, default=d)
                  for name, d in zip(argspec.args, defaults, strict=True)]
    parameters += [kinds(argspec.varargs, kinds.VAR_POSITIONAL)] if argspec.varargs else []
    keywords = argspec.kwonlydefaults or {}
    parameters += [kinds(name, kinds.KEYWORD_ONLY, default=keywords.get(name, empty)) for name in argspec.kwonlyargs]
    parameters += [kinds(argspec.varkw, kinds.VAR_KEYWORD)] if argspec.varkw else []
    return inspect.Signature(parameters[1:] if bound and argspec.args[:1] == ["self"] else parameters)


@export("__internal__.decorator.unwrap")
def unwrap(maybe_tf_decorator):
    """The decorators around a function, outermost first, and the function itself."""
    decorators, target = [], maybe_tf_decorator
    while True:
        if isinstance(target, TFDecorator):
            decorators.append(target)
        elif isinstance(getattr(target, "_tf_decorator", None), TFDecorator):
            decorators.append(target._tf_decorator)
        elif isinstance(target, Function):
            decorators.append(TFDecorator("tf.function", target.python_function))
        else:
            return decorators, target
        target = decorators[-1].decorated_target


# --- facts about the runtime -----------------------------------------------------------------------------------------


@export("__internal__.ops.is_resource_variable")
def is_resource_variable(var) -> bool:
    """Whether `var` is a variable, or acts as one."""
    return isinstance(var, Variable) or getattr(var, "_should_act_as_resource_variable", False)


@export("__internal__.monitoring.BoolGauge")
class BoolGauge:
    """A counter that TensorFlow reports about itself. Reflow reports nothing."""

    def __init__(self, *args):
        self._value = False

    def get_cell(self, *labels):
        return self

    def set(self, value):
        self._value = value

    def value(self):
        return self._value


# --- private homes: type specs, datasets, CSR matrices ---------------------------------------------------------


_spec_names: dict = {}
_spec_classes: dict = {}


@export("__internal__.type_spec_registry.register")
def register_type_spec(name: str):
    """A decorator that gives a TypeSpec class a name for files."""
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")

    def decorate(cls):
        if not (isinstance(cls, type) and issubclass(cls, specs.TypeSpec)):
            raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
        if cls in _spec_names:
            raise ValueError(
                f"Class {cls.__module__}.{cls.__name__} has already been registered with name {_spec_names[cls]}."
            )
        if name in _spec_classes:
            raise ValueError(
                f"Name {name} has already been registered for class {_spec_classes[name].__module__}."
                f"{_spec_classes[name].__name__}."
            )
        _spec_names[cls], _spec_classes[name] = name, cls
        return cls

    return decorate


@export("__internal__.type_spec_registry.lookup")
def lookup_type_spec(name: str):
    """The TypeSpec class of a name."""
    if not isinstance(name, str):
        raise TypeError(f"Expected `name` to be a string; got {name!r}")
    if name not in _spec_classes:
        raise ValueError(f"No TypeSpec has been registered with name {name!r}")
    return _spec_classes[name]


@export("__internal__.type_spec_registry.get_name")
def type_spec_name(cls):
    """The registered name of a TypeSpec class."""
    if not (isinstance(cls, type) and issubclass(cls, specs.TypeSpec)):
        raise TypeError(f"Expected `cls` to be a TypeSpec; got {cls!r}")
    if cls not in _spec_names:
        raise ValueError(f"TypeSpec {cls.__module__}.{cls.__name__} has not been registered.")
    return _spec_names[cls]


register_type_spec("tf.TensorSpec")(specs.TensorSpec)
register_type_spec("tf.IndexedSlicesSpec")(IndexedSlicesSpec)
register_type_spec("tf.SparseTensorSpec")(SparseTensorSpec)
register_type_spec("tf.RaggedTensorSpec")(RaggedTensorSpec)


class _CsrMatrix:
    """A sparse matrix on its way through a product."""

    def __init__(self, tensor):
        self.tensor = tensor


@export("__internal__.sparse_csr.sparse_tensor_to_csr_sparse_matrix")
def sparse_tensor_to_csr_sparse_matrix(indices, values, dense_shape, name=None):
    """A sparse tensor as a matrix for `sparse_matrix_sparse_mat_mul`."""
    return _CsrMatrix(SparseTensor(indices, values, dense_shape))


@export("__internal__.sparse_csr.sparse_matrix_sparse_mat_mul")
def sparse_matrix_sparse_mat_mul(
    a, b, type, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, name=None
):
    """The product of two sparse matrices, or of two batches of them."""
    a, b = _turned(a.tensor, transpose_a, adjoint_a), _turned(b.tensor, transpose_b, adjoint_b)
    parts = (a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape)
    attrs = {"T_indices": dtypes.int64, "T_values": a.dtype, "T_shape": dtypes.int64}
    return _CsrMatrix(SparseTensor(*call("Reflow>SparseSparseMatMul", parts, attrs)))


def _turned(x, transpose, adjoint):
    """The last two axes exchanged, and for `adjoint` conjugated."""
    if not (transpose or adjoint):
        return x
    rank = x.shape.rank
    x = tensors.transpose(x, [*range(rank - 2), rank - 1, rank - 2])
    return x.with_values(unary.conj(x.values)) if adjoint else x


@export("__internal__.sparse_csr.csr_sparse_matrix_to_sparse_tensor")
def csr_sparse_matrix_to_sparse_tensor(sparse_matrix, type, name=None):
    """Back to a sparse tensor."""
    return sparse_matrix.tensor
