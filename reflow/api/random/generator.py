"""`tf.random.Generator`: a stream of random numbers whose position is an ordinary variable.

The state is int64[3]: a 128-bit Philox counter, then the key (for ThreeFry int64[2]; as in TensorFlow, drawing from it
needs XLA on a TPU). Drawing n numbers reads the state, advances the counter by 256 n (`RngReadAndSkip`) and passes the
old state to a stateless op; so it is saved, restored and traced like any variable.
"""

from __future__ import annotations

import contextlib

from reflow.api.call import call
from reflow.api.export import export
from reflow.api.random.sampling import Algorithm, algorithm_number, shape_tensor
from reflow.core import context, dtypes
from reflow.core.properties import read_only
from reflow.ops.convert import constant, convert_to_tensor
from reflow.tracking.trackable import AutoTrackable

_WORD = 1 << 64


def _variable_class():
    from reflow.eager.variables import Variable

    return Variable


def _name_scope():
    """In functions, and only there, TensorFlow puts the state's name below another."""
    graph = context.state.graph
    return contextlib.nullcontext() if graph is None else graph.scope("random_generator")


def _state_size(alg) -> int:
    return 2 if alg == Algorithm.THREEFRY.value else 3


def _signed(n: int) -> int:
    n %= _WORD
    return n - _WORD if n >= _WORD // 2 else n


@export("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed, alg):
    """The state of a generator, int64[3], from a seed: an integer, split into words, or up to three integers.

    >>> create_rng_state(5, "philox").numpy()
    array([5, 0, 0])
    """
    state_size = _state_size(algorithm_number(alg))
    if isinstance(seed, int):
        return constant([_signed(seed >> 64 * i) for i in range(state_size)], dtypes.int64)
    if isinstance(seed, (list, tuple)) and all(isinstance(s, int) for s in seed):
        words = [_signed(s) for s in seed][:state_size]
        return constant([0] * (state_size - len(words)) + words, dtypes.int64)
    seed = call("Reshape", (_as_int64(seed), constant([-1])))
    size = seed.shape[0]
    if size is None:
        raise ValueError(f"The seed of a generator must have a known number of elements. Received: seed={seed}")
    seed = call("Slice", (seed, constant([0]), constant([min(size, state_size)])))
    return call("PadV2", (seed, constant([[max(0, state_size - size), 0]]), constant(0, dtypes.int64)))


def _as_int64(value):
    value = convert_to_tensor(value)
    return value if value.dtype is dtypes.int64 else call("Cast", (value,), {"DstT": dtypes.int64})


@export("random.Generator", "random.experimental.Generator")
class Generator(AutoTrackable):
    """Random numbers from a state that advances with each draw.

    >>> g = Generator.from_seed(5)
    >>> g.normal([2]).numpy().round(4)
    array([1.0279, 0.2797], dtype=float32)
    """

    def __init__(self, copy_from=None, state=None, alg=None):
        if copy_from is not None:
            if state is not None or alg is not None:
                raise AssertionError("`copy_from` cannot be given together with `state` or `alg`.")
            state, alg = copy_from.state, copy_from.algorithm
        elif state is None or alg is None:
            raise AssertionError("Generator needs `copy_from`, or both `state` and `alg`.")
        variable = _variable_class()
        self._alg = algorithm_number(alg)
        if isinstance(state, variable) and copy_from is None:
            self._state_var = state
        else:
            value = _as_int64(state)
            _check_state(value.shape, self._alg)
            with _name_scope():
                self._state_var = variable(value, dtype=dtypes.int64, trainable=False, name="StateVar")

    @classmethod
    def from_state(cls, state, alg):
        """A generator that continues from a state, a vector or a variable that is then shared."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed, alg=None):
        """A generator from a seed; the same seed gives the same numbers."""
        alg = Algorithm.PHILOX if alg is None else alg
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        """A generator that starts where the operating system says."""
        alg = Algorithm.PHILOX if alg is None else alg
        size = constant([_state_size(algorithm_number(alg))], dtypes.int64)
        return cls(state=call("NonDeterministicInts", (size,), {"dtype": dtypes.int64}), alg=alg)

    @classmethod
    def from_key_counter(cls, key, counter, alg):
        """A generator from a key (a number) and a counter (two numbers; one for ThreeFry)."""
        return cls(state=_key_counter_state(key, counter, algorithm_number(alg)), alg=alg)

    state = read_only("_state_var", "The variable that holds the state.")
    algorithm = read_only("_alg", "The number of the algorithm: 1 is Philox.")

    @property
    def key(self):
        """The key, a scalar: equal keys and counters mean equal numbers."""
        return self._state_var[-1]

    def reset(self, state):
        """Continue from another state."""
        state = _as_int64(state)
        _check_state(state.shape, self._alg)
        self._state_var.assign(state)

    def reset_from_seed(self, seed):
        self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key, counter):
        self._state_var.assign(_key_counter_state(key, counter, self._alg))

    def skip(self, delta):
        """Move on as if `delta` numbers had been drawn; returns the state before."""
        delta = convert_to_tensor(delta)
        if delta.dtype is not dtypes.uint64:
            delta = call("Cast", (delta,), {"DstT": dtypes.uint64})
        return call("RngReadAndSkip", (self._state_var.handle, constant(self._alg, dtypes.int32), delta))

    def _draw(self, op_name, shape, bounds=(), attrs=None, name=None):
        shape = shape_tensor(shape)
        count = call("Prod", (shape, constant([0])), {"keep_dims": False})
        state = call("Bitcast", (self.skip(count),), {"type": dtypes.uint64})
        counter = call("Slice", (state, constant([0]), constant([2])))
        key = call("Slice", (state, constant([2]), constant([1])))
        return call(op_name, (shape, key, counter, constant(self._alg, dtypes.int32), *bounds), attrs or {}, name)

    def _scaled(self, op_name, shape, mean, stddev, dtype, name):
        dtype = dtypes.as_dtype(dtype)
        samples = self._draw(op_name, shape, attrs={"dtype": dtype})
        scaled = call("Mul", (samples, convert_to_tensor(stddev, dtype)))
        return call("AddV2", (scaled, convert_to_tensor(mean, dtype)), label=name)

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
        """Normally distributed numbers."""
        return self._scaled("StatelessRandomNormalV2", shape, mean, stddev, dtype, name)

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
        """Normally distributed numbers within two deviations of the mean."""
        return self._scaled("StatelessTruncatedNormalV2", shape, mean, stddev, dtype, name)

    def uniform(self, shape, minval=0, maxval=None, dtype=dtypes.float32, name=None):
        """Evenly distributed numbers of `[minval, maxval)`; for integers without bounds, of the whole range."""
        dtype = dtypes.as_dtype(dtype)
        if dtype.is_integer:
            if (minval is None) != (maxval is None):
                raise ValueError(
                    f"For integer dtype {dtype}, minval and maxval must be both `None` or both non-`None`; got "
                    f"minval={minval} and maxval={maxval}"
                )
            if minval is None:
                return self.uniform_full_int(shape, dtype, name)
            bounds = convert_to_tensor(minval, dtype), convert_to_tensor(maxval, dtype)
            return self._draw("StatelessRandomUniformIntV2", shape, bounds, name=name)
        low, high = convert_to_tensor(minval, dtype), convert_to_tensor(1 if maxval is None else maxval, dtype)
        samples = self._draw("StatelessRandomUniformV2", shape, attrs={"dtype": dtype})
        return call("AddV2", (call("Mul", (samples, call("Sub", (high, low)))), low), label=name)

    def uniform_full_int(self, shape, dtype=dtypes.uint64, name=None):
        """Integers of the whole range of `dtype`."""
        return self._draw("StatelessRandomUniformFullIntV2", shape, attrs={"dtype": dtypes.as_dtype(dtype)}, name=name)

    def binomial(self, shape, counts, probs, dtype=dtypes.int32, name=None):
        """The number of successes among `counts` trials that succeed with `probs`."""
        dtype = dtypes.as_dtype(dtype)
        counts = convert_to_tensor(counts)
        probs = convert_to_tensor(probs, counts.dtype)
        inputs = self._state_var.handle, constant(self._alg, dtypes.int64), shape_tensor(shape), counts, probs
        return call("StatefulRandomBinomial", inputs, {"dtype": dtype}, name)

    def make_seeds(self, count=1):
        """Seeds for stateless ops, int64[2, count]."""
        keys = self.uniform_full_int([count], dtypes.int64)
        return call("Pack", (keys, call("ZerosLike", (keys,))), {"N": 2, "axis": 0})

    def split(self, count=1):
        """`count` new generators with keys drawn from this one."""
        keys = call("Unpack", (self.uniform_full_int([count], dtypes.int64),), {"num": count, "axis": 0})
        zero = constant(0, dtypes.int64)
        return [Generator(state=call("Pack", (zero, zero, key), {"N": 3, "axis": 0}), alg=self._alg) for key in keys]


def _check_state(shape, alg):
    if shape.as_list() != [_state_size(alg)]:
        raise ValueError(f"Shapes {shape} and [{_state_size(alg)}] are incompatible")


def _key_counter_state(key, counter, alg):
    counter, key = _as_int64(counter), _as_int64(key)
    if counter.shape.as_list() != [_state_size(alg) - 1]:
        raise ValueError(f"The counter of a generator has {_state_size(alg) - 1} numbers. Received: counter={counter}")
    key = call("Reshape", (key, constant([1])))
    return call("ConcatV2", (counter, key, constant(0)), {"N": 2})


_global: Generator | None = None


@export("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator():
    """The global generator; created from the operating system's randomness on first use.

    >>> tf.random.get_global_generator().normal([2]).shape
    TensorShape([2])
    """
    global _global
    if _global is None:
        _global = Generator.from_non_deterministic_state()
    return _global


@export("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator):
    """Replace the global generator. Functions traced before keep the old one.

    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(7))
    >>> tf.random.get_global_generator().normal([2]).shape
    TensorShape([2])
    """
    global _global
    _global = generator
