// What XLA's programs call: products of matrices, two-dimensional convolutions, max pooling, and their gradients, all in float32.
//
// Images are [batch, height, width, channels], filters [height, width, channels in, channels out].

#include <cstdio>
#include <exception>
#include <vector>

#include "convolution.h"
#include "copy.h"
#include "depthwise.h"
#include "elementwise.h"
#include "farmhash.h"
#include "integers.h"
#include "jpeg.h"
#include "pooling.h"
#include "resize.h"
#include "network.h"
#include "snappy.h"

namespace ffi = xla::ffi;

namespace reflow {
namespace {

using Array = ffi::Buffer<ffi::F32>;
using Result = ffi::ResultBuffer<ffi::F32>;

constexpr int64_t kReused = 8 * kRows;  // rows of the left operand from which on copying the right one pays

// --- [m, k] times [k, n], either of them stored transposed

void Product(ffi::ThreadPool pool, Array x, Array y, Result out, bool flip_x, bool flip_y) {
  auto xs = x.dimensions(), ys = y.dimensions(), os = out->dimensions();
  require(xs.size() == 2 && ys.size() == 2 && os.size() == 2, "a product's operands are matrices");
  int64_t m = os[0], n = os[1], k = xs[flip_x ? 0 : 1];
  require(m > 0 && n > 0 && xs[flip_x ? 1 : 0] == m && ys[flip_y ? 0 : 1] == n && ys[flip_y ? 1 : 0] == k, "the sizes of a product do not fit together");
  Walk walk = Walk::along(k, flip_x ? m : 1);
  const float* left = x.typed_data();
  float* result = out->typed_data();
  int64_t row = flip_x ? 1 : k;
  auto place = [=](int64_t first, int count, const float** rows, float** to) {
    for (int r = 0; r < count; r++) rows[r] = left + (first + r) * row, to[r] = result + (first + r) * n;
  };
  bool copy = m >= kReused;
  product(pool, m, place, walk, Panels::of(y.typed_data(), k, n, flip_y ? 1 : n, flip_y ? k : 1, copy));
}

// --- the same of 8-bit integers, summed in 32 bits

void IntegerProduct(ffi::ThreadPool pool, ffi::Buffer<ffi::S8> x, ffi::Buffer<ffi::S8> y, ffi::ResultBuffer<ffi::S32> out) {
  auto xs = x.dimensions(), ys = y.dimensions(), os = out->dimensions();
  require(xs.size() == 2 && ys.size() == 2 && os.size() == 2, "a product's operands are matrices");
  require(os[0] > 0 && os[1] > 0 && xs[1] > 0 && xs[0] == os[0] && ys[1] == os[1] && ys[0] == xs[1], "the sizes of a product do not fit together");
  integer_product(pool, x.typed_data(), y.typed_data(), os[0], xs[1], os[1], out->typed_data());
}

// --- convolutions

constexpr int64_t kOnes[] = {1, 1};
const Numbers kUndilated(kOnes, 2);

// The sizes of a convolution whose filters see every channel, and whose image gets zeros around it.
Geometry checked(Numbers image, Numbers filter, Numbers out, Numbers strides, Numbers padding) {
  Geometry g(image, filter, out, strides, padding, kUndilated);
  g.require_dense(filter);
  g.require_little_padding(g.y.padded(), g.x.padded(), g.channels);
  return g;
}

// The convolution of an image with [3, 3, channels, filters] weights.
void convolve_squares(ffi::ThreadPool& pool, const Squares& squares, const float* weights, int64_t filters, float* out, const Finish& finish) {
  winograd(pool, squares, turned_weights(pool, weights, squares.channels, filters), out, finish);
}

void convolve_finished(ffi::ThreadPool& pool, Array x, Array w, Result out, Numbers strides, Numbers padding, const Finish& finish) {
  auto ws = w.dimensions(), os = out->dimensions();
  checked(x.dimensions(), ws, os, strides, padding);
  Image image(x.typed_data(), x.dimensions());
  if (turnable(ws, strides, os, kMostWeights)) {
    return convolve_squares(pool, squares_of(image, padding[0], padding[2], os[1], os[2]), w.typed_data(), ws[3], out->typed_data(), finish);
  }
  Panels filter = Panels::of(w.typed_data(), ws[0] * ws[1] * ws[2], ws[3], ws[3], 1, true);
  convolve(pool, image, ws, filter, os, strides, padding, out->typed_data(), finish);
}

void Convolution(ffi::ThreadPool pool, Array x, Array w, Result out, Numbers strides, Numbers padding) {
  convolve_finished(pool, x, w, out, strides, padding, {});
}

// The same, with a number for each filter added (unless `bias` is empty), and negative results made zero if `relu` is set.
void FinishedConvolution(ffi::ThreadPool pool, Array x, Array w, Array bias, Result out, Numbers strides, Numbers padding, bool relu) {
  auto bs = bias.dimensions(), ws = w.dimensions();
  require(bs.size() == 1 && ws.size() == 4 && (bs[0] == 0 || bs[0] == ws[3]), "a bias has a number for each filter");
  Finish finish;
  std::vector<float> padded;
  if (bs[0] > 0) {
    padded.resize(Panels::numbers(1, ws[3]));
    std::copy_n(bias.typed_data(), ws[3], padded.data());
    finish.bias = padded.data();
  }
  if (relu) finish.low = 0;
  finish.out = out->typed_data();
  convolve_finished(pool, x, w, out, strides, padding, finish);
}

// Along one axis, the pixels of a convolution's input that the same taps of the filter reach: every `stride`-th, from `first` on. Pixel `first` + i *
// stride is reached by tap `tap` + t * stride, for t < taps, from pixel `from` + i - t of the output.
struct Phase {
  int64_t first, count, tap, taps, from;

  Phase(const Axis& axis, int64_t first) : first(first) {
    count = (axis.in - first + axis.stride - 1) / axis.stride;
    tap = (first + axis.before) % axis.stride;
    taps = tap < axis.window ? (axis.window - tap + axis.stride - 1) / axis.stride : 0;
    from = (first + axis.before) / axis.stride;
  }
  int64_t before() const { return taps - 1 - from; }                 // zeros needed in front of the output's pixels,
  int64_t after(int64_t size) const { return from + count - size; }  // and behind them
};

// The phases of one axis that some tap reaches, and the zeros that all of them need around the output's pixels. A large stride has few: no more than there
// are taps or pixels.
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

// The filter of an input's gradient: [3, 3, channels, filters] weights from the last to the first, as [3, 3, filters, channels].
std::vector<float> turned_round(const float* weights, int64_t channels, int64_t filters) {
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

// The taps of the filter, turned round, that belong to these phases: a right operand for each pair of them.
std::vector<Panels> phase_filters(const Phases& ys, const Phases& xs, const float* weights, Numbers ws, Numbers strides) {
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

// For each phase of each axis a correlation of the output's gradient with those taps, turned round, of the filter.
void input_gradient(ffi::ThreadPool& pool, Array g, Array w, Result out, Numbers strides, Numbers padding, const Finish& finish) {
  auto ws = w.dimensions(), os = out->dimensions();
  Geometry sizes(os, ws, g.dimensions(), strides, padding, kUndilated);
  sizes.require_dense(ws);
  Image gradient(g.typed_data(), g.dimensions());
  if (turnable(ws, strides, os, kMostWeights) && *std::max_element(padding.begin(), padding.end()) <= 2) {
    std::vector<float> turned = turned_round(w.typed_data(), ws[2], ws[3]);
    convolve_squares(pool, squares_of(gradient, 2 - padding[0], 2 - padding[2], os[1], os[2]), turned.data(), ws[2], out->typed_data(), finish);
    return;
  }
  Phases ys(sizes.y), xs(sizes.x);
  sizes.require_little_padding(sizes.y.out + ys.before + ys.after, sizes.x.out + xs.before + xs.after, sizes.filters);
  int64_t in = ws[2], size = os[1] * os[2] * in;
  if (!ys.reach_all || !xs.reach_all) std::fill_n(out->typed_data(), os[0] * size, 0.0f);
  std::vector<Panels> filters = phase_filters(ys, xs, w.typed_data(), ws, strides);
  Padded(gradient, ys.before, ys.after, xs.before, xs.after).each(pool, [&](const Image& images, int64_t first) {
    const Panels* filter = filters.data();
    for (const Phase& y : ys.all) {
      for (const Phase& x : xs.all) {
        Output to{out->typed_data() + first * size + (y.first * os[2] + x.first) * in, y.count, x.count, size, strides[0] * os[2] * in,
                  strides[1] * in};
        correlate(pool, images, ys.before - y.before(), xs.before - x.before(), 1, 1, y.taps, x.taps, *filter++, to, &finish);
      }
    }
  });
}

void InputGradient(ffi::ThreadPool pool, Array g, Array w, Result out, Numbers strides, Numbers padding) {
  input_gradient(pool, g, w, out, strides, padding, {});
}

// The same, with zeros where `features`, the input itself, are not positive: the input came from ReLU, and this is the gradient before it.
void InputGradientBeforeRelu(ffi::ThreadPool pool, Array g, Array w, Array features, Result out, Numbers strides, Numbers padding) {
  auto fs = features.dimensions(), os = out->dimensions();
  require(std::equal(fs.begin(), fs.end(), os.begin(), os.end()), "the features have the shape of their gradient");
  Finish finish;
  finish.positive = features.typed_data();
  finish.out = out->typed_data();
  input_gradient(pool, g, w, out, strides, padding, finish);
}

bool sums_few_taps(Numbers ws, Numbers strides) {
  return has_few_taps(ws[0] * ws[1] * ws[2], strides[1] * ws[2], ws[3]) && ws[1] * ws[2] <= kMostSumsAtOnce;
}

// The gradient of a filter of few taps; gradient_of(number of an image) is that of its output.
template <typename GradientOf>
void few_taps_filter_gradient(ffi::ThreadPool& pool, Padded& padded, Numbers ws, Numbers os, Numbers strides, const GradientOf& gradient_of, float* out) {
  std::fill_n(out, ws[0] * ws[1] * ws[2] * ws[3], 0.0f);
  padded.each(pool, [&](const Image& images, int64_t first) {
    few_taps_gradient(pool, few_taps_of(images, ws, os, strides), [&](int64_t image) { return gradient_of(first + image); }, out);
  });
}

// Row (y, x, c) of the result: the image shifted by (y, x), channel c, times the gradient. Image after image, while it is in the cache.
void FilterGradient(ffi::ThreadPool pool, Array x, Array g, Result out, Numbers strides, Numbers padding) {
  auto os = out->dimensions();
  checked(x.dimensions(), os, g.dimensions(), strides, padding);
  Image gradient(g.typed_data(), g.dimensions());
  if (turnable(os, strides, g.dimensions(), kMostSums)) {
    Squares squares = squares_of(Image(x.typed_data(), x.dimensions()), padding[0], padding[2], gradient.height, gradient.width);
    return winograd_gradient(pool, squares, gradient.data, gradient.channels, out->typed_data());
  }
  Padded padded(Image(x.typed_data(), x.dimensions()), padding[0], padding[1], padding[2], padding[3]);
  int64_t run = os[1] * os[2], channels = os[3];  // `run` rows begin at neighbouring places
  float* result = out->typed_data();
  if (sums_few_taps(os, strides)) {
    auto plain = [&](int64_t image) { return gradient.data + image * gradient.size(); };
    return few_taps_filter_gradient(pool, padded, os, g.dimensions(), strides, plain, result);
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

// --- convolutions of each channel by itself: filters [height, width, 1, channels]

Geometry depthwise(Numbers image, Numbers filter, Numbers out, Numbers strides, Numbers padding, Numbers dilations) {
  Geometry g(image, filter, out, strides, padding, dilations);
  g.require_depthwise(filter);
  return g;
}

void DepthwiseConvolution(ffi::ThreadPool pool, Array x, Array w, Result out, Numbers strides, Numbers padding, Numbers dilations) {
  Geometry g = depthwise(x.dimensions(), w.dimensions(), out->dimensions(), strides, padding, dilations);
  weigh(pool, x.typed_data(), g.batch, g.y.in, g.x.in * g.channels, Taps(g.y, false), Taps(g.x, false), w.typed_data(), g.x.window * g.channels,
        g.channels, out->typed_data());
}

void DepthwiseInputGradient(ffi::ThreadPool pool, Array gradient, Array w, Result out, Numbers strides, Numbers padding, Numbers dilations) {
  Geometry g = depthwise(out->dimensions(), w.dimensions(), gradient.dimensions(), strides, padding, dilations);
  weigh(pool, gradient.typed_data(), g.batch, g.y.out, g.x.out * g.channels, Taps(g.y, true), Taps(g.x, true), w.typed_data(), g.x.window * g.channels,
        g.channels, out->typed_data());
}

void DepthwiseFilterGradient(ffi::ThreadPool pool, Array x, Array gradient, Result out, Numbers strides, Numbers padding, Numbers dilations) {
  Geometry g = depthwise(x.dimensions(), out->dimensions(), gradient.dimensions(), strides, padding, dilations);
  weights_gradient(pool, x.typed_data(), gradient.typed_data(), g.batch, g.y, g.x, g.channels, out->typed_data());
}

// --- max pooling

// The same window for every channel: checked as a depthwise convolution is, whose filter has a tap for each pixel of the window.
Geometry pooled(Numbers image, Numbers size, Numbers window, Numbers strides, Numbers padding) {
  require(window.size() == 2 && image.size() == 4, "a pool has two axes in space");
  const int64_t filter[] = {window[0], window[1], 1, image[3]};
  return Geometry(image, Numbers(filter, 4), size, strides, padding, kUndilated);
}

void MaxPool(ffi::ThreadPool pool, Array x, Result out, Numbers window, Numbers strides, Numbers padding) {
  Geometry g = pooled(x.dimensions(), out->dimensions(), window, strides, padding);
  pool_maxima(pool, x.typed_data(), g.batch, g.y, g.x, g.channels, out->typed_data());
}

bool same(Numbers a, Numbers b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

// A pooling whose gradient is wanted. `positive`: with zeros where the image is not positive, as in InputGradientBeforeRelu.
Pooled checked_pool(Array x, Array largest, Array gradient, Numbers window, Numbers strides, Numbers padding, bool positive) {
  Geometry g = pooled(x.dimensions(), largest.dimensions(), window, strides, padding);
  require(same(largest.dimensions(), gradient.dimensions()), "the gradient of a pool has the shape of its result");
  return {x.typed_data(), largest.typed_data(), gradient.typed_data(), g.batch, g.channels, g.y, g.x, positive};
}

void MaxPoolGradient(ffi::ThreadPool pool, Array x, Array largest, Array gradient, Result out, Numbers window, Numbers strides, Numbers padding,
                     bool positive) {
  require(same(x.dimensions(), out->dimensions()), "the gradient for a pool's image has the shape of the image");
  give_to_maxima(pool, checked_pool(x, largest, gradient, window, strides, padding, positive), out->typed_data());
}

// The gradient of the filter, of few taps, of a convolution whose result was pooled: the gradient of the result exists for one image at a time, in the cache.
void PooledFilterGradient(ffi::ThreadPool pool, Array x, Array pool_image, Array largest, Array gradient, Result out, Numbers strides, Numbers padding,
                          Numbers window, Numbers pool_strides, Numbers pool_padding, bool positive) {
  auto ws = out->dimensions(), os = pool_image.dimensions();
  checked(x.dimensions(), ws, os, strides, padding);
  Pooled pooled = checked_pool(pool_image, largest, gradient, window, pool_strides, pool_padding, positive);
  require(sums_few_taps(ws, strides), "a filter of many taps");
  Padded padded(Image(x.typed_data(), x.dimensions()), padding[0], padding[1], padding[2], padding[3]);
  auto given = [&](int64_t image) {
    float* to = scratch(pooled.size());
    pooled.give(image, 0, pooled.y.out, to);
    return to;
  };
  few_taps_filter_gradient(pool, padded, ws, os, strides, given, out->typed_data());
}

}  // namespace
}  // namespace reflow

#define REFLOW_OPERANDS ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<reflow::Array>().Arg<reflow::Array>()
#define REFLOW_BINARY REFLOW_OPERANDS.Ret<reflow::Array>()
#define REFLOW_STRIDES Attr<reflow::Numbers>("strides").Attr<reflow::Numbers>("padding")
#define REFLOW_WINDOWED REFLOW_BINARY.REFLOW_STRIDES
#define REFLOW_DILATED REFLOW_WINDOWED.Attr<reflow::Numbers>("dilations")

XLA_FFI_DEFINE_HANDLER_SYMBOL(reflow_product, reflow::Guarded<reflow::Product>{}, REFLOW_BINARY.Attr<bool>("flip_x").Attr<bool>("flip_y"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(reflow_integer_product, reflow::Guarded<reflow::IntegerProduct>{},
                              ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<ffi::Buffer<ffi::S8>>().Arg<ffi::Buffer<ffi::S8>>().Ret<ffi::Buffer<ffi::S32>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(reflow_convolution, reflow::Guarded<reflow::Convolution>{}, REFLOW_WINDOWED);
XLA_FFI_DEFINE_HANDLER_SYMBOL(reflow_input_gradient, reflow::Guarded<reflow::InputGradient>{}, REFLOW_WINDOWED);
XLA_FFI_DEFINE_HANDLER_SYMBOL(reflow_finished_convolution, reflow::Guarded<reflow::FinishedConvolution>{},
                              REFLOW_OPERANDS.Arg<reflow::Array>().Ret<reflow::Array>().REFLOW_STRIDES.Attr<bool>("relu"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(reflow_input_gradient_before_relu, reflow::Guarded<reflow::InputGradientBeforeRelu>{},
                              REFLOW_OPERANDS.Arg<reflow::Array>().Ret<reflow::Array>().REFLOW_STRIDES);
XLA_FFI_DEFINE_HANDLER_SYMBOL(reflow_filter_gradient, reflow::Guarded<reflow::FilterGradient>{}, REFLOW_WINDOWED);
XLA_FFI_DEFINE_HANDLER_SYMBOL(reflow_depthwise, reflow::Guarded<reflow::DepthwiseConvolution>{}, REFLOW_DILATED);
XLA_FFI_DEFINE_HANDLER_SYMBOL(reflow_depthwise_input_gradient, reflow::Guarded<reflow::DepthwiseInputGradient>{}, REFLOW_DILATED);
XLA_FFI_DEFINE_HANDLER_SYMBOL(reflow_depthwise_filter_gradient, reflow::Guarded<reflow::DepthwiseFilterGradient>{}, REFLOW_DILATED);
XLA_FFI_DEFINE_HANDLER_SYMBOL(reflow_pooled_filter_gradient, reflow::Guarded<reflow::PooledFilterGradient>{},
                              REFLOW_OPERANDS.Arg<reflow::Array>().Arg<reflow::Array>().Ret<reflow::Array>().REFLOW_STRIDES.Attr<reflow::Numbers>("window")
                                  .Attr<reflow::Numbers>("pool_strides").Attr<reflow::Numbers>("pool_padding").Attr<bool>("positive"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(reflow_max_pool, reflow::Guarded<reflow::MaxPool>{},
                              ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<reflow::Array>().Ret<reflow::Array>().Attr<reflow::Numbers>("window").REFLOW_STRIDES);
XLA_FFI_DEFINE_HANDLER_SYMBOL(reflow_max_pool_gradient, reflow::Guarded<reflow::MaxPoolGradient>{},
                              REFLOW_OPERANDS.Arg<reflow::Array>().Ret<reflow::Array>().Attr<reflow::Numbers>("window").REFLOW_STRIDES.Attr<bool>("positive"));

// Called by Python: `reflow/native/__init__.py: resize_bilinear`. False if there is no memory for two rows: no exception may reach Python's frames.
#define REFLOW_RESIZE(name, Pixel)                                                                                                         \
  extern "C" bool name(const Pixel* images, int64_t batch, int64_t rows, int64_t columns, int64_t channels, int64_t height, int64_t width, \
                       const int32_t* top, const int32_t* bottom, const float* down, const int32_t* left, const int32_t* right,            \
                       const float* along, float* out) {                                                                                   \
    const int64_t shape[] = {batch, rows, columns, channels};                                                                              \
    try {                                                                                                                                  \
      reflow::resize_bilinear(images, shape, height, width, top, bottom, down, left, right, along, out);                                   \
    } catch (const std::exception&) {                                                                                                      \
      return false;                                                                                                                        \
    }                                                                                                                                      \
    return true;                                                                                                                           \
  }
REFLOW_RESIZE(reflow_resize_bytes, uint8_t)
REFLOW_RESIZE(reflow_resize_floats, float)

// Called by Python: `reflow/native/__init__.py: decode_jpeg`. False if libjpeg-turbo has to look at the file, or if there is no memory.
extern "C" bool reflow_decode_jpeg(const uint8_t* data, int64_t size, int64_t height, int64_t width, int64_t channels, uint8_t* out) {
  try {
    return reflow::jpeg::decode(data, size, height, width, channels, out);
  } catch (const std::exception&) {
    return false;
  }
}

// Called by Python: `reflow/native/__init__.py: snappy_compress` and `snappy_decompress`.
extern "C" int64_t reflow_snappy_compress(const uint8_t* from, int64_t size, uint8_t* to) { return reflow::snappy::compress(from, size, to); }
extern "C" bool reflow_snappy_decompress(const uint8_t* from, int64_t size, uint8_t* to, int64_t room) {
  return reflow::snappy::decompress(from, size, to, room);
}

// Called by Python: `reflow/native/__init__.py: panel_columns`.
extern "C" int64_t reflow_panel_columns() { return reflow::kColumns; }

// Called by Python: `reflow/native/__init__.py: multiplies_integers`.
extern "C" bool reflow_multiplies_integers() { return reflow::multiplies_integers(); }

// Called by Python: `reflow/native/__init__.py: copy_strided`.
extern "C" void reflow_copy_strided(const char* from, const int64_t* shape_and_strides, int64_t rank, int64_t size, char* to) {
  reflow::copy_strided(from, shape_and_strides, shape_and_strides + rank, rank, size, to);
}

// Called by Python: `reflow/native/__init__.py: reverse`.
extern "C" void reflow_reverse(char* data, int64_t outer, int64_t count, int64_t size) { reflow::reverse(data, outer, count, size); }

// Called by Python: `reflow/native/__init__.py: farm_blocks`.
extern "C" void reflow_farm_blocks(const char* data, int64_t blocks, uint64_t* state) { reflow::farm_blocks(data, blocks, state); }

// Called by Python: `reflow/native/__init__.py: elementwise`.
#define REFLOW_ELEMENTWISE(name, function) \
  extern "C" void name(const float* in, float* out, int64_t size) { reflow::each<reflow::function>(in, out, size); }
REFLOW_ELEMENTWISE(reflow_exp, exponential)
REFLOW_ELEMENTWISE(reflow_log, logarithm)
REFLOW_ELEMENTWISE(reflow_log1p, logarithm_of_more)
REFLOW_ELEMENTWISE(reflow_sigmoid, logistic)
REFLOW_ELEMENTWISE(reflow_softplus, soft_plus)
REFLOW_ELEMENTWISE(reflow_tanh, hyperbolic_tangent)

// Called by Python: `reflow/native/network.py`. A network of steps; null, and a text in `error`, if the list of steps is wrong.
extern "C" void* reflow_network(const int64_t* list, int64_t length, const float* constants, int64_t count, char* error, int64_t size) {
  try {
    return new reflow::Network(list, length, constants, count);
  } catch (const std::exception& refused) {
    std::snprintf(error, static_cast<size_t>(size), "%s", refused.what());
    return nullptr;
  }
}

// False if there is no memory.
extern "C" bool reflow_network_run(const void* network, float* scratch, float* const* arguments) {
  try {
    static_cast<const reflow::Network*>(network)->run(scratch, arguments);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

extern "C" void reflow_network_free(void* network) { delete static_cast<reflow::Network*>(network); }
