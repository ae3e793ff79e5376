"""`Distribution`: the base of all distributions.

A distribution has a *batch* of parameters, of their broadcast shape, and *events*: one draw of one member has the event
shape. A subclass defines some of `_sample_n`, `_log_prob` or `_prob`, `_cdf` or `_log_cdf`, `_mean`, `_variance` or
`_stddev` and so on; the public methods are derived from those.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from reflow.api.array import arrange
from reflow.api.debugging import types
from reflow.api.export import export, export_value
from reflow.api.framework.core_names import control_dependencies
from reflow.api.linalg import diag, products
from reflow.api.math import arithmetic, reduce, unary
from reflow.compat.distributions import divergence
from reflow.compat.name_scopes import name_scope
from reflow.core import dtypes
from reflow.core.properties import shown
from reflow.core.shapes import TensorShape
from reflow.ops.convert import convert_to_tensor


@export("compat.v1.distributions.ReparameterizationType")
class ReparameterizationType:
    """Whether gradients go through samples to the parameters.

    >>> tf.compat.v1.distributions.FULLY_REPARAMETERIZED
    <Reparameterization Type: FULLY_REPARAMETERIZED>
    """

    def __init__(self, rep_type: str) -> None:
        self._rep_type = rep_type

    def __repr__(self) -> str:
        return f"<Reparameterization Type: {self._rep_type}>"

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


FULLY_REPARAMETERIZED = export_value(
    ReparameterizationType("FULLY_REPARAMETERIZED"), "compat.v1.distributions.FULLY_REPARAMETERIZED"
)
NOT_REPARAMETERIZED = export_value(
    ReparameterizationType("NOT_REPARAMETERIZED"), "compat.v1.distributions.NOT_REPARAMETERIZED"
)


def derived_seed(seed: int | None, salt: str) -> int | None:
    """A second seed for a sample that draws twice."""
    return None if seed is None else int(hashlib.md5(f"{seed}{salt}".encode()).hexdigest()[:8], 16) & 0x7FFFFFFF


def checked(value: Any, checks: Sequence[Callable[[], Any]], wanted: bool) -> Any:
    """A value that waits for checks, if arguments are to be validated."""
    with control_dependencies([check() for check in checks] if wanted else []):
        return arrange.identity(value)


def outer_covariance(x: Any, y: Any, variance: Any) -> Any:
    """The covariance of counts or proportions: minus the outer product, with the variances on the diagonal."""
    return diag.set_diag(-products.matmul(x[..., None], y[..., None, :]), variance)


def floats(*values: Any) -> list[Any]:
    """Parameters as tensors of their common floating dtype: float64 arrays stay float64, integers are rejected."""
    tensors = [convert_to_tensor(value) for value in values]
    types.assert_same_float_dtype(tensors)
    return tensors


def nan_unless(condition: Any, value: Any) -> Any:
    """A value where a condition holds, NaN elsewhere."""
    return arithmetic.where(condition, value, convert_to_tensor(float("nan"), value.dtype))


def _missing(name: str) -> Any:
    """A method that a subclass may give."""

    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(f"{name} is not implemented: {type(self).__name__}")

    return method


def _in_scope(label: str, doc: str, compute: Callable[[Any], Any]) -> Any:
    """A method without arguments, in a name scope of its name."""

    def method(self, name: str = label) -> Any:
        with self._name_scope(name):
            return compute(self)

    method.__name__, method.__qualname__, method.__doc__ = label, f"Distribution.{label}", doc
    return method


def _shape_tensor(part: str, doc: str) -> Any:
    """The method that returns the shape of the batch or of one event."""

    def compute(distribution: Any) -> Any:
        shape = getattr(distribution, f"{part}_shape")
        if shape.is_fully_defined():
            return convert_to_tensor(shape.as_list(), dtypes.int32)
        return getattr(distribution, f"_{part}_shape_tensor")()

    return _in_scope(f"{part}_shape_tensor", doc, compute)


def _is_scalar(part: str, doc: str) -> Any:
    """The method that says whether this shape has no axes."""

    def compute(distribution: Any) -> Any:
        shape = getattr(distribution, f"{part}_shape")
        if shape.rank is not None:
            return convert_to_tensor(shape.rank == 0)
        return arithmetic.equal(arrange.size(getattr(distribution, f"{part}_shape_tensor")()), 0)

    return _in_scope(f"is_scalar_{part}", doc, compute)


def _same(value: Any) -> Any:
    return value


@export("compat.v1.distributions.Distribution")
class Distribution:
    """The base of distributions.

    >>> normal = tf.compat.v1.distributions.Normal(loc=[0.0, 1.0], scale=1.0)
    >>> normal.batch_shape, normal.event_shape
    (TensorShape([2]), TensorShape([]))
    """

    EVENT_DIMS = 0
    PARAMETERS: tuple[str, ...] = ()  # names of parameters that have the shape of one draw
    _shaped_by: tuple = ()  # parameters of which the batch shape, and event dimensions after it, follow

    def __init__(
        self, dtype, reparameterization_type, validate_args, allow_nan_stats, parameters=None, graph_parents=None,
        name=None,
    ):
        self._dtype, self._reparameterization_type = dtype, reparameterization_type
        self._validate_args, self._allow_nan_stats = validate_args, allow_nan_stats
        self._given = dict(parameters or {})
        self._graph_parents = list(graph_parents or ())
        with name_scope(name or type(self).__name__) as scope:
            self._name = scope

    name, dtype, reparameterization_type = shown("name", "dtype", "reparameterization_type")
    validate_args, allow_nan_stats = shown("validate_args", "allow_nan_stats")

    @property
    def parameters(self) -> dict:
        """The arguments that made the distribution."""
        return {k: v for k, v in self._given.items() if not k.startswith("__") and k != "self"}

    def copy(self, **override_parameters_kwargs: Any) -> Any:
        """The same distribution with other arguments."""
        return type(self)(**self.parameters | override_parameters_kwargs)

    @classmethod
    def param_shapes(cls, sample_shape: Any, name: str = "DistributionParamShapes") -> dict:
        """The shapes of the parameters with which one draw has this shape."""
        with name_scope(name):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape: Any) -> dict:
        """`param_shapes` for a shape that is known."""
        if isinstance(sample_shape, TensorShape) and not sample_shape.is_fully_defined():
            raise ValueError("TensorShape sample_shape must be fully defined")
        size = TensorShape(sample_shape).as_list() if isinstance(sample_shape, TensorShape) else list(sample_shape)
        return {name: TensorShape(size) for name in cls._param_shapes(size)}

    @classmethod
    def _param_shapes(cls, sample_shape: Any) -> dict:
        if not cls.PARAMETERS:
            raise NotImplementedError("_param_shapes not implemented")
        return {name: convert_to_tensor(sample_shape, dtypes.int32) for name in cls.PARAMETERS}

    # --- shapes

    def _batch_shape(self) -> TensorShape:
        shape = TensorShape([])
        for parameter in self._shaped_by:
            shape = arrange.broadcast_static_shape(shape, parameter.shape)
        return shape[: shape.rank - self.EVENT_DIMS] if self.EVENT_DIMS and shape.rank is not None else shape

    def _batch_shape_tensor(self) -> Any:
        shape = convert_to_tensor([], dtypes.int32)
        for parameter in self._shaped_by:
            shape = arrange.broadcast_dynamic_shape(shape, arrange.shape(parameter))
        return shape[: arrange.size(shape) - self.EVENT_DIMS] if self.EVENT_DIMS else shape

    def _event_shape(self) -> TensorShape:
        return TensorShape([]) if not self.EVENT_DIMS else self._shaped_by[-1].shape[-1:]

    def _event_shape_tensor(self) -> Any:
        return convert_to_tensor([], dtypes.int32) if not self.EVENT_DIMS else arrange.shape(self._shaped_by[-1])[-1:]

    batch_shape = property(lambda self: self._batch_shape(), doc="The shape of the batch, as far as it is known.")
    event_shape = property(lambda self: self._event_shape(), doc="The shape of one event, as far as it is known.")

    batch_shape_tensor = _shape_tensor("batch", "The shape of the batch as a tensor.")
    event_shape_tensor = _shape_tensor("event", "The shape of one event as a tensor.")
    is_scalar_event = _is_scalar("event", "Whether an event is one number.")
    is_scalar_batch = _is_scalar("batch", "Whether there is one member.")

    # --- samples

    def sample(self, sample_shape: Any = (), seed: int | None = None, name: str = "sample") -> Any:
        """Draws, of shape `sample_shape` + batch shape + event shape."""
        with self._name_scope(name):
            wanted = arrange.reshape(convert_to_tensor(sample_shape, dtypes.int32), [-1])
            drawn = self._sample_n(reduce.reduce_prod(wanted), seed)
            result = arrange.reshape(drawn, arrange.concat([wanted, arrange.shape(drawn)[1:]], 0))
            with contextlib.suppress(ValueError, TypeError):
                static = TensorShape(sample_shape if isinstance(sample_shape, (list, tuple)) else [sample_shape])
                result.set_shape(static.concatenate(self.batch_shape).concatenate(self.event_shape))
            return result

    def _with_batch(self, n: Any) -> Any:
        """The shape of n samples."""
        return arrange.concat([[n], self.batch_shape_tensor()], 0)

    # --- what a subclass gives

    _sample_n, _log_prob, _prob = _missing("sample_n"), _missing("log_prob"), _missing("prob")
    _cdf, _log_cdf, _quantile = _missing("cdf"), _missing("log_cdf"), _missing("quantile")
    _survival_function, _log_survival_function = _missing("survival_function"), _missing("log_survival_function")
    _mean, _mode, _variance, _stddev = _missing("mean"), _missing("mode"), _missing("variance"), _missing("stddev")
    _covariance, _entropy = _missing("covariance"), _missing("entropy")

    # --- what follows from it

    @contextlib.contextmanager
    def _name_scope(self, name: str | None = None, values: Any = None) -> Iterator[Any]:
        with name_scope(self._name), name_scope(name) as scope:
            yield scope

    def _has(self, *names: str) -> str | None:
        """The first of some methods that the subclass gives."""
        return next((n for n in names if getattr(type(self), f"_{n}") is not getattr(Distribution, f"_{n}")), None)

    def _of_value(self, value: Any, name: str, **ways: Callable[[Any], Any]) -> Any:
        """A function of values: from the first available method of `ways`, and a transformation of its result."""
        with self._name_scope(name):
            value = convert_to_tensor(value, dtype_hint=self._dtype)
            found = self._has(*ways)
            if found is None:
                raise NotImplementedError(f"{next(iter(ways))} is not implemented: {type(self).__name__}")
            return ways[found](getattr(self, f"_{found}")(value))

    def log_prob(self, value: Any, name: str = "log_prob") -> Any:
        """The logarithm of the density, or of the chance, of values."""
        return self._of_value(value, name, log_prob=_same, prob=unary.log)

    def prob(self, value: Any, name: str = "prob") -> Any:
        """The density, or the chance, of values."""
        return self._of_value(value, name, prob=_same, log_prob=unary.exp)

    def cdf(self, value: Any, name: str = "cdf") -> Any:
        """The chance of at most these values."""
        return self._of_value(value, name, cdf=_same, log_cdf=unary.exp)

    def log_cdf(self, value: Any, name: str = "log_cdf") -> Any:
        """The logarithm of `cdf`."""
        return self._of_value(value, name, log_cdf=_same, cdf=unary.log)

    def survival_function(self, value: Any, name: str = "survival_function") -> Any:
        """The chance of more than these values."""
        return self._of_value(
            value, name, survival_function=_same, cdf=lambda p: 1.0 - p, log_cdf=lambda p: -unary.expm1(p),
        )

    def log_survival_function(self, value: Any, name: str = "log_survival_function") -> Any:
        """The logarithm of `survival_function`."""
        return self._of_value(
            value, name, log_survival_function=_same, cdf=lambda p: unary.log1p(-p),
            log_cdf=lambda p: unary.log1p(-unary.exp(p)),
        )

    def quantile(self, value: Any, name: str = "quantile") -> Any:
        """The values below which these shares lie."""
        return self._of_value(value, name, quantile=_same)

    def _moment(self, name: str, **ways: Callable[[Any], Any]) -> Any:
        with self._name_scope(name):
            found = self._has(*ways)
            if found is None:
                raise NotImplementedError(f"{next(iter(ways))} is not implemented: {type(self).__name__}")
            return ways[found](getattr(self, f"_{found}")())

    def mean(self, name: str = "mean") -> Any:
        """The mean."""
        return self._moment(name, mean=_same)

    def mode(self, name: str = "mode") -> Any:
        """The likeliest value."""
        return self._moment(name, mode=_same)

    def variance(self, name: str = "variance") -> Any:
        """The variance."""
        return self._moment(name, variance=_same, stddev=unary.square)

    def stddev(self, name: str = "stddev") -> Any:
        """The standard deviation."""
        return self._moment(name, stddev=_same, variance=unary.sqrt)

    def covariance(self, name: str = "covariance") -> Any:
        """The covariance of the numbers of an event."""
        return self._moment(name, covariance=_same)

    def entropy(self, name: str = "entropy") -> Any:
        """The entropy in nats."""
        return self._moment(name, entropy=_same)

    def cross_entropy(self, other: Any, name: str = "cross_entropy") -> Any:
        """The cross entropy with another distribution: this one's entropy plus the divergence."""
        with self._name_scope(name):
            return divergence.cross_entropy(self, other, self._allow_nan_stats)

    def kl_divergence(self, other: Any, name: str = "kl_divergence") -> Any:
        """How much another distribution differs from this one, `KL(self || other)`."""
        with self._name_scope(name):
            return divergence.kl_divergence(self, other, self._allow_nan_stats)

    def __str__(self) -> str:
        return (
            f'tfp.distributions.{type(self).__name__}("{self.name}", batch_shape={self.batch_shape}, '
            f'event_shape={self.event_shape}, '
            f"dtype={self.dtype.name})"
        )

    def __repr__(self) -> str:
        return (
            f"<tfp.distributions.{type(self).__name__} '{self.name}' batch_shape={self.batch_shape} "
            f"event_shape={self.event_shape} dtype={self.dtype.name}>"
        )
