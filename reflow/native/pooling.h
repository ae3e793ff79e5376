// Max pooling and its gradient: each window passes its gradient to its first pixel that holds the maximum, for each
// channel separately.
//
// XLA's own pooling runs on one thread: 0.15 ms for (64, 28, 28, 16), 2x2, against 0.05 on each of two here. For the
// gradient, XLA's loop over a window's taps reads every tap again for each pixel of the image: 1.0 ms of CPU time for
// (64, 28, 28, 16), 2x2, against 0.35 here. With this kernel the step of a small image network (`bench/distribute.py`)
// takes 20 ms of CPU time, with XLA's loop 34.

#pragma once

#include "product.h"

namespace reflow {

typedef int32_t Mask __attribute__((vector_size(4 * kWidth), aligned(4), may_alias));

// The taps of one window that are inside the image: rows of `width` pixels each, `row` elements apart.
struct Inside {
  int64_t height, width, row;
};

// Calls use(number of the window, taps inside, their start in the image) for the windows in row p of the results;
// `empty` for those that contain only padding.
template <typename Use, typename Empty>
inline __attribute__((always_inline)) void each_window(const Axis& y, const Axis& x, int64_t p, int64_t channels, const Use& use, const Empty& empty) {
  int64_t row = x.in * channels, above = p * y.stride - y.before;
  int64_t top = std::max<int64_t>(above, 0), bottom = std::min(y.in, above + y.window);
  for (int64_t q = 0; q < x.out; q++) {
    int64_t ahead = q * x.stride - x.before;
    int64_t left = std::max<int64_t>(ahead, 0), right = std::min(x.in, ahead + x.window);
    if (top >= bottom || left >= right) {
      empty(q);
    } else {
      use(q, Inside{bottom - top, right - left, row}, top * row + left * channels);
    }
  }
}

// --- the pooling

// The larger of two; NaN if one is NaN, as on the host. (XLA's own pooling drops NaN.)
inline Vector larger(Vector a, Vector b) { return (b > a) | (b != b) ? b : a; }
inline float larger(float a, float b) { return b > a || b != b ? b : a; }

constexpr float kNothing = -std::numeric_limits<float>::infinity();  // the maximum of no pixels

// How to read the values at a position: a vector of channels, or one. (As a template argument, `Vector` would lose its
// alignment.)
inline Vector load_vector(const float* at) { return *reinterpret_cast<const Vector*>(at); }
inline float load_number(const float* at) { return *at; }

// The maxima of a window.
template <auto load>
inline __attribute__((always_inline)) auto largest_of(const float* image, Inside inside, int64_t channels) {
  auto most = load(image);
  for (int64_t y = 0; y < inside.height; y++) {
    for (int64_t x = 0; x < inside.width; x++) most = larger(most, load(image + y * inside.row + x * channels));
  }
  return most;
}

// Row p of the results of one image.
inline void pool_row(const float* image, const Axis& y, const Axis& x, int64_t p, int64_t channels, float* to) {
  auto use = [=](int64_t q, Inside inside, int64_t at) {
    float* out = to + q * channels;
    int64_t c = 0;
    if (inside.height == 2 && inside.width == 2) {  // the usual window, unrolled
      for (; c + kWidth <= channels; c += kWidth) *reinterpret_cast<Vector*>(out + c) = largest_of<load_vector>(image + at + c, {2, 2, inside.row}, channels);
    }
    for (; c + kWidth <= channels; c += kWidth) *reinterpret_cast<Vector*>(out + c) = largest_of<load_vector>(image + at + c, inside, channels);
    for (; c < channels; c++) out[c] = largest_of<load_number>(image + at + c, inside, channels);
  };
  each_window(y, x, p, channels, use, [=](int64_t q) { std::fill_n(to + q * channels, channels, kNothing); });
}

template <typename Pool>
void pool_maxima(Pool& pool, const float* images, int64_t batch, const Axis& y, const Axis& x, int64_t channels, float* out) {
  parallel(pool, batch * y.out, [&](int64_t line) {
    pool_row(images + line / y.out * y.in * x.in * channels, y, x, line % y.out, channels, out + line * x.out * channels);
  });
}

// --- its gradient

// One vector of channels of one window. If windows share pixels, gradients are added; otherwise they are written
// (kAlone). If `positive`, a window passes its gradient only to a positive maximum: a ReLU before the pooling blocks
// all others.
template <bool kAlone>
inline __attribute__((always_inline)) void give_vector(const float* image, Inside inside, int64_t channels, bool positive, const float* largest,
                                                       const float* gradient, float* to) {
  Vector most = *reinterpret_cast<const Vector*>(largest);
  Mask given = *reinterpret_cast<const Mask*>(gradient);  // bit masks: which channels still have a gradient to pass on
  if (positive) given &= (Mask)(most > Vector{});
  for (int64_t y = 0; y < inside.height; y++) {
    for (int64_t x = 0; x < inside.width; x++) {
      int64_t at = y * inside.row + x * channels;
      Mask same = (Mask)(*reinterpret_cast<const Vector*>(image + at) == most);
      Vector& there = *reinterpret_cast<Vector*>(to + at);
      there = kAlone ? (Vector)(same & given) : there + (Vector)(same & given);
      given &= ~same;
    }
  }
}

// One channel of one window.
template <bool kAlone>
inline void give_number(const float* image, Inside inside, int64_t channels, bool positive, float largest, float gradient, float* to) {
  if (positive && !(largest > 0)) gradient = 0;
  for (int64_t y = 0; y < inside.height; y++) {
    for (int64_t x = 0; x < inside.width; x++) {
      int64_t at = y * inside.row + x * channels;
      bool gets = image[at] == largest;
      to[at] = (kAlone ? 0 : to[at]) + (gets ? gradient : 0);
      if (gets) gradient = 0;
    }
  }
}

// The windows of one row of results.
template <bool kAlone>
__attribute__((noinline)) void give_row(const float* image, const Axis& y, const Axis& x, int64_t p, int64_t channels, bool positive, const float* largest,
                                        const float* gradient, float* to) {
  auto use = [=](int64_t q, Inside inside, int64_t at) {
    const float *most = largest + q * channels, *given = gradient + q * channels;
    int64_t c = 0;
    auto give = [&](Inside taps) {
      for (; c + kWidth <= channels; c += kWidth) give_vector<kAlone>(image + at + c, taps, channels, positive, most + c, given + c, to + at + c);
    };
    if (inside.height == 2 && inside.width == 2) give({2, 2, inside.row});  // the usual window, unrolled
    give(inside);
    for (; c < channels; c++) give_number<kAlone>(image + at + c, inside, channels, positive, most[c], given[c], to + at + c);
  };
  each_window(y, x, p, channels, use, [](int64_t) {});
}

// Whether every pixel of an axis is in exactly one window.
inline bool tiles(const Axis& axis) { return axis.stride == axis.window && axis.out * axis.stride - axis.before >= axis.in; }

// A pooling of images: sizes, its input, its output, and the output's gradient.
struct Pooled {
  const float *images, *largest, *gradient;
  int64_t batch, channels;
  Axis y, x;
  bool positive;
  bool alone = tiles(y) && tiles(x);

  int64_t size() const { return y.in * x.in * channels; }

  // The gradient of one image, from the windows in rows `first` to before `last`; if an image is split into bands of
  // such rows, they share no pixels.
  void give(int64_t image, int64_t first, int64_t last, float* to) const {
    int64_t row = x.in * channels;
    if (!alone) {
      int64_t top = first == 0 ? 0 : std::clamp<int64_t>(first * y.stride - y.before, 0, y.in);
      int64_t bottom = last == y.out ? y.in : std::clamp<int64_t>(last * y.stride - y.before, 0, y.in);
      std::fill(to + top * row, to + bottom * row, 0.0f);
    }
    for (int64_t p = first; p < last; p++) {
      int64_t at = (image * y.out + p) * x.out * channels;
      (alone ? give_row<true> : give_row<false>)(images + image * size(), y, x, p, channels, positive, largest + at, gradient + at, to);
    }
  }
};

// Windows of different rows share no pixels if the stride is at least the window: then each row is a task, otherwise
// each image.
template <typename Pool>
void give_to_maxima(Pool& pool, const Pooled& all, float* out) {
  int64_t bands = all.y.stride >= all.y.window ? all.y.out : 1, rows = all.y.out / bands;
  parallel(pool, all.batch * bands, [&](int64_t task) {
    int64_t band = task % bands, image = task / bands;
    all.give(image, band * rows, (band + 1) * rows, out + image * all.size());
  });
}

}  // namespace reflow
