// Two-dimensional convolutions, max pooling, and their gradients, in float32. XLA's programs call these on XLA's
// threads, eager code on the threads of the crew (`kernels.cc`). A `Pool` distributes the work over threads.
//
// Images are [batch, height, width, channels], filters [height, width, channels in, channels out]. All sizes are checked here.

#pragma once

#include <vector>

#include "convolution.h"
#include "crew.h"
#include "depthwise.h"
#include "pooling.h"

namespace reflow {

struct Floats {
  const float* data;
  Numbers sizes;
};

struct Results {
  float* data;
  Numbers sizes;
};

// --- convolutions

constexpr int64_t kOnes[] = {1, 1};
inline const Numbers kUndilated(kOnes, 2);

// The sizes of a convolution whose filters read every channel, and whose image is padded with zeros.
inline Geometry checked(Numbers image, Numbers filter, Numbers out, Numbers strides, Numbers padding) {
  Geometry g(image, filter, out, strides, padding, kUndilated);
  g.require_dense(filter);
  g.require_little_padding(g.y.padded(), g.x.padded(), g.channels);
  return g;
}

// The convolution of an image with [3, 3, channels, filters] weights.
template <typename Pool>
void convolve_squares(Pool& pool, const Squares& squares, const float* weights, int64_t filters, float* out, const Finish& finish) {
  winograd(pool, squares, turned_weights(pool, weights, squares.channels, filters), out, finish);
}

template <typename Pool>
void convolution(Pool& pool, Floats x, Floats w, Results out, Numbers strides, Numbers padding, const Finish& finish = {}) {
  auto ws = w.sizes, os = out.sizes;
  checked(x.sizes, ws, os, strides, padding);
  Image image(x.data, x.sizes);
  if (turnable(ws, strides, os, kMostWeights)) {
    return convolve_squares(pool, squares_of(image, padding[0], padding[2], os[1], os[2]), w.data, ws[3], out.data, finish);
  }
  Panels filter = Panels::of(w.data, ws[0] * ws[1] * ws[2], ws[3], ws[3], 1, true);
  convolve(pool, image, ws, filter, os, strides, padding, out.data, finish);
}

// The same, plus a number per filter (unless `bias` is empty), with negative results set to zero if `relu` is set.
template <typename Pool>
void finished_convolution(Pool& pool, Floats x, Floats w, Floats bias, Results out, Numbers strides, Numbers padding, bool relu) {
  auto bs = bias.sizes, ws = w.sizes;
  require(bs.size() == 1 && ws.size() == 4 && (bs[0] == 0 || bs[0] == ws[3]), "a bias has a number for each filter");
  Finish finish;
  std::vector<float> padded;
  if (bs[0] > 0) {
    padded.resize(Panels::numbers(1, ws[3]));
    std::copy_n(bias.data, ws[3], padded.data());
    finish.bias = padded.data();
  }
  if (relu) finish.low = 0;
  finish.out = out.data;
  convolution(pool, x, w, out, strides, padding, finish);
}

// Along one axis, the input pixels of a convolution that are reached by the same taps of the filter: every `stride`-th,
// from `first` on. Pixel `first` + i * stride is reached by tap `tap` + t * stride, for t < taps, from pixel `from` + i
// - t of the output.
struct Phase {
  int64_t first, count, tap, taps, from;

  Phase(const Axis& axis, int64_t first) : first(first) {
    count = (axis.in - first + axis.stride - 1) / axis.stride;
    tap = (first + axis.before) % axis.stride;
    taps = tap < axis.window ? (axis.window - tap + axis.stride - 1) / axis.stride : 0;
    from = (first + axis.before) / axis.stride;
  }
  int64_t before() const { return taps - 1 - from; }                 // zeros needed before the output's pixels,
  int64_t after(int64_t size) const { return from + count - size; }  // and after them
};

// The phases of one axis that some tap reaches, and the padding that all of them need around the output's pixels. A
// large stride has few: no more than there are taps or pixels.
struct Phases {
  std::vector<Phase> all;
  int64_t before = 0, after = 0;
  bool reach_all = true;  // every pixel is in one of them

  explicit Phases(const Axis& axis) {
    for (int64_t first = 0; first < std::min(axis.stride, axis.in); first++) {
      Phase phase(axis, first);
      if (phase.taps == 0) {
        reach_all = false;
        continue;
      }
      all.push_back(phase);
      before = std::max(before, phase.before());
      after = std::max(after, phase.after(axis.out));
    }
  }
};

// The filter of an input's gradient: [3, 3, channels, filters] weights in reverse order, as [3, 3, filters, channels].
inline std::vector<float> turned_round(const float* weights, int64_t channels, int64_t filters) {
  std::vector<float> turned(9 * channels * filters);
  for (int64_t tap = 0; tap < 9; tap++) {
    const float* from = weights + (8 - tap) * channels * filters;
    float* to = turned.data() + tap * channels * filters;
    for (int64_t k = 0; k < filters; k++) {
      for (int64_t c = 0; c < channels; c++) to[k * channels + c] = from[c * filters + k];
    }
  }
  return turned;
}

// The reversed taps of the filter that belong to these phases: a right operand for each pair of them.
inline std::vector<Panels> phase_filters(const Phases& ys, const Phases& xs, const float* weights, Numbers ws, Numbers strides) {
  int64_t in = ws[2], channels = ws[3];
  std::vector<Panels> filters;
  for (const Phase& y : ys.all) {
    for (const Phase& x : xs.all) {
      Panels& filter = filters.emplace_back(y.taps * x.taps * channels, in);
      for (int64_t i = 0; i < y.taps * x.taps; i++) {
        int64_t tap_y = y.tap + (y.taps - 1 - i / x.taps) * strides[0], tap_x = x.tap + (x.taps - 1 - i % x.taps) * strides[1];
        filter.fill(i * channels, weights + (tap_y * ws[1] + tap_x) * in * channels, channels, 1, channels);
      }
    }
  }
  return filters;
}

// For each phase of each axis, a correlation of the output's gradient with those reversed taps of the filter.
template <typename Pool>
void input_gradient(Pool& pool, Floats g, Floats w, Results out, Numbers strides, Numbers padding, const Finish& finish = {}) {
  auto ws = w.sizes, os = out.sizes;
  Geometry sizes(os, ws, g.sizes, strides, padding, kUndilated);
  sizes.require_dense(ws);
  Image gradient(g.data, g.sizes);
  if (turnable(ws, strides, os, kMostWeights) && *std::max_element(padding.begin(), padding.end()) <= 2) {
    std::vector<float> turned = turned_round(w.data, ws[2], ws[3]);
    convolve_squares(pool, squares_of(gradient, 2 - padding[0], 2 - padding[2], os[1], os[2]), turned.data(), ws[2], out.data, finish);
    return;
  }
  Phases ys(sizes.y), xs(sizes.x);
  sizes.require_little_padding(sizes.y.out + ys.before + ys.after, sizes.x.out + xs.before + xs.after, sizes.filters);
  int64_t in = ws[2], size = os[1] * os[2] * in;
  if (!ys.reach_all || !xs.reach_all) std::fill_n(out.data, os[0] * size, 0.0f);
  std::vector<Panels> filters = phase_filters(ys, xs, w.data, ws, strides);
  Padded(gradient, ys.before, ys.after, xs.before, xs.after).each(pool, [&](const Image& images, int64_t first) {
    const Panels* filter = filters.data();
    for (const Phase& y : ys.all) {
      for (const Phase& x : xs.all) {
        Output to{out.data + first * size + (y.first * os[2] + x.first) * in, y.count, x.count, size, strides[0] * os[2] * in,
                  strides[1] * in};
        correlate(pool, images, ys.before - y.before(), xs.before - x.before(), 1, 1, y.taps, x.taps, *filter++, to, &finish);
      }
    }
  });
}

// The same, with zeros where `features`, the input itself, are not positive: the input came from a ReLU, and this is
// the gradient before it.
template <typename Pool>
void input_gradient_before_relu(Pool& pool, Floats g, Floats w, Floats features, Results out, Numbers strides, Numbers padding) {
  auto fs = features.sizes, os = out.sizes;
  require(std::equal(fs.begin(), fs.end(), os.begin(), os.end()), "the features have the shape of their gradient");
  Finish finish;
  finish.positive = features.data;
  finish.out = out.data;
  input_gradient(pool, g, w, out, strides, padding, finish);
}

inline bool sums_few_taps(Numbers ws, Numbers strides) {
  return has_few_taps(ws[0] * ws[1] * ws[2], strides[1] * ws[2], ws[3]) && ws[1] * ws[2] <= kMostSumsAtOnce;
}

// The gradient of a filter of few taps; gradient_of(number of an image) is that of its output.
template <typename Pool, typename GradientOf>
void few_taps_filter_gradient(Pool& pool, Padded& padded, Numbers ws, Numbers os, Numbers strides, const GradientOf& gradient_of, float* out) {
  std::fill_n(out, ws[0] * ws[1] * ws[2] * ws[3], 0.0f);
  padded.each(pool, [&](const Image& images, int64_t first) {
    few_taps_gradient(pool, few_taps_of(images, ws, os, strides), [&](int64_t image) { return gradient_of(first + image); }, out);
  });
}

// Row (y, x, c) of the result: the image shifted by (y, x), channel c, times the gradient. Image by image, while it is
// in the cache.
template <typename Pool>
void filter_gradient(Pool& pool, Floats x, Floats g, Results out, Numbers strides, Numbers padding) {
  auto os = out.sizes;
  checked(x.sizes, os, g.sizes, strides, padding);
  Image gradient(g.data, g.sizes);
  if (turnable(os, strides, g.sizes, kMostSums)) {
    Squares squares = squares_of(Image(x.data, x.sizes), padding[0], padding[2], gradient.height, gradient.width);
    return winograd_gradient(pool, squares, gradient.data, gradient.channels, out.data);
  }
  Padded padded(Image(x.data, x.sizes), padding[0], padding[1], padding[2], padding[3]);
  int64_t run = os[1] * os[2], channels = os[3];  // `run` rows begin at adjacent positions
  float* result = out.data;
  if (sums_few_taps(os, strides)) {
    auto plain = [&](int64_t image) { return gradient.data + image * gradient.size(); };
    return few_taps_filter_gradient(pool, padded, os, g.sizes, strides, plain, result);
  }
  padded.each(pool, [&](const Image& images, int64_t first_image) {
    Walk walk;
    walk.depth = gradient.width;
    walk.step = strides[1] * images.channels;
    walk.segments = gradient.height;
    walk.segment_offset = strides[0] * images.row();
    walk.blocks = images.batch;
    walk.block_offset = images.size();
    auto place = [&](int64_t first, int count, const float** rows, float** to) {
      for (int r = 0; r < count; r++) {
        rows[r] = images.data + (first + r) / run * images.row() + (first + r) % run;
        to[r] = result + (first + r) * channels;
      }
    };
    int64_t pixels = images.batch * walk.block_rows();
    const float* from = gradient.data + first_image * gradient.size();
    product(pool, os[0] * run, place, walk, Panels::of(from, pixels, channels, channels, 1, false), first_image > 0);
  });
}

// --- depthwise convolutions: filters [height, width, 1, channels]

inline Geometry depthwise(Numbers image, Numbers filter, Numbers out, Numbers strides, Numbers padding, Numbers dilations) {
  Geometry g(image, filter, out, strides, padding, dilations);
  g.require_depthwise(filter);
  return g;
}

template <typename Pool>
void depthwise_convolution(Pool& pool, Floats x, Floats w, Results out, Numbers strides, Numbers padding, Numbers dilations) {
  Geometry g = depthwise(x.sizes, w.sizes, out.sizes, strides, padding, dilations);
  weigh(pool, x.data, g.batch, g.y.in, g.x.in * g.channels, Taps(g.y, false), Taps(g.x, false), w.data, g.x.window * g.channels,
        g.channels, out.data);
}

template <typename Pool>
void depthwise_input_gradient(Pool& pool, Floats gradient, Floats w, Results out, Numbers strides, Numbers padding, Numbers dilations) {
  Geometry g = depthwise(out.sizes, w.sizes, gradient.sizes, strides, padding, dilations);
  weigh(pool, gradient.data, g.batch, g.y.out, g.x.out * g.channels, Taps(g.y, true), Taps(g.x, true), w.data, g.x.window * g.channels,
        g.channels, out.data);
}

template <typename Pool>
void depthwise_filter_gradient(Pool& pool, Floats x, Floats gradient, Results out, Numbers strides, Numbers padding, Numbers dilations) {
  Geometry g = depthwise(x.sizes, out.sizes, gradient.sizes, strides, padding, dilations);
  weights_gradient(pool, x.data, gradient.data, g.batch, g.y, g.x, g.channels, out.data);
}

// --- max pooling

// The same window for every channel: checked like a depthwise convolution whose filter has a tap for each pixel of the
// window.
inline Geometry pooled(Numbers image, Numbers size, Numbers window, Numbers strides, Numbers padding) {
  require(window.size() == 2 && image.size() == 4, "a pool has two axes in space");
  const int64_t filter[] = {window[0], window[1], 1, image[3]};
  return Geometry(image, Numbers(filter, 4), size, strides, padding, kUndilated);
}

template <typename Pool>
void max_pool(Pool& pool, Floats x, Results out, Numbers window, Numbers strides, Numbers padding) {
  Geometry g = pooled(x.sizes, out.sizes, window, strides, padding);
  pool_maxima(pool, x.data, g.batch, g.y, g.x, g.channels, out.data);
}

inline bool same(Numbers a, Numbers b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

// A pooling to differentiate. `positive`: with zeros where the image is not positive, as in InputGradientBeforeRelu.
inline Pooled checked_pool(Floats x, Floats largest, Floats gradient, Numbers window, Numbers strides, Numbers padding, bool positive) {
  Geometry g = pooled(x.sizes, largest.sizes, window, strides, padding);
  require(same(largest.sizes, gradient.sizes), "the gradient of a pool has the shape of its result");
  return {x.data, largest.data, gradient.data, g.batch, g.channels, g.y, g.x, positive};
}

template <typename Pool>
void max_pool_gradient(Pool& pool, Floats x, Floats largest, Floats gradient, Results out, Numbers window, Numbers strides, Numbers padding,
                     bool positive) {
  require(same(x.sizes, out.sizes), "the gradient for a pool's image has the shape of the image");
  give_to_maxima(pool, checked_pool(x, largest, gradient, window, strides, padding, positive), out.data);
}

// The gradient of the filter (with few taps) of a convolution whose result was pooled: the result's gradient exists for
// one image at a time, in the cache.
template <typename Pool>
void pooled_filter_gradient(Pool& pool, Floats x, Floats pool_image, Floats largest, Floats gradient, Results out, Numbers strides, Numbers padding,
                          Numbers window, Numbers pool_strides, Numbers pool_padding, bool positive) {
  auto ws = out.sizes, os = pool_image.sizes;
  checked(x.sizes, ws, os, strides, padding);
  Pooled pooled = checked_pool(pool_image, largest, gradient, window, pool_strides, pool_padding, positive);
  require(sums_few_taps(ws, strides), "a filter of many taps");
  Padded padded(Image(x.data, x.sizes), padding[0], padding[1], padding[2], padding[3]);
  auto given = [&](int64_t image) {
    float* to = scratch(pooled.size());
    pooled.give(image, 0, pooled.y.out, to);
    return to;
  };
  few_taps_filter_gradient(pool, padded, ws, os, strides, given, out.data);
}

// --- calls from eager code, on the threads of the crew

constexpr int64_t kPoolWork = 8;  // multiply-adds that take as long as one element of a pooled image

// A kernel by its number. `numbers`: the sizes of the first two operands and of the result, four each, and then
// strides, padding, dilations and the pooling window.
inline void run_windows(int64_t kind, const int64_t* numbers, const float* const* operands, float* to) {
  enum Kind : int64_t { kConvolution, kInput, kFilter, kByChannel, kByChannelInput, kByChannelFilter, kPool, kPoolGradient };
  Floats x{operands[0], Numbers(numbers, 4)}, y{operands[1], Numbers(numbers + 4, 4)};
  Results out{to, Numbers(numbers + 8, 4)};
  Numbers strides(numbers + 12, 2), padding(numbers + 14, 4), dilations(numbers + 18, 2), window(numbers + 20, 2);
  require((kind >= kByChannel && kind < kPool) || (dilations[0] == 1 && dilations[1] == 1), "this kernel knows no dilation");
  auto count = [](Numbers n) { return times(times(n[0], n[1]), times(n[2], n[3])); };
  // multiply-adds: a convolution's gradients have as many
  Numbers filter = kind % 3 == kFilter ? out.sizes : y.sizes, result = kind % 3 == kConvolution ? out.sizes : kind % 3 == kInput ? x.sizes : y.sizes;
  int64_t work = kind < kPool ? times(count(result), times(filter[0], times(filter[1], filter[2]))) : times(count(x.sizes), kPoolWork);
  Crew::Shift shift(work >= kWorthThreads);
  Team team{shift.crew};
  switch (kind) {
    case kConvolution: return convolution(team, x, y, out, strides, padding);
    case kInput: return input_gradient(team, x, y, out, strides, padding);
    case kFilter: return filter_gradient(team, x, y, out, strides, padding);
    case kByChannel: return depthwise_convolution(team, x, y, out, strides, padding, dilations);
    case kByChannelInput: return depthwise_input_gradient(team, x, y, out, strides, padding, dilations);
    case kByChannelFilter: return depthwise_filter_gradient(team, x, y, out, strides, padding, dilations);
    case kPool: return max_pool(team, x, out, window, strides, padding);
    case kPoolGradient: return max_pool_gradient(team, x, y, {operands[2], y.sizes}, out, window, strides, padding, false);
    default: throw Refused("an unknown kernel");
  }
}

}  // namespace reflow
