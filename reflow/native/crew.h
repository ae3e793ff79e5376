// Threads that help one caller during a run: XLA's pool is available only inside XLA's programs.
//
// A recurrent layer has hundreds of products of 20 µs each, and waking a sleeping thread takes 10 to 50. So the helpers
// spin between the parts of a run, and sleep when it is over. A run that finds them busy with another one does all the
// work itself. So does a forked process: it has no helpers, and the lock and the condition variable may be in any state.
//
// Each thread starts with its own parts, the same ones in every run of as many parts, and then takes parts that others
// have not started. So what a thread wrote in the last run is in its core's cache when the next run reads it. Fetching
// a line from another core's cache takes longer than computing it.
//
// The convolutions of a program have a crew of their own, on machines with few cores. Each of its helpers stays on one
// core, and the one on the caller's core is not called: Linux likes to wake a thread on the core of the one that wakes
// it, and then both share that core for milliseconds. The helpers also spin for some microseconds after a run, because
// the next convolution soon follows. A step of two convolutions under MirroredStrategy takes 1.9 ms, and with XLA's
// pool now 1.9 and now 3. (Products and eager ops lose: there the caller prepares the next call on the other core.)

#pragma once

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <thread>

namespace reflow {

class Crew {
 public:
  // For eager ops and engines. Never destroyed: its threads may outlive everything else in the process.
  static Crew& get() {
    static Crew* crew = new Crew(false);
    return *crew;
  }

  // For convolutions of programs; it has no helpers where there are more cores than `kFewCores`.
  static Crew& of_programs() {
    static Crew* crew = new Crew(true);
    return *crew;
  }

  // How many threads work in a run: without the helper on the caller's core.
  int64_t threads() const { return pinned_ ? std::max<int64_t>(helpers_, 1) : helpers_ + 1; }

  // Holds the crew for the duration of a scope; null if it is not wanted, is busy, or has no helpers.
  class Shift {
   public:
    explicit Shift(bool wanted, Crew& (*of)() = get) {
      if (wanted && of().enter()) crew = &of();
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
    for (int64_t owner = 0; owner < threads(); owner++) {
      left_[owner].state.store(round << 32 | static_cast<uint64_t>(first_of(owner + 1) - first_of(owner)), std::memory_order_release);
    }
    round_.store(round, std::memory_order_release);
    Clock::time_point begin = Clock::now();
    while (take(0, round)) continue;
    Clock::time_point end = Clock::now(), late = end + std::max<Clock::duration>(end - begin, kHiccup);
    for (int64_t turn = 0; done_.load(std::memory_order_acquire) < count; turn++) {
      pause(turn);
      if (pinned_ && turn >= kTurns && Clock::now() > late) closed_until_ = Clock::now() + kClosed;
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr int64_t kMostHelpers = 15, kTurns = 1000;
  static constexpr int64_t kFewCores = 4;
  static constexpr int64_t kLinger = 300;  // turns that pinned helpers wait for the next run: 6 µs
  // A helper that stays on its core cannot make way for another program. If it is late by as much time as the caller
  // worked, and by at least `kHiccup`, the crew is closed for a while.
  static constexpr Clock::duration kHiccup = std::chrono::microseconds(100), kClosed = std::chrono::milliseconds(100);

  // A thread, and what it waits for.
  struct Helper {
    int core = -1;  // where it stays; -1: anywhere
    std::mutex mutex;
    std::condition_variable wake;
    bool called = false;
    std::atomic<int64_t> place{0};  // among the threads of a run; 0 is the caller's

    void call(int64_t as) {
      place.store(as, std::memory_order_relaxed);
      std::lock_guard<std::mutex> lock(mutex);
      called = true;
      wake.notify_one();
    }

    void wait() {
      std::unique_lock<std::mutex> lock(mutex);
      wake.wait(lock, [this] { return called; });
      called = false;
    }
  };

  // Wakes the helpers, except one on the caller's core.
  bool enter() {
    if (helpers_ == 0 || !busy_.try_lock()) return false;
    if (pinned_ && Clock::now() < closed_until_) {
      busy_.unlock();
      return false;
    }
    awake_.store(true, std::memory_order_release);
    int core = pinned_ ? sched_getcpu() : -1;
    int64_t place = 1;
    for (int64_t i = 0; i < helpers_ && place < threads(); i++) {
      if (!pinned_ || helper_[i].core != core) helper_[i].call(place++);
    }
    return true;
  }

  void leave() {
    awake_.store(false, std::memory_order_release);
    busy_.unlock();
  }

  explicit Crew(bool pinned) : pinned_(pinned) {
    cpu_set_t allowed;
    int64_t cores = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
    if (cores < 2 || pinned && cores > kFewCores) return;
    int64_t wanted = pinned ? cores : std::min(cores - 1, kMostHelpers);
    for (int core = 0; helpers_ < wanted; core++) {
      if (pinned && !CPU_ISSET(core, &allowed)) continue;
      if (pinned) helper_[helpers_].core = core;
      try {
        std::thread([this, &helper = helper_[helpers_]] { help(helper); }).detach();
        helpers_++;
      } catch (const std::exception&) {
        break;  // cannot create more threads: fewer helpers
      }
    }
    made_[pinned] = this;
    pthread_atfork(nullptr, nullptr, pinned ? [] { made_[true]->helpers_ = 0; } : [] { made_[false]->helpers_ = 0; });
  }

  // Waits a moment. After about 20 µs it yields the core: on a busy machine another thread may be the one to wait for.
  static void pause(int64_t turn) {
#if defined(__x86_64__)
    if (turn < kTurns) return __builtin_ia32_pause();
#endif
    std::this_thread::yield();
  }

  void help(Helper& helper) {
    if (pinned_) stay_on(helper.core);
    int64_t most = pinned_ ? kLinger : 0;
    while (true) {
      helper.wait();
      for (int64_t turn = 0; awake_.load(std::memory_order_acquire) || turn < most; turn++) {
        if (take(helper.place.load(std::memory_order_relaxed), round_.load(std::memory_order_acquire))) {
          turn = 0;
        } else {
          pause(turn);
        }
      }
    }
  }

  // If the core may not be used any more, the thread stays where it is.
  static void stay_on(int core) {
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(core, &only);
    sched_setaffinity(0, sizeof only, &only);
  }

  // An owner's first part.
  int64_t first_of(int64_t owner) const { return count_ * owner / threads(); }

  // Runs one part of a round that has not been started, preferably one of our own; false if there is none.
  bool take(int64_t self, uint64_t round) {
    for (int64_t i = 0; i < threads(); i++) {
      if (take_of((self + i) % threads(), round)) return true;
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

  const bool pinned_;
  Helper helper_[kMostHelpers];
  std::mutex busy_;
  Clock::time_point closed_until_;
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
  inline static Crew* made_[2] = {nullptr, nullptr};  // for a forked process
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

inline int64_t threads_of(const Team& team) { return team.crew == nullptr ? 1 : team.crew->threads(); }

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
