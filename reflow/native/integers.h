// Products of 8-bit integers, summed in 32 bits, on processors with AVX-512 VNNI: the instruction computes four
// products and their sum in each of the 16 lanes of a register, four times its throughput for floats.
//
// The instruction multiplies unsigned by signed numbers. So 128 is added to the left operand, and 128 times the sum of
// each column of the right one is subtracted in the end; intermediate overflow cancels. Four rows of the right operand
// are interleaved, 32 columns to a panel, and depths are padded to a multiple of four: both operands are copied, the
// left one a few rows at a time.

#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "checks.h"
#include "product.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define REFLOW_VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))
#endif

namespace reflow {

#if defined(__x86_64__)

// The function name that a processor without the instruction must not call.
inline bool multiplies_integers() { return __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"); }

constexpr int kIntegerRows = 12, kIntegerColumns = 32;
constexpr int64_t kIntegerBlock = 4 * kIntegerRows;  // rows of the left operand copied at a time

// The right operand [depth, columns] in panels: for every four rows, 64 bytes of 16 columns, and 64 of the next 16.
class IntegerPanels {
 public:
  IntegerPanels(int64_t depth, int64_t columns)
      : columns_(columns), groups_((depth + 3) / 4), count_((columns + kIntegerColumns - 1) / kIntegerColumns),
        numbers_(times(times(count_, groups_), 4 * kIntegerColumns)), shifts_(times(count_, kIntegerColumns)) {}

  int64_t count() const { return count_; }
  int64_t groups() const { return groups_; }
  int64_t width(int64_t panel) const { return std::min<int64_t>(kIntegerColumns, columns_ - panel * kIntegerColumns); }
  const int8_t* at(int64_t panel) const { return numbers_.data() + panel * groups_ * 4 * kIntegerColumns; }
  const int32_t* shifts(int64_t panel) const { return shifts_.data() + panel * kIntegerColumns; }

  // Fills a panel from the matrix.
  REFLOW_VNNI void fill(int64_t panel, const int8_t* matrix, int64_t depth) {
    int8_t* to = numbers_.data() + panel * groups_ * 4 * kIntegerColumns;
    const int8_t* from = matrix + panel * kIntegerColumns;
    int64_t width = this->width(panel);
    const __mmask32 mask = width == kIntegerColumns ? ~__mmask32{0} : (__mmask32{1} << width) - 1;
    const __m512i ones = _mm512_set1_epi8(1);
    __m512i sums[2] = {_mm512_setzero_si512(), _mm512_setzero_si512()};
    for (int64_t first = 0; first < depth; first += 4, to += 4 * kIntegerColumns) {
      __m256i rows[4];
      for (int64_t r = 0; r < 4; r++) {
        rows[r] = first + r < depth ? _mm256_maskz_loadu_epi8(mask, from + (first + r) * columns_) : _mm256_setzero_si256();
      }
      __m256i low[2] = {_mm256_unpacklo_epi8(rows[0], rows[1]), _mm256_unpacklo_epi8(rows[2], rows[3])};
      __m256i high[2] = {_mm256_unpackhi_epi8(rows[0], rows[1]), _mm256_unpackhi_epi8(rows[2], rows[3])};
      // Each holds four columns of the first 16, and four of the next 16.
      __m256i fours[4] = {_mm256_unpacklo_epi16(low[0], low[1]), _mm256_unpackhi_epi16(low[0], low[1]), _mm256_unpacklo_epi16(high[0], high[1]),
                          _mm256_unpackhi_epi16(high[0], high[1])};
      for (int i = 0; i < 4; i++) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 16 * i), _mm256_castsi256_si128(fours[i]));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 64 + 16 * i), _mm256_extracti128_si256(fours[i], 1));
      }
      for (int v = 0; v < 2; v++) sums[v] = _mm512_dpbusd_epi32(sums[v], ones, _mm512_loadu_si512(to + 64 * v));
    }
    for (int v = 0; v < 2; v++) _mm512_storeu_si512(shifts_.data() + panel * kIntegerColumns + 16 * v, _mm512_slli_epi32(sums[v], 7));
  }

 private:
  int64_t columns_, groups_, count_;
  std::vector<int8_t> numbers_;
  std::vector<int32_t> shifts_;
};

// R rows of the result by one panel. `left` has rows of 4 * groups bytes.
template <int R>
REFLOW_VNNI void integer_tile(const uint8_t* left, int64_t groups, const int8_t* right, const int32_t* shifts, int64_t width, int32_t* out, int64_t stride) {
  __m512i sums[R][2];
#pragma GCC unroll 16
  for (int r = 0; r < R; r++) sums[r][0] = sums[r][1] = _mm512_setzero_si512();
  for (int64_t group = 0; group < groups; group++, left += 4, right += 4 * kIntegerColumns) {
    const __m512i b0 = _mm512_loadu_si512(right), b1 = _mm512_loadu_si512(right + 64);
#pragma GCC unroll 16
    for (int r = 0; r < R; r++) {
      int32_t four;
      std::memcpy(&four, left + r * groups * 4, sizeof four);
      const __m512i a = _mm512_set1_epi32(four);
      sums[r][0] = _mm512_dpbusd_epi32(sums[r][0], a, b0);
      sums[r][1] = _mm512_dpbusd_epi32(sums[r][1], a, b1);
    }
  }
  const __m512i shift0 = _mm512_loadu_si512(shifts), shift1 = _mm512_loadu_si512(shifts + 16);
  const uint32_t mask = width == kIntegerColumns ? ~uint32_t{0} : (uint32_t{1} << width) - 1;
#pragma GCC unroll 16
  for (int r = 0; r < R; r++) {
    _mm512_mask_storeu_epi32(out + r * stride, static_cast<__mmask16>(mask), _mm512_sub_epi32(sums[r][0], shift0));
    if (mask >> 16) _mm512_mask_storeu_epi32(out + r * stride + 16, static_cast<__mmask16>(mask >> 16), _mm512_sub_epi32(sums[r][1], shift1));
  }
}

using IntegerTile = void (*)(const uint8_t*, int64_t, const int8_t*, const int32_t*, int64_t, int32_t*, int64_t);

template <int... N>
IntegerTile integer_tile_among(int64_t rows, std::integer_sequence<int, N...>) {
  static constexpr IntegerTile tiles[] = {integer_tile<N + 1>...};
  return tiles[rows - 1];
}

// Rows of the left operand plus 128, padded to 4 * groups bytes.
inline void move_up(const int8_t* from, int64_t rows, int64_t depth, int64_t groups, uint8_t* to) {
  for (int64_t r = 0; r < rows; r++, from += depth, to += 4 * groups) {
    for (int64_t k = 0; k < depth; k++) to[k] = static_cast<uint8_t>(from[k]) ^ 0x80;
    std::fill(to + depth, to + 4 * groups, uint8_t{0});
  }
}

// [rows, depth] times [depth, columns], on all threads.
inline void integer_product(xla::ffi::ThreadPool& pool, const int8_t* x, const int8_t* y, int64_t rows, int64_t depth, int64_t columns, int32_t* out) {
  require(multiplies_integers(), "this processor has no instruction for products of 8-bit integers");
  IntegerPanels right(depth, columns);
  double work = static_cast<double>(rows) * columns * depth;
  bool alone = work < 4 * kWorthThreads;
  int64_t blocks = (rows + kIntegerBlock - 1) / kIntegerBlock, tasks = alone ? 1 : 4 * threads_of(pool);
  int64_t parts = std::clamp<int64_t>(tasks / blocks, 1, right.count());  // of the panels, if there are few rows
  auto run = [&](int64_t count, const auto& body) {
    if (!alone) return parallel(pool, count, body);
    for (int64_t i = 0; i < count; i++) body(i);
  };
  run(right.count(), [&](int64_t panel) { right.fill(panel, y, depth); });
  run(blocks * parts, [&](int64_t task) {
    int64_t first = task / parts * kIntegerBlock, part = task % parts, end = std::min(first + kIntegerBlock, rows);
    std::vector<uint8_t> left(times(times(end - first, right.groups()), 4));
    move_up(x + first * depth, end - first, depth, right.groups(), left.data());
    for (int64_t panel = right.count() * part / parts; panel < right.count() * (part + 1) / parts; panel++) {
      for (int64_t row = first; row < end; row += kIntegerRows) {
        int64_t n = std::min<int64_t>(kIntegerRows, end - row);
        integer_tile_among(n, std::make_integer_sequence<int, kIntegerRows>())(
            left.data() + (row - first) * right.groups() * 4, right.groups(), right.at(panel), right.shifts(panel), right.width(panel),
            out + row * columns + panel * kIntegerColumns, columns);
      }
    }
  });
}

#else

inline bool multiplies_integers() { return false; }

inline void integer_product(xla::ffi::ThreadPool&, const int8_t*, const int8_t*, int64_t, int64_t, int64_t, int32_t*) {
  throw Refused("this processor has no instruction for products of 8-bit integers");
}

#endif

}  // namespace reflow
