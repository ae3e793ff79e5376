"""`tensorflow.python.ops.init_ops_v2`: initializers that are called with a shape and a dtype, before Keras had them."""

from __future__ import annotations

from typing import Any

from reflow.api.initializers import Initializer
from reflow.compat import initializers as version_1
from reflow.core import dtypes
from reflow.core.dtypes import as_dtype

_PARTITION = ("partition_shape", "partition_offset")


class _Scaled(Initializer):
    """An initializer whose numbers are those of one of version 1, which has the same arguments beside a dtype."""

    _kind: type[version_1.Initializer]
    _fixed: tuple[str, ...] = ()
    _in_parts = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._values = self._kind(*args, **kwargs)
        for name, value in self._values.get_config().items():
            if name != "dtype":
                setattr(self, name, value)

    def __call__(self, shape: Any, dtype: Any = dtypes.float32, **kwargs: Any) -> Any:
        for name in kwargs:
            if name not in _PARTITION:
                raise TypeError(f"Keyword argument should be one of {list(_PARTITION)}. Received: {name}")
            if not self._in_parts:
                raise ValueError(f"{type(self).__name__} initializer doesn't support partition-related arguments")
        dtype = as_dtype(dtype)
        if not dtype.is_floating:
            raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {dtype}.")
        self._values._whole = [int(size) for size in shape]  # decides the scale, also of a part
        return self._values.values([int(size) for size in kwargs.get("partition_shape", shape)], dtype)

    def get_config(self) -> dict[str, Any]:
        return {
            name: value for name, value in self._values.get_config().items()
            if name != "dtype" and name not in self._fixed
        }


class TruncatedNormal(_Scaled):
    """Normal samples; those beyond two deviations are drawn again."""

    _kind = version_1.TruncatedNormal

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        super().__init__(mean, stddev, seed)


class VarianceScaling(_Scaled):
    """Samples with variance `scale` over the number of inputs (fan_in), of outputs (fan_out), or the mean (fan_avg)."""

    _kind = version_1.VarianceScaling

    def __init__(
        self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "truncated_normal", seed: int | None = None
    ) -> None:
        known = ("uniform", "truncated_normal", "untruncated_normal")
        distribution = "truncated_normal" if distribution.lower() == "normal" else distribution.lower()
        if scale > 0.0 and mode in ("fan_in", "fan_out", "fan_avg") and distribution not in known:
            raise ValueError(f"Argument `distribution` should be one of {known}. Received: {distribution}")
        super().__init__(scale, mode, distribution, seed)


class Orthogonal(_Scaled):
    """A random matrix with orthogonal columns or rows; all axes but the last are flattened."""

    _kind = version_1.Orthogonal
    _in_parts = False

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        super().__init__(gain, seed)


class Identity(_Scaled):
    """The identity matrix, times `gain`."""

    _kind = version_1.Identity
    _in_parts = False

    def __init__(self, gain: float = 1.0) -> None:
        super().__init__(gain)


class GlorotUniform(VarianceScaling):
    """Glorot's uniform initializer: within ±√(6 / (inputs + outputs))."""

    _fixed = ("scale", "mode", "distribution")

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed)


class GlorotNormal(VarianceScaling):
    """Glorot's normal initializer, with the variance 2 / (inputs + outputs)."""

    _fixed = ("scale", "mode", "distribution")

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed)


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Normal with the variance 1 / inputs."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform with the variance 1 / inputs."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


def he_normal(seed: int | None = None) -> VarianceScaling:
    """Normal with the variance 2 / inputs."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform with the variance 2 / inputs."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


truncated_normal = truncated_normal_initializer = TruncatedNormal
variance_scaling_initializer = VarianceScaling
orthogonal = orthogonal_initializer = Orthogonal
identity = identity_initializer = Identity
glorot_uniform = glorot_uniform_initializer = GlorotUniform
glorot_normal = glorot_normal_initializer = GlorotNormal
