"""`tf.data.Options`: typed, nested settings of a dataset.

Options are written into the graph as TensorFlow's `Options` proto (the attribute `serialized_options`). Each option
class lists its fields as `name: (field number, type)`; a missing value is `None`. They change no element: they choose
the rewrites of a pipeline, the threads and the memory that it may use (`engine/rewrites.py`), whether parallel stages
keep the order, how it is divided between workers, and what is said when its position is saved.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable
from typing import Any

from reflow.api.export import export
from reflow.core.logging import warn
from reflow.core.properties import read_write
from reflow.io import varint


@export("data.experimental.AutotuneAlgorithm")
class AutotuneAlgorithm(enum.Enum):
    """Names ways of tuning parallelism. The choice is only recorded in the options: Reflow tunes in one way.

    Attributes:
      DEFAULT: The runtime's choice.
      HILL_CLIMB: Change one parameter at a time as long as that helps.
      GRADIENT_DESCENT: Follow an estimated gradient of the time per element.
      MAX_PARALLELISM: Use as much parallelism as there is.
      STAGE_BASED: Begin with the slowest stage.

    >>> [algorithm.name for algorithm in tf.data.experimental.AutotuneAlgorithm][:2]
    ['DEFAULT', 'HILL_CLIMB']
    """

    DEFAULT, HILL_CLIMB, GRADIENT_DESCENT, MAX_PARALLELISM, STAGE_BASED = range(5)


@export("data.experimental.AutoShardPolicy")
class AutoShardPolicy(enum.IntEnum):
    """Says how a distributed dataset is divided between workers.

    Attributes:
      OFF: Every worker reads the whole dataset.
      AUTO: By files if there are enough, otherwise by elements.
      FILE: By input files.
      DATA: By elements: every worker keeps its share.
      HINT: Where the dataset calls `shard(tf.data.experimental.SHARD_HINT, ...)`.

    >>> tf.data.experimental.AutoShardPolicy.DATA.value
    2
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


@export("data.experimental.ExternalStatePolicy")
class ExternalStatePolicy(enum.Enum):
    """Says what happens to state outside the pipeline, which cannot be saved, when an iterator is saved.

    Attributes:
      WARN: Warn and continue.
      IGNORE: Continue.
      FAIL: Raise an error.

    >>> [policy.name for policy in tf.data.experimental.ExternalStatePolicy]
    ['WARN', 'IGNORE', 'FAIL']
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2


#: makes the class of a protobuf message of this file's proto from its name; a higher layer, which has them, installs it
_messages: Callable[[str], Any] | None = None


def install_messages(find: Callable[[str], Any]) -> None:
    """Tell options where the classes of their messages are."""
    global _messages
    _messages = find


def _option(name: str, kind: type, default):
    def get(self):
        if name not in self._options:
            self._options[name] = default()
        return self._options[name]

    def put(self, value):
        if not isinstance(value, kind):
            raise TypeError(f'Property "{name}" must be of type {kind}, got: {value} (type: {type(value)})')
        self._options[name] = value

    return property(get, put)


class OptionsBase:
    """A set of typed options; setting an unknown one raises AttributeError."""

    _fields: dict[str, tuple[int, type]] = {}
    _defaults: dict = {}

    def __init_subclass__(cls):
        cls._in_order = sorted((number, name) for name, (number, _) in cls._fields.items())
        for name, (_, kind) in cls._fields.items():
            default = cls._defaults.get(name, kind if issubclass(kind, OptionsBase) else type(None))
            setattr(cls, name, _option(name, kind, default))

    _in_order: list[tuple[int, str]]  # the fields by their numbers in the proto
    _options: dict[str, Any]
    _mutable: bool

    def __init__(self):
        object.__setattr__(self, "_options", {})
        object.__setattr__(self, "_mutable", True)

    def __setattr__(self, name, value):
        if not self._mutable:
            raise ValueError(
                "Mutating `tf.data.Options()` returned by `tf.data.Dataset.options()` has no effect. Use "
                "`tf.data.Dataset.with_options(options)` to set or update dataset options."
            )
        if not hasattr(self, name):
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)

    def __eq__(self, other):
        if not isinstance(other, type(self)):
            return NotImplemented
        return all(getattr(self, n) == getattr(other, n) for n in self._options.keys() | other._options.keys())

    __hash__ = None  # type: ignore[assignment]

    def _set_mutable(self, mutable: bool) -> None:
        object.__setattr__(self, "_mutable", mutable)
        for name, (_, kind) in self._fields.items():
            if issubclass(kind, OptionsBase):
                getattr(self, name)._set_mutable(mutable)

    def _to_proto(self) -> Any:
        """These options as a protobuf message."""
        if _messages is None:
            raise ImportError("The messages of options are those of the drop-in, which is not installed.")
        return _messages(type(self).__name__).FromString(self._serialize())

    def _from_proto(self, pb: Any) -> None:
        """Set the options that a protobuf message has."""
        self._read(pb.SerializeToString())

    def _merged(self, other):
        """A new object; where both set an option, `other` wins, with a warning."""
        result, default = type(self)(), type(self)()
        for options in (self, other):
            for name in options._options:
                new, old, unset = getattr(options, name), getattr(result, name), getattr(default, name)
                if new == unset:
                    continue
                if old == unset:
                    setattr(result, name, new)
                elif isinstance(old, OptionsBase):
                    setattr(result, name, old._merged(new))
                elif name == "framework_type":
                    setattr(result, name, old + new)
                elif old != new:
                    warn("Changing the value of option %s from %r to %r.", name, old, new)
                    setattr(result, name, new)
        return result

    def _serialize(self) -> bytes:
        """The proto's bytes: set fields in the order of their numbers."""
        if not self._options:
            return self._unset_bytes()
        out = b""
        for number, name in self._in_order:
            value = getattr(self, name)
            if isinstance(value, OptionsBase):
                body = value._serialize()
                out += varint.encode(number << 3 | 2) + varint.encode(len(body)) + body
            elif isinstance(value, (str, list)):
                for text in [value] if isinstance(value, str) else value:
                    out += varint.encode(number << 3 | 2) + varint.encode(len(text.encode())) + text.encode()
            elif value is not None:
                out += varint.encode(number << 3) + varint.encode(
                    value.value if isinstance(value, enum.Enum) else int(value)
                )
        return out

    @classmethod
    @functools.cache
    def _unset_bytes(cls) -> bytes:
        """The bytes of options of which none was read or set: most have many such parts."""
        options = cls()
        for name in cls._fields:
            getattr(options, name)
        return options._serialize()

    @classmethod
    def _parsed(cls, data: bytes):
        """The options that `_serialize` wrote. Of protos put together, later fields win; those of other versions are
        passed over.

        Raises:
          ValueError: if it is not a proto.
        """
        options = cls()
        options._read(data)
        return options

    def _read(self, data: bytes) -> None:
        names = {number: (name, kind) for name, (number, kind) in self._fields.items()}
        for number, value in varint.fields(data):
            name, kind = names.get(number, ("", None))
            if kind is None or issubclass(kind, (OptionsBase, list, str)) != isinstance(value, bytes):
                continue
            if isinstance(value, int):
                setattr(self, name, kind(value - (1 << 64) if value >> 63 else value))
            elif issubclass(kind, OptionsBase):
                getattr(self, name)._read(value)
            elif kind is list:
                setattr(self, name, [*(getattr(self, name) or []), value.decode()])
            else:
                setattr(self, name, value.decode())


@export("data.experimental.AutotuneOptions")
class AutotuneOptions(OptionsBase):
    """Options of automatic tuning.

    >>> o = AutotuneOptions(); o.enabled = False; o.enabled
    False
    """

    _fields = {
        "enabled": (1, bool), "cpu_budget": (2, int), "ram_budget": (3, int),
        "autotune_algorithm": (4, AutotuneAlgorithm), "initial_parallelism": (5, int), "min_parallelism": (6, int),
    }


@export("data.experimental.DistributeOptions")
class DistributeOptions(OptionsBase):
    """Options of distributed datasets.

    >>> DistributeOptions().auto_shard_policy.name
    'AUTO'
    """

    _fields = {"auto_shard_policy": (1, AutoShardPolicy), "num_devices": (2, int)}
    _defaults = {"auto_shard_policy": lambda: AutoShardPolicy.AUTO}


@export("data.experimental.OptimizationOptions")
class OptimizationOptions(OptionsBase):
    """Which rewrites of the pipeline may be applied.

    >>> OptimizationOptions().map_fusion is None
    True
    """

    _fields = {
        "apply_default_optimizations": (1, bool), "filter_fusion": (6, bool), "map_and_batch_fusion": (9, bool),
        "map_and_filter_fusion": (10, bool), "map_fusion": (11, bool), "map_parallelization": (12, bool),
        "noop_elimination": (14, bool), "parallel_batch": (15, bool), "shuffle_and_repeat_fusion": (17, bool),
        "filter_parallelization": (18, bool), "inject_prefetch": (19, bool), "seq_interleave_prefetch": (21, bool),
    }


@export("data.ThreadingOptions", "data.experimental.ThreadingOptions")
class ThreadingOptions(OptionsBase):
    """How many threads a pipeline uses.

    >>> o = ThreadingOptions(); o.private_threadpool_size = 2; o.private_threadpool_size
    2
    """

    _fields = {"max_intra_op_parallelism": (1, int), "private_threadpool_size": (2, int)}


@export("data.experimental.ServiceOptions")
class ServiceOptions(OptionsBase):
    """Options of the tf.data service.

    >>> ServiceOptions().pinned is None
    True
    """

    _fields = {"pinned": (1, bool)}


@export("data.Options")
class Options(OptionsBase):
    """Settings of a dataset, applied by `dataset.with_options(options)`.

    >>> o = Options(); o.deterministic = False; o.deterministic
    False
    """

    _fields = {
        "deterministic": (1, bool), "experimental_distribute": (2, DistributeOptions),
        "experimental_optimization": (3, OptimizationOptions), "experimental_slack": (4, bool),
        "threading": (5, ThreadingOptions), "experimental_external_state_policy": (6, ExternalStatePolicy),
        "autotune": (7, AutotuneOptions), "experimental_symbolic_checkpoint": (8, bool),
        "experimental_warm_start": (9, bool), "dataset_name": (10, str), "framework_type": (11, list),
        "experimental_service": (12, ServiceOptions),
    }

    experimental_threading = read_write("threading")
    experimental_deterministic = read_write("deterministic")

    def merge(self, options: Options) -> Options:
        """Returns these options, changed by others.

        Args:
          options: The `tf.data.Options` whose values hold where both have one.

        Returns:
          A new `tf.data.Options`.

        Raises:
          TypeError: `options` is of another class.
        """
        if not isinstance(options, Options):
            raise TypeError(f"Could not merge incompatible options of type {type(options)} and {type(self)}.")
        return self._merged(options)
