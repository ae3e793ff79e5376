"""The format of saved datasets."""

import numpy as np
import pytest

from reflow.core import errors
from reflow.data.engine import snapshot_files as files
from reflow.data.engine.composites import Dense, Ragged, Sparse
from reflow.data.engine.values import Range

#: as TensorFlow wrote them: a scalar int32, a scalar string, a sparse and a ragged tensor
INT = "08031200220400000000"
STRING = "0807120022030262 63".replace(" ", "")
SPARSE = (
    "081512041202080322 6a2521210a1274656e736f72666c6f773a3a54656e736f721a0f080912081202080112020801520101"
    "0a1274656e736f72666c6f773a3a54656e736f721a0b080312041202080 13a01010a1274656e736f72666c6f773a3a54656e736f72"
    "1a0b0809120412020801520102"
).replace(" ", "")
RAGGED = (
    "08151200223433"
    "0a1352616767656454656e736f7256617269616e741a0d080912041202080352030001031a0d0803120412020803"
    "3a03010203"
)


def test_plain_tensors_are_written_as_tensorflow_does():
    assert files.encode_array(np.array(0, np.int32)).hex() == INT
    assert files.encode_array(np.array(b"bc", object)).hex() == STRING
    assert files.decode_array(bytes.fromhex(STRING))[()] == b"bc"


def test_composites_of_tensorflow_are_read():
    indices, values, shape, flat, splits = files.unpack(
        [bytes.fromhex(SPARSE), bytes.fromhex(RAGGED)], [Sparse(), Ragged(1)]
    )
    assert [x.tolist() for x in (indices, values, shape)] == [[[1]], [1], [2]]
    assert flat.tolist() == [1, 2, 3] and splits.tolist() == [0, 1, 3]


def test_elements_come_back():
    element = [
        np.arange(6.0).reshape(2, 3), np.array([[1]]), np.array([5]), np.array([2]), np.array([b"a", b""], object)
    ]
    leaves = [Dense(), Sparse(), Dense()]
    back = files.unpack(files.pack(element, leaves), leaves)
    assert all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(element, back, strict=True))
    with pytest.raises(errors.UnimplementedError, match="Range cannot be written"):
        files.pack([Range(0, 1, 1, np.int64)], [Dense()])


def test_metadata(tmp_path):
    assert files.read_metadata(str(tmp_path)) is None
    files.write_metadata(str(tmp_path), "12", [3], 5, True)
    found = files.read_metadata(str(tmp_path))
    assert found.pop("created") > 1e9 and found == {"run": "12", "count": 5, "finalized": True}
