// A whole small network in one call: a list of *steps* over float32 arrays, each a loop that the compiler vectorizes.
//
// XLA takes 30 to 100 µs to call a program; six dense layers of 64 units compute for one. A step reads and writes
// *places*: an offset in one of the call's memories. Those are the constants (0), the scratch memory (1), then the
// arguments, then the *windows* of loops, each one element of an array that a loop traverses. Arrays are read with any
// strides, so slices, transpositions and broadcasts are free.
//
// The list is a sequence of 64-bit numbers (`reflow/engine/encoding.py` writes it) and may come from a file: every size
// and place is checked when it is read, before anything runs.

#pragma once

#include <memory>
#include <vector>

#include "crew.h"
#include "elementwise.h"
#include "product.h"

namespace reflow {

constexpr int kMostAxes = 8, kMostDepth = 64;
// Thresholds for using threads: multiply-adds of a product (about 3 µs), elements of a function (1 µs), or of one of
// two arrays.
constexpr int64_t kSharedWork = 1 << 17, kSharedMap = 1 << 11, kSharedCombine = 1 << 14;

// The memories of one run, and the helper threads, if any.
struct Memories : std::vector<float*>, Team {
  using std::vector<float*>::vector;
};

enum Code : int64_t {
  kFillCode, kCopyCode, kMapCode, kCombineCode, kSelectCode, kReduceCode, kProductCode, kLoopCode, kTogetherCode, kConvolveCode
};

struct Place {
  int64_t memory, offset;
  float* in(const Memories& memories) const { return memories[memory] + offset; }
};

// --- arrays with strides

struct Shape {
  int rank = 0;
  int64_t sizes[kMostAxes];

  int64_t count() const {
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n = times(n, sizes[i]);
    return n;
  }
  int64_t last() const { return rank ? sizes[rank - 1] : 1; }
};

struct Strided {
  Place place;
  int64_t strides[kMostAxes];
  int64_t last(const Shape& shape) const { return shape.rank ? strides[shape.rank - 1] : 0; }
};

// Calls use(offsets of the N arrays) for each row: for each index of all axes except the last.
template <int N, typename Use>
void each_row(const Shape& shape, const Strided* const (&arrays)[N], const Use& use) {
  int64_t index[kMostAxes] = {}, at[N] = {};
  while (true) {
    use(at);
    int axis = shape.rank - 2;
    for (; axis >= 0; axis--) {
      for (int n = 0; n < N; n++) at[n] += arrays[n]->strides[axis];
      if (++index[axis] < shape.sizes[axis]) break;
      for (int n = 0; n < N; n++) at[n] -= shape.sizes[axis] * arrays[n]->strides[axis];
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

// Calls use(shape, first, before) for parts of a shape, distributed over threads if it has at least `least` elements: a
// part begins at index `first` of the first axis, after `before` elements.
template <typename Use>
void each_part(const Memories& m, const Shape& shape, int64_t least, const Use& use) {
  int64_t count = shape.count(), threads = m.crew == nullptr || count < least || shape.rank == 0 ? 1 : m.crew->threads();
  int64_t parts = std::min(threads, shape.rank == 0 ? 1 : shape.sizes[0]);
  if (parts == 1) return use(shape, int64_t{0}, int64_t{0});
  m.share(parts, [&](int64_t part) {
    Shape own = shape;
    int64_t first = shape.sizes[0] * part / parts;
    own.sizes[0] = shape.sizes[0] * (part + 1) / parts - first;
    use(own, first, count / shape.sizes[0] * first);
  });
}

// --- reading the list

// The numbers of the list, and the sizes of the memories.
class Numbers64 {
 public:
  Numbers64(const int64_t* data, int64_t size) : at_(data), end_(data + size) {}

  std::vector<int64_t> sizes;
  std::vector<bool> placed;  // which memories are valid: all except the windows of loops that have not begun

  // Nesting depth while the steps of a step are read: a list must not overflow the reader's stack.
  struct Inside {
    explicit Inside(Numbers64& from) : from(from) { require(++from.depth_ <= kMostDepth, "steps lie too deep in one another"); }
    ~Inside() { from.depth_--; }
    Inside(const Inside&) = delete;
    Numbers64& from;
  };

  bool done() const { return at_ == end_; }
  int64_t next() {
    require(at_ < end_, "the list of steps ends within a step");
    return *at_++;
  }
  int64_t next(int64_t low, int64_t high) {
    int64_t number = next();
    require(low <= number && number <= high, "a number of a step is out of range");
    return number;
  }
  int64_t size() { return next(1, int64_t{1} << 40); }
  float number() { return float_of(static_cast<uint32_t>(next(0, UINT32_MAX))); }

  Shape shape() {
    Shape shape;
    shape.rank = static_cast<int>(next(0, kMostAxes));
    for (int i = 0; i < shape.rank; i++) shape.sizes[i] = size();
    shape.count();
    return shape;
  }

  int64_t memory() {
    int64_t number = next(0, static_cast<int64_t>(sizes.size()) - 1);
    require(placed[number], "a step uses a loop's window outside of the loop");
    return number;
  }

  // A place followed by `extent` elements.
  Place place(int64_t extent) {
    Place place{memory(), next()};
    require(place.offset >= 0 && plus(place.offset, extent) <= sizes[place.memory], "a step reaches beyond its memory");
    return place;
  }

  // An array of this shape that is completely inside its memory.
  Strided strided(const Shape& shape) {
    Strided array;
    array.place = {memory(), next()};
    int64_t low = array.place.offset, high = array.place.offset;
    for (int i = 0; i < shape.rank; i++) {
      array.strides[i] = next();
      int64_t reach = times(shape.sizes[i] - 1, array.strides[i]);
      (reach < 0 ? low : high) = plus(reach < 0 ? low : high, reach);
    }
    require(low >= 0 && high < sizes[array.place.memory], "a step reaches beyond its memory");
    return array;
  }

  // What a step writes: never constants.
  Place written(int64_t extent) {
    Place out = place(extent);
    require(out.memory > 0, "a step writes a constant");
    return out;
  }

 private:
  const int64_t *at_, *end_;
  int depth_ = 0;
};

class Step {
 public:
  virtual ~Step() = default;
  virtual void run(Memories& memories) const = 0;
};
using Steps = std::vector<std::unique_ptr<Step>>;

// --- elementwise

class Fill : public Step {
 public:
  explicit Fill(Numbers64& from) : size_(from.size()), value_(from.number()), out_(from.written(size_)) {}
  void run(Memories& m) const override { std::fill_n(out_.in(m), size_, value_); }

 private:
  int64_t size_;
  float value_;
  Place out_;
};

class Copy : public Step {
 public:
  explicit Copy(Numbers64& from) : shape_(from.shape()), x_(from.strided(shape_)), out_(from.strided(shape_)) {
    require(out_.place.memory > 0, "a step writes a constant");
  }
  void run(Memories& m) const override {
    const float* x = x_.place.in(m);
    float* out = out_.place.in(m);
    int64_t n = shape_.last(), dx = x_.last(shape_), dout = out_.last(shape_);
    each_row<2>(shape_, {&x_, &out_}, [&](const int64_t* at) {
      const float* from = x + at[0];
      float* to = out + at[1];
      if (dx == 1 && dout == 1) {
        std::memmove(to, from, sizeof(float) * n);
      } else {
        for (int64_t i = 0; i < n; i++) to[i * dout] = from[i * dx];
      }
    });
  }

 private:
  Shape shape_;
  Strided x_, out_;
};

struct Absolute { static float of(float x) { return std::fabs(x); } };
struct Negative { static float of(float x) { return -x; } };
struct Root { static float of(float x) { return std::sqrt(x); } };
struct InverseRoot { static float of(float x) { return 1.0f / std::sqrt(x); } };
struct Square { static float of(float x) { return x * x; } };
struct Exponential { static float of(float x) { return exponential(x); } };
struct Logarithm { static float of(float x) { return logarithm(x); } };
struct LogarithmOfMore { static float of(float x) { return logarithm_of_more(x); } };
struct Logistic { static float of(float x) { return logistic(x); } };
struct Tangent { static float of(float x) { return hyperbolic_tangent(x); } };
struct ExponentialLess { static float of(float x) { return std::expm1(x); } };
struct ErrorFunction { static float of(float x) { return std::erf(x); } };
struct Sign { static float of(float x) { return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x; } };
struct Floor { static float of(float x) { return std::floor(x); } };
struct Ceiling { static float of(float x) { return std::ceil(x); } };
struct RoundEven { static float of(float x) { return std::nearbyint(x); } };
struct Not { static float of(float x) { return x == 0.0f ? 1.0f : 0.0f; } };

// The maximum of NaN and a number is NaN, as in Python and XLA.
struct Plus { static float of(float a, float b) { return a + b; } };
struct Minus { static float of(float a, float b) { return a - b; } };
struct Times { static float of(float a, float b) { return a * b; } };
struct Over { static float of(float a, float b) { return a / b; } };
struct Larger { static float of(float a, float b) { return a > b || a != a ? a : b; } };
struct Smaller { static float of(float a, float b) { return a < b || a != a ? a : b; } };
struct Power { static float of(float a, float b) { return std::pow(a, b); } };
struct IsEqual { static float of(float a, float b) { return a == b ? 1.0f : 0.0f; } };
struct IsUnequal { static float of(float a, float b) { return a != b ? 1.0f : 0.0f; } };
struct IsLess { static float of(float a, float b) { return a < b ? 1.0f : 0.0f; } };
struct IsAtMost { static float of(float a, float b) { return a <= b ? 1.0f : 0.0f; } };

template <typename F>
void map_rows(const Shape& shape, const Strided& x, const float* from, float* to) {
  int64_t n = shape.last(), dx = x.last(shape);
  each_row<1>(shape, {&x}, [&](const int64_t* at) {
    const float* a = from + at[0];
    if (dx == 1) {
      for (int64_t i = 0; i < n; i++) to[i] = F::of(a[i]);
    } else {
      for (int64_t i = 0; i < n; i++) to[i] = F::of(a[i * dx]);
    }
    to += n;
  });
}

class Map : public Step {
  using Function = void (*)(const Shape&, const Strided&, const float*, float*);
  static constexpr Function kFunctions[] = {
      map_rows<Absolute>, map_rows<Negative>, map_rows<Root>, map_rows<InverseRoot>, map_rows<Square>, map_rows<Exponential>,
      map_rows<Logarithm>, map_rows<LogarithmOfMore>, map_rows<Logistic>, map_rows<Tangent>, map_rows<ExponentialLess>,
      map_rows<ErrorFunction>, map_rows<Sign>, map_rows<Floor>, map_rows<Ceiling>, map_rows<RoundEven>, map_rows<Not>,
  };

 public:
  explicit Map(Numbers64& from)
      : function_(kFunctions[from.next(0, std::size(kFunctions) - 1)]), shape_(from.shape()), x_(from.strided(shape_)), out_(from.written(shape_.count())) {}
  void run(Memories& m) const override {
    const float* x = x_.place.in(m);
    float* out = out_.in(m);
    each_part(m, shape_, kSharedMap, [&](const Shape& part, int64_t first, int64_t before) {
      function_(part, x_, first ? x + first * x_.strides[0] : x, out + before);
    });
  }

 private:
  Function function_;
  Shape shape_;
  Strided x_;
  Place out_;
};

template <typename F>
void combine_rows(const Shape& shape, const Strided& x, const Strided& y, const float* left, const float* right, float* to) {
  int64_t n = shape.last(), dx = x.last(shape), dy = y.last(shape);
  each_row<2>(shape, {&x, &y}, [&](const int64_t* at) {
    const float *a = left + at[0], *b = right + at[1];
    if (dx == 1 && dy == 1) {
      for (int64_t i = 0; i < n; i++) to[i] = F::of(a[i], b[i]);
    } else if (dx == 1 && dy == 0) {
      for (int64_t i = 0; i < n; i++) to[i] = F::of(a[i], *b);
    } else if (dx == 0 && dy == 1) {
      for (int64_t i = 0; i < n; i++) to[i] = F::of(*a, b[i]);
    } else {
      for (int64_t i = 0; i < n; i++) to[i] = F::of(a[i * dx], b[i * dy]);
    }
    to += n;
  });
}

class Combine : public Step {
  using Function = void (*)(const Shape&, const Strided&, const Strided&, const float*, const float*, float*);
  static constexpr Function kFunctions[] = {
      combine_rows<Plus>, combine_rows<Minus>, combine_rows<Times>, combine_rows<Over>, combine_rows<Larger>, combine_rows<Smaller>,
      combine_rows<Power>, combine_rows<IsEqual>, combine_rows<IsUnequal>, combine_rows<IsLess>, combine_rows<IsAtMost>,
  };

 public:
  explicit Combine(Numbers64& from)
      : function_(kFunctions[from.next(0, std::size(kFunctions) - 1)]),
        shape_(from.shape()),
        x_(from.strided(shape_)),
        y_(from.strided(shape_)),
        out_(from.written(shape_.count())) {}
  void run(Memories& m) const override {
    const float *x = x_.place.in(m), *y = y_.place.in(m);
    float* out = out_.in(m);
    each_part(m, shape_, kSharedCombine, [&](const Shape& part, int64_t first, int64_t before) {
      function_(part, x_, y_, first ? x + first * x_.strides[0] : x, first ? y + first * y_.strides[0] : y, out + before);
    });
  }

 private:
  Function function_;
  Shape shape_;
  Strided x_, y_;
  Place out_;
};

// The third array where the first is not zero, the second elsewhere.
class Select : public Step {
 public:
  explicit Select(Numbers64& from)
      : shape_(from.shape()), chosen_(from.strided(shape_)), x_(from.strided(shape_)), y_(from.strided(shape_)), out_(from.written(shape_.count())) {}
  void run(Memories& m) const override {
    const float *chosen = chosen_.place.in(m), *x = x_.place.in(m), *y = y_.place.in(m);
    float* to = out_.in(m);
    int64_t n = shape_.last(), dc = chosen_.last(shape_), dx = x_.last(shape_), dy = y_.last(shape_);
    each_row<3>(shape_, {&chosen_, &x_, &y_}, [&](const int64_t* at) {
      for (int64_t i = 0; i < n; i++) to[i] = chosen[at[0] + i * dc] != 0.0f ? y[at[2] + i * dy] : x[at[1] + i * dx];
      to += n;
    });
  }

 private:
  Shape shape_;
  Strided chosen_, x_, y_;
  Place out_;
};

// --- reductions

// Sums of eight partial sums, matching vector registers.
template <typename F>
float reduce_run(const float* x, int64_t n, int64_t stride, float start) {
  constexpr int kParts = 8;
  float total = start;
  int64_t i = 0;
  if (stride == 1 && n >= 2 * kParts) {
    float parts[kParts];
    for (int p = 0; p < kParts; p++) parts[p] = x[p];
    for (i = kParts; i + kParts <= n; i += kParts) {
      for (int p = 0; p < kParts; p++) parts[p] = F::of(parts[p], x[i + p]);
    }
    for (int p = 0; p < kParts; p++) total = F::of(total, parts[p]);
  }
  for (; i < n; i++) total = F::of(total, x[i * stride]);
  return total;
}

// `kept` and `reduced` are the axes of one array, which has the strides of the first in `x` and of the second in
// `along`. If the last kept axis is contiguous, whole rows are combined.
template <typename F>
void reduce_rows(const Shape& kept, const Strided& x, const Shape& reduced, const Strided& along, float start, const float* from, float* to) {
  int64_t n = kept.last(), step = x.last(kept), depth = reduced.last(), stride = along.last(reduced);
  bool whole = step == 1 && n > 1 && stride != 1;
  each_row<1>(kept, {&x}, [&](const int64_t* at) {
    const float* row = from + at[0];
    if (whole) {
      std::fill_n(to, n, start);
      each_row<1>(reduced, {&along}, [&](const int64_t* inner) {
        for (int64_t d = 0; d < depth; d++) {
          const float* more = row + inner[0] + d * stride;
          for (int64_t i = 0; i < n; i++) to[i] = F::of(to[i], more[i]);
        }
      });
    } else {
      for (int64_t i = 0; i < n; i++) {
        float total = start;
        each_row<1>(reduced, {&along}, [&](const int64_t* inner) { total = reduce_run<F>(row + i * step + inner[0], depth, stride, total); });
        to[i] = total;
      }
    }
    to += n;
  });
}

class Reduce : public Step {
  using Function = void (*)(const Shape&, const Strided&, const Shape&, const Strided&, float, const float*, float*);
  struct Kind {
    Function function;
    float start;
  };
  static constexpr Kind kKinds[] = {
      {reduce_rows<Plus>, 0.0f}, {reduce_rows<Times>, 1.0f}, {reduce_rows<Larger>, -kInfinity}, {reduce_rows<Smaller>, kInfinity}};

 public:
  explicit Reduce(Numbers64& from) : kind_(kKinds[from.next(0, std::size(kKinds) - 1)]), kept_(from.shape()), reduced_(from.shape()) {
    Shape all;
    all.rank = kept_.rank + reduced_.rank;
    require(all.rank <= kMostAxes, "an array of too many axes");
    std::copy_n(kept_.sizes, kept_.rank, all.sizes);
    std::copy_n(reduced_.sizes, reduced_.rank, all.sizes + kept_.rank);
    x_ = from.strided(all);
    along_.place = x_.place;
    std::copy_n(x_.strides + kept_.rank, reduced_.rank, along_.strides);
    out_ = from.written(kept_.count());
  }
  void run(Memories& m) const override {
    const float* x = x_.place.in(m);
    float* out = out_.in(m);
    each_part(m, kept_, std::max<int64_t>(kSharedCombine / reduced_.count(), 1), [&](const Shape& part, int64_t first, int64_t before) {
      kind_.function(part, x_, reduced_, along_, kind_.start, first ? x + first * x_.strides[0] : x, out + before);
    });
  }

 private:
  Kind kind_;
  Shape kept_, reduced_;
  Strided x_, along_;
  Place out_;
};

}  // namespace reflow
