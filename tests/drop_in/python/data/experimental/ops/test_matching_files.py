"""`reflow/drop_in/python/data/experimental/ops/matching_files.py`."""

import pytest

import reflow as tf
from reflow.drop_in.python.data.experimental.ops.matching_files import MatchingFilesDataset


def test_names_of_files(tmp_path):
    for name in ("b.txt", "a.txt", "c.bin"):
        (tmp_path / name).touch()
    dataset = MatchingFilesDataset([f"{tmp_path}/*.bin", f"{tmp_path}/*.txt"])
    assert dataset.element_spec == tf.TensorSpec([], tf.string) and isinstance(dataset, tf.data.Dataset)
    assert sorted(name.numpy().decode().rpartition("/")[2] for name in dataset) == ["a.txt", "b.txt", "c.bin"]
    with pytest.raises(tf.errors.NotFoundError, match="Don't find any matched files"):
        list(MatchingFilesDataset(f"{tmp_path}/none*"))
