// Checks that run before memory is touched. The shapes of arrays come from XLA, which has allocated them. Strides,
// paddings and dilations are attributes of a program, and a program may come from a file: nothing is assumed about
// them, and everything computed from them is protected against overflow.

#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <utility>

#include "xla/ffi/api/ffi.h"

namespace reflow {

using Numbers = xla::ffi::Span<const int64_t>;

// Inconsistent operands or attributes: InvalidArgumentError in Python.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline void require(bool holds, const char* what) {
  if (!holds) throw Refused(what);
}

inline int64_t plus(int64_t a, int64_t b) {
  int64_t sum;
  require(!__builtin_add_overflow(a, b, &sum), "a size has more than 63 bits");
  return sum;
}

inline int64_t times(int64_t a, int64_t b) {
  int64_t product;
  require(!__builtin_mul_overflow(a, b, &product), "a size has more than 63 bits");
  return product;
}

// A kernel's exception as the error that XLA reports. Nothing else may leave a kernel: XLA's frames do not handle
// exceptions.
template <auto kernel>
struct Guarded {
  template <typename... Args>
  xla::ffi::Error operator()(Args... args) const {
    using xla::ffi::Error, xla::ffi::ErrorCode;
    try {
      kernel(args...);
      return Error::Success();
    } catch (const Refused& refused) {
      return Error(ErrorCode::kInvalidArgument, refused.what());
    } catch (const std::bad_alloc&) {
      return Error(ErrorCode::kResourceExhausted, "Out of memory in a kernel of Reflow's");
    } catch (const std::length_error&) {  // a std::vector of more than 2^63 bytes
      return Error(ErrorCode::kResourceExhausted, "Out of memory in a kernel of Reflow's");
    } catch (const std::exception& error) {
      return Error(ErrorCode::kInternal, error.what());
    } catch (...) {
      return Error(ErrorCode::kInternal, "A kernel of Reflow's failed");
    }
  }
};

// --- convolutions

// TensorFlow's strides and dilations have 32 bits.
constexpr int64_t kMostStride = INT32_MAX;
// A padded image has at most this many times the elements of the image, the filter and the result. Otherwise nearly all
// of it is padding, which is cheap to request and expensive to allocate: programs use XLA's convolution for these,
// which pads nothing (`ops/xp/xla/native.py`).
constexpr int64_t kMostPadding = 4, kAlwaysPadded = 1 << 19;
// Taps of a depthwise convolution along one axis, over all of its results: each takes 16 bytes in a list.
constexpr int64_t kMostTaps = 1 << 22;

// One axis of a convolution: sizes of the image, the result and the window.
struct Axis {
  int64_t in, out, window, stride, dilation, before, after;

  // Pixels from the first to the last tap of a window, and of the image with its padding.
  int64_t reach() const { return plus(times(window - 1, dilation), 1); }
  int64_t padded() const { return plus(plus(in, before), after); }

  void check() const {
    require(in > 0 && out > 0 && window > 0, "a convolution of nothing");
    require(stride > 0 && stride <= kMostStride && dilation > 0 && dilation <= kMostStride, "a stride or dilation out of range");
    require(before >= 0 && after >= 0, "a negative padding");
    int64_t rest = padded() - reach();
    require(rest >= 0 && out == rest / stride + 1, "the sizes of a convolution do not fit together");
  }

  // The pixel of the image that tap t of the window at result pixel p reads.
  int64_t place(int64_t p, int64_t t) const { return p * stride + t * dilation - before; }

  // The result pixels for which tap t is inside the image.
  std::pair<int64_t, int64_t> inside(int64_t t) const {
    int64_t shift = before - t * dilation;
    int64_t first = shift > 0 ? (shift + stride - 1) / stride : 0;
    int64_t last = in - 1 + shift < 0 ? 0 : (in - 1 + shift) / stride + 1;
    return {first, std::max(first, std::min(out, last))};
  }
};

// The checked sizes of a convolution of `image` by `filter` to `out`, or of one of its gradients.
struct Geometry {
  Axis y, x;
  int64_t batch, channels, filters;  // channels of the image and of the result

  Geometry(Numbers image, Numbers filter, Numbers out, Numbers strides, Numbers padding, Numbers dilations) {
    require(image.size() == 4 && filter.size() == 4 && out.size() == 4, "a convolution's operands have four axes");
    require(strides.size() == 2 && padding.size() == 4 && dilations.size() == 2, "a convolution has two axes in space");
    y = Axis{image[1], out[1], filter[0], strides[0], dilations[0], padding[0], padding[1]};
    x = Axis{image[2], out[2], filter[1], strides[1], dilations[1], padding[2], padding[3]};
    batch = image[0], channels = image[3], filters = out[3];
    require(batch > 0 && batch == out[0] && channels > 0 && filters == filter[3], "a convolution's batches or channels do not fit together");
    y.check();
    x.check();
  }

  // Every filter reads every channel.
  void require_dense(Numbers filter) const {
    require(filter[2] == channels && filters > 0, "a filter of other channels than the image's");
    require(y.dilation == 1 && x.dilation == 1, "this convolution knows no dilation");
  }

  // Each channel has its own filter.
  void require_depthwise(Numbers filter) const {
    require(filter[2] == 1 && filters == channels, "a depthwise convolution has one filter for each channel");
    require(times(y.out, y.window) <= kMostTaps && times(x.out, x.window) <= kMostTaps, "a depthwise convolution of too many taps");
  }

  // Padding does not make an image much larger.
  void require_little_padding(int64_t height, int64_t width, int64_t of_channels) const {
    int64_t weights = times(times(y.window, x.window), times(channels, filters));
    int64_t real = plus(weights, plus(times(times(y.in, x.in), channels), times(times(y.out, x.out), filters)));
    int64_t numbers = times(times(height, width), of_channels);
    require(numbers <= kAlwaysPadded || numbers / kMostPadding <= real, "more padding than a kernel of Reflow's takes");
  }
};

}  // namespace reflow
