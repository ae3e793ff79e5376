"""`tf.train.SequenceExample`s as tensors: `ParseSequenceExampleV2` and its older forms.

A sequence example has a *context*, features as an example has them, and *feature lists*: under each key a list of
features, one for each step. A feature list becomes a dense array of (example, step, …), padded with zeros; a sparse
tensor; or a tensor with two ragged axes. A scalar input is one example, whose tensors have no axis for examples.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from reflow.core import dtypes
from reflow.core.shapes import dims_of
from reflow.io import examples
from reflow.io.kernels import parsing
from reflow.io.kernels.parsing_errors import invalid, wrong_step
from reflow.ops import require
from reflow.ops.from_python import short_name
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.shape_facts import text as text_of


class Features(NamedTuple):
    """What is wanted of contexts or of feature lists: (key, dtype), (key, default or dtype, shape), (key, dtype,
    dtype of splits)."""

    sparse: list
    dense: list
    ragged: list


def _texts(keys) -> list[str]:
    """Keys from one vector of strings, from a list of scalars, or from an attribute."""
    if isinstance(keys, np.ndarray):
        return [key.decode() for key in keys.reshape(-1)]
    return [key if isinstance(key, str) else key[()].decode() for key in keys]


def _outputs(serialized, names, context: Features, lists: Features, may_miss: set[str]) -> tuple[list, ...]:
    """Outputs of the context, then of feature lists: sparse parts, dense arrays, their lengths, ragged parts."""
    if serialized.ndim > 1:
        raise invalid(f"Expected serialized to be a scalar or vector, got shape: {text_of(serialized.shape)}")
    scalar = serialized.ndim == 0
    if names.size not in (0, serialized.size):
        raise invalid("example_names must be empty or have the correct number of elements")
    messages = []
    for text in serialized.reshape(-1):
        try:
            messages.append(examples.SequenceExample.FromString(text))
        except Exception as error:  # protobuf's DecodeError has no public home that is stable
            raise invalid(f"Could not parse example input, value: '{text[:60]!r}'") from error
    rows = parsing.Rows((m.context.feature for m in messages), names)
    steps = [m.feature_lists.feature_list for m in messages]
    labels = [name.decode() for name in names.reshape(-1)] or ["<unknown>"] * len(steps)
    sparse = [_sparse(_arrays(steps, key, kind, labels), kind, scalar) for key, kind in lists.sparse]
    dense = [_dense(steps, key, kind, dims, key in may_miss, labels) for key, kind, dims in lists.dense]
    if scalar:
        dense = [(array[0], length.reshape(())) for array, length in dense]
    ragged = [_ragged(_arrays(steps, key, kind, labels), kind, splits, scalar) for key, kind, splits in lists.ragged]
    return (
        list(parsing.features(rows, *context, scalar)),
        [part[i] for i in range(3) for part in sparse],
        [array for array, _ in dense],
        [length for _, length in dense],
        [part[i] for i in range(3) for part in ragged],
    )


def _arrays(steps: list, key: str, kind, names: list[str]) -> list[list[np.ndarray]]:
    """For each example the arrays of a feature list's steps; no steps where it is missing."""
    wanted = parsing.LISTS[kind]
    out: list[list[np.ndarray]] = []
    for lists, name in zip(steps, names):
        rows: list[np.ndarray] = []
        out.append(rows)
        for t, feature in enumerate(lists[key].feature if key in lists else ()):
            if feature.WhichOneof("kind") not in (wanted, None):
                raise invalid(
                    f"Name: {name}, Feature list: {key}, Index: {t}.  Data types don't match. "
                    f"Expected type: {short_name(kind)}"
                )
            rows.append(parsing.array(getattr(feature, wanted).value, kind))
    return out


def _sparse(found: list[list[np.ndarray]], kind, scalar: bool):
    """(indices, values, shape) of a feature list of any lengths."""
    places = [(e, t, i) for e, rows in enumerate(found) for t, row in enumerate(rows) for i in range(len(row))]
    indices = np.array(places, np.int64).reshape(-1, 3)
    flat = [row for rows in found for row in rows]
    joined = np.concatenate(flat) if flat else parsing.array((), kind)
    shape = np.array([len(found), max(map(len, found), default=0), max(map(len, flat), default=0)], np.int64)
    return (indices[:, 1:], joined, shape[1:]) if scalar else (indices, joined, shape)


def _dense(steps: list, key: str, kind, dims, key_may_miss: bool, names: list[str]):
    """(array, lengths): one array for all examples, as many steps as the longest has."""
    dims = dims_of(dims) or ()
    found = _arrays(steps, key, kind, names)
    for lists, rows, name in zip(steps, found, names):
        if key not in lists and not key_may_miss:
            raise invalid(
                f"Name: {name}, Feature list '{key}' is required but could not be found.  Did you mean to include it "
                "in feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?"
            )
        for t, row in enumerate(rows):
            if len(row) != math.prod(dims):
                raise wrong_step(name, key, t, len(row), sum(map(len, rows)), dims)
    longest = max(map(len, found), default=0)
    out = np.full((len(found), longest, *dims), b"" if kind is dtypes.string else 0, kind.np_dtype)
    for i, rows in enumerate(found):
        for t, row in enumerate(rows):
            out[i, t] = row.reshape(dims)
    return out, np.array([len(rows) for rows in found], np.int64)


def _ragged(found: list[list[np.ndarray]], kind, splits, scalar: bool):
    """(values, splits of examples, splits of steps) of a feature list."""
    flat = [row for rows in found for row in rows]
    outer = [] if scalar else [0, *np.cumsum([len(rows) for rows in found])]
    inner = [0, *np.cumsum([len(row) for row in flat])]
    joined = np.concatenate(flat) if flat else parsing.array((), kind)
    return joined, np.array(outer, splits.np_dtype), np.array(inner, splits.np_dtype)


# --- shapes ---------------------------------------------------------------------------------------------------------


def _shapes(f):
    """Shapes of all outputs, in the order of the OpDef.

    The older ops have no ragged ones, the single form no lengths.
    """
    batch, attrs = f.shapes[0], f.attrs
    rank = None if batch is None else len(batch)
    columns = (lambda n: None) if rank is None else (lambda n: n + rank)
    outer = (0,) if rank == 0 else (None,)

    def parts(kind: str, axes: int) -> list:
        """Sparse parts and dense arrays of features that have `axes` axes each: contexts one, feature lists two."""
        sparse, dense = len(attrs[f"{kind}_sparse_types"]), [dims_of(s) for s in attrs[f"{kind}_dense_shapes"]]
        steps = (None,) * (axes - 1)
        known = [None if batch is None or d is None else (*batch, *steps, *d) for d in dense]
        width = columns(axes)
        return [(None, width)] * sparse + [(None,)] * sparse + [(width,)] * sparse + known

    context, lists = parts("context", 1), parts("feature_list", 2)
    if any(out.name == "feature_list_dense_lengths" for out in f.op.definition.outputs):
        lists += [batch] * len(attrs["feature_list_dense_shapes"])
    count = len(attrs.get("context_ragged_value_types", ()))
    context += [(None,)] * count + [outer] * count
    count = len(attrs.get("feature_list_ragged_value_types", ()))
    return context + lists + [(None,)] * count + [outer] * count + [(None,)] * count


# --- ops ------------------------------------------------------------------------------------------------------------


@op("ParseSequenceExampleV2", fits="1- 1-", shape=_shapes, grad=NO_GRADIENT, host=True)
def parse_sequence_example_v2(
    _, serialized, debug_name, context_sparse_keys, context_dense_keys, context_ragged_keys, feature_list_sparse_keys,
    feature_list_dense_keys, feature_list_ragged_keys, feature_list_dense_missing_assumed_empty, context_dense_defaults,
    **attrs,
):  # fmt: skip
    given = {"context_sparse": context_sparse_keys, "context_dense": context_dense_keys}
    given |= {"feature_list_sparse": feature_list_sparse_keys, "feature_list_dense": feature_list_dense_keys}
    _check_counts(attrs, {f"{kind}_keys": keys.reshape(-1) for kind, keys in given.items()})
    context = Features(
        require.paired(context_sparse_keys=_texts(context_sparse_keys), types=attrs["context_sparse_types"]),
        require.paired(
            keys=_texts(context_dense_keys), defaults=context_dense_defaults, shapes=attrs["context_dense_shapes"]
        ),
        require.paired(
            keys=_texts(context_ragged_keys), values=attrs["context_ragged_value_types"],
            splits=attrs["context_ragged_split_types"],
        ),
    )
    kinds = attrs["feature_list_ragged_value_types"], attrs["feature_list_ragged_split_types"]
    dense_keys = _texts(feature_list_dense_keys)
    lists = Features(
        require.paired(
            feature_list_sparse_keys=_texts(feature_list_sparse_keys), types=attrs["feature_list_sparse_types"]
        ),
        require.paired(
            keys=dense_keys, types=attrs["feature_list_dense_types"], shapes=attrs["feature_list_dense_shapes"]
        ),
        require.paired(keys=_texts(feature_list_ragged_keys), values=kinds[0], splits=kinds[1]),
    )
    may = feature_list_dense_missing_assumed_empty.reshape(-1)
    if len(may) != len(dense_keys):
        raise invalid("Expected len(feature_list_dense_keys) == len(feature_list_dense_missing_assumed_empty)")
    may_miss = {key for key, missing in zip(dense_keys, may, strict=True) if missing}
    first, sparse, dense, lengths, ragged = _outputs(serialized, debug_name, context, lists, may_miss)
    return (*first, *sparse, *dense, *lengths, *ragged)


def _check_counts(attrs, keys) -> None:
    """As many keys of each kind as attributes say, where they do."""
    for kind in ("context_sparse", "context_dense", "feature_list_sparse", "feature_list_dense"):
        count, given = attrs.get(f"N{kind}"), keys[f"{kind}_keys"]
        if count is not None and count != len(given):
            raise invalid(f"num_{kind} ({count}) must match the size of {kind}_keys ({len(given)})")


def _check_defaults(defaults, attrs, default: str, shapes: str) -> None:
    """Defaults of dense features have their shapes, or are empty; ops call both by different names."""
    for i, (value, dims) in enumerate(zip(defaults, attrs["context_dense_shapes"])):
        if value.size and dims is not None and value.shape != tuple(dims):
            differ = f"{text_of(value.shape)} != {shapes}[{i}] == {text_of(tuple(dims))}"
            raise invalid(f"{default}[{i}].shape() == {differ}")


def _older(serialized, debug_name, defaults, may_miss, attrs):
    """The outputs of the two older ops, whose keys are lists."""
    _check_counts(attrs, attrs)
    context = Features(
        require.paired(context_sparse_keys=_texts(attrs["context_sparse_keys"]), types=attrs["context_sparse_types"]),
        require.paired(
            context_dense_keys=_texts(attrs["context_dense_keys"]), defaults=defaults,
            shapes=attrs["context_dense_shapes"],
        ),
        [],
    )
    kinds = attrs["feature_list_dense_types"], attrs["feature_list_dense_shapes"]
    lists = Features(
        require.paired(
            feature_list_sparse_keys=_texts(attrs["feature_list_sparse_keys"]), types=attrs["feature_list_sparse_types"]
        ),
        require.paired(
            feature_list_dense_keys=_texts(attrs["feature_list_dense_keys"]), types=kinds[0], shapes=kinds[1]
        ),
        [],
    )
    return _outputs(serialized, debug_name, context, lists, set(_texts(may_miss)))


@op("ParseSequenceExample", fits="1 1", shape=_shapes, grad=NO_GRADIENT, host=True)
def parse_sequence_example(_, serialized, debug_name, context_dense_defaults, **attrs):
    _check_defaults(context_dense_defaults, attrs, "default_value", "context_dense_shapes")
    may_miss = attrs["feature_list_dense_missing_assumed_empty"]
    first, sparse, dense, lengths, _ = _older(serialized, debug_name, context_dense_defaults, may_miss, attrs)
    return (*first, *sparse, *dense, *lengths)


@op("ParseSingleSequenceExample", fits="0", shape=_shapes, grad=NO_GRADIENT, host=True)
def parse_single_sequence_example(
    _, serialized, feature_list_dense_missing_assumed_empty, context_sparse_keys, context_dense_keys,
    feature_list_sparse_keys, feature_list_dense_keys, context_dense_defaults, debug_name, **attrs,
):  # fmt: skip
    for name, value in (("serialized", serialized), ("debug_name", debug_name)):
        if value.ndim and (value.size or name == "serialized"):
            raise invalid(f"Expected {name} to be a scalar, got shape: {text_of(value.shape)}")
    if feature_list_dense_missing_assumed_empty.ndim != 1:
        got = f"got shape: {text_of(feature_list_dense_missing_assumed_empty.shape)}"
        raise invalid(f"Expected feature_list_dense_missing_assumed_empty to be a vector, {got}")
    _check_defaults(context_dense_defaults, attrs, "def_value", "context_dense_shapes_")
    keys = {
        "context_sparse_keys": context_sparse_keys,
        "context_dense_keys": context_dense_keys,
        "feature_list_sparse_keys": feature_list_sparse_keys,
        "feature_list_dense_keys": feature_list_dense_keys,
    }
    may_miss = feature_list_dense_missing_assumed_empty
    first, sparse, dense, _, _ = _older(serialized, debug_name, context_dense_defaults, may_miss, attrs | keys)
    return (*first, *sparse, *dense)
