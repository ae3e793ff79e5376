// Depthwise convolutions and their gradients. Channels are adjacent in memory, so a register holds several of them, and
// results share nothing: each is a short sum over the window's taps.

#pragma once

#include <vector>

#include "product.h"

namespace reflow {

// For each result pixel along one axis: the taps to sum, and the operand pixels that they read.
class Taps {
 public:
  struct Tap {
    int64_t tap, place;
  };

  // For the output, which sums over the input; or, if `turned`, for the input's gradient, which sums over the output's.
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

  // Adjacent pixels with the same `count` taps, each `step` pixels further than at the previous pixel.
  struct Run {
    int64_t first, last, step;
  };
  Run run_of(size_t count) const {
    int64_t first = 0;
    while (first < size() && lists_[first].size() != count) first++;
    Run run{first, std::min(first + 1, size()), 0};
    while (run.last < size() && continues(run)) run.last++;
    return run;
  }

 private:
  bool continues(Run& run) const {
    const std::vector<Tap>&before = lists_[run.last - 1], &now = lists_[run.last];
    if (now.size() != before.size()) return false;
    if (run.last == run.first + 1) run.step = now[0].place - before[0].place;
    for (size_t i = 0; i < now.size(); i++) {
      if (now[i].tap != before[i].tap || now[i].place - before[i].place != run.step) return false;
    }
    return true;
  }

  std::vector<std::vector<Tap>> lists_;
};

// What all rows of results share: `row` elements per row of the image, `weight_row` per row of the window.
struct Weighing {
  const Taps& columns;
  const float* weights;
  int64_t row, weight_row, channels;
  const Finish& finish;
  Taps::Run run = columns.run_of(3);  // pixels with three taps, the common case for 3x3 windows
};

// V vectors of channels of one pixel.
template <int V>
void sum_taps(const Weighing& all, const std::vector<Taps::Tap>& rows, const std::vector<Taps::Tap>& columns, const float* image, int64_t channel,
              float* to) {
  const float* weights = all.weights + channel;
  int64_t row = all.row, weight_row = all.weight_row, channels = all.channels;
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
  Finish::At<V> finish(all.finish, channel);
  for (int v = 0; v < V; v++) *reinterpret_cast<Vector*>(to + v * kWidth) = finish(sums[v], v, to + v * kWidth);
}

// One channel of one pixel, for the channels that do not fill a vector.
inline void sum_taps_of_one(const Weighing& all, const std::vector<Taps::Tap>& rows, const std::vector<Taps::Tap>& columns, const float* image,
                            int64_t channel, float* to) {
  float sum = 0;
  for (auto y : rows) {
    for (auto x : columns) sum += image[y.place * all.row + x.place * all.channels] * all.weights[y.tap * all.weight_row + x.tap * all.channels + channel];
  }
  *to = all.finish.of_one(sum, channel, to);
}

// All channels of the pixels from `first` to before `last`.
inline void weigh_pixels(const Weighing& all, const float* image, const std::vector<Taps::Tap>& taps, int64_t first, int64_t last, float* to) {
  int64_t channels = all.channels;
  for (int64_t p = first; p < last; p++) {
    const std::vector<Taps::Tap>& columns = all.columns[p];
    float* pixel = to + p * channels;
    int64_t c = 0;
    for (; c + 4 * kWidth <= channels; c += 4 * kWidth) sum_taps<4>(all, taps, columns, image + c, c, pixel + c);
    for (; c + kWidth <= channels; c += kWidth) sum_taps<1>(all, taps, columns, image + c, c, pixel + c);
    for (; c < channels; c++) sum_taps_of_one(all, taps, columns, image + c, c, pixel + c);
  }
}

// The pixels of a run, with three rows of taps, for one vector of channels: its nine weights stay in registers. One
// load per multiply-add instead of two.
inline void weigh_run(const Weighing& all, const float* image, const std::vector<Taps::Tap>& taps, int64_t channel, float* to) {
  const std::vector<Taps::Tap>& columns = all.columns[all.run.first];
  const float* x[3];
  Vector w[3][3];
  for (int i = 0; i < 3; i++) {
    x[i] = image + taps[i].place * all.row + columns[0].place * all.channels;
    for (int j = 0; j < 3; j++) w[i][j] = *reinterpret_cast<const Vector*>(all.weights + taps[i].tap * all.weight_row + columns[j].tap * all.channels + channel);
  }
  int64_t step = all.run.step * all.channels, second = (columns[1].place - columns[0].place) * all.channels;
  int64_t third = (columns[2].place - columns[0].place) * all.channels;
  int64_t channels = all.channels, p = all.run.first, last = all.run.last;
  const Finish::At<1> finish(all.finish, channel);
  // Several pixels at a time: while one sum waits for its last multiply-add, the others proceed.
  auto pixels = [&](auto many) {
    constexpr int kMany = decltype(many)::value;
    Vector sums[kMany] = {};
#pragma GCC unroll 3
    for (int i = 0; i < 3; i++) {
#pragma GCC unroll 4
      for (int n = 0; n < kMany; n++) sums[n] += w[i][0] * *reinterpret_cast<const Vector*>(x[i] + n * step);
#pragma GCC unroll 4
      for (int n = 0; n < kMany; n++) sums[n] += w[i][1] * *reinterpret_cast<const Vector*>(x[i] + n * step + second);
#pragma GCC unroll 4
      for (int n = 0; n < kMany; n++) sums[n] += w[i][2] * *reinterpret_cast<const Vector*>(x[i] + n * step + third);
      x[i] += kMany * step;
    }
#pragma GCC unroll 4
    for (int n = 0; n < kMany; n++, to += channels) *reinterpret_cast<Vector*>(to) = finish(sums[n], 0, to);
  };
  for (; p + 4 <= last; p += 4) pixels(std::integral_constant<int, 4>());
  for (; p < last; p++) pixels(std::integral_constant<int, 1>());
}

// One row of results. A separate function, so that its arguments stay in registers; the captures of a task would be
// reloaded after each pixel is written (8% of the time).
__attribute__((noinline)) inline void weigh_row(const Weighing& all, const float* image, const std::vector<Taps::Tap>& taps, float* to) {
  int64_t channels = all.channels;
  bool runs = taps.size() == 3 && all.run.last > all.run.first + 1 && channels % kWidth == 0;
  if (!runs) return weigh_pixels(all, image, taps, 0, all.columns.size(), to);
  weigh_pixels(all, image, taps, 0, all.run.first, to);
  for (int64_t c = 0; c < channels; c += kWidth) weigh_run(all, image + c, taps, c, to + all.run.first * channels + c);
  weigh_pixels(all, image, taps, all.run.last, all.columns.size(), to);
}

// `images` of `row` elements in each of `height` rows; [batch, rows.size(), columns.size(), channels] results.
template <typename Pool>
void weigh(Pool& pool, const float* images, int64_t batch, int64_t height, int64_t row, const Taps& rows, const Taps& columns, const float* weights,
           int64_t weight_row, int64_t channels, float* out, const Finish& finish = {}) {
  Weighing all{columns, weights, row, weight_row, channels, finish};
  parallel(pool, batch * rows.size(), [&](int64_t task) {
    const float* image = images + task / rows.size() * height * row;
    weigh_row(all, image, rows[task % rows.size()], out + task * columns.size() * channels);
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

constexpr int64_t kParts = 16;  // groups of images, each summed separately: independent of the number of threads

template <typename Pool>
void weights_gradient(Pool& pool, const float* images, const float* gradient, int64_t batch, const Axis& y, const Axis& x, int64_t channels, float* out) {
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
