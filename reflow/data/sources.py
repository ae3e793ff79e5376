"""Sources of datasets: `range`, `from_tensors`, `from_tensor_slices`, `from_generator`, `random`, `zip` and choices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reflow.api.call import call
from reflow.core import dtypes, errors, nest, shallow_nest
from reflow.core.context import outside_all_scopes
from reflow.core.shapes import TensorShape
from reflow.core.specs import TensorSpec
from reflow.core.tensor import EagerTensor, Tensor
from reflow.data import structure
from reflow.data.base import Family, int64, seed_tensors
from reflow.data.elements import ElementMethods
from reflow.ops import registry
from reflow.ops.convert import constant, convert_to_tensor, to_array
from reflow.ops.xp import host as host_xp

if TYPE_CHECKING:
    from reflow.data.dataset import DatasetV2


def _are_datasets(leaf) -> bool:
    return isinstance(leaf, list) and bool(leaf) and all(isinstance(part, Family) for part in leaf)


def _slices_of_datasets(tensors):
    """A dataset for a structure in which a list of datasets represents a dataset of datasets."""
    if not _are_datasets(tensors):
        return Sources.zip(structure.map_leaves(Sources.from_tensor_slices, tensors))
    parts = [Sources.from_tensors(part) for part in tensors]
    while len(parts) > 1:  # two by two: the depth stays small
        parts = [a.concatenate(b) for a, b in zip(parts[::2], parts[1::2], strict=False)] + parts[len(parts) // 2 * 2 :]
    return parts[0]


class Sources(ElementMethods):
    """The static methods of `tf.data.Dataset` that make a dataset."""

    @staticmethod
    def range(*args, **kwargs) -> DatasetV2:
        """Creates a dataset of evenly spaced numbers: `range(stop)`, `range(start, stop)` or
        `range(start, stop, step)`.

        Args:
          *args: `stop`; or `start` (0) and `stop`; or those and `step` (1). `stop` itself is left out.
          **kwargs: `output_type`, the dtype of the elements (int64), and `name`.

        Returns:
          A dataset of scalars.

        Raises:
          ValueError: There are no positional arguments, or more than three.
          TypeError: Another keyword is given.

        >>> list(tf.data.Dataset.range(1, 7, 2).as_numpy_iterator())
        [np.int64(1), np.int64(3), np.int64(5)]
        """
        kwargs = dict(kwargs)
        output_type = dtypes.as_dtype(kwargs.pop("output_type", dtypes.int64))
        name = kwargs.pop("name", None)
        if kwargs:
            raise TypeError(f"range() got unexpected keyword arguments {sorted(kwargs)}.")
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}.")
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
        inputs = [int64(start, "start"), int64(stop, "stop"), int64(step, "step")]
        return Sources._make(
            "RangeDataset", inputs, TensorSpec([], output_type), {"output_types": [output_type]}, name=name
        )

    @staticmethod
    def from_tensors(tensors, name=None) -> DatasetV2:
        """Creates a dataset whose only element is `tensors`.

        Args:
          tensors: A tensor, or a nested structure of tensors.
          name: A name for the operation.

        Returns:
          A dataset of one element.

        >>> len(tf.data.Dataset.from_tensors(([1, 2], 3)))
        1
        """
        element = structure.normalize(tensors)
        spec = structure.spec_of(element)
        flat = structure.to_components(spec, element)
        return Sources._make("TensorDataset", flat, spec, _components(flat, spec), name=name, types=False)

    @staticmethod
    def from_tensor_slices(tensors, name=None) -> DatasetV2:
        """Creates a dataset whose elements are the slices of tensors along their first axis.

        A list of datasets stands for a dataset of datasets: each of them is an element.

        Args:
          tensors: A tensor, or a nested structure of tensors with the same first dimension.
          name: A name for the operation.

        Returns:
          A dataset with as many elements as the first axis is long.

        Raises:
          ValueError: A tensor is a scalar, the first dimensions differ, or the structure is empty.

        >>> [int(x) for x in tf.data.Dataset.from_tensor_slices([1, 2])]
        [1, 2]
        >>> parts = [tf.data.Dataset.range(2), tf.data.Dataset.range(10, 12)]
        >>> [int(x) for x in tf.data.Dataset.from_tensor_slices(parts).flat_map(lambda part: part)]
        [0, 1, 10, 11]
        """
        if any(map(_are_datasets, structure.leaves(tensors))):
            return _slices_of_datasets(tensors)
        element = structure.normalize(tensors)
        whole = structure.spec_of(element)
        spec = structure.unbatched(whole)
        flat = structure.to_components(whole, element)
        if not flat:
            raise ValueError("Invalid `tensors`. `tensors` should not be empty.")
        shapes = [s.shape for s in nest.flatten(whole) if hasattr(s, "shape")]
        known = [shape[0] for shape in shapes if shape.rank and shape[0] is not None]
        for size in known[1:]:
            if size != known[0]:
                raise ValueError(f"Dimensions {known[0]} and {size} are not compatible")
        if structure.composite_leaves(whole) is not None:
            return Sources.from_tensors(element, name).unbatch(name)
        return Sources._make("TensorSliceDataset", flat, spec, _components(flat, spec), name=name, types=False)

    @staticmethod
    def from_generator(
        generator, output_types=None, output_shapes=None, args=None, output_signature=None, name=None
    ) -> DatasetV2:
        """Creates a dataset of what a Python generator yields; each pass over the dataset calls `generator` again.

        Args:
          generator: A function that returns an iterable when called with `args`.
          output_types: The dtypes of an element, as a structure. Either this or `output_signature` is needed.
          output_shapes: The shapes of an element, in the same structure; by default they are unknown.
          args: Values that the generator is called with, as NumPy arrays.
          output_signature: The structure of `tf.TypeSpec`s that describes an element.
          name: A name for the operation.

        Returns:
          A dataset of the yielded elements; to read one that does not fit the signature raises InvalidArgumentError.

        Raises:
          TypeError: `generator` is not callable, or both or none of `output_types` and `output_signature` are given.

        >>> ds = tf.data.Dataset.from_generator(lambda: iter([1, 2]), output_signature=tf.TensorSpec([], tf.int32))
        >>> [int(x) for x in ds]
        [1, 2]
        """
        if not callable(generator):
            raise TypeError("`generator` must be a Python callable.")
        if output_signature is not None:
            for label, given in (("output_types", output_types), ("output_shapes", output_shapes)):
                if given is not None:
                    raise TypeError(
                        f"The `{label}` argument can not be used together with the `output_signature` argument."
                    )
            for spec in nest.flatten(output_signature):
                if not hasattr(spec, "_component_specs"):
                    raise TypeError(
                        "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found "
                        f"{type(spec)} which is not."
                    )
            spec = output_signature
        else:
            if output_types is None:
                raise TypeError(
                    "To specify the output signature you need to provide either the `output_signature` argument or the "
                    "`output_types` argument."
                )
            spec = _legacy_spec(output_types, output_shapes)
        flatten = _types_converter(spec) if _casts(spec) else _signature_converter(spec)
        arguments = tuple(convert_to_tensor(a) for a in args or ())

        def start(*values):
            return _Elements(lambda: generator(*(EagerTensor(v).numpy() for v in values)), flatten)

        # `python_generators.py` writes them to files
        start.element_attrs = structure.type_attrs(spec)  # type: ignore[attr-defined]
        attrs = {"start": start, "T_handle": dtypes.variant, "Tin_args": [a.dtype for a in arguments]}
        return Sources._make("Reflow>PythonGeneratorDataset", arguments, spec, attrs, name=name, types=False)

    @staticmethod
    def random(seed=None, rerandomize_each_iteration=None, name=None) -> DatasetV2:
        """Creates an endless dataset of pseudorandom integers from 0 up to 2**32.

        Args:
          seed: An integer that makes the numbers repeatable (together with `tf.random.set_seed`).
          rerandomize_each_iteration: Whether every pass over the dataset gives other numbers.
          name: A name for the operation.

        Returns:
          A dataset of int64 scalars.

        >>> len(list(tf.data.Dataset.random(seed=1).take(3)))
        3
        """
        inputs = seed_tensors(seed)
        spec = TensorSpec([], dtypes.int64)
        if not rerandomize_each_iteration:
            return Sources._make("RandomDataset", inputs, spec, name=name)
        return Sources._make(
            "RandomDatasetV2", (*inputs, call("DummySeedGenerator", ())), spec, {"rerandomize_each_iteration": True},
            name=name,
        )

    @staticmethod
    def counter(start=0, step=1, dtype=dtypes.int64, name=None) -> DatasetV2:
        """Creates an endless dataset that counts: `start`, `start + step`, and so on.

        Args:
          start: The first number.
          step: What is added from one number to the next.
          dtype: The dtype of the numbers.
          name: A name for the operation.

        Returns:
          A dataset of scalars of `dtype`.

        >>> [int(x) for x in tf.data.Dataset.counter(5, 2).take(2)]
        [5, 7]
        """
        first, step = convert_to_tensor(start, dtypes.as_dtype(dtype)), convert_to_tensor(step, dtypes.as_dtype(dtype))
        return (
            Sources.from_tensors(0).repeat().scan(first, lambda held, _: (call("AddV2", (held, step)), held), name=name)
        )

    @staticmethod
    def zip(*args, datasets=None, name=None) -> DatasetV2:
        """Pairs the elements of several datasets; the result ends with the shortest of them.

        Args:
          *args: The datasets, or one nested structure (tuples, dictionaries) of datasets.
          datasets: The same structure as a keyword, instead of `args`.
          name: A name for the operation.

        Returns:
          A dataset whose elements have the structure of the arguments.

        Raises:
          TypeError: There is no dataset, something in the structure is no dataset, or the structure has a list.

        >>> a = tf.data.Dataset.range(2)
        >>> [(int(x), int(y)) for x, y in tf.data.Dataset.zip(a, a.skip(1))]
        [(0, 1)]
        """
        if not args and datasets is None:
            raise TypeError("Must pass at least one dataset to `zip`.")
        if args and datasets is not None:
            raise TypeError("Both `*args` and `datasets` cannot be set.")
        if len(args) == 1:
            datasets = args[0]
        elif args:
            datasets = args
        parts = nest.flatten(datasets)
        expected = "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects"
        if _has_list(datasets):
            raise TypeError(f"{expected}. Python `list` is not supported and you should use `tuple` instead.")
        for part in parts:
            if not isinstance(part, Family):
                raise TypeError(f"{expected} but encountered object of type {type(part)}.")
        spec = nest.pack_sequence_as(datasets, [p.element_spec for p in parts])
        return Sources._make("ZipDataset", [p._variant_tensor for p in parts], spec, {"N": len(parts)}, parts, name)

    @staticmethod
    def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=True) -> DatasetV2:
        """Takes each element from the dataset whose index `choice_dataset` gives.

        Args:
          datasets: A list of datasets with compatible elements.
          choice_dataset: A dataset of int64 scalars, indices into `datasets`.
          stop_on_empty_dataset: Whether to end when a chosen dataset is exhausted; otherwise it is passed over.

        Returns:
          A dataset of elements of `datasets`.

        Raises:
          TypeError: `choice_dataset` is no dataset of int64 scalars, or the elements of `datasets` differ in kind.
          ValueError: `datasets` is empty.

        >>> parts = [tf.data.Dataset.from_tensors(s).repeat() for s in ("a", "b")]
        >>> [x.numpy() for x in tf.data.Dataset.choose_from_datasets(parts, tf.data.Dataset.range(2))]
        [b'a', b'b']
        """
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        if not isinstance(choice_dataset, Family):
            raise TypeError(
                "Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but is "
                f"{type(choice_dataset)}."
            )
        if not structure.compatible(choice_dataset.element_spec, TensorSpec([], dtypes.int64)):
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
                f"{choice_dataset.element_spec}."
            )
        return directed(choice_dataset, datasets, stop_on_empty_dataset)

    @staticmethod
    def sample_from_datasets(
        datasets, weights=None, seed=None, stop_on_empty_dataset=False, rerandomize_each_iteration=None
    ) -> DatasetV2:
        """Takes each element from one of several datasets, chosen at random.

        Args:
          datasets: A list of datasets with compatible elements.
          weights: The probability of each dataset, as a list, a tensor or a dataset of such; by default all are equal.
          seed: An integer that makes the choices repeatable.
          stop_on_empty_dataset: Whether to end when a chosen dataset is exhausted; otherwise it is passed over.
          rerandomize_each_iteration: Whether every pass over the dataset makes other choices.

        Returns:
          A dataset of elements of `datasets`.

        Raises:
          TypeError: The elements of `datasets` differ in kind.
          ValueError: `datasets` is empty, or `weights` has another length.

        >>> parts = [tf.data.Dataset.range(3), tf.data.Dataset.range(4)]
        >>> len(list(tf.data.Dataset.sample_from_datasets(parts, seed=1)))
        7
        """
        if not datasets:
            raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
        seeds = Sources.random(seed=seed, rerandomize_each_iteration=rerandomize_each_iteration).batch(2)
        if isinstance(weights, Sources):
            return directed(
                weights.map(lambda p: call("Log", (p,))).zip_with_seeds(seeds), datasets, stop_on_empty_dataset
            )
        datasets, logits = _weighted(list(datasets), weights)
        if len(datasets) == 1:
            return datasets[0]
        return directed(seeds.map(lambda pair: _draw(logits, pair)), datasets, stop_on_empty_dataset)

    def zip_with_seeds(self, seeds):
        """Indices drawn with this dataset's logits."""
        return Sources.zip(self, seeds).map(_draw)

    @staticmethod
    def list_files(file_pattern, shuffle=None, seed=None, name=None) -> DatasetV2:
        """Creates a dataset of the names of files that match a pattern.

        Args:
          file_pattern: A glob pattern, or a list of them.
          shuffle: Whether the names come in random order (the default), another one in each pass, or sorted.
          seed: An integer that makes the order repeatable.
          name: A name for the operation.

        Returns:
          A dataset of string scalars.

        Raises:
          InvalidArgumentError: No file matches.

        >>> len(tf.data.Dataset.list_files(__file__, shuffle=False))
        1
        """
        patterns = np.asarray(
            to_array(file_pattern) if not isinstance(file_pattern, Tensor) else file_pattern._host(), object
        ).reshape(-1)
        found = registry.get("MatchingFiles").kernel(host_xp, patterns).tolist()
        if not found:
            text = f"No files matched pattern: {', '.join(p.decode() for p in patterns.tolist())}"
            raise errors.InvalidArgumentError(
                None, None,
                f"Expected 'tf.Tensor(False, shape=(), dtype=bool)' to be true. Summarized data: {text.encode()!r}",
            )
        dataset = Sources.from_tensor_slices(found, name=name)
        if shuffle is None or shuffle:
            dataset = dataset.shuffle(len(found), seed=seed)
        return dataset


def _has_list(x) -> bool:
    return isinstance(x, list) or (nest.is_nested(x) and any(_has_list(child) for _, child in nest._items(x)))


def _components(flat, spec) -> dict:
    return {"Toutput_types": [t.dtype for t in flat], "output_shapes": structure.type_attrs(spec)["output_shapes"]}


def directed(selector, datasets, stop_on_empty: bool):
    """`DirectedInterleaveDataset` on datasets of one structure."""
    spec = datasets[0].element_spec
    for other in datasets[1:]:
        try:
            spec = structure.common(spec, other.element_spec)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"Invalid `datasets`. `datasets` have incompatible element specs {spec} and {other.element_spec}."
            ) from error
    return Sources._make(
        "DirectedInterleaveDataset", (selector._variant_tensor, *(d._variant_tensor for d in datasets)), spec,
        {"N": len(datasets), "stop_on_empty_dataset": stop_on_empty}, (selector, *datasets),
    )


def _draw(logits, seed):
    """One index, drawn with log-probabilities [1, n] and a seed of two numbers."""
    picked = call("StatelessMultinomial", (logits, constant(1, dtypes.int32), seed), {"output_dtype": dtypes.int64})
    return call("Squeeze", (picked,), {"squeeze_dims": [0, 1]})


def _weighted(datasets, weights):
    """The datasets with a weight above zero, and the log-probabilities [1, n]."""
    if weights is None:
        return datasets, constant([[1.0] * len(datasets)])
    if not isinstance(weights, Tensor):
        if len(weights) != len(datasets):
            raise ValueError(
                "Invalid `weights`. `weights` should have the same length as `datasets` but got "
                f"`len(weights)={len(weights)}` vs. `len(datasets)={len(datasets)}`."
            )
        kept = [(d, w) for d, w in zip(datasets, weights, strict=True) if w > 0]
        datasets, weights = [list(x) for x in zip(*kept, strict=True)] if kept else ([datasets[0].take(0)], [1.0])
    weights = convert_to_tensor(weights)
    if weights.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError(
            f"Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is {weights.dtype!r}."
        )
    return datasets, call("ExpandDims", (call("Log", (weights,)), constant(0)))


# --- generators -----------------------------------------------------------------------------------------------------

_PYTHON_ERRORS = (
    (NotImplementedError, errors.UnimplementedError),
    ((TypeError, ValueError), errors.InvalidArgumentError),
    (MemoryError, errors.ResourceExhaustedError),
)


def _op_error(error: Exception) -> errors.OpError:
    """TensorFlow's error for an exception of user code."""
    kind = next((k for python, k in _PYTHON_ERRORS if isinstance(error, python)), errors.UnknownError)
    return kind(None, None, f"{type(error).__name__}: {error}")


class _Elements:
    """Flat elements of a user's iterable. Errors become TensorFlow's, the user's own being the cause. The next element
    may be asked for after one."""

    def __init__(self, make, flatten) -> None:
        self._flatten = flatten
        with outside_all_scopes():
            try:
                self._source = iter(make())
            except errors.OpError:
                raise
            except Exception as error:
                raise _op_error(error) from error

    def __iter__(self):
        return self

    def __next__(self):
        with outside_all_scopes():
            try:
                element = next(self._source)
            except (StopIteration, errors.OpError):
                raise
            except Exception as error:
                raise _op_error(error) from error
            try:
                return self._flatten(element)
            except TypeError as error:
                raise errors.InvalidArgumentError(None, None, f"TypeError: {error}") from error


def _signature_converter(signature):
    """From an element to flat arrays, by a structure of specs."""

    def convert(element):
        try:
            normal = structure.normalize(element, signature)
        except (TypeError, ValueError) as error:
            raise TypeError(
                "`generator` yielded an element that did not match the expected structure. The expected structure was "
                f"{signature}, but the yielded element was {element}."
            ) from error
        found = structure.spec_of(normal)
        if not _fits(found, signature):
            raise TypeError(f"`generator` yielded an element of {found} where an element of {signature} was expected.")
        return [t._host() for t in structure.to_components(signature, normal)]

    return convert


def _fits(found, signature) -> bool:
    return structure.compatible(signature, found)


def _legacy_spec(output_types, output_shapes):
    """A structure of specs from structures of dtypes and shapes."""
    structure.map_leaves(dtypes.as_dtype, output_types)  # a list is no structure here, and no dtype
    kinds = nest.flatten(output_types)
    if output_shapes is None:
        shapes = [None] * len(kinds)
    else:
        shapes = shallow_nest.flatten_up_to(output_types, output_shapes, check_types=False)
    return nest.pack_sequence_as(
        output_types, [TensorSpec(TensorShape(s), dtypes.as_dtype(k)) for k, s in zip(kinds, shapes, strict=True)]
    )


def _casts(spec) -> bool:
    """Whether elements are cast to the dtypes, as NumPy does it.
    TensorFlow converts strictly where it knows no shape at all."""
    if not nest.is_nested(spec):
        return type(spec) is TensorSpec and spec.shape.rank is not None
    return all(type(leaf) is TensorSpec for leaf in nest.flatten(spec))


def _types_converter(spec):
    """From an element to flat arrays, cast to the dtypes of TensorSpecs."""
    leaves = nest.flatten(spec)

    def convert(element):
        if nest.is_nested(spec):
            try:
                if isinstance(element, list):
                    raise TypeError("A list is one component.")
                parts = shallow_nest.flatten_up_to(spec, element, check_types=False)
            except (ValueError, KeyError, TypeError) as error:
                raise TypeError(
                    "`generator` yielded an element that did not match the expected structure. The expected structure "
                    f"was {_types_of(spec)}, but the yielded element was {element}."
                ) from error
        else:
            parts = [element]
        return [_cast(part, leaf) for part, leaf in zip(parts, leaves, strict=True)]

    return convert


def _types_of(spec):
    return nest.map_structure(lambda s: s.dtype, spec)


def _cast(value, spec):
    kind = spec.dtype
    try:
        if kind is dtypes.string or isinstance(value, EagerTensor):
            array = to_array(value.numpy() if isinstance(value, EagerTensor) else value)
            if kind is dtypes.string and array.dtype.kind in "biufc":
                raise errors.InternalError(None, None, f"Unsupported object type {type(array.flat[0].item()).__name__}")
            if array.dtype != kind.np_dtype:
                array = array.astype(kind.np_dtype)
        else:
            array = np.array(value, order="C").astype(kind.np_dtype, copy=False)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "`generator` yielded an element that could not be converted to the expected type. The expected type was "
            f"{kind.name}, but the yielded element was {value}."
        ) from error
    if not spec.shape.is_compatible_with(array.shape):
        raise TypeError(
            f"`generator` yielded an element of shape {array.shape} where an element of shape {spec.shape} was "
            "expected."
        )
    return array
