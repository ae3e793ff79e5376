"""PNG files with 16 bits a channel: Pillow reads both bytes of one channel only, and writes no others."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

#: the raw modes in which Pillow reads a file, by the one that it chooses itself: the first bytes, and the second bytes
_HALVES = {"RGB;16B": ("RGB;16B", "RGB;16L"), "RGBA;16B": ("RGBA;16B", "RGBA;16L")}
#: channels -> the number of their kind in a file
_KINDS = {1: 0, 2: 4, 3: 2, 4: 6}


def is_deep(picture: Any) -> bool:
    """Whether a file that Pillow has opened holds 16 bits a channel."""
    return any(str(tile[3]).endswith(";16B") for tile in picture.tile)


def read(opened: Callable[[], Any]) -> np.ndarray:
    """The numbers of a file, with as many channels as it has. It is opened once for each half of the numbers."""
    picture = opened()
    raw_mode = picture.tile[0][3]
    if raw_mode == "I;16B":
        return np.asarray(picture).astype(np.uint16)[..., None]
    if raw_mode == "LA;16B":  # four bytes a pixel, as if they were colours
        bytes_ = _raw(picture, "RGBA").astype(np.uint16)
        return bytes_[..., ::2] << 8 | bytes_[..., 1::2]
    first, second = (_raw(opened(), mode).astype(np.uint16) for mode in _HALVES[raw_mode])
    return first << 8 | second


def _raw(picture: Any, raw_mode: str) -> np.ndarray:
    picture.tile = [(*tile[:3], raw_mode) for tile in picture.tile]
    return np.asarray(picture)


def converted(pixels: np.ndarray, wanted: int) -> np.ndarray:
    """Numbers of 16 bits with as many channels as wanted (0: as they have)."""
    colours, opacity = pixels[..., : (pixels.shape[-1] - 1) // 2 * 2 + 1], pixels[..., -1:]
    if wanted in (0, pixels.shape[-1]):
        return pixels
    if wanted == 1 and colours.shape[-1] == 3:
        return _grey(colours)
    colours = np.repeat(colours, 3, axis=-1) if wanted > 1 and colours.shape[-1] == 1 else colours
    if wanted < 4:
        return colours
    return np.concatenate([colours, opacity if pixels.shape[-1] % 2 == 0 else np.full_like(opacity, 65535)], -1)


def _grey(colours: np.ndarray) -> np.ndarray:
    """Brightness by the integers of libpng, which rounds it here and leaves what is grey as it is."""
    light = (colours.astype(np.int64) @ np.array([9797, 19234, 3737]) + (1 << 14)) >> 15
    grey = (colours == colours[..., :1]).all(-1)
    return np.where(grey, colours[..., 0], light).astype(np.uint16)[..., None]


def written(pixels: np.ndarray, compression: int = -1) -> bytes:
    """A file; each row is stored as what it differs from the one above."""
    height, width, channels = pixels.shape
    rows = np.ascontiguousarray(pixels, ">u2").view(np.uint8).reshape(height, width * channels * 2)
    differences = rows.copy()
    differences[1:] -= rows[:-1]
    up = np.full((height, 1), 2, np.uint8)  # the filter of each row
    header = struct.pack(">IIBBBBB", width, height, 16, _KINDS[channels], 0, 0, 0)
    data = zlib.compress(np.concatenate([up, differences], 1).tobytes(), compression)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
