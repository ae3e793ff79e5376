// From JPEG coefficients to pixels: the inverse cosine transform, smooth chroma upsampling, and YCbCr to RGB.
//
// Each step gives the same numbers as libjpeg-turbo with its fast integer transform (`JDCT_IFAST`) and fancy
// upsampling, which are TensorFlow's defaults: the same wrapping 16-bit operations in the same order.
// `tests/native/test_jpeg.py` compares the pixels bit for bit.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace reflow {
namespace jpeg {

constexpr int kBlocks = 4;            // blocks that are transformed together
constexpr int kLine = 8 * kBlocks;    // numbers of one row of all of them
constexpr int kNumbers = 8 * kLine;   // numbers of all of them
constexpr int64_t kRoom = 64;         // bytes after the end of a row that a loop over whole vectors may write

// One row of each of the four blocks. Sums wrap, so they are unsigned.
typedef uint16_t Line __attribute__((vector_size(2 * kLine)));
typedef int16_t SignedLine __attribute__((vector_size(2 * kLine)));
typedef uint32_t Pairs __attribute__((vector_size(2 * kLine)));
typedef uint64_t Quads __attribute__((vector_size(2 * kLine)));
typedef uint8_t LineBytes __attribute__((vector_size(kLine)));
typedef uint8_t Bytes __attribute__((vector_size(16)));

#if defined(__clang__)
#define REFLOW_SHUFFLE(Kind, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define REFLOW_SHUFFLE(Kind, a, b, ...) __builtin_shuffle(a, b, Kind{__VA_ARGS__})
#endif

// --- the inverse transform

#if defined(__AVX2__)
typedef __m256i Part;
inline Part high_of_part(Part a, int16_t b) { return _mm256_mulhi_epi16(a, _mm256_set1_epi16(b)); }
#elif defined(__SSE2__)
typedef __m128i Part;
inline Part high_of_part(Part a, int16_t b) { return _mm_mulhi_epi16(a, _mm_set1_epi16(b)); }
#endif

// The upper half of a 16-bit product.
inline Line high(Line a, int16_t b) {
#if defined(__AVX512BW__)
  return (Line)_mm512_mulhi_epi16((__m512i)a, _mm512_set1_epi16(b));
#else
  Line out;
#if defined(__SSE2__)
  for (size_t at = 0; at < sizeof out; at += sizeof(Part)) {
    Part part;
    std::memcpy(&part, reinterpret_cast<const char*>(&a) + at, sizeof part);
    part = high_of_part(part, b);
    std::memcpy(reinterpret_cast<char*>(&out) + at, &part, sizeof part);
  }
#else
  for (int i = 0; i < kLine; ++i) out[i] = static_cast<uint16_t>((static_cast<int32_t>(static_cast<int16_t>(a[i])) * b) >> 16);
#endif
  return out;
#endif
}

// Arai, Agui and Nakajima's transform of 8 numbers, in all columns at once. Its constants have 8 fractional bits;
// numbers are multiplied by 4 first, so that the upper half of the product is the result.
inline void transform(Line v[8]) {
  constexpr int16_t k1082 = 277 << 6, k1414 = 362 << 6, k1613 = 413 << 6, k1847 = 473 << 6;
  const Line tmp10 = v[0] + v[4], tmp11 = v[0] - v[4], tmp13 = v[2] + v[6];
  const Line tmp12 = high((v[2] - v[6]) << 2, k1414) - tmp13;
  const Line even0 = tmp10 + tmp13, even3 = tmp10 - tmp13, even1 = tmp11 + tmp12, even2 = tmp11 - tmp12;
  const Line z13 = v[5] + v[3], z10 = v[5] - v[3], z11 = v[1] + v[7], z12 = v[1] - v[7];
  const Line odd7 = z11 + z13, z5 = high((z10 + z12) << 2, k1847);
  const Line odd6 = high(z10 << 2, -k1613) - z10 + z5 - odd7;
  const Line odd5 = high((z11 - z13) << 2, k1414) - odd6;
  const Line odd4 = high(z12 << 2, k1082) - z5 + odd5;
  v[0] = even0 + odd7, v[7] = even0 - odd7;
  v[1] = even1 + odd6, v[6] = even1 - odd6;
  v[2] = even2 + odd5, v[5] = even2 - odd5;
  v[4] = even3 + odd4, v[3] = even3 - odd4;
}

// Transposes each block.
inline void transpose(Line v[8]) {
  Line a[8];
  for (int i = 0; i < 4; ++i) {
    a[i] = REFLOW_SHUFFLE(Line, v[2 * i], v[2 * i + 1], 0, 32, 1, 33, 2, 34, 3, 35, 8, 40, 9, 41, 10, 42, 11, 43, 16, 48, 17, 49, 18, 50, 19, 51, 24, 56,
                          25, 57, 26, 58, 27, 59);
    a[i + 4] = REFLOW_SHUFFLE(Line, v[2 * i], v[2 * i + 1], 4, 36, 5, 37, 6, 38, 7, 39, 12, 44, 13, 45, 14, 46, 15, 47, 20, 52, 21, 53, 22, 54, 23, 55, 28,
                              60, 29, 61, 30, 62, 31, 63);
  }
  Pairs b[8];  // rows 0 to 3, then 4 to 7, of two columns each
  for (int half = 0; half < 2; ++half) {
    for (int i = 0; i < 2; ++i) {
      const Pairs upper = (Pairs)a[4 * half + 2 * i], lower = (Pairs)a[4 * half + 2 * i + 1];
      b[4 * half + i] = REFLOW_SHUFFLE(Pairs, upper, lower, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
      b[4 * half + i + 2] = REFLOW_SHUFFLE(Pairs, upper, lower, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
    }
  }
  for (int i = 0; i < 4; ++i) {
    const Quads upper = (Quads)b[2 * i], lower = (Quads)b[2 * i + 1];
    v[2 * i] = (Line)REFLOW_SHUFFLE(Quads, upper, lower, 0, 8, 2, 10, 4, 12, 6, 14);
    v[2 * i + 1] = (Line)REFLOW_SHUFFLE(Quads, upper, lower, 1, 9, 3, 11, 5, 13, 7, 15);
  }
}

// Transforms four blocks of coefficients [row, block, column] and writes their samples, rows `strides[b]` bytes apart.
// `flat`: only the first coefficient of a block is not zero. Sets all coefficients to zero.
inline void inverse_transform(int16_t* numbers, bool flat, uint8_t* const* to, const int64_t* strides) {
  Line v[8];
  std::memcpy(v, numbers, sizeof v);
  std::memset(numbers, 0, sizeof v);
  if (flat) {
    for (int b = 0; b < kBlocks; ++b) {
      const int sample = std::clamp(static_cast<int16_t>(v[0][8 * b]) >> 5, -128, 127) + 128;
      for (int y = 0; y < 8; ++y) std::memset(to[b] + y * strides[b], sample, 8);
    }
    return;
  }
  transform(v);
  transpose(v);
  transform(v);
  transpose(v);
  for (int y = 0; y < 8; ++y) {
    SignedLine line = (SignedLine)v[y] >> 5;
    const SignedLine least = SignedLine{} - 128, most = SignedLine{} + 127;
    line = line < least ? least : line;
    line = line > most ? most : line;
    const LineBytes bytes = __builtin_convertvector(line + 128, LineBytes);
    for (int b = 0; b < kBlocks; ++b) std::memcpy(to[b] + y * strides[b], reinterpret_cast<const char*>(&bytes) + 8 * b, 8);
  }
}

// --- upsampling: twice as many columns, each interpolated between its two nearest ones

// `sums` are `width` numbers with one more on either side; out[2i] = (3 sums[i] + sums[i - 1] + even) >> shift, and
// out[2i + 1] the same with sums[i + 1] and `odd`.
template <int kShift, int kEven, int kOdd>
void widen(const uint16_t* sums, int64_t width, uint8_t* __restrict__ out) {
  for (int64_t i = 0; i < width; ++i) {
    const uint16_t three = 3 * sums[i];
    const uint16_t even = static_cast<uint16_t>(three + sums[i - 1] + kEven) >> kShift, odd = static_cast<uint16_t>(three + sums[i + 1] + kOdd) >> kShift;
    const uint16_t both = static_cast<uint16_t>(even | odd << 8);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    std::memcpy(out + 2 * i, &both, 2);
#else
    out[2 * i] = static_cast<uint8_t>(even), out[2 * i + 1] = static_cast<uint8_t>(odd);
#endif
  }
}

// A row of twice as many columns from a row of samples, interpolated with the row on its other side if there is one
// (`far`). `sums` has room for width + 2.
inline void upsample(const uint8_t* near, const uint8_t* far, int64_t width, uint16_t* sums, uint8_t* out) {
  uint16_t* inner = sums + 1;
  if (far) {
    for (int64_t i = 0; i < width; ++i) inner[i] = static_cast<uint16_t>(3 * near[i] + far[i]);
  } else {
    for (int64_t i = 0; i < width; ++i) inner[i] = near[i];
  }
  inner[-1] = inner[0], inner[width] = inner[width - 1];
  far ? widen<4, 8, 7>(inner, width, out) : widen<2, 1, 2>(inner, width, out);
}

// --- colours

// Writes 16 pixels of three channels: 48 bytes.
inline void interleave(Bytes r, Bytes g, Bytes b, uint8_t* out) {
  Bytes first = REFLOW_SHUFFLE(Bytes, r, g, 0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
  Bytes second = REFLOW_SHUFFLE(Bytes, r, g, 21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
  Bytes third = REFLOW_SHUFFLE(Bytes, r, g, 0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
  first = REFLOW_SHUFFLE(Bytes, first, b, 0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15);
  second = REFLOW_SHUFFLE(Bytes, second, b, 0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15);
  third = REFLOW_SHUFFLE(Bytes, third, b, 26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31);
  std::memcpy(out, &first, 16), std::memcpy(out + 16, &second, 16), std::memcpy(out + 32, &third, 16);
}

inline uint8_t sample(int16_t number) { return static_cast<uint8_t>(std::clamp<int16_t>(number, 0, 255)); }

// (factor * number + 2^15) >> 16, in 16 bits: the compiler uses an instruction for the upper half of a product.
inline int16_t part(int16_t number, int16_t factor) {
  return static_cast<int16_t>((static_cast<int16_t>((static_cast<int32_t>(2 * number) * factor) >> 16) + 1) >> 1);
}

// A row of RGB. All rows except `out` have room for whole groups of 16 after their end; `channels` are three rows.
inline void to_rgb(const uint8_t* __restrict__ y, const uint8_t* __restrict__ cb, const uint8_t* __restrict__ cr, int64_t width,
                   uint8_t* const* channels, uint8_t* out) {
  uint8_t *__restrict__ r = channels[0], *__restrict__ g = channels[1], *__restrict__ b = channels[2];
  for (int64_t x = 0; x < width; ++x) {  // 1.402 of red
    const int16_t red = static_cast<int16_t>(cr[x] - 128);
    r[x] = sample(static_cast<int16_t>(y[x] + red + part(red, 26345)));
  }
  for (int64_t x = 0; x < width; ++x) {  // 1.772 of blue
    const int16_t blue = static_cast<int16_t>(cb[x] - 128);
    b[x] = sample(static_cast<int16_t>(y[x] + 2 * blue + part(blue, -14942)));
  }
  for (int64_t x = 0; x < width; ++x) {  // minus 0.34414 of blue, minus 0.71414 of red
    const int32_t sum = (cb[x] - 128) * -22554 + (cr[x] - 128) * -46802;
    g[x] = sample(static_cast<int16_t>(y[x] + static_cast<int16_t>((sum + 32768) >> 16)));
  }
  for (int64_t x = 0; x < width; x += 16, out += 48) {
    Bytes group[3];
    for (int i = 0; i < 3; ++i) std::memcpy(&group[i], channels[i] + x, 16);
    if (x + 16 <= width) {
      interleave(group[0], group[1], group[2], out);
    } else {
      uint8_t last[48];
      interleave(group[0], group[1], group[2], last);
      std::memcpy(out, last, static_cast<size_t>(3 * (width - x)));
    }
  }
}

}  // namespace jpeg
}  // namespace reflow
