"""Checkpoint files of TensorFlow (`tests/golden/bundle/`), and the check that TensorFlow reads those that Reflow
writes.

`cases()` gives the contents as NumPy arrays; it needs neither TensorFlow nor Reflow, and the tests compare with it.
"""

from __future__ import annotations

import lzma
import os
import pathlib
import shutil

import ml_dtypes
import numpy as np

from tools import golden
from tools.golden import run

GOLDEN = golden.GOLDEN / "bundle"
QUANTIZED = {"qint8": "i1", "quint8": "u1", "qint32": "<i4", "qint16": "<i2", "quint16": "<u2"}
REAL = [
    "float16",
    "float32",
    "float64",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
SHORT = ["bfloat16", "float8_e5m2", "float8_e4m3fn", "int4", "uint4"]


def _strings(items, shape=None) -> np.ndarray:
    out = np.empty(len(items), object)
    out[:] = items
    return out if shape is None else out.reshape(shape)


def types_case() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    out = {}
    for name in REAL:
        out[name] = rng.integers(0, 100, (3, 5)).astype(name)
        out[f"{name}/scalar"] = np.array(42, name)
    for name in SHORT:
        out[name] = rng.integers(0, 7, (2, 3)).astype(getattr(ml_dtypes, name))
    out["int4/negative"] = np.array([-8, -1, 7], ml_dtypes.int4)
    for name, code in QUANTIZED.items():
        out[name] = np.array([1, 2, 3], code).view([(name, code)])
    out["bool"] = rng.integers(0, 2, (2, 2, 2)).astype(bool)
    out["complex64"] = (rng.normal(size=4) + 1j * rng.normal(size=4)).astype(np.complex64)
    out["complex128"] = (rng.normal(size=4) + 1j * rng.normal(size=4)).astype(np.complex128)
    out["special"] = np.array([np.nan, np.inf, -np.inf, -0.0, 1e-45], np.float32)
    out["empty"] = np.zeros((0, 3), np.float32)
    out["rank8"] = np.arange(2**8, dtype=np.int16).reshape((2,) * 8)
    return out


def strings_case() -> dict[str, np.ndarray]:
    return {
        "scalar": _strings([b"hello"], ()),
        "scalar_empty": _strings([b""], ()),
        "none": _strings([], (0,)),
        "none_2d": _strings([], (2, 0)),
        "matrix": _strings([b"a", b"", b"\0b\0", "größe".encode(), bytes(range(256)), b"x" * 20000], (2, 3)),
        "many": _strings([b"%d" % (i * i) for i in range(300)]),
    }


def many_case() -> dict[str, np.ndarray]:
    """Enough keys for several blocks of 256 KB, long keys, and neighbours that try the separators."""
    out = {f"model/layer_{i:05d}/kernel": np.array(i % 3, np.int8) for i in range(20000)}
    for letter in "aeimquy":
        out[letter * 100000] = np.array([1.5], np.float32)
    out["\u00ff" * 10] = np.array(2, np.int32)
    out["z" * 270000 + "a"] = np.array(1, np.int32)
    out["z" * 270000 + "b"] = np.array(1, np.int32)
    out["z" * 270000 + "d"] = np.array(1, np.int32)
    return out


def cases() -> dict[str, dict[str, np.ndarray]]:
    return {"types": types_case(), "strings": strings_case(), "many": many_case()}


PACKED = {"many"}  # stored with xz: its index is 3 MB of repetition


# ---------------------------------------------------------------- TensorFlow


def save_v2(prefix: str, tensors: dict[str, np.ndarray]) -> None:
    import tensorflow as tf

    values = []
    for value in tensors.values():
        dtype = tf.string if value.dtype == object else tf.as_dtype(value.dtype.names[0]) if value.dtype.names else None
        values.append(tf.constant(value, dtype, shape=value.shape))
    tf.raw_ops.SaveV2(prefix=prefix, tensor_names=list(tensors), shape_and_slices=[""] * len(tensors), tensors=values)


def pack(prefix: pathlib.Path) -> None:
    for path in prefix.parent.glob(prefix.name + ".*"):
        path.with_name(path.name + ".xz").write_bytes(lzma.compress(path.read_bytes(), preset=9))
        path.unlink()


def write_sharded(folder: pathlib.Path) -> None:
    """Two shards, and a partitioned tensor: the merge of two checkpoints."""
    import tensorflow as tf

    def part(name: str, names: list, slices: list, values: list) -> str:
        path = str(folder / name)
        tf.raw_ops.SaveV2(prefix=path, tensor_names=names, shape_and_slices=slices, tensors=values)
        return path

    whole = np.arange(8, dtype=np.float32).reshape(4, 2)
    a = part("part_a", ["a", "cut"], ["", "4 2 0,2:-"], [tf.constant([1.0, 2.0]), tf.constant(whole[:2])])
    b = part("part_b", ["b", "cut"], ["", "4 2 2,2:-"], [tf.constant([3, 4, 5]), tf.constant(whole[2:])])
    tf.raw_ops.MergeV2Checkpoints(
        checkpoint_prefixes=[a, b], destination_prefix=str(folder / "sharded"), delete_old_dirs=False
    )


def write_objects(folder: pathlib.Path) -> None:
    """A checkpoint of objects: a manager's folder, names that need escaping, an optimizer with slots."""
    import tensorflow as tf

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([[1.0, 2.0]], name="w")
            self.items = [
                tf.Variable(3, name="item", dtype=tf.int64),
                {"a/b.c": tf.Variable(4.0, name="odd")},
            ]
            self.nothing = tf.Module()

    model = Model()
    optimizer = tf.compat.v1.train.AdamOptimizer(0.1)
    optimizer.minimize(lambda: tf.reduce_sum(model.w * model.w), var_list=[model.w])
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
    manager = tf.train.CheckpointManager(checkpoint, str(folder / "objects"), max_to_keep=2)
    for _ in range(3):
        manager.save()
    np.savez(folder / "objects" / "expected.npz", w=model.w.numpy())


def write_saved_model(folder: pathlib.Path) -> None:
    import tensorflow as tf

    class Model(tf.Module):
        def __init__(self):
            super().__init__()
            self.w = tf.Variable([1.0, 2.0], name="w")

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def __call__(self, x):
            return {"y": x * self.w}

    model = Model()
    tf.saved_model.save(model, str(folder / "saved_model"), signatures=model.__call__)


def write_golden() -> None:
    shutil.rmtree(GOLDEN, ignore_errors=True)
    GOLDEN.mkdir(parents=True)
    for name, tensors in cases().items():
        save_v2(str(GOLDEN / name), tensors)
        if name in PACKED:
            pack(GOLDEN / name)
    write_sharded(GOLDEN)
    write_objects(GOLDEN)
    write_saved_model(GOLDEN)
    total = sum(path.stat().st_size for path in GOLDEN.rglob("*") if path.is_file())
    print(f"{GOLDEN}: {total} bytes")


# ---------------------------------------------------------------- check


def write_with_reflow(folder: pathlib.Path) -> None:
    from reflow.train import bundle, checkpoint_state

    for name, tensors in cases().items():
        bundle.write(folder / name, tensors)
    bundle.write(folder / "twice", {"x": np.zeros(1000)})
    bundle.write(folder / "twice", {"x": np.ones(3)})
    write_transit(folder / "transit")
    checkpoint_state.update_checkpoint_state(
        folder,
        folder / "types",
        [str(folder / "many"), str(folder / "types")],
        save_relative_paths=True,
        all_model_checkpoint_timestamps=[1.5, 2.5],
        last_preserved_timestamp=1.25,
    )
    rewrite_objects(folder)


def write_transit(prefix: pathlib.Path) -> None:
    """The state in which an overwrite is committed but its data have not got their usual name (see commit.py)."""
    from unittest import mock

    from reflow.train import bundle, commit

    bundle.write(prefix, {"x": np.zeros(1000)})
    with mock.patch.object(commit, "_link", return_value=False):
        bundle.write(prefix, {"x": np.ones(3)})
    if [name for name, _ in commit._shards(str(prefix))] != ["transit.data-00000-of-00002"]:
        raise RuntimeError("the overwrite did not stop half-way")


def rewrite_objects(folder: pathlib.Path) -> None:
    """TensorFlow's checkpoint of objects, read, parsed, built again and written by Reflow."""
    from reflow.train import bundle, object_graph

    reader = bundle.Reader(GOLDEN / "objects" / "ckpt-3")
    tensors = reader.get_all()
    nodes = object_graph.parse(tensors[object_graph.OBJECT_GRAPH_KEY].item())
    tensors[object_graph.OBJECT_GRAPH_KEY] = np.array(object_graph.build(nodes), object)
    bundle.write(folder / "objects", tensors)


def same(a, b: np.ndarray) -> bool:
    a = np.asarray(a, object) if b.dtype == object else np.asarray(a)
    if b.dtype.names:  # quantized: read as plain integers
        b = b.view(b.dtype[0])
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    return a.tolist() == b.tolist() if b.dtype == object else a.tobytes() == b.tobytes()


def check(folder: pathlib.Path) -> bool:
    import tensorflow as tf

    bad = 0
    for name, tensors in {**cases(), "twice": {"x": np.ones(3)}, "transit": {"x": np.ones(3)}}.items():
        reader = tf.train.load_checkpoint(str(folder / name))
        shapes = {key: tuple(shape) for key, shape in reader.get_variable_to_shape_map().items()}
        shapes_ok = shapes == {key: value.shape for key, value in tensors.items()}
        # 20,000 values one by one take TensorFlow seconds: every 50th.
        chosen = [key for i, key in enumerate(tensors) if name != "many" or i % 50 == 0 or i >= 20000]
        wrong = [key for key in chosen if not same(reader.get_tensor(key), tensors[key])]
        bad += len(wrong) + (not shapes_ok)
        verdict = "equal" if shapes_ok else "DIFFER"
        print(f"{name}: {len(tensors)} names and shapes {verdict}, {len(chosen)} values, differing: {wrong}")
    bad += not check_restore_v2(folder)
    latest = tf.train.latest_checkpoint(str(folder))
    print("latest_checkpoint:", os.path.basename(latest or "None"))
    bad += latest != str(folder / "types")
    bad += not check_objects(folder)
    print("OK" if not bad else f"{bad} FAILURES")
    return not bad


def check_restore_v2(folder: pathlib.Path) -> bool:
    import tensorflow as tf

    value = tf.raw_ops.RestoreV2(
        prefix=str(folder / "types"), tensor_names=["bfloat16"], shape_and_slices=[""], dtypes=[tf.bfloat16]
    )[0]
    ok = same(value.numpy(), types_case()["bfloat16"])
    print("RestoreV2 of bfloat16:", "equal" if ok else "DIFFERS")
    return ok


def check_objects(folder: pathlib.Path) -> bool:
    """`tf.train.Checkpoint.restore` of the rewritten object checkpoint."""
    import tensorflow as tf

    model = tf.Module()
    model.w = tf.Variable([[0.0, 0.0]])
    model.items = [tf.Variable(0, dtype=tf.int64), {"a/b.c": tf.Variable(0.0)}]
    status = tf.train.Checkpoint(model=model).restore(str(folder / "objects"))
    status.assert_existing_objects_matched()
    expected = np.load(GOLDEN / "objects" / "expected.npz")["w"]
    ok = same(model.w.numpy(), expected) and model.items[0].numpy() == 3 and model.items[1]["a/b.c"].numpy() == 4.0
    print("Checkpoint.restore of an object graph:", "equal" if ok else "DIFFERS")
    return ok


if __name__ == "__main__":
    run(write_golden, write_with_reflow, check)
