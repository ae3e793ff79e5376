"""`tensorflow.python.data.experimental.ops.shuffle_ops`: files read in a random order of all their elements.

The elements that are read of all files are numbered from 0 on. A file's *threshold* is the number of its first one, its
*offset* what is added to numbers from there on to get places among the elements of all files.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from reflow.api.array.indexing import gather
from reflow.api.call import call
from reflow.api.random.index_shuffle import index_shuffle as shuffled_index
from reflow.core import dtypes
from reflow.data.base import AUTOTUNE, Family
from reflow.data.experimental_names import at as element_at
from reflow.data.experimental_names import shuffle_and_repeat as shuffle_and_repeat
from reflow.ops.convert import constant, convert_to_tensor


def _number(info: dict[str, Any], key: str, default: int) -> int:
    """An entry of a file's description, where -1 is "all"."""
    value = info.get(key, default)
    if value < -1:
        raise ValueError(f"`{key}` should be greater than `-1` but got {value}")
    return info["num_elements"] if value == -1 else value


def _process_file_infos(file_infos: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The files, how many elements are read, and where some are left out, thresholds and offsets."""
    sizes = np.array([info["num_elements"] for info in file_infos], np.int64)
    skips = np.minimum([_number(info, "skip", 0) for info in file_infos], sizes)
    takes = np.minimum([_number(info, "take", -1) for info in file_infos], sizes - skips)
    result: dict[str, Any] = {"files": [info["path"] for info in file_infos], "num_elements": int(takes.sum())}
    if (takes != sizes).any():
        thresholds = takes.cumsum() - takes
        result |= {"thresholds": thresholds, "offsets": sizes.cumsum() - sizes + skips - thresholds}
    return result


def _adjust_index(index: Any, thresholds: Any, offsets: Any) -> Any:
    """The place among the elements of all files of the one with this number among those that are read."""
    index = convert_to_tensor(index, dtypes.int64)
    begun = call("LessEqual", (constant(thresholds, dtypes.int64), index))
    file = call("Sum", (call("Cast", (begun,), {"DstT": dtypes.int64}), constant([0], dtypes.int32)))
    return index + gather(constant(offsets, dtypes.int64), file - 1)


def index_shuffle(
    file_infos: Sequence[dict[str, Any]], reader_factory: Callable[[list[str]], Any], seed: Any = None,
    reshuffle_each_iteration: bool | None = False, num_parallel_calls: int = AUTOTUNE,
) -> Any:
    """All elements of files in random order, without a buffer: the dataset that `reader_factory` makes of the files
    allows random access.

    A file is described by `path` and `num_elements`, and by `skip` and `take` if not all of its elements are read.
    """
    plan = _process_file_infos(file_infos)

    def one_pass(seeds: Any) -> Any:
        source = reader_factory(plan["files"])

        def read(number: Any) -> Any:
            at = shuffled_index(number, seeds, plan["num_elements"] - 1)
            if "thresholds" in plan:
                at = _adjust_index(at, plan["thresholds"], plan["offsets"])
            return element_at(source, at)

        return Family._class.range(plan["num_elements"]).map(read, num_parallel_calls=num_parallel_calls)

    seeds = Family._class.random(seed=seed, rerandomize_each_iteration=reshuffle_each_iteration)
    return seeds.take(2).batch(2, drop_remainder=True).flat_map(one_pass)
