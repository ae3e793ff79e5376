"""`tf.data.experimental`: what became methods since, as functions for `apply`; random access; cardinality."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from reflow.api.call import call
from reflow.api.export import export, export_function, export_value
from reflow.core import dtypes, nest
from reflow.core.context import state
from reflow.data import functions, structure
from reflow.data.base import AUTOTUNE, int64, kind, seed_tensors, static_value
from reflow.data.dataset import DatasetV2
from reflow.data.engine.order import SHARD_HINT
from reflow.devices.names import DeviceSpec
from reflow.ops.convert import constant


@export("data.experimental.cardinality")
def cardinality(dataset):
    """The same as `dataset.cardinality()`.

    Args:
      dataset: The dataset whose elements are counted.

    Returns:
      An int64 scalar; `tf.data.INFINITE_CARDINALITY` or `tf.data.UNKNOWN_CARDINALITY` if there is no such number.

    >>> int(cardinality(DatasetV2.range(3)))
    3
    """
    return dataset.cardinality()


@export("__internal__.data.compute_batch_size")
def compute_batch_size(dataset):
    """The batch size of a dataset's elements: from their static shape, else from how the dataset was made, else -1.

    >>> int(compute_batch_size(DatasetV2.range(10).batch(4).repeat()))
    4
    """
    sizes = {spec.shape[0] for spec in nest.flatten(dataset.element_spec)}
    if len(sizes) == 1 and None not in sizes:
        return int64(sizes.pop())
    return call("ComputeBatchSize", (dataset._variant_tensor,))


@export("data.experimental.assert_cardinality")
def assert_cardinality(expected_cardinality):
    """Returns a transformation that declares how many elements there are, and checks it while they are read.

    Args:
      expected_cardinality: The number of elements.

    Returns:
      A function from a dataset to a dataset, for `tf.data.Dataset.apply`. Reading raises FailedPreconditionError if the
      number is wrong.

    >>> len(DatasetV2.range(4).filter(lambda x: x < 2).apply(assert_cardinality(2)))
    2
    """
    return lambda dataset: dataset._then("AssertCardinalityDataset", (int64(expected_cardinality),))


@export("data.experimental.dense_to_ragged_batch")
def dense_to_ragged_batch(batch_size, drop_remainder=False, row_splits_dtype=dtypes.int64):
    """Returns a transformation that calls `dataset.ragged_batch` with these arguments.

    Args:
      batch_size: The number of elements in a batch.
      drop_remainder: Whether a smaller last batch is dropped.
      row_splits_dtype: The dtype of the row splits, int64 or int32.

    Returns:
      A function from a dataset to a dataset, for `tf.data.Dataset.apply`.

    >>> next(iter(DatasetV2.range(3).map(lambda n: n[None]).apply(dense_to_ragged_batch(2)))).shape
    TensorShape([2, 1])
    """
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


@export("data.experimental.at")
def at(dataset, index):
    """Returns the element of a dataset at an index.

    Args:
      dataset: A dataset whose transformations allow random access.
      index: The position, from 0.

    Returns:
      The element.

    Raises:
      OutOfRangeError: There are not that many elements.
      UnimplementedError: A transformation, such as `filter`, does not know its elements by index.

    >>> int(at(DatasetV2.range(5), 2))
    2
    """
    spec = dataset.element_spec
    return structure.from_components(
        spec, call("GetElementAtIndex", (dataset._variant_tensor, int64(index)), structure.type_attrs(spec))
    )


@export("data.experimental.get_next_as_optional")
def get_next_as_optional(iterator):
    """The same as `iterator.get_next_as_optional()`.

    Args:
      iterator: The iterator of a dataset.

    Returns:
      A `tf.experimental.Optional` with the next element, or an empty one past the end.

    >>> tf.data.experimental.get_next_as_optional(iter(tf.data.Dataset.range(1))).has_value().numpy().item()
    True
    """
    return iterator.get_next_as_optional()


@export("data.experimental.get_single_element")
def get_single_element(dataset):
    """The same as `dataset.get_single_element()`.

    Args:
      dataset: A dataset of exactly one element.

    Returns:
      The element.

    Raises:
      InvalidArgumentError: There is no element, or more than one.

    >>> int(tf.data.experimental.get_single_element(tf.data.Dataset.from_tensors(7)))
    7
    """
    return dataset.get_single_element()


@export("data.experimental.get_structure")
def get_structure(dataset_or_iterator):
    """Returns the `element_spec` of a dataset or an iterator.

    Args:
      dataset_or_iterator: The dataset or iterator.

    Returns:
      A structure of `tf.TypeSpec`s.

    >>> tf.data.experimental.get_structure(tf.data.Dataset.range(2))
    TensorSpec(shape=(), dtype=tf.int64, name=None)
    """
    return dataset_or_iterator.element_spec


@export("data.experimental.to_variant")
def to_variant(dataset):
    """Returns the variant tensor that holds a dataset.

    Args:
      dataset: The dataset.

    Returns:
      A scalar tensor of dtype `tf.variant`.

    >>> tf.data.experimental.to_variant(tf.data.Dataset.range(2)).dtype
    tf.variant
    """
    return dataset._variant_tensor


@export("data.experimental.from_variant")
def from_variant(variant, structure):
    """Returns the dataset that a variant tensor holds.

    Args:
      variant: A tensor that `to_variant` returned.
      structure: The structure of `tf.TypeSpec`s of the dataset's elements.

    Returns:
      A dataset.

    >>> ds = tf.data.Dataset.range(2)
    >>> len(tf.data.experimental.from_variant(tf.data.experimental.to_variant(ds), ds.element_spec))
    2
    """
    return kind("_VariantDataset")(variant, element_spec=structure)


@export("data.experimental.from_list")
def from_list(elements, name=None):
    """Creates a dataset of the elements of a list, each of which may be a nested structure.

    Args:
      elements: A list of elements of one structure.
      name: A name for the operation.

    Returns:
      A dataset of these elements.

    Raises:
      ValueError: `elements` is no list or is empty, or its elements differ in structure.

    >>> [int(a) for a, _ in from_list([(1, "a"), (2, "b")])]
    [1, 2]
    """
    if not elements:
        raise ValueError(
            "Invalid `elements`. `elements` should not be empty. If you want an empty dataset, use "
            "`tf.data.Dataset.range(0)`."
        )
    if not isinstance(elements, list):
        raise ValueError("Invalid `elements`. `elements` must be a list.")
    normal = [structure.normalize(e) for e in elements]
    spec = structure.spec_of(normal[0])
    for other in normal[1:]:
        spec = structure.common(spec, structure.spec_of(other))
    flat = [t for e in normal for t in structure.to_components(spec, e)]
    attrs = {"Tinput_types": [t.dtype for t in flat], **structure.type_attrs(spec)}
    return DatasetV2._make("ListDataset", flat, spec, attrs, name=name)


def _arguments(method: str) -> str:
    """The section `Args` of a method's docstring, without `name`; nothing if there is no other argument."""
    lines = inspect.cleandoc(
        getattr(DatasetV2, method).__doc__
    ).partition("Args:\n")[2].partition("\n\n")[0].splitlines()
    own = [f"    {line}" for line in lines if not line.startswith("  name:")]
    return "\n".join(["", "    Args:", *own, ""]) if own else ""


def _as_function(method: str, public: str, arguments: str, elements: str, result: str):
    """The method as a function that returns a transformation.

    Its example applies it with `arguments` to a dataset of `elements`.
    """

    def function(*args, **kwargs):
        return lambda dataset: getattr(dataset, method)(*args, **kwargs)

    signature = inspect.signature(getattr(DatasetV2, method))
    own = [parameter for parameter in signature.parameters.values() if parameter.name not in ("self", "name")]
    function.__signature__ = signature.replace(parameters=own)  # type: ignore[attr-defined]
    doc = f"""Returns a transformation that calls `dataset.{method}`.
{_arguments(method)}
    Returns:
      A function from a dataset to a dataset, for `tf.data.Dataset.apply`.

    >>> ds = tf.data.Dataset.from_tensor_slices({elements})
    >>> list(ds.apply(tf.data.experimental.{public}({arguments})).as_numpy_iterator())
    {result}
    """
    return export_function(function, f"data.experimental.{public}", doc=doc)


unbatch = _as_function(
    "unbatch", "unbatch", "", "[[1, 2], [3, 4]]", "[np.int32(1), np.int32(2), np.int32(3), np.int32(4)]"
)
scan = _as_function(
    "scan", "scan", "0, lambda total, x: (total + x, total + x)", "[1, 2, 3]", "[np.int32(1), np.int32(3), np.int32(6)]"
)
take_while = _as_function("take_while", "take_while", "lambda x: x < 2", "[1, 2, 1]", "[np.int32(1)]")
unique = _as_function("unique", "unique", "", "[1, 2, 1]", "[np.int32(1), np.int32(2)]")
group_by_window = _as_function(
    "group_by_window", "group_by_window", "lambda x: x % 2, lambda key, group: group.batch(2), 2",
    "tf.range(4, dtype=tf.int64)", "[array([0, 2]), array([1, 3])]",
)
ignore_errors = _as_function("ignore_errors", "ignore_errors", "", "[1, 2]", "[np.int32(1), np.int32(2)]")
enumerate_dataset = _as_function("enumerate", "enumerate_dataset", "5", "['a']", "[(np.int64(5), b'a')]")
bucket_by_sequence_length = _as_function(
    "bucket_by_sequence_length", "bucket_by_sequence_length", "lambda x: tf.size(x), [3], [2, 2]", "[[1, 2], [3, 4]]",
    "[array([[1, 2],\n           [3, 4]], dtype=int32)]",
)

choose_from_datasets = export_value(DatasetV2.choose_from_datasets, "data.experimental.choose_from_datasets")
sample_from_datasets = export_value(DatasetV2.sample_from_datasets, "data.experimental.sample_from_datasets")
Counter = export_value(DatasetV2.counter, "data.experimental.Counter")


@export("data.experimental.RandomDataset")
class RandomDataset(DatasetV2):
    """The same as `tf.data.Dataset.random`, as a class.

    Args:
      seed: An integer that makes the numbers repeatable.
      rerandomize_each_iteration: Whether every pass over the dataset gives other numbers.
      name: A name for the operation.

    >>> len(list(tf.data.experimental.RandomDataset(seed=4).take(3)))
    3
    """

    def __init__(self, seed=None, rerandomize_each_iteration=None, name=None):
        numbers = DatasetV2.random(seed, rerandomize_each_iteration, name)
        super().__init__(numbers._variant_tensor, element_spec=numbers.element_spec, parents=(numbers,))


@export("data.experimental.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """Returns a transformation that shuffles a dataset, then repeats it.

    Args:
      buffer_size: The number of elements that each is drawn from.
      count: How many times the dataset is repeated; by default without end.
      seed: An integer that makes the order repeatable.

    Returns:
      A function from a dataset to a dataset, for `tf.data.Dataset.apply`.

    >>> ds = tf.data.Dataset.range(3).apply(tf.data.experimental.shuffle_and_repeat(3, count=2))
    >>> sorted(int(x) for x in ds)
    [0, 0, 1, 1, 2, 2]
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


@export("data.experimental.map_and_batch")
def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False, num_parallel_calls=None):
    """Returns a transformation that maps a dataset, then batches it.

    Args:
      map_func: A function from an element to an element.
      batch_size: The number of elements in a batch.
      num_parallel_batches: Accepted for older programs, and not used: `num_parallel_calls` sets the parallelism.
      drop_remainder: Whether a smaller last batch is dropped.
      num_parallel_calls: How many elements are mapped at the same time; or `tf.data.AUTOTUNE`.

    Returns:
      A function from a dataset to a dataset, for `tf.data.Dataset.apply`.

    >>> ds = tf.data.Dataset.range(4).apply(tf.data.experimental.map_and_batch(lambda x: x * 2, batch_size=2))
    >>> [batch.numpy().tolist() for batch in ds]
    [[0, 2], [4, 6]]
    """
    return lambda dataset: dataset.map(map_func, num_parallel_calls).batch(batch_size, drop_remainder)


@export("data.experimental.prefetch_to_device")
def prefetch_to_device(device, buffer_size=None):
    """Returns a transformation, to be the last one, that makes elements ahead and copies them to a device.

    Args:
      device: The name of the device.
      buffer_size: How many elements may wait there; chosen automatically by default.

    Returns:
      A function from a dataset to a dataset, for `tf.data.Dataset.apply`.

    >>> ds = tf.data.Dataset.range(2).apply(tf.data.experimental.prefetch_to_device("/cpu:0"))
    >>> [int(x) for x in ds]
    [0, 1]
    """
    size = AUTOTUNE if buffer_size is None else buffer_size
    return lambda dataset: copy_to_device(device)(dataset).prefetch(size)


@export("data.experimental.copy_to_device")
def copy_to_device(target_device, source_device="/cpu:0"):
    """Returns a transformation that copies the elements to a device. An unknown device is an error of the first
    element.

    Args:
      target_device: The name of the device to copy to.
      source_device: The name of the device that the elements are made on, which is a CPU.

    Returns:
      A function from a dataset to a dataset, for `tf.data.Dataset.apply`.

    Raises:
      ValueError: `source_device` is not a CPU.

    >>> ds = tf.data.Dataset.range(2).apply(tf.data.experimental.copy_to_device("/cpu:0"))
    >>> [int(x) for x in ds]
    [0, 1]
    """
    if DeviceSpec.from_string(source_device).device_type not in (None, "CPU"):
        raise ValueError(f"Datasets make their elements on the CPU. Received: source_device={source_device!r}")
    device = DeviceSpec.from_string(target_device)
    place = f"{device.device_type or 'CPU'}:{device.device_index or 0}"
    return lambda dataset: dataset._then(
        "Reflow>CopyToDeviceDataset", (), {"device": place, "T_handle": dtypes.variant}, types=False
    )


export_value(SHARD_HINT, "data.experimental.SHARD_HINT")


@export("data.experimental.dense_to_sparse_batch")
def dense_to_sparse_batch(batch_size, row_shape):
    """Returns a transformation that calls `dataset.sparse_batch` with these arguments.

    Args:
      batch_size: The number of elements in a batch.
      row_shape: The shape of a row; None stands for the largest size in the batch.

    Returns:
      A function from a dataset to a dataset, for `tf.data.Dataset.apply`.

    >>> rows = tf.data.Dataset.range(1, 3).map(tf.range)
    >>> next(iter(rows.apply(tf.data.experimental.dense_to_sparse_batch(2, [4])))).dense_shape.numpy().tolist()
    [2, 4]
    """
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


@export("data.experimental.parallel_interleave")
def parallel_interleave(
    map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None, prefetch_input_elements=None
):
    """Returns a transformation that maps elements to datasets, reads several of these by threads, and interleaves them.

    Args:
      map_func: A function from an element to a dataset.
      cycle_length: How many datasets are open at a time.
      block_length: How many elements are taken from one dataset before the next has its turn.
      sloppy: Whether elements may come in the order in which they are ready.
      buffer_output_elements: How many elements of each dataset may wait; by default `2 * block_length`.
      prefetch_input_elements: How many datasets are opened ahead; by default `2 * cycle_length`.

    Returns:
      A function from a dataset to a dataset, for `tf.data.Dataset.apply`.

    >>> ds = tf.data.Dataset.range(1, 3)
    >>> of = lambda x: tf.data.Dataset.from_tensors(x).repeat(2)
    >>> [int(x) for x in ds.apply(tf.data.experimental.parallel_interleave(of, cycle_length=2))]
    [1, 2, 1, 2]
    """
    waiting = 2 * block_length if buffer_output_elements is None else buffer_output_elements
    ahead = 2 * cycle_length if prefetch_input_elements is None else prefetch_input_elements
    return lambda dataset: dataset._parallel_interleave(
        map_func, (cycle_length, block_length, waiting, ahead), None if sloppy is None else not sloppy
    )


@export("data.experimental.pad_to_cardinality")
def pad_to_cardinality(cardinality, mask_key="valid"):
    """Returns a transformation that adds elements of zeros to a dataset of dictionaries until it has a given length.

    Args:
      cardinality: The wanted number of elements.
      mask_key: The key of a new bool entry that is False for the added elements.

    Returns:
      A function from a dataset to a dataset, for `tf.data.Dataset.apply`.

    Raises:
      ValueError: When it is applied: the dataset is longer, its length is unknown, or its elements are no dictionaries.

    >>> ds = tf.data.Dataset.from_tensor_slices({"a": [1, 2]}).apply(tf.data.experimental.pad_to_cardinality(3))
    >>> [(int(x["a"]), bool(x["valid"])) for x in ds]
    [(1, True), (2, True), (0, False)]
    """

    def apply(dataset):
        size = int(dataset.cardinality()) if state.graph is None else None
        if size is not None and size < 0:
            raise ValueError(
                "The dataset passed into `pad_to_cardinality` must have a known cardinalty, but has cardinality "
                f"{dataset.cardinality()}"
            )
        if size is not None and size > cardinality:
            raise ValueError(
                "The dataset passed into `pad_to_cardinality` must have a cardinalty less than the target cardinality "
                f"({cardinality}), but has cardinality {dataset.cardinality()}"
            )
        if not isinstance(dataset.element_spec, Mapping):
            raise ValueError("`pad_to_cardinality` requires its input dataset to be a dictionary.")
        zeros = {k: structure.map_specs(_zeros, s) for k, s in dataset.element_spec.items()}
        missing = call("Sub", (int64(cardinality), dataset.cardinality()))
        filler = DatasetV2.from_tensors({**zeros, mask_key: False}).repeat(missing)
        return dataset.map(lambda x: {**x, mask_key: True}).concatenate(filler)

    return apply


def _zeros(spec):
    shape = constant(spec.shape.as_list(), dtypes.int32, shape=[spec.shape.rank])
    return call("Fill", (shape, constant(b"" if spec.dtype is dtypes.string else 0, spec.dtype)))


@export("data.experimental.enable_debug_mode")
def enable_debug_mode():
    """From now on, runs the functions given to datasets as Python, one element after the other: for debuggers and
    `print`.

    Returns:
      None.

    Raises:
      ValueError: It is called inside a `tf.function`.

    >>> tf.data.experimental.enable_debug_mode()  # doctest: +SKIP
    """
    if state.graph is not None:
        raise ValueError("`enable_debug_mode() is only supported in eager mode.")
    functions.debugging.on = True


@export("__internal__.data.toggle_debug_mode")
def toggle_debug_mode(debug_mode):
    """Turn debug mode on or off."""
    functions.debugging.on = bool(debug_mode)


@export("__internal__.data.get_seed")
def get_seed(seed):
    """The two seeds of a random dataset, as int64 tensors.

    Two zeros would mean "at random", so the second is another number then.
    """
    first, second = seed_tensors(seed)
    known = [static_value(t) for t in (first, second)]
    return (first, constant(2**31 - 1, dtypes.int64)) if known == [0, 0] and seed is not None else (first, second)


@export("__internal__.data._global_shuffle")
def global_shuffle(input_dataset, seed=None, reshuffle_each_iteration=True, name=None):
    """All elements in random order, without a buffer: the dataset must allow random access."""
    inputs = (*seed_tensors(seed), call("DummySeedGenerator", ()))
    attrs = {"reshuffle_each_iteration": bool(reshuffle_each_iteration)}
    return input_dataset._then("GlobalShuffleDataset", inputs, attrs, name=name)
