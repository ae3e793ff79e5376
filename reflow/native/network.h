// A network of steps: products, convolutions (`convolve.h`), loops, parallel loops, and the list that describes them
// (`steps.h`).

#pragma once

#include "convolve.h"
#include "product.h"
#include "steps.h"

namespace reflow {

// --- products

// P panels of the right operand at once for a single row, so that there are enough independent sums to hide their
// latency.
template <int P>
void row_times_panels(const float* x, int64_t step, int64_t depth, const Panels& right, int64_t first, float* out, bool add) {
  Vector sums[P][2] = {};
  const float* from[P];
  int64_t stride[P];
  for (int p = 0; p < P; p++) from[p] = right.at(first + p), stride[p] = right.stride(first + p);
  for (int64_t k = 0; k < depth; k++) {
    const Vector a = x[k * step] - Vector{};
    for (int p = 0; p < P; p++) {
      const float* row = from[p] + k * stride[p];
      sums[p][0] += a * *reinterpret_cast<const Vector*>(row);
      sums[p][1] += a * *reinterpret_cast<const Vector*>(row + kWidth);
    }
  }
  for (int p = 0; p < P; p++) {
    int64_t column = (first + p) * kColumns, width = std::min<int64_t>(kColumns, right.columns() - column);
    float numbers[kColumns];
    std::memcpy(numbers, sums[p], sizeof numbers);
    if (width == kColumns) {
      for (int64_t c = 0; c < kColumns; c++) out[column + c] = add ? out[column + c] + numbers[c] : numbers[c];
    } else {
      for (int64_t c = 0; c < width; c++) out[column + c] = add ? out[column + c] + numbers[c] : numbers[c];
    }
  }
}

inline void row_times(const float* x, int64_t step, int64_t depth, const Panels& right, float* out, bool add) {
  int64_t panel = 0, count = right.count();
  for (; panel + 4 <= count; panel += 4) row_times_panels<4>(x, step, depth, right, panel, out, add);
  for (; panel + 2 <= count; panel += 2) row_times_panels<2>(x, step, depth, right, panel, out, add);
  for (; panel < count; panel++) row_times_panels<1>(x, step, depth, right, panel, out, add);
}

constexpr int64_t kMostOperand = 1 << 28;  // elements of the right operand, in panels: 1 GiB. An array without strides may claim any size

// For each index of `batch`: rows [rows, depth] times [depth, columns], optionally added to the existing values. The
// list also says whether the right operand, a constant, is already in panels.
class MatrixProduct : public Step {
 public:
  MatrixProduct(Numbers64& from, const float* constants) : batch_(from.shape()), rows_(from.size()), depth_(from.size()), columns_(from.size()) {
    int64_t how = from.next(0, 3);
    add_ = (how & 1) != 0;
    int64_t numbers = Panels::numbers(depth_, columns_);
    require(numbers <= kMostOperand, "a product's operand is too large to be copied");
    x_ = from.strided(with(rows_, depth_));
    if (how & 2) {
      y_.place = from.place(numbers);
      require(y_.place.memory == 0 && batch_.rank == 0, "only a constant lies in panels");
      packed_ = std::make_unique<Panels>(Panels::in(constants + y_.place.offset, depth_, columns_));
    } else {
      y_ = from.strided(with(depth_, columns_));
    }
    out_ = from.written(times(batch_.count(), times(rows_, columns_)));
  }

  void run(Memories& m) const override {
    const float *x = x_.place.in(m), *y = y_.place.in(m);
    float* out = out_.in(m);
    each_index([&](int64_t at_x, int64_t at_y) {
      if (packed_) {
        multiply_one(m, x + at_x, *packed_, out);
      } else {
        multiply_one(m, x + at_x, panels(y + at_y, false), out);
      }
      out += rows_ * columns_;
    });
  }

 private:
  Shape with(int64_t a, int64_t b) const {
    Shape shape = batch_;
    require(shape.rank + 2 <= kMostAxes, "an array of too many axes");
    shape.sizes[shape.rank++] = a;
    shape.sizes[shape.rank++] = b;
    return shape;
  }

  Panels panels(const float* data, bool copy) const {
    return Panels::of(data, depth_, columns_, y_.strides[batch_.rank], y_.strides[batch_.rank + 1], copy);
  }

  template <typename Use>
  void each_index(const Use& use) const {
    int64_t last = batch_.last(), dx = batch_.rank ? x_.last(batch_) : 0, dy = batch_.rank ? y_.last(batch_) : 0;
    each_row<2>(batch_, {&x_, &y_}, [&](const int64_t* at) {
      for (int64_t i = 0; i < last; i++) use(at[0] + i * dx, at[1] + i * dy);
    });
  }

  // Many rows are distributed over threads by rows, few by columns: then each thread has part of the right operand in
  // its cache.
  void multiply_one(const Memories& m, const float* x, const Panels& right, float* out) const {
    int64_t row = x_.strides[batch_.rank], step = x_.strides[batch_.rank + 1];
    if (rows_ == 1) return row_times(x, step, depth_, right, out, add_);
    auto place = [=](int64_t first, int count, const float** rows, float** to) {
      for (int r = 0; r < count; r++) rows[r] = x + (first + r) * row, to[r] = out + (first + r) * columns_;
    };
    Walk walk = Walk::along(depth_, step);
    int64_t groups = groups_of(rows_), panels = right.count(), threads = m.crew == nullptr ? 1 : m.crew->threads();
    if (threads == 1 || rows_ * depth_ * columns_ < kSharedWork) return multiply(rows_, place, walk, right, add_);
    bool by_rows = groups >= 4 * threads;
    int64_t parts = by_rows ? std::min(groups, 4 * threads) : std::min(panels, threads);
    m.share(parts, [&](int64_t part) {
      int64_t rows = by_rows ? part : 0, columns = by_rows ? 0 : part, of_rows = by_rows ? parts : 1, of_columns = by_rows ? 1 : parts;
      multiply(rows_, place, walk, right, groups * rows / of_rows, groups * (rows + 1) / of_rows, panels * columns / of_columns,
               panels * (columns + 1) / of_columns, add_);
    });
  }

  Shape batch_;
  int64_t rows_, depth_, columns_;
  bool add_;
  Strided x_, y_;
  Place out_;
  std::unique_ptr<Panels> packed_;
};

// --- loops

Steps read_steps(Numbers64& from, int64_t count, const float* constants);

// A counted loop. In each iteration a window moves to the next element of its array (from the last one backwards if the
// stride is negative), the steps run, and then results are copied to where the next iteration, or the caller, reads
// them.
class Loop : public Step {
 public:
  Loop(Numbers64& from, const float* constants) : trips_(from.size()) {
    int64_t windows = from.next(0, 1 << 16), results = from.next(0, 1 << 16), steps = from.next(0, 1 << 20);
    for (int64_t i = 0; i < windows; i++) {
      int64_t memory = from.next(2, static_cast<int64_t>(from.sizes.size()) - 1);
      windows_.push_back({memory, along(from, from.sizes[memory])});
    }
    std::vector<bool> outside = from.placed;
    for (const Window& window : windows_) from.placed[window.memory] = true;
    steps_ = read_steps(from, steps, constants);
    for (int64_t i = 0; i < results; i++) {
      int64_t size = from.size();
      Place source = from.place(size);
      results_.push_back({size, source, along(from, size)});
      require(results_.back().to.first.memory > 0, "a step writes a constant");
    }
    from.placed = outside;
  }

  void run(Memories& m) const override {
    for (int64_t trip = 0; trip < trips_; trip++) {
      for (const Window& window : windows_) m[window.memory] = window.from.at(m, trip);
      for (const auto& step : steps_) step->run(m);
      for (const Result& result : results_) std::memmove(result.to.at(m, trip), result.from.in(m), sizeof(float) * result.size);
    }
  }

 private:
  // A position for each iteration.
  struct Along {
    Place first;
    int64_t stride;
    float* at(const Memories& m, int64_t trip) const { return first.in(m) + trip * stride; }
  };
  struct Window {
    int64_t memory;
    Along from;
  };
  struct Result {
    int64_t size;
    Place from;
    Along to;
  };

  Along along(Numbers64& from, int64_t extent) const {
    Place first = from.place(extent);
    int64_t stride = from.next(), last = plus(first.offset, times(trips_ - 1, stride));
    require(last >= 0 && plus(last, extent) <= from.sizes[first.memory], "a loop leaves its array");
    return {first, stride};
  }

  int64_t trips_;
  std::vector<Window> windows_;
  std::vector<Result> results_;
  Steps steps_;
};

// Loops that share only what they read, each on its own thread if possible.
class Together : public Step {
 public:
  Together(Numbers64& from, const float* constants) : steps_(read_steps(from, from.next(1, 1 << 10), constants)) {}

  void run(Memories& m) const override {
    Memories own = m;  // each part has its own windows, and no helpers
    own.crew = nullptr;
    std::vector<Memories> memories(steps_.size(), own);
    parallel(m, static_cast<int64_t>(steps_.size()), [&](int64_t part) { steps_[part]->run(memories[part]); });
  }

 private:
  Steps steps_;
};

inline std::unique_ptr<Step> read_step(Numbers64& from, const float* constants) {
  switch (from.next()) {
    case kFillCode: return std::make_unique<Fill>(from);
    case kCopyCode: return std::make_unique<Copy>(from);
    case kMapCode: return std::make_unique<Map>(from);
    case kCombineCode: return std::make_unique<Combine>(from);
    case kSelectCode: return std::make_unique<Select>(from);
    case kReduceCode: return std::make_unique<Reduce>(from);
    case kProductCode: return std::make_unique<MatrixProduct>(from, constants);
    case kLoopCode: return std::make_unique<Loop>(from, constants);
    case kTogetherCode: return std::make_unique<Together>(from, constants);
    case kConvolveCode: return std::make_unique<Convolve>(from, constants);
    default: throw Refused("an unknown kind of step");
  }
}

inline Steps read_steps(Numbers64& from, int64_t count, const float* constants) {
  Numbers64::Inside inside(from);
  Steps steps;
  for (int64_t i = 0; i < count; i++) steps.push_back(read_step(from, constants));
  return steps;
}

// --- the network

// The list begins with the number of memories and of arguments, the sizes of the memories, whether threads are
// worthwhile, and the number of steps.
class Network {
 public:
  Network(const int64_t* list, int64_t length, const float* constants, int64_t count) : constants_(constants) {
    Numbers64 from(list, length);
    int64_t memories = from.next(2, 1 << 16);
    arguments_ = from.next(0, memories - 2);
    for (int64_t i = 0; i < memories; i++) from.sizes.push_back(from.next(0, int64_t{1} << 40));
    from.placed.assign(memories, false);
    std::fill_n(from.placed.begin(), 2 + arguments_, true);
    require(from.sizes[0] <= count, "there are fewer constants than the list says");
    memories_ = memories;
    shares_ = from.next(0, 1) != 0;
    steps_ = read_steps(from, from.next(0, 1 << 20), constants);
    require(from.done(), "the list of steps goes on behind its last step");
  }

  void run(float* scratch, float* const* arguments) const {
    Memories memories(memories_);
    memories[0] = const_cast<float*>(constants_);  // only read: `written` ensures it
    memories[1] = scratch;
    std::copy_n(arguments, arguments_, memories.begin() + 2);
    Crew::Shift shift(shares_);
    memories.crew = shift.crew;
    for (const auto& step : steps_) step->run(memories);
  }

 private:
  const float* constants_;
  int64_t arguments_, memories_;
  bool shares_;
  Steps steps_;
};

}  // namespace reflow
