// Two-dimensional convolutions whose filters read every channel: by Winograd's algorithm, by few taps, or as a product
// of windows. Called by XLA's programs (`kernels.cc`) and by networks of steps (`network.h`). A `Pool` distributes the
// work over threads.

#pragma once

#include <vector>

#include "few_taps.h"
#include "product.h"
#include "winograd.h"

namespace reflow {

constexpr int64_t kPadded = kAlwaysPadded;  // elements of the images that are padded at one time: 2 MiB
// Limits for Winograd's algorithm: the fewest channels and squares, the most weights of one tap, and the same for the
// weights' gradient.
constexpr int64_t kLeastChannels = 16, kLeastSquares = 128, kMostWeights = 1 << 18, kMostSums = 1 << 15;

struct Image {
  const float* data;
  int64_t batch, height, width, channels;

  Image(const float* data, Numbers dims) : data(data), batch(dims[0]), height(dims[1]), width(dims[2]), channels(dims[3]) {}
  Image(int64_t batch, int64_t height, int64_t width, int64_t channels)
      : data(nullptr), batch(batch), height(height), width(width), channels(channels) {}

  int64_t row() const { return width * channels; }
  int64_t size() const { return height * row(); }
};

// Images padded with zeros, so that every window is inside: as many at a time as fit the cache, or all if no padding is
// needed.
class Padded {
 public:
  Padded(const Image& image, int64_t top, int64_t bottom, int64_t left, int64_t right)
      : inner_(image),
        outer_(image.batch, image.height + top + bottom, image.width + left + right, image.channels),
        start_(top * outer_.row() + left * image.channels) {
    if (outer_.size() == inner_.size()) return;
    many_ = std::clamp<int64_t>(kPadded / outer_.size(), 1, image.batch);
    memory_.resize(many_ * outer_.size());
  }

  // Calls use(images, number of the first one) until all have been used.
  template <typename Pool, typename Use>
  void each(Pool& pool, const Use& use) {
    Image images = outer_;
    if (many_ == 0) {
      images.data = inner_.data;
      return use(images, int64_t{0});
    }
    images.data = memory_.data();
    for (int64_t first = 0; first < inner_.batch; first += many_) {
      images.batch = std::min(many_, inner_.batch - first);
      parallel(pool, images.batch, [&](int64_t b) { copy(first + b, memory_.data() + b * outer_.size()); });
      use(images, first);
    }
  }

 private:
  void copy(int64_t number, float* to) const {
    const float* from = inner_.data + number * inner_.size();
    for (int64_t y = 0; y < inner_.height; y++) {
      std::memcpy(to + start_ + y * outer_.row(), from + y * inner_.row(), sizeof(float) * inner_.row());
    }
  }

  Image inner_, outer_;
  int64_t start_, many_ = 0;
  std::vector<float> memory_;
};

// Where a correlation writes its results: `height` by `width` of them per image, with these strides.
struct Output {
  float* data;
  int64_t height, width, image_step, row_step, step;
};

// Windows of the image, starting at (top, left) with these strides, times the filter in `panels`.
template <typename Pool>
void correlate(Pool& pool, const Image& image, int64_t top, int64_t left, int64_t stride_y, int64_t stride_x, int64_t window_y, int64_t window_x,
               const Panels& filter, const Output& out, const Finish* finish = nullptr) {
  Walk walk;
  walk.depth = window_x * image.channels;  // adjacent in memory: one run
  walk.segment_offset = image.row();
  walk.segments = std::clamp<int64_t>(kDepth / std::max<int64_t>(walk.depth, 1), 1, std::max<int64_t>(window_y, 1));
  walk.blocks = std::max<int64_t>((window_y + walk.segments - 1) / walk.segments, 1);
  walk.last_segments = window_y - (walk.blocks - 1) * walk.segments;
  walk.block_offset = walk.segments * walk.segment_offset;
  const float* start = image.data + top * image.row() + left * image.channels;
  bool runs = top == 0 && left == 0 && image.width == out.width && image.height == out.height && out.row_step == out.width * out.step &&
              out.image_step == out.height * out.row_step;
  if (runs && window_y == 1 && window_x == 1 && stride_y == 1 && stride_x == 1) {  // separate pixels: the rows of a matrix
    auto pixel = [&](int64_t first, int count, const float** rows, float** to) {
      for (int r = 0; r < count; r++) rows[r] = start + (first + r) * image.channels, to[r] = out.data + (first + r) * out.step;
    };
    return product(pool, image.batch * out.height * out.width, pixel, walk, filter, false, finish);
  }
  auto place = [&](int64_t first, int count, const float** rows, float** to) {
    int64_t x = first % out.width, y = first / out.width % out.height, b = first / out.width / out.height;
    for (int r = 0; r < count; r++) {
      rows[r] = start + b * image.size() + y * stride_y * image.row() + x * stride_x * image.channels;
      to[r] = out.data + b * out.image_step + y * out.row_step + x * out.step;
      if (++x == out.width) x = 0, y++;
      if (y == out.height) y = 0, b++;
    }
  };
  product(pool, image.batch * out.height * out.width, place, walk, filter, false, finish);
}

// Whether a convolution has the right shape for Winograd's algorithm.
inline bool fits_squares(Numbers window, Numbers strides) {
  return window[0] == 3 && window[1] == 3 && strides[0] == 1 && strides[1] == 1 && window[2] % kWidth == 0 && window[3] % kWidth == 0;
}

// Whether it is also worthwhile: there are enough channels and squares to pay for transforming pixels and weights.
inline bool turnable(Numbers window, Numbers strides, Numbers out, int64_t most) {
  int64_t channels = window[2], filters = window[3], squares = out[0] * ((out[1] + 1) / 2) * ((out[2] + 1) / 2);
  return fits_squares(window, strides) && std::min(channels, filters) >= kLeastChannels && channels * filters <= most && squares >= kLeastSquares;
}

// The squares of an output of this size; the images are padded with zeros, (top, left) before.
inline Squares squares_of(const Image& image, int64_t top, int64_t left, int64_t height, int64_t width) {
  return {image.data, image.batch, image.height, image.width, image.channels, top, left, height, width};
}

// The windows of a convolution with few taps in padded images.
inline FewTapsImages few_taps_of(const Image& images, Numbers ws, Numbers os, Numbers strides) {
  return {images.data, images.size(), images.row(), ws[0], ws[1] * ws[2], images.batch, os[1], os[2], ws[3], strides[0] * images.row(), strides[1] * ws[2]};
}

// The convolution of `image` by windows of `ws`, with the weights `filter`.
template <typename Pool>
void convolve(Pool& pool, const Image& image, Numbers ws, const Panels& filter, Numbers os, Numbers strides, Numbers padding, float* out,
              const Finish& finish = {}) {
  Padded padded(image, padding[0], padding[1], padding[2], padding[3]);
  int64_t depth = ws[0] * ws[1] * ws[2], channels = ws[3], size = os[1] * os[2] * channels, step = strides[1] * ws[2];
  padded.each(pool, [&](const Image& images, int64_t first) {
    if (has_few_taps(depth, step, channels)) {
      return convolve_few_taps(pool, {few_taps_of(images, ws, os, strides), filter, out + first * size, finish});
    }
    Output to{out + first * size, os[1], os[2], size, os[2] * channels, channels};
    correlate(pool, images, 0, 0, strides[0], strides[1], ws[0], ws[1], filter, to, &finish);
  });
}

}  // namespace reflow
