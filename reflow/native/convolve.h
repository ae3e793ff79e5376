// The convolution step of a network (`steps.h`), fused with what follows it: a bias, the sum with another array, limits
// (ReLU, ReLU6).
//
// Its weights are constants, stored in the layout that the kernel reads: in panels (`product.h`); for Winograd's
// algorithm already transformed; for a depthwise convolution unchanged. The list says which of the three, and how wide
// the panels are: those of another processor do not fit.

#pragma once

#include <memory>

#include "convolution.h"
#include "depthwise.h"
#include "steps.h"

namespace reflow {

class Convolve : public Step {
 public:
  Convolve(Numbers64& from, const float* constants) {
    require(from.next() == kColumns, "a network for a processor with other registers");
    auto kind = static_cast<Kind>(from.next(kDense, kSquares));
    sizes(from, image_, 4), sizes(from, filter_, 4), sizes(from, out_, 4);
    sizes(from, strides_, 2), sizes(from, dilations_, 2);
    for (int64_t& n : padding_) n = from.next(0, int64_t{1} << 40);
    Geometry g(span(image_), span(filter_), span(out_), span(strides_), span(padding_), span(dilations_));
    bool biased = from.next(0, 1) != 0, more = from.next(0, 1) != 0;
    finish_.low = from.number(), finish_.high = from.number();
    x_ = from.place(product(image_));
    const float* weights = constants + constant(from, check(g, kind)).offset;
    if (biased) finish_.bias = constants + constant(from, Panels::numbers(1, g.filters)).offset;
    if (more) more_ = std::make_unique<Place>(from.place(product(out_)));
    to_ = from.written(product(out_));
    prepare(g, kind, weights);
  }

  void run(Memories& m) const override {
    Image image(x_.in(m), span(image_));
    float* to = to_.in(m);
    Finish finish = finish_;
    finish.out = to;
    finish.more = more_ == nullptr ? nullptr : more_->in(m);
    if (rows_ != nullptr) {
      weigh(m, image.data, image.batch, image.height, image.row(), *rows_, *columns_, weights_, filter_[1] * image.channels, image.channels, to, finish);
    } else if (panels_.size() > 1) {
      winograd(m, squares_of(image, padding_[0], padding_[2], out_[1], out_[2]), panels_, to, finish);
    } else {
      convolve(m, image, span(filter_), panels_[0], span(out_), span(strides_), span(padding_), to, finish);
    }
  }

 private:
  enum Kind : int64_t { kDense, kByChannel, kSquares };

  template <size_t N>
  static Numbers span(const int64_t (&numbers)[N]) { return Numbers(numbers, N); }
  static int64_t product(const int64_t (&numbers)[4]) { return times(times(numbers[0], numbers[1]), times(numbers[2], numbers[3])); }

  static void sizes(Numbers64& from, int64_t* to, int count) {
    for (int i = 0; i < count; i++) to[i] = from.size();
  }

  static Place constant(Numbers64& from, int64_t extent) {
    Place place = from.place(extent);
    require(place.memory == 0, "a convolution's weights are constants");
    return place;
  }

  // The number of its weights.
  int64_t check(const Geometry& g, Kind kind) const {
    int64_t depth = times(g.y.window, times(g.x.window, g.channels));
    if (kind == kByChannel) return g.require_depthwise(span(filter_)), depth;
    g.require_dense(span(filter_));
    if (kind == kDense) return g.require_little_padding(g.y.padded(), g.x.padded(), g.channels), Panels::numbers(depth, g.filters);
    require(fits_squares(span(filter_), span(strides_)), "a convolution that Winograd's algorithm is not for");
    return times(16, Panels::numbers(g.channels, g.filters));
  }

  void prepare(const Geometry& g, Kind kind, const float* weights) {
    if (kind == kByChannel) {
      rows_ = std::make_unique<Taps>(g.y, false), columns_ = std::make_unique<Taps>(g.x, false);
      weights_ = weights;
    } else if (kind == kDense) {
      panels_.push_back(Panels::in(weights, g.y.window * g.x.window * g.channels, g.filters));
    } else {
      for (int i = 0; i < 16; i++) panels_.push_back(Panels::in(weights + i * Panels::numbers(g.channels, g.filters), g.channels, g.filters));
    }
  }

  int64_t image_[4], filter_[4], out_[4], strides_[2], dilations_[2], padding_[4];
  Place x_, to_;
  std::unique_ptr<Place> more_;
  Finish finish_;
  std::vector<Panels> panels_;            // one, or the 16 of Winograd's algorithm
  std::unique_ptr<Taps> rows_, columns_;  // for depthwise convolutions
  const float* weights_ = nullptr;
};

}  // namespace reflow
