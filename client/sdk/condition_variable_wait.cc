#include <pthread.h>

#include <condition_variable>
#include <mutex>

// The libstdc++ of GCC 12 gave std::condition_variable::wait another version, which the one of GCC
// 11 lacks: that of Red Hat Enterprise Linux 9, which libstagedoor works with otherwise. The linker
// puts this function in its place (--wrap in BUILD.bazel).
extern "C" void StagedoorConditionVariableWait(std::condition_variable* condition,
                                               std::unique_lock<std::mutex>* lock) noexcept
    __asm__("__wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE");

void StagedoorConditionVariableWait(std::condition_variable* condition,
                                    std::unique_lock<std::mutex>* lock) noexcept {
  // Can only fail if the mutex is not locked by this thread.
  pthread_cond_wait(condition->native_handle(), lock->mutex()->native_handle());
}
