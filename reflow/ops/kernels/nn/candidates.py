"""Candidate samplers: a few classes instead of all, for losses over very many classes.

They draw TensorFlow's numbers, word by word from a Philox stream. The *expected count* of a class is p times the number
of draws, or, if candidates are unique, the probability of being among them.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator

import numpy as np

from reflow.core import errors
from reflow.core.os_errors import os_errors
from reflow.ops import philox, random_state, require
from reflow.ops.registry import NO_GRADIENT, op
from reflow.ops.xp import host as host_xp

_WORDS_RESERVED = 2048  # for each candidate
_FEW = 16  # Philox blocks drawn one by one, as Python ints
_BLOCK = 64  # blocks drawn at a time after that


class Words:
    """Consecutive words of a Philox stream, as TensorFlow's `SimplePhilox` returns them."""

    def __init__(self, key, counter):
        self._key, self._counter, self._drawn = key, counter, 0
        self._words: Iterator[int] = iter(())

    def word(self) -> int:
        try:
            return next(self._words)
        except StopIteration:
            self._words = iter(self._few() if self._drawn < _FEW else self._many())
            return next(self._words)

    def _few(self) -> tuple[int, ...]:
        low, high = self._counter.tolist()
        at = philox.skip(low | high << 64, self._drawn)
        self._drawn += 1
        return philox.words_of_block(self._key.item(), at & 0xFFFFFFFFFFFFFFFF, at >> 64)

    def _many(self) -> list[int]:
        four = philox.stream(host_xp, self._key, self._counter, _BLOCK, first=self._drawn)
        self._drawn += _BLOCK
        return np.stack(four, -1).reshape(-1).tolist()

    def long(self) -> int:
        low = self.word()
        return low | self.word() << 32

    def unit(self) -> float:
        """A float32 in [0, 1)."""
        return (self.word() & 0x7FFFFF) / 2.0**23

    def wide_unit(self) -> float:
        """A double in [0, 1)."""
        high = self.word() & 0xFFFFF
        return (high << 32 | self.word()) / 2.0**52


class LogUniform:
    """Class c with a chance proportional to log(c + 2) - log(c + 1): for classes sorted by how frequent they are."""

    def __init__(self, attrs, cell):
        self._range, self._log = attrs["range_max"], math.log1p(attrs["range_max"])

    def sample(self, words) -> int:
        return (int(math.exp(words.wide_unit() * self._log)) - 1) % self._range

    def chance(self, c) -> float:
        return math.log((c + 2.0) / (c + 1.0)) / self._log


class Uniform:
    """Every class with the same chance."""

    def __init__(self, attrs, cell):
        self._range = attrs["range_max"]

    def sample(self, words) -> int:
        return words.long() % self._range

    def chance(self, c) -> float:
        return 1.0 / self._range


class LearnedUnigram:
    """Classes with chances that follow how often they were true so far."""

    _weights: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()

    def __init__(self, attrs, cell):
        self._counts = self._weights.setdefault(cell, np.ones(attrs["range_max"], np.int64))

    def sample(self, words) -> int:
        return int(np.searchsorted(np.cumsum(self._counts), words.word() % int(self._counts.sum()), "right"))

    def chance(self, c) -> float:
        return float(self._counts[c] / self._counts.sum())

    def learn(self, classes):
        np.add.at(self._counts, classes, 1)


class FixedUnigram:
    """Classes with given weights, raised to the power `distortion`; drawn by the alias method."""

    def __init__(self, attrs, cell):
        weights = list(attrs["unigrams"])
        if attrs.get("vocab_file"):
            weights = _weights_of(attrs["vocab_file"])
        if not weights:
            raise ValueError("Must provide either vocab_file or unigrams.")
        weights = [0.0] * attrs.get("num_reserved_ids", 0) + [w ** attrs.get("distortion", 1.0) for w in weights]
        if len(weights) != attrs["range_max"]:
            raise ValueError(f"range_max is {attrs['range_max']}, but there are {len(weights)} weights.")
        shards, shard = attrs.get("num_shards", 1), attrs.get("shard", 0)
        self._shards, self._shard = shards, shard
        self._weights, self._total = weights, sum(weights)
        self._table = _alias_table(np.array(weights[shard::shards], np.float32))

    def sample(self, words) -> int:
        coin = words.unit()
        place = words.word() % len(self._table)
        keep, other = self._table[place]
        picked = place if coin < keep else other
        return picked * self._shards + self._shard

    def chance(self, c) -> float:
        return self._weights[c] / self._total if 0 <= c < len(self._weights) else 0.0


def _weights_of(path: str) -> list:
    """The last column of each line of a file. An error names the line without showing its contents."""
    weights = []
    with os_errors(path), open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                weights.append(float(line.rpartition(b",")[2]))
            except ValueError:
                message = f"Wrong vocabulary format at line {number} of {path}"
                raise errors.InvalidArgumentError(None, None, message) from None
    return weights


def _alias_table(weights) -> list:
    """For each place the chance to stay there, and where to go otherwise."""
    scaled = [float(w) for w in weights * np.float32(len(weights)) / weights.sum()]
    others = list(range(len(scaled)))
    low = [i for i, w in enumerate(scaled) if w < 1.0]
    high = [i for i, w in enumerate(scaled) if w >= 1.0]
    while low and high:
        small, large = low.pop(), high.pop()
        others[small] = large
        scaled[large] -= 1.0 - scaled[small]
        (low if scaled[large] < 1.0 else high).append(large)
    for i in low + high:
        scaled[i] = 1.0
    return list(zip(scaled, others, strict=True))


def _expected(chance: float, count: int, tries: int) -> float:
    chance = float(np.float32(chance))
    return float(np.float32(chance) * np.float32(count)) if tries == count else -math.expm1(tries * math.log1p(-chance))


def _draw(sampler, words, count: int, unique: bool, limit: int) -> tuple[list, int]:
    """The candidates, and after how many tries."""
    if not unique:
        return [sampler.sample(words) for _ in range(count)], count
    if count > limit:
        raise errors.InvalidArgumentError(None, None, "Sampler's range is too small.")
    found: dict[int, None] = {}
    tries = 0
    while len(found) < count:
        tries += 1
        found[sampler.sample(words)] = None
    return list(found), tries


def _shape(f):
    count = f.attrs["num_sampled"]
    return [(count,), f.shapes[0], (count,)]


def _touches(attrs) -> tuple[str, ...]:
    return ("files",) if attrs.get("vocab_file") else ()


def _check_true_classes(true_classes, num_true: int, limit: int) -> None:
    require.matrix("true_classes", true_classes)
    if true_classes.shape[1] != num_true:
        found = true_classes.shape[1]
        raise ValueError(f"true_classes must have num_true columns, expected: {found} was: {num_true}")
    outside = [c for c in true_classes.reshape(-1).tolist() if not 0 <= c < limit]
    if outside:
        raise errors.InvalidArgumentError(
            None, None, f"`true_candidate` out of range [0, {limit}), received {outside[0]}"
        )


def _register(name, kind):
    @op(name, shape=_shape, grad=NO_GRADIENT, host=True, touches=_touches)
    def kernel(_, true_classes, num_true, num_sampled, unique, **attrs):
        _check_true_classes(true_classes, num_true, attrs["range_max"])
        cell = attrs.get("_counter") or random_state.eager_cell(
            name, {**attrs, "num_true": num_true, "num_sampled": num_sampled, "unique": unique}
        )
        sampler = kind(attrs, cell)
        words = Words(*cell.take(_WORDS_RESERVED * num_sampled // 4))
        drawn, tries = _draw(sampler, words, num_sampled, unique, attrs["range_max"])
        counts = [
            np.array([_expected(sampler.chance(c), num_sampled, tries) for c in classes], np.float32)
            for classes in (true_classes.reshape(-1).tolist(), drawn)
        ]
        if hasattr(sampler, "learn"):
            sampler.learn(true_classes.reshape(-1))
        return [np.array(drawn, np.int64), counts[0].reshape(true_classes.shape), counts[1]]

    return kernel


for _name, _kind in {
    "LogUniformCandidateSampler": LogUniform,
    "UniformCandidateSampler": Uniform,
    "LearnedUnigramCandidateSampler": LearnedUnigram,
    "ThreadUnsafeUnigramCandidateSampler": LearnedUnigram,
    "FixedUnigramCandidateSampler": FixedUnigram,
}.items():
    _register(_name, _kind)


@op("AllCandidateSampler", fits="2", shape=_shape, grad=NO_GRADIENT, host=True)
def all_candidates(_, true_classes, num_true, num_sampled, unique, **attrs):
    _check_true_classes(true_classes, num_true, num_sampled)
    ones = np.ones(num_sampled, np.float32)
    return [np.arange(num_sampled, dtype=np.int64), np.ones(true_classes.shape, np.float32), ones]


@op("ComputeAccidentalHits", fits="2 1", shape=lambda f: [(None,)] * 3, grad=NO_GRADIENT, host=True)
def compute_accidental_hits(_, true_classes, sampled_candidates, num_true, **attrs):
    """Where a candidate happens to be a true class: row, place among the candidates, and a weight that removes it."""
    require.vector("sampled_candidates", sampled_candidates)
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        raise ValueError("true_candidates must be a batch_size * num_true matrix")
    place = {c: i for i, c in enumerate(sampled_candidates.tolist())}
    hits = [(row, place[c]) for row, classes in enumerate(true_classes.tolist()) for c in classes if c in place]
    rows, ids = zip(*hits, strict=True) if hits else ((), ())
    lowest = np.full(len(hits), np.finfo(np.float32).min, np.float32)
    return [np.array(rows, np.int32), np.array(ids, np.int64), lowest]
