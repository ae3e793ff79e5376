"""Tables of numbers in CSV files."""

import numpy as np
import pytest

from reflow.drop_in.contrib.index import contrib

base = contrib.learn.datasets.base


def test_tables_are_read(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("2,2,red,blue\n1.5,2,0\n3,4.5,1\n")
    found = base.load_csv_with_header(str(path), np.int64, np.float32)
    assert (
        found.data.tolist() == [[1.5, 2.0], [3.0, 4.5]] and found.target.tolist() == [0, 1]
        and found.data.dtype == np.float32
    )
    path.write_text("0,1.5\n1,2.5\n")
    plain = base.load_csv_without_header(str(path), int, float, target_column=0)
    assert plain.data.tolist() == [[1.5], [2.5]] and plain.target.tolist() == [0, 1]
    path.write_text("3,1\n1.5,2\n")
    with pytest.raises(ValueError, match="says that it has 3 rows"):
        base.load_csv_with_header(str(path), int, float)


def test_datasets_by_name():
    assert contrib.learn.datasets.load_dataset("mnist").train.num_examples > 1000
    with pytest.raises(ValueError, match="no dataset 'dbpedia' here"):
        contrib.learn.datasets.load_dataset("dbpedia")
