// 3x3 convolutions with stride 1, by Winograd's algorithm F(2x2, 3x3): 16 multiplications instead of the 36 of the
// definition.
//
// A square of 2x2 results needs 4x4 pixels. Sums and differences transform these into 4x4 other numbers, and likewise
// the 3x3 weights. Their elementwise product, transformed back, is the result. With channels the product becomes a
// matrix product: a convolution is 16 of them, each with a row for every square. The gradient of the weights is the
// same in reverse.
//
// Channels must fill vectors. The rounding errors are about twice those of plain sums.

#pragma once

#include <vector>

#include "product.h"

namespace reflow {

constexpr int64_t kScratch = 1 << 17;  // elements that the squares of one task are transformed into: half of a second-level cache

// --- transforming squares, a vector of channels at a time

#define REFLOW_INLINE __attribute__((always_inline)) inline

// Applies a map from N to M numbers along both axes, in registers. As a call with arrays in memory it took a sixth of a convolution's
// time: (64, 14, 14, 16) to 32 filters on one thread took 1020 µs, now 820; its gradients 850 and 1050, now 730 and 780.
template <auto kMap, int N, int M>
REFLOW_INLINE void along_both(const Vector (&in)[N][N], Vector (&out)[M][M]) {
  Vector half[M][N];
#pragma GCC unroll 4
  for (int j = 0; j < N; j++) {
    Vector x[N], y[M];
#pragma GCC unroll 4
    for (int i = 0; i < N; i++) x[i] = in[i][j];
    kMap(x, y);
#pragma GCC unroll 4
    for (int i = 0; i < M; i++) half[i][j] = y[i];
  }
#pragma GCC unroll 4
  for (int i = 0; i < M; i++) kMap(half[i], out[i]);
}

REFLOW_INLINE void of_pixels(const Vector* x, Vector* y) { y[0] = x[0] - x[2], y[1] = x[1] + x[2], y[2] = x[2] - x[1], y[3] = x[1] - x[3]; }
REFLOW_INLINE void to_results(const Vector* x, Vector* y) { y[0] = x[0] + x[1] + x[2], y[1] = x[1] - x[2] - x[3]; }
REFLOW_INLINE void of_results(const Vector* x, Vector* y) { y[0] = x[0], y[1] = x[0] + x[1], y[2] = x[0] - x[1], y[3] = -x[1]; }
REFLOW_INLINE void of_weights(const Vector* x, Vector* y) {
  Vector half = 0.5f * (x[0] + x[2]);
  y[0] = x[0], y[1] = half + 0.5f * x[1], y[2] = half - 0.5f * x[1], y[3] = x[2];
}
REFLOW_INLINE void to_weights(const Vector* x, Vector* y) {
  Vector half = 0.5f * (x[1] + x[2]);
  y[0] = x[0] + half, y[1] = 0.5f * (x[1] - x[2]), y[2] = half + x[3];
}

inline Vector& vector_at(float* at) { return *reinterpret_cast<Vector*>(at); }
inline const Vector& vector_at(const float* at) { return *reinterpret_cast<const Vector*>(at); }

// --- squares

// Images, and the squares of an output. A square's 4x4 pixels may extend beyond its image: there they are zeros.
struct Squares {
  const float* images;
  int64_t batch, image_height, image_width, channels;
  int64_t top, left;      // rows and columns of zeros before an image
  int64_t height, width;  // of the output
  int64_t rows = (height + 1) / 2, columns = (width + 1) / 2;

  int64_t count() const { return batch * rows * columns; }

  struct Place {
    int64_t image, y, x;
  };
  Place place(int64_t square) const { return {square / columns / rows, square / columns % rows * 2, square % columns * 2}; }

  // On to the next square, without the divisions of `place`.
  void advance(Place& at) const {
    if ((at.x += 2) < 2 * columns) return;
    at.x = 0;
    if ((at.y += 2) < 2 * rows) return;
    at.y = 0, at.image++;
  }

  // Whether all four results of a square exist.
  bool whole(const Place& at) const { return at.y + 2 <= height && at.x + 2 <= width; }
  bool exists(const Place& at, int result) const { return at.y + result / 2 < height && at.x + result % 2 < width; }

  // How many at a time, if each becomes 16 * `numbers` numbers.
  int64_t at_a_time(int64_t numbers) const { return std::clamp<int64_t>(kScratch / (16 * numbers) / kRows * kRows, kRows, std::max<int64_t>(count(), 1)); }

  // The transformed pixels of n squares: [16, n, width], with `width` channels from `channel` on.
  void turn_pixels(int64_t first, int64_t n, int64_t channel, int64_t width, float* to) const {
    Place at = place(first);
    for (int64_t t = 0; t < n; t++, advance(at)) {
      int64_t y = at.y - top, x = at.x - left;
      bool inside = y >= 0 && x >= 0 && y + 4 <= image_height && x + 4 <= image_width;
      const float* image = images + at.image * image_height * image_width * channels + channel;
      inside ? turn_square<true>(image, y, x, width, to + t * width, n) : turn_square<false>(image, y, x, width, to + t * width, n);
    }
  }

  // The pixels of one square that begins at (y, x). The numbers of each kind are n * numbers apart.
  template <bool kInside>
  void turn_square(const float* image, int64_t y, int64_t x, int64_t numbers, float* to, int64_t n) const {
    bool down[4], across[4];  // which rows and columns exist: asked once for all channels
    for (int i = 0; i < 4; i++) down[i] = y + i >= 0 && y + i < image_height, across[i] = x + i >= 0 && x + i < image_width;
    int64_t from = (y * image_width + x) * channels, row = image_width * channels;
    for (int64_t c = 0; c < numbers; c += kWidth) {
      Vector pixels[4][4], turned[4][4];
#pragma GCC unroll 4
      for (int i = 0; i < 4; i++) {
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) {
          bool exists = kInside || (down[i] & across[j]);
          pixels[i][j] = exists ? vector_at(image + (from + i * row + j * channels + c)) : Vector{};
        }
      }
      along_both<of_pixels>(pixels, turned);
      for (int i = 0; i < 16; i++) vector_at(to + i * n * numbers + c) = turned[i / 4][i % 4];
    }
  }

  // The transformed pixels of `gradient`, an array like the output, in n squares: [16, n, filters].
  void turn_gradient(const float* gradient, int64_t filters, int64_t first, int64_t n, float* to) const {
    Place at = place(first);
    for (int64_t t = 0; t < n; t++, advance(at)) {
      bool all = whole(at);
      const float* from = gradient + ((at.image * height + at.y) * width + at.x) * filters;
      for (int64_t k = 0; k < filters; k += kWidth) {
        Vector results[2][2], turned[4][4];
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
          results[i / 2][i % 2] = all || exists(at, i) ? vector_at(from + (i / 2 * width + i % 2) * filters + k) : Vector{};
        }
        along_both<of_results>(results, turned);
        for (int i = 0; i < 16; i++) vector_at(to + (i * n + t) * filters + k) = turned[i / 4][i % 4];
      }
    }
  }

  // The inverse: n squares of results, from [16, n, filters], into `out`.
  void turn_back(const float* from, int64_t filters, int64_t first, int64_t n, float* out, const Finish& finish) const {
    Place at = place(first);
    for (int64_t t = 0; t < n; t++, advance(at)) {
      bool all = whole(at);
      float* to = out + ((at.image * height + at.y) * width + at.x) * filters;
      for (int64_t k = 0; k < filters; k += kWidth) {
        Finish::At<1> end(finish, k);
        Vector turned[4][4], results[2][2];
        for (int i = 0; i < 16; i++) turned[i / 4][i % 4] = vector_at(from + (i * n + t) * filters + k);
        along_both<to_results>(turned, results);
#pragma GCC unroll 4
        for (int i = 0; i < 4; i++) {
          if (!all && !exists(at, i)) continue;
          float* there = to + (i / 2 * width + i % 2) * filters + k;
          vector_at(there) = end(results[i / 2][i % 2], 0, there);
        }
      }
    }
  }
};

// Memory of the calling thread, kept for the next task.
inline float* scratch(int64_t numbers) {
  thread_local Room memory;
  thread_local int64_t size = 0;
  if (size < numbers) size = 0, memory = room_for(numbers), size = numbers;
  return memory.get();
}

// --- the convolution

// The transformed weights [3, 3, channels, filters], as right operands.
template <typename Pool>
std::vector<Panels> turned_weights(Pool& pool, const float* weights, int64_t channels, int64_t filters) {
  int64_t size = channels * filters;
  std::vector<float> all(16 * size);
  parallel(pool, channels, [&](int64_t c) {
    for (int64_t at = c * filters; at < (c + 1) * filters; at += kWidth) {
      Vector window[3][3], turned[4][4];
      for (int i = 0; i < 9; i++) window[i / 3][i % 3] = vector_at(weights + i * size + at);
      along_both<of_weights>(window, turned);
      for (int i = 0; i < 16; i++) vector_at(all.data() + i * size + at) = turned[i / 4][i % 4];
    }
  });
  std::vector<Panels> panels;
  for (int i = 0; i < 16; i++) panels.push_back(Panels::of(all.data() + i * size, channels, filters, filters, 1, true));
  return panels;
}

template <typename Pool>
void winograd(Pool& pool, const Squares& squares, const std::vector<Panels>& weights, float* out, const Finish& finish = {}) {
  int64_t channels = squares.channels, filters = weights[0].columns(), many = squares.at_a_time(channels + filters);
  Walk walk = Walk::along(channels, 1);
  parallel(pool, (squares.count() + many - 1) / many, [&](int64_t task) {
    int64_t begin = task * many, n = std::min(many, squares.count() - begin);
    float* pixels = scratch(16 * many * (channels + filters));
    float* results = pixels + 16 * n * channels;
    squares.turn_pixels(begin, n, 0, channels, pixels);
    for (int64_t i = 0; i < 16; i++) {
      auto place = [=](int64_t first, int count, const float** rows, float** to) {
        for (int r = 0; r < count; r++) rows[r] = pixels + (i * n + first + r) * channels, to[r] = results + (i * n + first + r) * filters;
      };
      multiply(n, place, walk, weights[i], false);
    }
    squares.turn_back(results, filters, begin, n, out, finish);
  });
}

// --- the gradient of the weights

constexpr int64_t kSums = 8;         // groups of squares: independent of the number of threads
constexpr int64_t kManySums = 2048;  // weights of one tap, from which on there is one sum

// The gradient of some channels, from a range of squares, a number of them at a time: added to `sum`, [16, width,
// filters].
inline void add_squares(const Squares& squares, const float* gradient, int64_t filters, int64_t begin, int64_t end, int64_t many, int64_t channel,
                        int64_t width, float* sum) {
  for (; begin < end; begin += many) {
    int64_t n = std::min(many, end - begin);
    float* pixels = scratch(16 * many * (width + filters));
    float* results = pixels + 16 * n * width;
    squares.turn_pixels(begin, n, channel, width, pixels);
    squares.turn_gradient(gradient, filters, begin, n, results);
    for (int64_t i = 0; i < 16; i++) {
      auto place = [=](int64_t first, int count, const float** rows, float** to) {
        for (int r = 0; r < count; r++) rows[r] = pixels + i * n * width + first + r, to[r] = sum + (i * width + first + r) * filters;
      };
      multiply(width, place, Walk::along(n, width), Panels::of(results + i * n * filters, n, filters, filters, 1, false), true);
    }
  }
}

// The gradient [3, 3, size] of some weights, each window's elements `step` apart, from partial sums, [parts, 16, size].
inline void turn_weights_back(const float* sums, int64_t parts, int64_t size, int64_t step, float* out) {
  for (int64_t at = 0; at < size; at += kWidth) {
    Vector turned[4][4] = {}, window[3][3];
    for (int64_t i = 0; i < 16 * parts; i++) turned[i % 16 / 4][i % 4] += vector_at(sums + i * size + at);
    along_both<to_weights>(turned, window);
    for (int i = 0; i < 9; i++) vector_at(out + i * step + at) = window[i / 3][i % 3];
  }
}

// The gradient of the weights, [3, 3, channels, filters]. With few weights, every group of squares has its own sums.
// With many, those would be larger than everything else (8 MB for 128 channels and filters), so every thread gets some
// of the channels. No thread reads squares that another one has transformed; that takes longer than transforming them
// again. (8, 8, 8, 128) to 128 filters on two threads: 1.04 ms with partial sums, 0.46 with shared transformed squares,
// 0.23 this way.
template <typename Pool>
void winograd_gradient(Pool& pool, const Squares& squares, const float* gradient, int64_t filters, float* out) {
  int64_t channels = squares.channels, size = channels * filters, vectors = channels / kWidth;
  if (size < kManySums || vectors < 2) {
    std::vector<float> sums(kSums * 16 * size);
    int64_t many = squares.at_a_time(channels + filters);
    parallel(pool, kSums, [&](int64_t part) {
      int64_t begin = squares.count() * part / kSums, end = squares.count() * (part + 1) / kSums;
      add_squares(squares, gradient, filters, begin, end, many, 0, channels, sums.data() + part * 16 * size);
    });
    return turn_weights_back(sums.data(), kSums, size, size, out);
  }
  // The number of squares at a time does not depend on the number of threads, so the sums do not either.
  int64_t blocks = std::min(threads_of(pool), vectors), many = squares.at_a_time(channels / 2 + filters);
  parallel(pool, blocks, [&](int64_t block) {
    int64_t channel = vectors * block / blocks * kWidth, width = vectors * (block + 1) / blocks * kWidth - channel;
    std::vector<float> sum(16 * width * filters);
    add_squares(squares, gradient, filters, 0, squares.count(), many, channel, width, sum.data());
    turn_weights_back(sum.data(), 1, width * filters, size, out + channel * filters);
  });
}

}  // namespace reflow
