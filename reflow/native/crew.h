// Threads that help one caller for the time of a run: XLA's pool is only there inside XLA's programs.
//
// A recurrent layer has hundreds of products of 20 µs each, and to wake a sleeping thread takes 10 to 50. So the helpers wait actively between the parts
// of a run, and sleep when it is over. A run that finds them busy with another one does everything itself, and so does a process that was forked
// (it has no helpers): the caller waits only for parts that somebody has begun.

#pragma once

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace reflow {

class Crew {
 public:
  // Never destroyed: its threads may outlive everything else in the process.
  static Crew& get() {
    static Crew* crew = new Crew;
    return *crew;
  }

  int64_t helpers() const { return helpers_; }

  // The crew at work from here to the end of a scope; null if it is not wanted, works for somebody else, or has nobody.
  class Shift {
   public:
    explicit Shift(bool wanted) {
      if (wanted && get().enter()) crew = &get();
    }
    ~Shift() {
      if (crew != nullptr) crew->leave();
    }
    Shift(const Shift&) = delete;
    Crew* crew = nullptr;
  };

  // Calls body(0) … body(count - 1), in whatever order, and returns when all are done. A body throws nothing.
  template <typename Body>
  void run(int64_t count, const Body& body) {
    body_ = &body;
    call_ = [](const void* of, int64_t part) { (*static_cast<const Body*>(of))(part); };
    done_.store(0, std::memory_order_relaxed);
    uint64_t round = (state_.load(std::memory_order_relaxed) >> 32) + 1;
    state_.store(round << 32 | static_cast<uint32_t>(count), std::memory_order_release);
    while (take(round)) continue;
    for (int64_t turn = 0; done_.load(std::memory_order_acquire) < count; turn++) pause(turn);
  }

 private:
  static constexpr int64_t kMostHelpers = 15, kTurns = 1000;

  // Wake the helpers.
  bool enter() {
    if (helpers_ == 0 || !busy_.try_lock()) return false;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      awake_.store(true, std::memory_order_release);
    }
    wake_.notify_all();
    return true;
  }

  void leave() {
    awake_.store(false, std::memory_order_release);
    busy_.unlock();
  }

  Crew() {
    cpu_set_t allowed;
    int64_t cores = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
    for (int64_t i = 0; i < std::min(cores - 1, kMostHelpers); i++) {
      try {
        std::thread([this] { help(); }).detach();
        helpers_++;
      } catch (const std::exception&) {
        return;  // no more threads: fewer helpers
      }
    }
  }

  // Wait a moment. Whoever has waited for some 20 µs lets other threads have the core: on a busy machine one of them is the one that is waited for.
  static void pause(int64_t turn) {
#if defined(__x86_64__)
    if (turn < kTurns) return __builtin_ia32_pause();
#endif
    std::this_thread::yield();
  }

  void help() {
    while (true) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [this] { return awake_.load(std::memory_order_acquire); });
      }
      for (int64_t turn = 0; awake_.load(std::memory_order_acquire); turn++) {
        if (take(state_.load(std::memory_order_acquire) >> 32)) {
          turn = 0;
        } else {
          pause(turn);
        }
      }
    }
  }

  // Do one part of a round that is not begun; false if there is none. A round ends only when all of its parts are done, so whoever has taken one may
  // read the body.
  bool take(uint64_t round) {
    uint64_t state = state_.load(std::memory_order_acquire);
    do {
      if (state >> 32 != round || static_cast<uint32_t>(state) == 0) return false;
    } while (!state_.compare_exchange_weak(state, state - 1, std::memory_order_acq_rel));
    call_(body_, static_cast<uint32_t>(state) - 1);
    done_.fetch_add(1, std::memory_order_release);
    return true;
  }

  std::mutex busy_, mutex_;
  std::condition_variable wake_;
  std::atomic<bool> awake_{false};
  std::atomic<uint64_t> state_{0};  // the number of the round, and how many of its parts are not begun
  std::atomic<int64_t> done_{0};
  const void* body_ = nullptr;
  void (*call_)(const void*, int64_t) = nullptr;
  int64_t helpers_ = 0;
};

}  // namespace reflow
