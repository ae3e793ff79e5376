// A matrix product at the processor's peak speed, based on three ideas.
//
// 1. A tile of the result, a few rows by two vector registers, stays in registers while the whole depth is traversed:
//    each step loads two vectors of the right operand and one number per row of the left one, and does two
//    multiply-adds per row.
// 2. The left operand is never copied. Its rows are pointers, and a `Walk` says how to traverse them. A matrix, its
//    transpose and the windows of an image (a convolution) differ only in these pointers.
// 3. The right operand is stored in panels as wide as a tile. If it is not, it is copied into panels first.
//
// Every element of the result is summed by one thread in one order: results do not depend on the number of threads.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "checks.h"

namespace reflow {

#if defined(__AVX512F__)
constexpr int kWidth = 16, kRows = 12;  // floats in a register; rows of a tile: 2 * kRows + 3 registers are used
#elif defined(__AVX__)
constexpr int kWidth = 8, kRows = 6;
#else
constexpr int kWidth = 4, kRows = 6;
#endif
constexpr int kColumns = 2 * kWidth;

typedef float Vector __attribute__((vector_size(4 * kWidth), aligned(4), may_alias));

// --- running on several threads

// The number of threads that work at a time. A pool may have more threads than there are cores (collectives between
// devices need that), and waking them costs more than they contribute.
inline int64_t threads_of(const xla::ffi::ThreadPool& pool) {
  static const int64_t cores = std::max<int64_t>(std::thread::hardware_concurrency(), 1);
  return std::min(pool.num_threads(), cores);
}

// Calls body(0) … body(count - 1). The caller takes part and waits only for calls that have begun, so a full thread
// pool cannot block it. If a call throws, the caller rethrows once none is running; calls that have not begun are
// skipped. Threads take several calls at a time: the shared counter costs 0.1 µs, as much as a short call.
//
// Each thread starts with its own range of calls, and then helps with those of the others. So a thread finds in its
// core's cache what it wrote in the previous loop over the same images: a step of two convolutions under
// MirroredStrategy takes 2.5 ms, and 3.3 if threads take calls from one counter.
template <typename Body>
void parallel(xla::ffi::ThreadPool& pool, int64_t count, const Body& body) {
  struct Loop {
    std::vector<std::atomic<int64_t>> next;  // call of each range
    std::atomic<int64_t> done{0};
    explicit Loop(int64_t threads) : next(threads) {}
    std::atomic<bool> failed{false};
    std::exception_ptr error;  // written once, by the thread that sets `failed`
  };
  int64_t threads = std::max<int64_t>(std::min(threads_of(pool), count), 1), many = std::max<int64_t>(count / (16 * threads), 1);
  auto loop = std::make_shared<Loop>(threads);
  for (int64_t t = 0; t < threads; t++) loop->next[t] = count * t / threads;
  auto work = [loop, count, many, threads, &body](int64_t own) noexcept {
    for (int64_t turn = 0; turn < threads; turn++) {
      int64_t t = (own + turn) % threads, last = count * (t + 1) / threads, begin;
      while ((begin = loop->next[t].fetch_add(many)) < last) {
        int64_t end = std::min(begin + many, last);
        try {
          for (int64_t i = begin; i < end && !loop->failed.load(std::memory_order_relaxed); i++) body(i);
        } catch (...) {
          if (!loop->failed.exchange(true)) loop->error = std::current_exception();
        }
        loop->done.fetch_add(end - begin);
      }
    }
  };
  try {
    for (int64_t i = 1; i < threads; i++) pool.Schedule(std::function<void()>([work, i] { work(i); }));
  } catch (const std::bad_alloc&) {
    // No memory for a task: the caller does its part.
  }
  work(0);
  while (loop->done.load() < count) std::this_thread::yield();
  if (loop->failed.load()) std::rethrow_exception(loop->error);
}

// --- the left operand

constexpr int64_t kDepth = 256;  // of a block, about

// How the depth of a product is traversed along a row: `blocks` times `segments` times `depth` elements. Each block is
// summed separately and then added to the result, which keeps rounding errors small and the working set in the cache.
struct Walk {
  int64_t depth, step = 1;
  int64_t segments = 1, segment_offset = 0;
  int64_t blocks = 1, block_offset = 0;
  int64_t last_depth = -1, last_segments = -1;  // of the last block, if it is shorter

  int64_t block_rows() const { return segments * depth; }

  // Along a row of `depth` elements that are `step` apart.
  static Walk along(int64_t depth, int64_t step) {
    Walk walk;
    walk.step = step;
    walk.blocks = std::max<int64_t>((depth + kDepth - 1) / kDepth, 1);
    walk.depth = (depth + walk.blocks - 1) / walk.blocks;
    walk.last_depth = depth - (walk.blocks - 1) * walk.depth;
    walk.block_offset = walk.depth * step;
    return walk;
  }
};

// --- the right operand

struct Free {
  void operator()(float* memory) const { std::free(memory); }
};
using Room = std::unique_ptr<float, Free>;

// Memory for this many elements, without the zeroing of a std::vector, which would cost as much as a copy. It is
// cache-aligned: a vector that spans two cache lines takes two loads.
inline Room room_for(int64_t numbers) {
  constexpr int64_t kLine = 64;
  int64_t bytes = plus(times(numbers, sizeof(float)), kLine) / kLine * kLine;
  Room room(static_cast<float*>(std::aligned_alloc(kLine, bytes)));
  if (room == nullptr) throw std::bad_alloc();
  return room;
}

// The right operand in panels of kColumns columns. A panel with adjacent columns is used in place unless `copy` is set,
// if it is complete or has one vector of columns, which is all the tiles read then.
class Panels {
 public:
  Panels(int64_t rows, int64_t columns)
      : rows_(rows), columns_(columns), count_((columns + kColumns - 1) / kColumns) {}

  static int64_t numbers(int64_t rows, int64_t columns) { return times(rows, times((columns + kColumns - 1) / kColumns, kColumns)); }

  // Consecutive panels in memory that outlives them.
  static Panels in(const float* data, int64_t rows, int64_t columns) {
    Panels panels(rows, columns);
    panels.direct_ = panels.count_;
    panels.data_ = data;
    panels.stride_ = kColumns;
    panels.step_ = rows * kColumns;
    return panels;
  }

  // Fills all of it from a matrix with these strides.
  static Panels of(const float* data, int64_t rows, int64_t columns, int64_t row_stride, int64_t column_stride, bool copy) {
    Panels panels(rows, columns);
    panels.direct_ = copy || column_stride != 1 ? 0 : columns / kColumns + (columns % kColumns == kWidth);
    panels.data_ = data;
    panels.stride_ = row_stride;
    panels.fill(0, data, rows, row_stride, column_stride);
    return panels;
  }

  // Copies some of its rows from a matrix with these strides.
  void fill(int64_t first_row, const float* from, int64_t rows, int64_t row_stride, int64_t column_stride) {
    if (copies_ == nullptr) allocate();
    for (int64_t panel = direct_; panel < count_; panel++) {
      float* to = copy_of(panel) + first_row * kColumns;
      const float* source = from + panel * kColumns * column_stride;
      int64_t width = std::min<int64_t>(kColumns, columns_ - panel * kColumns);
      for (int64_t row = 0; row < rows; row++, to += kColumns, source += row_stride) {
        if (column_stride == 1 && width == kColumns) {
          std::memcpy(to, source, sizeof(float) * kColumns);
        } else {
          for (int64_t c = 0; c < width; c++) to[c] = source[c * column_stride];
          for (int64_t c = width; c < kColumns; c++) to[c] = 0;
        }
      }
    }
  }

  int64_t count() const { return count_; }
  int64_t columns() const { return columns_; }
  int64_t stride(int64_t panel) const { return panel < direct_ ? stride_ : kColumns; }
  const float* at(int64_t panel) const { return panel < direct_ ? data_ + panel * step_ : copy_of(panel); }

 private:
  void allocate() { copies_ = room_for(times(times(count_ - direct_, kColumns), rows_)); }

  float* copy_of(int64_t panel) const { return copies_.get() + (panel - direct_) * kColumns * rows_; }

  int64_t rows_, columns_, count_, direct_ = 0, stride_ = 0, step_ = kColumns;  // of a row, of a panel
  const float* data_ = nullptr;
  Room copies_;
};

// --- what happens to a sum before it is written

#if defined(__AVX512F__)
inline __mmask16 mask_of(int64_t count) { return static_cast<__mmask16>((1u << count) - 1); }
inline Vector load_some(const float* from, int64_t count) { return (Vector)_mm512_maskz_loadu_ps(mask_of(count), from); }
inline void store_some(float* to, Vector y, int64_t count) { _mm512_mask_storeu_ps(to, mask_of(count), (__m512)y); }
#else
inline Vector load_some(const float* from, int64_t count) {
  Vector y = {};
  std::memcpy(&y, from, sizeof(float) * count);
  return y;
}
inline void store_some(float* to, Vector y, int64_t count) { std::memcpy(to, &y, sizeof(float) * count); }
#endif

// It may be combined with a number per column and with an array like the result, and then clamped, or masked. NaN stays
// NaN.
struct Finish {
  const float* bias = nullptr;                                         // as many elements as the panels have columns
  const float *more = nullptr, *positive = nullptr, *out = nullptr;  // the array, the mask (only elements at positive values stay), and the result
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();

  // Its effect on columns from `column` on. A copy, so that all of it is in registers where results are written.
  template <int V>
  struct At {
    Vector bias[V], least, most;
    const float *more, *positive, *out;

    At(const Finish& all, int64_t column)
        : least(all.low - Vector{}), most(all.high - Vector{}), more(all.more), positive(all.positive), out(all.out) {
      for (int v = 0; v < V; v++) bias[v] = all.bias == nullptr ? Vector{} : *reinterpret_cast<const Vector*>(all.bias + column + v * kWidth);
    }

    Vector limit(Vector y) const {
      y = y < least ? least : y;
      return y > most ? most : y;
    }

    // Finishes the sums that go to `place`: vector number v of them.
    Vector operator()(Vector y, int v, const float* place) const {
      y += bias[v];
      if (more != nullptr) y += *reinterpret_cast<const Vector*>(more + (place - out));
      if (positive != nullptr) y = *reinterpret_cast<const Vector*>(positive + (place - out)) > Vector{} ? y : Vector{};
      return limit(y);
    }

    // The same if only `count` elements of the vector exist.
    Vector some(Vector y, int v, const float* place, int64_t count) const {
      y += bias[v];
      if (more != nullptr) y += load_some(more + (place - out), count);
      if (positive != nullptr) y = load_some(positive + (place - out), count) > Vector{} ? y : Vector{};
      return limit(y);
    }
  };

  Vector of(Vector y, int64_t column, const float* place) const { return At<1>(*this, column)(y, 0, place); }

  float of_one(float y, int64_t column, const float* place) const {
    if (bias != nullptr) y += bias[column];
    if (more != nullptr) y += more[place - out];
    if (positive != nullptr && !(positive[place - out] > 0)) y = 0;
    return y < low ? low : y > high ? high : y;
  }
};

// --- tiles

// Writes the sums of a tile after finish(sums, number of the vector, place).
template <int R, int V, typename Finishing>
__attribute__((always_inline)) inline void write(const Vector (&sums)[R][V], float* const* out, int64_t skip, int64_t columns, bool add,
                                                 const Finishing& finish) {
#pragma GCC unroll 16
  for (int r = 0; r < R; r++) {
#pragma GCC unroll 2
    for (int v = 0; v < V; v++) {
      float* place = out[r] + skip + v * kWidth;
      int64_t count = columns - v * kWidth;
      if (count >= kWidth) {
        Vector* to = reinterpret_cast<Vector*>(place);
        *to = finish(add ? *to + sums[r][v] : sums[r][v], v, place);
      } else {
        Vector y = add ? load_some(place, count) + sums[r][v] : sums[r][v];
        if constexpr (std::is_same_v<Finishing, Finish::At<V>>) y = finish.some(y, v, place, count);
        store_some(place, y, count);
      }
    }
  }
}

// R rows by V vectors of the result, of which `columns` exist, at offset `skip` from the start of its rows, with the
// left operand's rows at `begin`. `finish` is null before the last block of the depth, and if there is nothing to do.
template <int R, int V>
void tile(const float* const* rows, int64_t begin, float* const* out, int64_t skip, const Walk& walk, int64_t segments, int64_t depth,
          const float* right, int64_t stride, int64_t columns, bool add, const Finish* finish) {
  Vector sums[R][V];
  const float* left[R];
#pragma GCC unroll 16
  for (int r = 0; r < R; r++) {
    left[r] = rows[r] + begin;
    for (int v = 0; v < V; v++) sums[r][v] = Vector{};
  }
  for (int64_t segment = 0; segment < segments; segment++) {
    for (int64_t k = 0; k < depth; k++, right += stride) {
      Vector b[V];
      for (int v = 0; v < V; v++) b[v] = *reinterpret_cast<const Vector*>(right + v * kWidth);
#pragma GCC unroll 16
      for (int r = 0; r < R; r++) {
        Vector a = left[r][k * walk.step] - Vector{};
        for (int v = 0; v < V; v++) sums[r][v] += a * b[v];
      }
    }
#pragma GCC unroll 16
    for (int r = 0; r < R; r++) left[r] += walk.segment_offset;
  }
  if (finish != nullptr) {
    write<R, V>(sums, out, skip, columns, add, Finish::At<V>(*finish, skip));
  } else {
    write<R, V>(sums, out, skip, columns, add, [](Vector y, auto...) { return y; });
  }
}

using Tile = void (*)(const float* const*, int64_t, float* const*, int64_t, const Walk&, int64_t, int64_t, const float*, int64_t, int64_t, bool, const Finish*);

template <int V, int... N>
Tile tile_among(int rows, std::integer_sequence<int, N...>) {
  static constexpr Tile tiles[] = {tile<N + 1, V>...};
  return rows >= 1 && rows <= kRows ? tiles[rows - 1] : nullptr;
}

template <int V>
Tile tile_of(int rows) {
  return tile_among<V>(rows, std::make_integer_sequence<int, kRows>());
}

// --- the product

constexpr int64_t kRowGroups = 8;         // tiles of rows that use a panel one after the other, while it is in the cache
constexpr int64_t kWorthThreads = 1 << 20;  // multiply-adds, about 30 µs: waking a thread takes 10 to 20
constexpr int64_t kTask = 1 << 19;

// Rows are divided into groups of equal size: 50 rows are five of 10, not four of 12 and one of 2.
inline int64_t groups_of(int64_t rows) { return (rows + kRows - 1) / kRows; }
inline int64_t first_of(int64_t group, int64_t groups, int64_t rows) { return group * (rows / groups) + std::min(group, rows % groups); }

// Some of the tiles of a product whose result has `count` rows: ranges of row groups and of panels. place(first, n,
// rows, out) computes where n rows from `first` on begin, in the left operand and in the result. `add`: add to the
// existing values.
template <typename Place>
void multiply(int64_t count, const Place& place, const Walk& walk, const Panels& right, int64_t first_group, int64_t last_group, int64_t first_panel,
              int64_t last_panel, bool add, const Finish* finish = nullptr) {
  int64_t groups = groups_of(count);
  const float* rows[kRowGroups][kRows];
  float* out[kRowGroups][kRows];
  int sizes[kRowGroups];
  for (int64_t begin = first_group; begin < last_group; begin += kRowGroups) {
    int64_t many = std::min(kRowGroups, last_group - begin);
    for (int64_t g = 0; g < many; g++) {  // once for all panels: finding a window in an image takes as long as a short row's products
      int64_t first = first_of(begin + g, groups, count);
      sizes[g] = static_cast<int>(first_of(begin + g + 1, groups, count) - first);
      place(first, sizes[g], rows[g], out[g]);
    }
    for (int64_t block = 0; block < walk.blocks; block++) {
      bool last = block == walk.blocks - 1;
      int64_t depth = last && walk.last_depth >= 0 ? walk.last_depth : walk.depth;
      int64_t segments = last && walk.last_segments >= 0 ? walk.last_segments : walk.segments;
      for (int64_t panel = first_panel; panel < last_panel; panel++) {
        int64_t columns = std::min<int64_t>(kColumns, right.columns() - panel * kColumns);
        const float* from = right.at(panel) + block * walk.block_rows() * right.stride(panel);
        for (int64_t g = 0; g < many; g++) {
          Tile compute = columns > kWidth ? tile_of<2>(sizes[g]) : tile_of<1>(sizes[g]);
          compute(rows[g], block * walk.block_offset, out[g], panel * kColumns, walk, segments, depth, from, right.stride(panel), columns, add || block > 0,
                  last ? finish : nullptr);
        }
      }
    }
  }
}

// All of it on the calling thread.
template <typename Place>
void multiply(int64_t count, const Place& place, const Walk& walk, const Panels& right, bool add) {
  multiply(count, place, walk, right, 0, groups_of(count), 0, right.count(), add);
}

// All of it on all threads: those of XLA's pool, or those that help with a network of steps.
template <typename Pool, typename Place>
void product(Pool& pool, int64_t count, const Place& place, const Walk& walk, const Panels& right, bool add = false, const Finish* finish = nullptr) {
  double work = static_cast<double>(count) * right.columns() * walk.blocks * walk.block_rows();
  int64_t groups = groups_of(count), blocks = (groups + kRowGroups - 1) / kRowGroups;
  if (work < kWorthThreads) return multiply(count, place, walk, right, 0, groups, 0, right.count(), add, finish);
  int64_t tasks = static_cast<int64_t>(std::min(work / kTask, 4.0 * threads_of(pool)));
  int64_t parts = std::clamp<int64_t>(tasks / blocks, 1, right.count());  // of the panels, if there are few rows
  parallel(pool, blocks * parts, [&](int64_t task) {
    int64_t group = task / parts * kRowGroups, part = task % parts;
    multiply(count, place, walk, right, group, std::min(group + kRowGroups, groups), right.count() * part / parts, right.count() * (part + 1) / parts,
             add, finish);
  });
}

}  // namespace reflow
