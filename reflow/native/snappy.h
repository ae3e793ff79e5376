// Compression and decompression of Snappy blocks. Python calls these with the GIL released.
// `reflow/data/engine/snappy.py` describes the format.
//
// A fragment of 64 kB is searched for repeated runs of at least four bytes, with a hash table of earlier positions.
// While nothing repeats, the search takes longer and longer steps.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace reflow {
namespace snappy {

constexpr int64_t kFragment = 1 << 16;
constexpr int kHashBits = 13;

// The maximum number of bytes that `compress` writes.
inline int64_t room(int64_t size) { return 32 + size + size / 6; }

inline uint32_t four(const uint8_t* at) {
  uint32_t bytes;
  std::memcpy(&bytes, at, 4);
  return bytes;
}

inline uint8_t* put_literal(const uint8_t* from, int64_t size, uint8_t* to) {
  const int64_t n = size - 1;
  if (n < 60) {
    *to++ = static_cast<uint8_t>(n << 2);
  } else if (n < 256) {
    *to++ = 60 << 2, *to++ = static_cast<uint8_t>(n);
  } else {
    *to++ = 61 << 2, *to++ = static_cast<uint8_t>(n), *to++ = static_cast<uint8_t>(n >> 8);
  }
  std::memcpy(to, from, static_cast<size_t>(size));
  return to + size;
}

inline uint8_t* put_long_copy(int64_t offset, int64_t size, uint8_t* to) {
  *to++ = static_cast<uint8_t>(2 | (size - 1) << 2), *to++ = static_cast<uint8_t>(offset), *to++ = static_cast<uint8_t>(offset >> 8);
  return to;
}

// At least four bytes from `offset` back.
inline uint8_t* put_copy(int64_t offset, int64_t size, uint8_t* to) {
  for (; size >= 68; size -= 64) to = put_long_copy(offset, 64, to);
  if (size > 64) to = put_long_copy(offset, 60, to), size -= 60;
  if (size >= 12 || offset >= 2048) return put_long_copy(offset, size, to);
  *to++ = static_cast<uint8_t>(1 | (size - 4) << 2 | offset >> 8 << 5), *to++ = static_cast<uint8_t>(offset);
  return to;
}

inline uint8_t* put_fragment(const uint8_t* from, int64_t size, uint8_t* to) {
  uint16_t places[1 << kHashBits] = {};
  int64_t done = 0;  // what was written so far
  for (int64_t at = 1, skip = 32; at + 4 <= size;) {
    const uint32_t bytes = four(from + at);
    uint16_t& place = places[bytes * 0x1e35a7bdu >> (32 - kHashBits)];
    const int64_t before = place;
    place = static_cast<uint16_t>(at);
    if (four(from + before) != bytes || before >= at) {
      at += skip++ >> 5;
      continue;
    }
    if (at > done) to = put_literal(from + done, at - done, to);
    int64_t length = 4;
    while (at + length < size && from[before + length] == from[at + length]) ++length;
    to = put_copy(at - before, length, to);
    done = at += length;
    skip = 32;
  }
  return size > done ? put_literal(from + done, size - done, to) : to;
}

// The number of bytes written; `to` has `room` for them.
inline int64_t compress(const uint8_t* from, int64_t size, uint8_t* to) {
  uint8_t* const start = to;
  uint64_t rest = static_cast<uint64_t>(size);
  for (; rest > 127; rest >>= 7) *to++ = static_cast<uint8_t>(rest | 128);
  *to++ = static_cast<uint8_t>(rest);
  for (int64_t at = 0; at < size; at += kFragment) to = put_fragment(from + at, std::min(kFragment, size - at), to);
  return to - start;
}

// Writes exactly `room` bytes from the data after a block's length; false if the block is damaged.
inline bool decompress(const uint8_t* from, int64_t size, uint8_t* to, int64_t room) {
  const uint8_t* const end = from + size;
  int64_t done = 0;
  while (from < end) {
    const int tag = *from++, kind = tag & 3;
    int64_t length = (tag >> 2) + 1, offset = 0;
    int width = kind == 0 ? std::max<int64_t>(length - 60, 0) : kind == 3 ? 4 : kind;  // bytes behind the tag
    if (end - from < width) return false;
    for (int i = 0; i < width; ++i) offset |= static_cast<int64_t>(*from++) << 8 * i;
    if (kind == 0) {
      if (width) length = offset + 1;
      if (length > end - from || length > room - done) return false;
      std::memcpy(to + done, from, static_cast<size_t>(length));
      from += length, done += length;
      continue;
    }
    if (kind == 1) length = (tag >> 2 & 7) + 4, offset |= tag >> 5 << 8;
    if (offset < 1 || offset > done || length > room - done) return false;
    if (offset >= length) {
      std::memcpy(to + done, to + done - offset, static_cast<size_t>(length));
    } else {  // the copy overlaps itself
      for (int64_t i = 0; i < length; ++i) to[done + i] = to[done + i - offset];
    }
    done += length;
  }
  return done == room;
}

}  // namespace snappy
}  // namespace reflow
