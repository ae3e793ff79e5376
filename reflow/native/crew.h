// Threads that help one caller during a run: XLA's pool is available only inside XLA's programs.
//
// A recurrent layer has hundreds of products of 20 µs each, and waking a sleeping thread takes 10 to 50. So the helpers
// spin between the parts of a run, and sleep when it is over. A run that finds them busy with another one does all the
// work itself. So does a forked process: it has no helpers, and the lock and the condition variable may be in any state.
//
// Each thread starts with its own parts, the same ones in every run of as many parts, and then takes parts that others
// have not started. So what a thread wrote in the last run is in its core's cache when the next run reads it. Fetching
// a line from another core's cache takes longer than computing it.

#pragma once

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
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

  // Holds the crew for the duration of a scope; null if it is not wanted, is busy, or has no helpers.
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

  // Calls body(0) … body(count - 1) in any order, and returns when all are done. A body must not throw.
  template <typename Body>
  void run(int64_t count, const Body& body) {
    body_ = &body;
    call_ = [](const void* of, int64_t part) { (*static_cast<const Body*>(of))(part); };
    count_ = count;
    done_.store(0, std::memory_order_relaxed);
    uint64_t round = round_.load(std::memory_order_relaxed) + 1;
    for (int64_t owner = 0; owner <= helpers_; owner++) {
      left_[owner].state.store(round << 32 | static_cast<uint64_t>(first_of(owner + 1) - first_of(owner)), std::memory_order_release);
    }
    round_.store(round, std::memory_order_release);
    while (take(0, round)) continue;
    for (int64_t turn = 0; done_.load(std::memory_order_acquire) < count; turn++) pause(turn);
  }

 private:
  static constexpr int64_t kMostHelpers = 15, kTurns = 1000;

  // Wakes the helpers.
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
        std::thread([this, i] { help(i + 1); }).detach();
        helpers_++;
      } catch (const std::exception&) {
        break;  // cannot create more threads: fewer helpers
      }
    }
    made_ = this;
    pthread_atfork(nullptr, nullptr, [] { made_->helpers_ = 0; });
  }

  // Waits a moment. After about 20 µs it yields the core: on a busy machine another thread may be the one to wait for.
  static void pause(int64_t turn) {
#if defined(__x86_64__)
    if (turn < kTurns) return __builtin_ia32_pause();
#endif
    std::this_thread::yield();
  }

  void help(int64_t self) {
    while (true) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [this] { return awake_.load(std::memory_order_acquire); });
      }
      for (int64_t turn = 0; awake_.load(std::memory_order_acquire); turn++) {
        if (take(self, round_.load(std::memory_order_acquire))) {
          turn = 0;
        } else {
          pause(turn);
        }
      }
    }
  }

  // An owner's first part.
  int64_t first_of(int64_t owner) const { return count_ * owner / (helpers_ + 1); }

  // Runs one part of a round that has not been started, preferably one of our own; false if there is none.
  bool take(int64_t self, uint64_t round) {
    for (int64_t i = 0; i <= helpers_; i++) {
      if (take_of((self + i) % (helpers_ + 1), round)) return true;
    }
    return false;
  }

  // Runs one of an owner's parts. A round ends only when all of its parts are done, so the thread that took one may
  // read the body.
  bool take_of(int64_t owner, uint64_t round) {
    std::atomic<uint64_t>& left = left_[owner].state;
    uint64_t state = left.load(std::memory_order_acquire);
    do {
      if (state >> 32 != (round & UINT32_MAX) || static_cast<uint32_t>(state) == 0) return false;
    } while (!left.compare_exchange_weak(state, state - 1, std::memory_order_acq_rel));
    call_(body_, first_of(owner) + static_cast<uint32_t>(state) - 1);
    done_.fetch_add(1, std::memory_order_release);
    return true;
  }

  std::mutex busy_, mutex_;
  std::condition_variable wake_;
  std::atomic<bool> awake_{false};
  std::atomic<uint64_t> round_{0};
  struct alignas(64) Left {  // one cache line per owner
    std::atomic<uint64_t> state{0};  // the number of the round (32 bits), and how many of the owner's parts have not been started
  };
  Left left_[kMostHelpers + 1];
  std::atomic<int64_t> done_{0};
  int64_t count_ = 0;
  const void* body_ = nullptr;
  void (*call_)(const void*, int64_t) = nullptr;
  int64_t helpers_ = 0;
  inline static Crew* made_ = nullptr;  // for a forked process
};

// Distributes one caller's work over threads: the crew, or none.
struct Team {
  Crew* crew = nullptr;

  // body(i) for each of `count` parts.
  template <typename Body>
  void share(int64_t count, const Body& body) const {
    if (crew != nullptr && count > 1) return crew->run(count, body);
    for (int64_t i = 0; i < count; i++) body(i);
  }
};

inline int64_t threads_of(const Team& team) { return team.crew == nullptr ? 1 : team.crew->helpers() + 1; }

// The same for kernels that may fail (a part may run out of memory), and whose parts are small: a few adjacent ones at
// a time.
template <typename Body>
void parallel(const Team& team, int64_t count, const Body& body) {
  if (team.crew == nullptr || count < 2) return team.share(count, body);
  std::atomic<bool> failed{false};
  int64_t runs = std::min(count, 4 * threads_of(team));
  team.crew->run(runs, [&](int64_t run) noexcept {
    try {
      for (int64_t i = count * run / runs; i < count * (run + 1) / runs; i++) body(i);
    } catch (const std::exception&) {
      failed.store(true);
    }
  });
  if (failed.load()) throw std::bad_alloc();
}

}  // namespace reflow
