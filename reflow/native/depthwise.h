// Convolutions of each channel by itself, and their gradients. Neighbours in memory are channels, so a register holds as many of these, and there is
// nothing to be shared between results: each is a short sum over the window's taps.

#pragma once

#include <vector>

#include "product.h"

namespace reflow {

// For each pixel of a result along one axis: the taps to be summed, and the pixels of the operand that they meet.
class Taps {
 public:
  struct Tap {
    int64_t tap, place;
  };

  // Of the output, which sums over the input; or `turned`, of the input's gradient, which sums over the output's.
  Taps(const Axis& axis, bool turned) : lists_(turned ? axis.in : axis.out) {
    for (int64_t t = 0; t < axis.window; t++) {
      auto [first, last] = axis.inside(t);
      for (int64_t p = first; p < last; p++) {
        int64_t q = axis.place(p, t);
        lists_[turned ? q : p].push_back(turned ? Tap{t, p} : Tap{t, q});
      }
    }
  }

  int64_t size() const { return static_cast<int64_t>(lists_.size()); }
  const std::vector<Tap>& operator[](int64_t p) const { return lists_[p]; }

 private:
  std::vector<std::vector<Tap>> lists_;
};

// V vectors of channels of one pixel.
template <int V>
void sum_taps(const std::vector<Taps::Tap>& rows, const std::vector<Taps::Tap>& columns, const float* image, int64_t row, const float* weights,
              int64_t weight_row, int64_t channels, float* to) {
  Vector sums[V] = {};
  for (auto r : rows) {
    for (auto c : columns) {
      const float* x = image + r.place * row + c.place * channels;
      const float* w = weights + r.tap * weight_row + c.tap * channels;
      for (int v = 0; v < V; v++) {
        sums[v] += *reinterpret_cast<const Vector*>(x + v * kWidth) * *reinterpret_cast<const Vector*>(w + v * kWidth);
      }
    }
  }
  for (int v = 0; v < V; v++) *reinterpret_cast<Vector*>(to + v * kWidth) = sums[v];
}

// One row of results, `columns.size()` pixels. A function by itself: its arguments stay in registers, where what a task captures would be read again
// after each pixel is written (8% of the time).
__attribute__((noinline)) inline void weigh_row(const float* image, int64_t row, const std::vector<Taps::Tap>& taps, const Taps& columns,
                                                const float* weights, int64_t weight_row, int64_t channels, float* to) {
  for (int64_t p = 0; p < columns.size(); p++, to += channels) {
    int64_t c = 0;
    for (; c + 4 * kWidth <= channels; c += 4 * kWidth) sum_taps<4>(taps, columns[p], image + c, row, weights + c, weight_row, channels, to + c);
    for (; c + kWidth <= channels; c += kWidth) sum_taps<1>(taps, columns[p], image + c, row, weights + c, weight_row, channels, to + c);
    for (; c < channels; c++) {
      float sum = 0;
      for (auto y : taps) {
        for (auto x : columns[p]) sum += image[y.place * row + x.place * channels + c] * weights[y.tap * weight_row + x.tap * channels + c];
      }
      to[c] = sum;
    }
  }
}

// `images` of `row` numbers in each of `height` rows, [batch, rows.size(), columns.size(), channels] results.
inline void weigh(xla::ffi::ThreadPool& pool, const float* images, int64_t batch, int64_t height, int64_t row, const Taps& rows, const Taps& columns,
                  const float* weights, int64_t weight_row, int64_t channels, float* out) {
  parallel(pool, batch * rows.size(), [&](int64_t task) {
    const float* image = images + task / rows.size() * height * row;
    weigh_row(image, row, rows[task % rows.size()], columns, weights, weight_row, channels, out + task * columns.size() * channels);
  });
}

// --- the gradient of the weights

// Adds the sum over `count` pixels, `step` and `channels` apart, of x times g, for one vector of channels.
inline void add_products(const float* x, int64_t step, const float* g, int64_t channels, int64_t count, float* to) {
  Vector sums[4] = {};
  int64_t p = 0;
  auto add = [&](int s) { sums[s] += *reinterpret_cast<const Vector*>(x + (p + s) * step) * *reinterpret_cast<const Vector*>(g + (p + s) * channels); };
  for (; p + 4 <= count; p += 4) add(0), add(1), add(2), add(3);
  for (; p < count; p++) add(0);
  *reinterpret_cast<Vector*>(to) += (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

constexpr int64_t kParts = 16;  // of the images, each summed by itself: the same whatever the number of threads

inline void weights_gradient(xla::ffi::ThreadPool& pool, const float* images, const float* gradient, int64_t batch, const Axis& y, const Axis& x,
                             int64_t channels, float* out) {
  int64_t size = y.window * x.window * channels, parts = std::min(batch, kParts);
  std::vector<float> sums(parts * size);
  parallel(pool, parts, [&](int64_t part) {
    for (int64_t b = batch * part / parts; b < batch * (part + 1) / parts; b++) {
      for (int64_t tap = 0; tap < y.window * x.window; tap++) {
        float* sum = sums.data() + part * size + tap * channels;
        auto [top, bottom] = y.inside(tap / x.window);
        auto [left, right] = x.inside(tap % x.window);
        for (int64_t p = top; p < bottom; p++) {
          const float* image = images + ((b * y.in + y.place(p, tap / x.window)) * x.in + x.place(left, tap % x.window)) * channels;
          const float* g = gradient + ((b * y.out + p) * x.out + left) * channels;
          int64_t c = 0;
          for (; c + kWidth <= channels; c += kWidth) add_products(image + c, x.stride * channels, g + c, channels, right - left, sum + c);
          for (; c < channels; c++) {
            for (int64_t q = 0; q < right - left; q++) sum[c] += image[q * x.stride * channels + c] * g[q * channels + c];
          }
        }
      }
    }
  });
  std::fill(out, out + size, 0.0f);
  for (int64_t i = 0; i < parts * size; i++) out[i % size] += sums[i];
}

}  // namespace reflow
