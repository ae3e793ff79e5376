// A kernel of which some of the calls on the thread pool fail, for tests/native/test_checks.py: it counts the calls that ran.

#include "product.h"

namespace {

namespace ffi = xla::ffi;

void Throwing(ffi::ThreadPool pool, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> out, int64_t kind) {
  std::atomic<int64_t> calls{0};
  reflow::parallel(pool, 1000, [&](int64_t i) {
    calls++;
    if (i % 7 != 3) return;
    if (kind == 1) throw std::bad_alloc();
    if (kind == 2) throw reflow::Refused("this one is refused");
    if (kind == 3) throw std::length_error("too long");
    if (kind == 4) throw std::out_of_range("beyond the end");
    if (kind == 5) throw 5;
  });
  *out->typed_data() = static_cast<float>(calls);
}

}  // namespace

XLA_FFI_DEFINE_HANDLER_SYMBOL(throwing, reflow::Guarded<Throwing>{},
                              ffi::Ffi::Bind().Ctx<ffi::ThreadPool>().Arg<ffi::Buffer<ffi::F32>>().Ret<ffi::Buffer<ffi::F32>>().Attr<int64_t>("kind"));
