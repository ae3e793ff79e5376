// Bilinear resizing of images [batch, height, width, channels] to float32, for the host. Python calls this with the GIL
// released.
//
// The caller chooses the taps: output row y interpolates between the source rows top[y] and bottom[y], with weight
// down[y], and columns likewise. The arithmetic follows the Python definition step by step: no product is fused with a
// sum, so both give the same bits.

#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#if defined(__GNUC__) && !defined(__clang__)
#define REFLOW_STEPWISE __attribute__((optimize("fp-contract=off")))
#else
#define REFLOW_STEPWISE
#endif

namespace reflow {

// Four adjacent numbers. A pixel of three channels is read and written with one extra number: 100 us for an image of
// 256 by 256, against 270 element by element.
typedef float Four __attribute__((vector_size(16)));

// One source row of `length` pixels, interpolated at all columns. `wide` has room for the row as floats and one more
// number, `out` for one more too.
template <int kChannels, typename Pixel>
REFLOW_STEPWISE void along_row(const Pixel* source, int64_t length, int64_t channels, int64_t width, const int32_t* left, const int32_t* right,
                               const float* along, float* wide, float* out) {
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
  const int64_t count = kChannels ? kChannels : channels;
  for (int64_t i = 0; i < length * count; ++i) wide[i] = static_cast<float>(source[i]);
  for (int64_t x = 0; x < width; ++x, out += count) {
    const float *a = wide + left[x] * count, *b = wide + right[x] * count;
    if constexpr (kChannels == 3) {
      Four first, second;
      std::memcpy(&first, a, sizeof first);
      std::memcpy(&second, b, sizeof second);
      const Four mixed = first + (second - first) * along[x];
      std::memcpy(out, &mixed, sizeof mixed);
    } else {
      for (int64_t c = 0; c < count; ++c) out[c] = a[c] + (b[c] - a[c]) * along[x];
    }
  }
}

// Interpolates between two rows.
REFLOW_STEPWISE inline void between_rows(const float* upper, const float* lower, float share, int64_t size, float* out) {
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
  for (int64_t i = 0; i < size; ++i) out[i] = upper[i] + (lower[i] - upper[i]) * share;
}

template <typename Pixel>
void resize_bilinear(const Pixel* images, const int64_t* shape, int64_t height, int64_t width, const int32_t* top, const int32_t* bottom,
                     const float* down, const int32_t* left, const int32_t* right, const float* along, float* out) {
  const int64_t channels = shape[3], row = shape[2] * channels, size = width * channels;
  std::vector<float> rows[2] = {std::vector<float>(size + 1), std::vector<float>(size + 1)}, wide(row + 1);
  for (int64_t image = 0; image < shape[0]; ++image, images += shape[1] * row) {
    int64_t held[2] = {-1, -1};  // the source rows in the two buffers: a lower row is often the next upper one
    const auto find = [&](int64_t wanted, int64_t other) {
      for (int i = 0; i < 2; ++i) {
        if (held[i] == wanted) return i;
      }
      const int i = held[0] == other ? 1 : 0;
      held[i] = wanted;
      const auto fill = channels == 3 ? along_row<3, Pixel> : channels == 1 ? along_row<1, Pixel> : along_row<0, Pixel>;
      fill(images + wanted * row, shape[2], channels, width, left, right, along, wide.data(), rows[i].data());
      return i;
    };
    for (int64_t y = 0; y < height; ++y, out += size) {
      const int upper = find(top[y], bottom[y]), lower = find(bottom[y], top[y]);
      between_rows(rows[upper].data(), rows[lower].data(), down[y], size, out);
    }
  }
}

}  // namespace reflow
