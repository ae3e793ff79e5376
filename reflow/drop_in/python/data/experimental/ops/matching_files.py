"""`tensorflow.python.data.experimental.ops.matching_files`: the names of files as a dataset."""

from typing import Any

from reflow.api.call import call
from reflow.core import dtypes
from reflow.core.specs import TensorSpec
from reflow.data.dataset import DatasetV2
from reflow.ops.convert import convert_to_tensor


class MatchingFilesDataset(DatasetV2):
    """The names of the files that match patterns, one after the other."""

    def __init__(self, patterns: Any) -> None:
        self._patterns = convert_to_tensor(patterns, dtypes.string)
        super().__init__(call("MatchingFilesDataset", (self._patterns,)), TensorSpec([], dtypes.string))
