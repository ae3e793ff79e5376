"""Hash functions of strings, with TensorFlow's exact values, and the ops built on them.

- `fingerprint64`: FarmHash (its `farmhashna` form), which never changes: `StringToHashBucketFast`, `Fingerprint`,
  crosses.
- `siphash`: SipHash-2-4 with a key: `StringToHashBucketStrong`.
- `hash64`: TensorFlow's MurmurHash64A: the old `StringToHashBucket`.

All are arithmetic modulo 2^64 on Python ints: about 5 µs for a word. Words repeat, so their hashes are cached. FarmHash
of a long string, a file for example, is computed in C++ (`reflow/native/farmhash.h`) if available.
"""

from __future__ import annotations

import functools
import struct

import numpy as np

from reflow.core import errors
from reflow.ops import shape_rules as rules
from reflow.ops.kernels.math.unary import unary_op
from reflow.ops.registry import NO_GRADIENT, op

MASK = 2**64 - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
LONG = 2**16  # bytes: Python takes 11 ms for them
_word = struct.Struct("<Q").unpack_from
_half = struct.Struct("<I").unpack_from


def _rotate(x: int, by: int) -> int:
    """To the right."""
    x &= MASK
    return (x >> by) | (x << (64 - by)) & MASK


def _shift_mix(x: int) -> int:
    x &= MASK
    return x ^ (x >> 47)


def _mix(u: int, v: int, mul: int) -> int:
    """FarmHash's way of joining two words into one."""
    u, v = u & MASK, v & MASK
    a = _shift_mix((u ^ v) * mul)
    b = _shift_mix((v ^ a) * mul)
    return b * mul & MASK


@functools.lru_cache(maxsize=2**16)
def fingerprint64(s: bytes) -> int:
    """FarmHash's Fingerprint64 of a word, kept.

    >>> hex(fingerprint64(b"a"))
    '0xb3454265b6df75e3'
    """
    return farmhash(s)


def farmhash(s: bytes | bytearray) -> int:
    """FarmHash's Fingerprint64."""
    n = len(s)
    if n > 64:
        return _farm_long(s)
    if n > 32:
        return _farm_64(s, n)
    if n > 16:
        mul = _K2 + n * 2
        a, b = _word(s, 0)[0] * _K1, _word(s, 8)[0]
        c, d = _word(s, n - 8)[0] * mul, _word(s, n - 16)[0] * _K2
        return _mix(_rotate(a + b, 43) + _rotate(c, 30) + d, a + _rotate(b + _K2, 18) + c, mul)
    if n >= 8:
        mul = _K2 + n * 2
        a, b = _word(s, 0)[0] + _K2, _word(s, n - 8)[0]
        return _mix(_rotate(b, 37) * mul + a, (_rotate(a, 25) + b) * mul, mul)
    if n >= 4:
        return _mix(n + (_half(s, 0)[0] << 3), _half(s, n - 4)[0], _K2 + n * 2)
    if n:
        y, z = s[0] + (s[n >> 1] << 8), n + (s[-1] << 2)
        return _shift_mix(y * _K2 & MASK ^ z * _K0 & MASK) * _K2 & MASK
    return _K2


def _farm_64(s: bytes | bytearray, n: int) -> int:
    mul = _K2 + n * 2
    a, b = _word(s, 0)[0] * _K2, _word(s, 8)[0]
    c, d = _word(s, n - 8)[0] * mul, _word(s, n - 16)[0] * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d
    z = _mix(y, a + _rotate(b + _K2, 18) + c, mul)
    e, f = _word(s, 16)[0] * mul, _word(s, 24)[0]
    g, h = (y + _word(s, n - 32)[0]) * mul, (z + _word(s, n - 24)[0]) * mul
    return _mix(_rotate(e + f, 43) + _rotate(g, 30) + h, e + _rotate(f + a, 18) + g, mul)


def _farm_pair(s: bytes | bytearray, at: int, a: int, b: int) -> tuple[int, int]:
    """32 bytes and two seeds to two words."""
    w, x, y, z = (_word(s, at + i)[0] for i in (0, 8, 16, 24))
    a += w
    b = _rotate(b + a + z, 21)
    c = a
    a += x + y
    b += _rotate(a, 44)
    return a + z & MASK, b + c & MASK


def _farm_round(s, at, x, y, z, v, w, mul, nine):
    """One block of 64 bytes; the last one has another multiplier and weighs two words ninefold."""
    x = _rotate(x + y + v[0] + _word(s, at + 8)[0], 37) * mul
    y = _rotate(y + v[1] + _word(s, at + 48)[0], 42) * mul
    x = (x ^ w[1] * nine) & MASK
    y += v[0] * nine + _word(s, at + 40)[0]
    z = _rotate(z + w[0], 33) * mul
    v = _farm_pair(s, at, v[1] * mul, x + w[0])
    w = _farm_pair(s, at + 32, z + w[1], y + _word(s, at + 16)[0])
    return z & MASK, y & MASK, x, v, w  # x and z change places


def _farm_blocks(s, end, x, y, z, v, w):
    """All blocks but the last one."""
    if end > LONG:
        from reflow import native  # not at the top: it imports JAX, which programs that compile nothing do without

        state = native.farm_blocks(s, end // 64, [x & MASK, y & MASK, z & MASK, *v, *w])
        if state is not None:
            return *state[:3], tuple(state[3:5]), tuple(state[5:])
    for at in range(0, end, 64):
        x, y, z, v, w = _farm_round(s, at, x, y, z, v, w, _K1, 1)
    return x, y, z, v, w


def _farm_long(s: bytes | bytearray) -> int:
    n, seed = len(s), 81
    x, y, v, w = seed * _K2 + _word(s, 0)[0], seed * _K1 + 113, (0, 0), (0, 0)
    z = _shift_mix(y * _K2 + 113) * _K2
    end = (n - 1) // 64 * 64
    x, y, z, v, w = _farm_blocks(s, end, x, y, z, v, w)
    mul, rest = _K1 + ((z & 0xFF) << 1), (n - 1) & 63
    first = w[0] + rest
    v = (v[0] + first, v[1])
    w = (first + v[0], w[1])
    x, y, z, v, w = _farm_round(s, end + rest - 63, x, y, z, v, w, mul, 9)
    return _mix(_mix(v[0], w[0], mul) + _shift_mix(y) * _K0 + z, _mix(v[1], w[1], mul) + x, mul)


_MURMUR = 0xC6A4A7935BD1E995


@functools.lru_cache(maxsize=2**16)
def hash64(s: bytes, seed: int = 0xDECAFCAFFE) -> int:
    """TensorFlow's `Hash64`."""
    h, whole = seed ^ (len(s) * _MURMUR & MASK), len(s) & ~7
    for at in range(0, whole, 8):
        h = (h ^ _shift_mix(_word(s, at)[0] * _MURMUR) * _MURMUR & MASK) * _MURMUR & MASK
    if whole < len(s):
        h = (h ^ int.from_bytes(s[whole:], "little")) * _MURMUR & MASK
    return _shift_mix(_shift_mix(h) * _MURMUR)


def fingerprint_cat(a: int, b: int) -> int:
    """One fingerprint from two, in order."""
    result = a ^ _MURMUR ^ (_shift_mix(b * _MURMUR) * _MURMUR & MASK)
    return _shift_mix(_shift_mix(result * _MURMUR) * _MURMUR)


def _sip_round(a, b, c, d):
    a, c = a + b & MASK, c + d & MASK
    b, d = _rotate(b, 51) ^ a, _rotate(d, 48) ^ c
    a = _rotate(a, 32)
    c, a = c + b & MASK, a + d & MASK
    b, d = _rotate(b, 47) ^ c, _rotate(d, 43) ^ a
    return a, b, _rotate(c, 32), d


@functools.lru_cache(maxsize=2**16)
def siphash(s: bytes, k0: int, k1: int) -> int:
    """SipHash-2-4 with the key (k0, k1).

    >>> hex(siphash(bytes(range(15)), 0x0706050403020100, 0x0F0E0D0C0B0A0908))
    '0xa129ca6149be45e5'
    """
    state = (k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573)
    whole = len(s) & ~7
    last = int.from_bytes(s[whole:], "little") | (len(s) & 0xFF) << 56
    for m in [*(_word(s, at)[0] for at in range(0, whole, 8)), last]:
        a, b, c, d = state
        a, b, c, d = _sip_round(*_sip_round(a, b, c, d ^ m))
        state = (a ^ m, b, c, d)
    a, b, c, d = state
    state = (a, b, c ^ 0xFF, d)
    for _ in range(4):
        state = _sip_round(*state)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


# --- ops ------------------------------------------------------------------------------------------------------------


def _buckets(strings, count: int, function) -> np.ndarray:
    if count < 1:
        raise errors.InvalidArgumentError(
            None, None, f"Value for attr 'num_buckets' of {count} must be at least minimum 1"
        )
    return np.array([function(s) % count for s in strings.reshape(-1)], np.int64).reshape(strings.shape)


@unary_op("StringToHashBucketFast", grad=NO_GRADIENT, host=True)
def string_to_hash_bucket_fast(_, input, num_buckets):
    return _buckets(input, num_buckets, fingerprint64)


@unary_op("StringToHashBucket", grad=NO_GRADIENT, host=True)
def string_to_hash_bucket(_, string_tensor, num_buckets):
    return _buckets(string_tensor, num_buckets, hash64)


@unary_op("StringToHashBucketStrong", grad=NO_GRADIENT, host=True)
def string_to_hash_bucket_strong(_, input, num_buckets, key):
    if len(key) != 2:
        raise errors.InvalidArgumentError(None, None, "Key must have 2 elements")
    k0, k1 = (k & MASK for k in key)
    return _buckets(input, num_buckets, lambda s: siphash(s, k0, k1))


@op(
    "Fingerprint", fits="1+ 0",
    shape=lambda f: [(None if f.shapes[0] is None else f.shapes[0][0], 8)] if f.shapes[0] != () else [None],
    grad=NO_GRADIENT, host=True,
)
def fingerprint(_, data, method):
    """The fingerprint of each row: of its bytes, or of the fingerprints of its strings."""
    if method.ndim:
        raise ValueError(f"`method` should be a scalar string: {rules.text(method.shape)}")
    if method[()] != b"farmhash64":
        raise errors.InvalidArgumentError(None, None, f"Unsupported fingerprint method: {method[()].decode()}")
    if not data.ndim:
        raise errors.InvalidArgumentError(None, None, "`data` should have at least one dimension: []")
    rows = len(data)
    if data.dtype == object:
        marks = np.array([fingerprint64(s) for s in data.reshape(-1)], np.uint64)
        if data.size <= rows:
            return marks.view(np.uint8).reshape(rows, 8)
        data = marks
    width = data.nbytes // rows if rows else 0
    raw = np.ascontiguousarray(data).tobytes()
    marks = np.array([fingerprint64(raw[i * width : (i + 1) * width]) for i in range(rows)], np.uint64)
    return marks.view(np.uint8).reshape(rows, 8)
