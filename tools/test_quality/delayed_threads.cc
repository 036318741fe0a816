// Delays threads at random, so that tests meet orders of events that are rare otherwise.
//
// A library for LD_PRELOAD, with which ./dev delays runs the tests. At any time about a third of
// the threads is slow; which ones changes after 0.1 to 1 second. A slow thread sleeps before it
// locks a mutex of the standard library, after it has unlocked one, and around sending and
// receiving on a socket: 0.05 to 0.45 ms as a rule, up to 15 ms now and then.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <thread>

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

// Decides when its thread sleeps. Neither allocates nor locks.
class Delays {
 public:
  void MaySleep() {
    if (random_ == 0) Seed();
    const Clock::time_point now = Clock::now();
    if (now >= end_of_phase_) {
      end_of_phase_ = now + milliseconds(100 + Random(900));
      slow_ = Random(100) < 35;
    }
    if (!slow_) return;
    const int error = errno;
    std::this_thread::sleep_for(microseconds(Random(16) == 0 ? Random(15000) : 50 + Random(400)));
    errno = error;
  }

 private:
  void Seed() {
    static std::atomic<uint64_t> threads{0};
    const auto now = static_cast<uint64_t>(Clock::now().time_since_epoch().count());
    random_ = (now ^ static_cast<uint64_t>(getpid()) << 32) + ++threads * 0x9E3779B97F4A7C15u;
    random_ |= 1;
    for (int i = 0; i < 8; ++i) Random(1);
  }
  // A number below `limit`: xorshift.
  uint64_t Random(uint64_t limit) {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return random_ % limit;
  }

  uint64_t random_ = 0;
  Clock::time_point end_of_phase_;
  bool slow_ = false;
};

// In the static thread-local storage: access to the dynamic one may allocate.
__attribute__((tls_model("initial-exec"))) constinit thread_local Delays delays;

// The function that the library stands in front of.
template <typename Function>
Function* Next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// Calls `next` between two times at which the thread may sleep.
template <typename Function, typename... Args>
ssize_t CallBetweenDelays(Function* next, Args... args) {
  delays.MaySleep();
  const ssize_t result = next(args...);
  delays.MaySleep();
  return result;
}

}  // namespace

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  static auto* const next = Next<decltype(pthread_mutex_lock)>("pthread_mutex_lock");
  delays.MaySleep();
  return next(mutex);
}

int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static auto* const next = Next<decltype(pthread_mutex_unlock)>("pthread_mutex_unlock");
  const int result = next(mutex);
  delays.MaySleep();
  return result;
}

ssize_t send(int socket, const void* bytes, size_t size, int flags) {
  static auto* const next = Next<decltype(send)>("send");
  return CallBetweenDelays(next, socket, bytes, size, flags);
}

ssize_t sendmsg(int socket, const msghdr* message, int flags) {
  static auto* const next = Next<decltype(sendmsg)>("sendmsg");
  return CallBetweenDelays(next, socket, message, flags);
}

ssize_t recvmsg(int socket, msghdr* message, int flags) {
  static auto* const next = Next<decltype(recvmsg)>("recvmsg");
  return CallBetweenDelays(next, socket, message, flags);
}

}  // extern "C"
