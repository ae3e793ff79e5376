"""`CsvDataset` and `make_csv_dataset`."""

import gzip

import pytest

import reflow as tf

Csv = tf.data.experimental.CsvDataset
make = tf.data.experimental.make_csv_dataset


def write(tmp_path, text, name="x.csv"):
    (tmp_path / name).write_text(text)
    return str(tmp_path / name)


def values(ds):
    return [tuple(x.numpy().item() if hasattr(x.numpy(), "item") else x.numpy() for x in row) for row in ds]


def test_defaults_selection_and_missing_values(tmp_path):
    path = write(tmp_path, "a,b,c\n1,2.5,x\n,NA,\"y,z\"\n")
    ds = Csv(path, [[7], tf.constant([0.5]), tf.string], header=True, na_value="NA")
    assert values(ds) == [(1, 2.5, b"x"), (7, 0.5, b"y,z")]
    assert values(Csv(path, [tf.string], header=True, select_cols=[2])) == [(b"x",), (b"y,z",)]
    assert values(Csv(path, [tf.string], header=True, exclude_cols=[0, 1])) == [(b"x",), (b"y,z",)]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("1,2,3\n", "Expect 2 fields but have more in record"),
        ("1\n", "Expect 2 fields but have 1 in record"),
        ("1,\n", "Field 1 is required but missing in record!"),
        ("1,a\n", "Field 1 in record is not a valid int32: a"),
        ("1,3000000000\n", "Field 1 in record is not a valid int32: 3000000000"),
    ],
)
def test_records_that_do_not_fit(tmp_path, text, error):
    with pytest.raises(tf.errors.InvalidArgumentError, match=error):
        list(Csv(write(tmp_path, text), [[0], tf.int32]))


def test_columns_are_inferred(tmp_path):
    path = write(tmp_path, "n,big,f,s\n1,3000000000,2.5,x\n2,1,3,y\n")
    (batch,) = make(path, 2, num_epochs=1, shuffle=False)
    assert {k: (v.dtype.name, v.numpy().tolist()) for k, v in batch.items()} == {
        "n": ("int32", [1, 2]), "big": ("int64", [3000000000, 1]), "f": ("float32", [2.5, 3.0]),
        "s": ("string", [b"x", b"y"]),
    }
    ((features, label),) = make(path, 2, label_name="n", select_columns=["s", 0], num_epochs=1, shuffle=False)
    assert list(features) == ["s"] and label.numpy().tolist() == [1, 2]


def test_compressed_files_and_an_iterator_restored(tmp_path):
    with gzip.open(tmp_path / "x.gz", "wt") as file:
        file.write("a\n1\n2\n3\n")
    ds = Csv(str(tmp_path / "x.gz"), [tf.int32], "GZIP", header=True)
    iterator = iter(ds)
    next(iterator)
    again = iter(ds)
    again._restore(iterator._save())
    assert values(again) == [(2,), (3,)]


def test_arguments_that_cannot_be(tmp_path):
    path = write(tmp_path, "a,a\n1,2\n")
    for arguments, text in (
        ({}, "duplicate column names"),
        ({"column_names": ["a", "b"], "label_name": "c"}, "`label_name` provided must be one"),
        ({"column_names": ["a", "b"], "select_columns": [2]}, "Column index 2"),
        ({"column_names": ["a", "b"], "select_columns": ["z"]}, "Column z"),
        ({"column_names": ["a", "b"], "select_columns": [0, "a"]}, "contains duplicate columns"),
        ({"header": False}, "Expected `column_names` or `header`"),
        ({"compression_type": "ZLIB"}, "not supported for probing"),
    ):
        with pytest.raises(ValueError, match=text):
            make(path, 1, **arguments)
    with pytest.raises(ValueError, match="No files match"):
        make(str(tmp_path / "none*"), 1)
