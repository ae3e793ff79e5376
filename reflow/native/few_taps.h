// Convolutions with small windows: the first layer of an image network, 3x3 or 5x5 pixels of one or three channels.
//
// The tiles of a product (`product.h`) find each row of the left operand through a pointer, and for nine numbers the
// pointers cost more than the multiply-adds. Here a tile is some adjacent pixels of one row of the output: one pointer,
// and offsets known to the compiler. The sums are the same, in the same order. CPU time of (64, 28, 28, 1) with 3x3
// windows and 16 filters: 0.60 ms with tiles of a product, 0.25 here.

#pragma once

#include "product.h"

namespace reflow {

constexpr int64_t kFewTaps = 32;

// Padded images, and windows in them.
struct FewTapsImages {
  const float* images;
  int64_t size, row;                         // of an image, of one of its rows
  int64_t window, run;                       // rows of a window, elements in each
  int64_t batch, height, width, filters;     // of the output
  int64_t down, step;                        // from one row of windows to the next, from one window to the next
};

// A convolution of them.
struct FewTaps : FewTapsImages {
  const Panels& weights;
  float* out;
  const Finish& finish;

  const float* window_at(int64_t line) const { return images + line / height * size + line % height * down; }
};

// R pixels of the output, V vectors of filters each; adjacent windows begin kStep elements apart.
template <int kStep, int V, int R>
void few_taps_tile(const FewTaps& all, const float* from, const float* weights, int64_t column, float* out) {
  Vector sums[R][V];
  for (int r = 0; r < R; r++) {
    for (int v = 0; v < V; v++) sums[r][v] = Vector{};
  }
  for (int64_t y = 0; y < all.window; y++, from += all.row) {
    for (int64_t k = 0; k < all.run; k++, weights += kColumns) {
      Vector w[V];
      for (int v = 0; v < V; v++) w[v] = *reinterpret_cast<const Vector*>(weights + v * kWidth);
#pragma GCC unroll 16
      for (int r = 0; r < R; r++) {
        Vector pixel = from[k + r * kStep] - Vector{};
        for (int v = 0; v < V; v++) sums[r][v] += pixel * w[v];
      }
    }
  }
  Finish::At<V> finish(all.finish, column);
  for (int r = 0; r < R; r++) {
    for (int v = 0; v < V; v++) {
      float* place = out + r * all.filters + v * kWidth;
      *reinterpret_cast<Vector*>(place) = finish(sums[r][v], v, place);
    }
  }
}

using FewTapsTile = void (*)(const FewTaps&, const float*, const float*, int64_t, float*);

template <int kStep, int V, int... N>
FewTapsTile few_taps_among(int64_t pixels, std::integer_sequence<int, N...>) {
  static constexpr FewTapsTile tiles[] = {few_taps_tile<kStep, V, N + 1>...};
  return tiles[pixels - 1];
}

// One row of the output.
template <int kStep>
void few_taps_row(const FewTaps& all, int64_t line) {
  constexpr auto sizes = std::make_integer_sequence<int, kRows>();
  const float* from = all.window_at(line);
  float* to = all.out + line * all.width * all.filters;
  int64_t groups = groups_of(all.width);
  for (int64_t panel = 0; panel < all.weights.count(); panel++) {
    bool two = all.filters - panel * kColumns > kWidth;
    for (int64_t group = 0; group < groups; group++) {
      int64_t first = first_of(group, groups, all.width), n = first_of(group + 1, groups, all.width) - first;
      FewTapsTile compute = two ? few_taps_among<kStep, 2>(n, sizes) : few_taps_among<kStep, 1>(n, sizes);
      compute(all, from + first * kStep, all.weights.at(panel), panel * kColumns, to + first * all.filters + panel * kColumns);
    }
  }
}

template <int kStep, typename Pool>
void few_taps_rows(Pool& pool, const FewTaps& all) {
  int64_t lines = all.batch * all.height, work = all.width * all.window * all.run * all.filters;
  int64_t many = lines * work < kWorthThreads ? lines : std::clamp<int64_t>(kTask / work, 1, lines);
  parallel(pool, (lines + many - 1) / many, [&](int64_t task) {
    for (int64_t line = task * many; line < std::min((task + 1) * many, lines); line++) few_taps_row<kStep>(all, line);
  });
}

// Whether this code supports a convolution: `step` elements from one window to the next.
inline bool has_few_taps(int64_t taps, int64_t step, int64_t filters) {
  return taps <= kFewTaps && (step == 1 || step == 3) && filters % kWidth == 0;
}

template <typename Pool>
void convolve_few_taps(Pool& pool, const FewTaps& all) {
  all.step == 1 ? few_taps_rows<1>(pool, all) : few_taps_rows<3>(pool, all);
}

// --- the gradient of the weights
//
// Each tap's weight gradient is the sum over all pixels of the tap's input times the pixel's gradient: all sums are in
// registers while an image is read once. As a matrix product it has so few rows that one thread does all of it: 0.17 ms
// for (64, 28, 28, 1) with 3x3 windows and 16 filters, against 0.06 here.

constexpr int kMostSumsAtOnce = 27;  // registers, of 32
constexpr int64_t kFewTapsParts = 8;  // groups of images, summed separately: independent of the number of threads

// The contribution of one image to the weights of kRows_ rows of the window, for one vector of filters: `kRun` elements
// in each row.
template <int kRows_, int kRun>
void few_taps_sums(const float* image, int64_t row, int64_t down, int64_t step, const float* gradient, int64_t height, int64_t width, int64_t filters,
                   float* sums) {
  Vector sum[kRows_][kRun] = {};
  for (int64_t y = 0; y < height; y++) {
    const float* from = image + y * down;
    for (int64_t x = 0; x < width; x++, from += step, gradient += filters) {
      Vector given = *reinterpret_cast<const Vector*>(gradient);
#pragma GCC unroll 5
      for (int r = 0; r < kRows_; r++) {
#pragma GCC unroll 27
        for (int k = 0; k < kRun; k++) sum[r][k] += from[r * row + k] * given;
      }
    }
  }
  for (int r = 0; r < kRows_; r++) {
    for (int k = 0; k < kRun; k++) *reinterpret_cast<Vector*>(sums + (r * kRun + k) * filters) += sum[r][k];
  }
}

using FewTapsSums = void (*)(const float*, int64_t, int64_t, int64_t, const float*, int64_t, int64_t, int64_t, float*);

template <int kRows_, int... N>
FewTapsSums few_taps_sums_among(int64_t run, std::integer_sequence<int, N...>) {
  static constexpr FewTapsSums all[] = {few_taps_sums<kRows_, N + 1>...};
  return run <= static_cast<int64_t>(sizeof...(N)) ? all[run - 1] : nullptr;
}

// As many rows of a window at once as there are registers for, and the function for them; null if a row is too long.
inline std::pair<int64_t, FewTapsSums> few_taps_sums_of(int64_t window, int64_t run) {
  FewTapsSums five = few_taps_sums_among<5>(run, std::make_integer_sequence<int, kMostSumsAtOnce / 5>());
  FewTapsSums three = few_taps_sums_among<3>(run, std::make_integer_sequence<int, kMostSumsAtOnce / 3>());
  if (window % 5 == 0 && five != nullptr) return {5, five};
  if (window % 3 == 0 && three != nullptr) return {3, three};
  return {1, few_taps_sums_among<1>(run, std::make_integer_sequence<int, kMostSumsAtOnce>())};
}

// The gradient of a convolution's weights, [window, run, filters]; gradient_of(number of an image) is that of its
// output. `all` has the sizes.
template <typename Pool, typename GradientOf>
void few_taps_gradient(Pool& pool, const FewTapsImages& all, const GradientOf& gradient_of, float* out) {
  auto [rows, sum_up] = few_taps_sums_of(all.window, all.run);
  int64_t size = all.window * all.run * all.filters;
  std::vector<float> sums(kFewTapsParts * size);
  parallel(pool, kFewTapsParts, [&, rows = rows, sum_up = sum_up](int64_t part) {
    float* to = sums.data() + part * size;
    for (int64_t image = all.batch * part / kFewTapsParts; image < all.batch * (part + 1) / kFewTapsParts; image++) {
      const float* gradient = gradient_of(image);
      for (int64_t filter = 0; filter < all.filters; filter += kWidth) {
        for (int64_t w = 0; w < all.window; w += rows) {
          sum_up(all.images + image * all.size + w * all.row, all.row, all.down, all.step, gradient + filter, all.height, all.width, all.filters,
                 to + w * all.run * all.filters + filter);
        }
      }
    }
  });
  for (int64_t i = 0; i < size; i++) {
    for (int64_t part = 0; part < kFewTapsParts; part++) out[i] += sums[part * size + i];
  }
}

}  // namespace reflow
