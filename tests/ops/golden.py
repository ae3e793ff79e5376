"""The file of expected results, `tests/golden/ops.json` and `ops.npz`: written by `tools/golden/ops.py`, read by
`numeric.py`.

`ops.json` holds one record per case; an array in it is `[dtype, shape, start]`,
or `["string", shape, values]`.
`ops.npz` holds one long array per stored dtype; `start` counts elements there.
bfloat16 and float16 are stored as float32, strings in the JSON file itself.
"""

from __future__ import annotations

import json
import pathlib

import numpy as np

from tests.ops.inputs import np_dtype

FOLDER = pathlib.Path(__file__).parents[1] / "golden"
STORED = {"bfloat16": "float32", "float16": "float32"}


class Writer:
    """Collects records and their arrays."""

    def __init__(self):
        self.records: dict = {}
        self.flat: dict = {}

    def array(self, dtype: str, value) -> list:
        """The JSON form of an array, whose values are kept for the other file."""
        value = np.asarray(value)
        if dtype == "string":
            return [dtype, list(value.shape), [v.decode("latin-1") for v in value.ravel()]]
        stored = STORED.get(dtype, dtype)
        at = self.flat.setdefault(stored, [])
        start = sum(a.size for a in at)
        at.append(value.astype(np_dtype(stored)).ravel())
        return [dtype, list(value.shape), start]

    def save(self, name: str):
        FOLDER.mkdir(exist_ok=True)
        text = ",\n".join(f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in self.records.items())
        (FOLDER / f"{name}.json").write_text("{\n" + text + "\n}\n")
        np.savez_compressed(FOLDER / f"{name}.npz", **{k: np.concatenate(v) for k, v in sorted(self.flat.items())})


class Reader:
    """The records, with arrays where the JSON file has places."""

    def __init__(self, name: str):
        self.records = json.loads((FOLDER / f"{name}.json").read_text())
        with np.load(FOLDER / f"{name}.npz") as stored:
            self.flat = dict(stored)

    def array(self, place) -> tuple[str, np.ndarray]:
        """Dtype and values of an array."""
        dtype, shape, start = place
        if dtype == "string":
            return dtype, np.array([v.encode("latin-1") for v in start], object).reshape(shape)
        flat = self.flat[STORED.get(dtype, dtype)]
        return dtype, flat[start: start + int(np.prod(shape, dtype=int))].reshape(shape)
