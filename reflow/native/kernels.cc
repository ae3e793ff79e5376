// The functions that XLA's programs call: matrix products, two-dimensional convolutions, max pooling, and their
// gradients, all in float32.
//
// Images are [batch, height, width, channels], filters [height, width, channels in, channels out].

#include <cstdio>
#include <exception>
#include <vector>

#include "copy.h"
#include "elementwise.h"
#include "farmhash.h"
#include "integers.h"
#include "jpeg.h"
#include "resize.h"
#include "network.h"
#include "snappy.h"
#include "updates.h"
#include "windows.h"

namespace ffi = xla::ffi;

namespace reflow {
namespace {

using Array = ffi::Buffer<ffi::F32>;
using Result = ffi::ResultBuffer<ffi::F32>;

constexpr int64_t kReused = 8 * kRows;  // rows of the left operand from which copying the right one pays off

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

// --- the same for 8-bit integers, summed in 32 bits

void IntegerProduct(ffi::ThreadPool pool, ffi::Buffer<ffi::S8> x, ffi::Buffer<ffi::S8> y, ffi::ResultBuffer<ffi::S32> out) {
  auto xs = x.dimensions(), ys = y.dimensions(), os = out->dimensions();
  require(xs.size() == 2 && ys.size() == 2 && os.size() == 2, "a product's operands are matrices");
  require(os[0] > 0 && os[1] > 0 && xs[1] > 0 && xs[0] == os[0] && ys[1] == os[1] && ys[0] == xs[1], "the sizes of a product do not fit together");
  integer_product(pool, x.typed_data(), y.typed_data(), os[0], xs[1], os[1], out->typed_data());
}

// --- convolutions, max pooling, and their gradients: `windows.h`

Floats of(Array x) { return {x.typed_data(), x.dimensions()}; }
Results of(Result out) { return {out->typed_data(), out->dimensions()}; }

// Calls body(pool) with what distributes its work: the crew, or XLA's pool where there is none or another thread has it.
template <typename Body>
void shared(ffi::ThreadPool& pool, const Body& body) {
  Crew::Shift shift(true, Crew::of_programs);
  if (shift.crew == nullptr) return body(pool);
  Team team{shift.crew};
  body(team);
}

void Convolution(ffi::ThreadPool pool, Array x, Array w, Result out, Numbers strides, Numbers padding) {
  shared(pool, [&](auto& pool) { convolution(pool, of(x), of(w), of(out), strides, padding); });
}

void FinishedConvolution(ffi::ThreadPool pool, Array x, Array w, Array bias, Result out, Numbers strides, Numbers padding, bool relu) {
  shared(pool, [&](auto& pool) { finished_convolution(pool, of(x), of(w), of(bias), of(out), strides, padding, relu); });
}

void InputGradient(ffi::ThreadPool pool, Array g, Array w, Result out, Numbers strides, Numbers padding) {
  shared(pool, [&](auto& pool) { input_gradient(pool, of(g), of(w), of(out), strides, padding); });
}

void InputGradientBeforeRelu(ffi::ThreadPool pool, Array g, Array w, Array features, Result out, Numbers strides, Numbers padding) {
  shared(pool, [&](auto& pool) { input_gradient_before_relu(pool, of(g), of(w), of(features), of(out), strides, padding); });
}

void FilterGradient(ffi::ThreadPool pool, Array x, Array g, Result out, Numbers strides, Numbers padding) {
  shared(pool, [&](auto& pool) { filter_gradient(pool, of(x), of(g), of(out), strides, padding); });
}

void DepthwiseConvolution(ffi::ThreadPool pool, Array x, Array w, Result out, Numbers strides, Numbers padding, Numbers dilations) {
  shared(pool, [&](auto& pool) { depthwise_convolution(pool, of(x), of(w), of(out), strides, padding, dilations); });
}

void DepthwiseInputGradient(ffi::ThreadPool pool, Array gradient, Array w, Result out, Numbers strides, Numbers padding, Numbers dilations) {
  shared(pool, [&](auto& pool) { depthwise_input_gradient(pool, of(gradient), of(w), of(out), strides, padding, dilations); });
}

void DepthwiseFilterGradient(ffi::ThreadPool pool, Array x, Array gradient, Result out, Numbers strides, Numbers padding, Numbers dilations) {
  shared(pool, [&](auto& pool) { depthwise_filter_gradient(pool, of(x), of(gradient), of(out), strides, padding, dilations); });
}

void MaxPool(ffi::ThreadPool pool, Array x, Result out, Numbers window, Numbers strides, Numbers padding) {
  shared(pool, [&](auto& pool) { max_pool(pool, of(x), of(out), window, strides, padding); });
}

void MaxPoolGradient(ffi::ThreadPool pool, Array x, Array largest, Array gradient, Result out, Numbers window, Numbers strides, Numbers padding,
                     bool positive) {
  shared(pool, [&](auto& pool) { max_pool_gradient(pool, of(x), of(largest), of(gradient), of(out), window, strides, padding, positive); });
}

void PooledFilterGradient(ffi::ThreadPool pool, Array x, Array pool_image, Array largest, Array gradient, Result out, Numbers strides, Numbers padding,
                          Numbers window, Numbers pool_strides, Numbers pool_padding, bool positive) {
  shared(pool, [&](auto& pool) { pooled_filter_gradient(pool, of(x), of(pool_image), of(largest), of(gradient), of(out), strides, padding, window, pool_strides, pool_padding, positive); });
}

// --- optimizer steps

void Adam(ffi::ThreadPool pool, Array var, Array m, Array v, Array grad, Array rate, Array mean, Array square, Array epsilon, Result new_var,
          Result new_m, Result new_v) {
  int64_t size = var.element_count();
  for (Array x : {m, v, grad}) require(static_cast<int64_t>(x.element_count()) == size, "the slots and the gradient of Adam have the variable's size");
  for (Array x : {rate, mean, square, epsilon}) require(x.element_count() == 1, "the rates of Adam are single numbers");
  for (Result x : {new_var, new_m, new_v}) require(static_cast<int64_t>(x->element_count()) == size, "the results of Adam have the variable's size");
  AdamRates rates{*rate.typed_data(), *mean.typed_data(), *square.typed_data(), *epsilon.typed_data()};
  adam(pool, rates, size, var.typed_data(), m.typed_data(), v.typed_data(), grad.typed_data(), new_var->typed_data(), new_m->typed_data(),
       new_v->typed_data());
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
#define REFLOW_FOUR Arg<reflow::Array>().Arg<reflow::Array>().Arg<reflow::Array>().Arg<reflow::Array>()
XLA_FFI_DEFINE_HANDLER_SYMBOL(reflow_adam, reflow::Guarded<reflow::Adam>{},
                              ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().REFLOW_FOUR.REFLOW_FOUR.Ret<reflow::Array>().Ret<reflow::Array>().Ret<reflow::Array>());

// Called by Python: `reflow/native/windows.py`. False if the kernel rejects the sizes, or if there is no memory.
extern "C" bool reflow_windows(int64_t kind, const int64_t* numbers, const float* const* operands, float* out) {
  try {
    reflow::run_windows(kind, numbers, operands, out);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

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

// Called by Python: `reflow/native/__init__.py: decode_jpeg`. False if libjpeg-turbo must decode the file, or if there
// is no memory.
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

// Called by Python: `reflow/native/network.py`. A network of steps; null, and a message in `error`, if the list of
// steps is invalid.
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
