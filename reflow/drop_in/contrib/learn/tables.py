"""`tf.contrib.learn.datasets`: tables of numbers in CSV files, and the digits that come with Reflow."""

from __future__ import annotations

import csv
from typing import Any, NamedTuple

import numpy as np

from reflow.drop_in.contrib.digits import read_data_sets


class Dataset(NamedTuple):
    """A dataset: rows of numbers and their labels."""

    data: Any
    target: Any


def _split(rows: Any, target_dtype: Any, features_dtype: Any, target_column: int) -> Dataset:
    data, target = [], []
    for row in rows:
        target.append(row.pop(target_column))
        data.append(np.asarray(row, features_dtype))
    return Dataset(np.array(data), np.array(target, np.float64).astype(target_dtype))


def load_csv_with_header(filename, target_dtype, features_dtype, target_column=-1) -> Dataset:
    """A CSV file whose first line says how many rows and features there are."""
    with open(filename, newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        found = _split(rows, target_dtype, features_dtype, target_column)
    count, features = int(header[0]), int(header[1])
    if found.data.shape != (count, features):
        raise ValueError(f"{filename} says that it has {count} rows of {features} features; it has {found.data.shape}.")
    return found


def load_csv_without_header(filename, target_dtype, features_dtype, target_column=-1) -> Dataset:
    """A CSV file of numbers."""
    with open(filename, newline="") as file:
        return _split(csv.reader(file), target_dtype, features_dtype, target_column)


def load_dataset(name: str, size: str = "small", test_with_fake_data: bool = False) -> Any:
    """Loads a dataset by name. Nothing is downloaded, so only the MNIST digits are available."""
    if name != "mnist":
        raise ValueError(f"There is no dataset {name!r} here: mnist is, nothing is downloaded.")
    return read_data_sets()

