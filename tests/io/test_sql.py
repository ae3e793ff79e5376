"""Rows of SQLite databases."""

import sqlite3

import pytest

import reflow as tf

Sql = tf.data.experimental.SqlDataset


@pytest.fixture
def base(tmp_path):
    path = str(tmp_path / "x.db")
    with sqlite3.connect(path) as connection:
        connection.executescript("create table t (n, f, s); insert into t values (1, 2.5, 'a'), (-3, null, null)")
    connection.close()
    return path


def test_values_are_converted(base):
    ds = Sql("sqlite", base, "select n, f, s from t order by rowid", (tf.int16, tf.float64, tf.string))
    assert [(int(n), float(f), s.numpy()) for n, f, s in ds] == [(1, 2.5, b"a"), (-3, 0.0, b"")]


def test_queries_that_fail(base):
    with pytest.raises(tf.errors.UnknownError, match="no such table"):
        list(Sql("sqlite", base, "select n from absent", (tf.int32,)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="number of columns in query"):
        list(Sql("sqlite", base, "select n, f from t", (tf.int32,)))
    with pytest.raises(tf.errors.InvalidArgumentError, match="not supported by SqlDataset"):
        Sql("oracle", base, "select n from t", (tf.int32,))


def test_columns_have_the_types_of_databases(base):
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be one of: DT_STRING, DT_INT8, .*DT_DOUBLE"):
        list(Sql("sqlite", base, "select n from t", (tf.float32,)))
