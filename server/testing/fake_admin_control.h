#ifndef STAGEDOOR_SERVER_TESTING_FAKE_ADMIN_CONTROL_H_
#define STAGEDOOR_SERVER_TESTING_FAKE_ADMIN_CONTROL_H_

#include <atomic>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "server/lifecycle/admin_control.h"

namespace stagedoor::server {

// Takes down what AdminService asks for instead of doing it. Thread-safe, except for the members.
class FakeAdminControl final : public AdminControl {
 public:
  bool Drain() override { return drained.exchange(true); }
  std::string SetLogLevel(const std::string& wanted) override {
    MutexLock lock(mu_);
    return wanted.empty() ? level_ : std::exchange(level_, wanted);
  }
  absl::StatusOr<ReloadReport> ReloadConfig() override { return report; }
  std::string Config() override { return "threads: 2\n"; }

  std::string level() const {
    MutexLock lock(mu_);
    return level_;
  }

  std::atomic<bool> drained{false};
  absl::StatusOr<ReloadReport> report =
      ReloadReport{{"c.yaml:1:1: wrong"}, {"log-level"}, {"max-calls"}};

 private:
  mutable Mutex mu_;
  std::string level_ ABSL_GUARDED_BY(mu_) = "info";
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_FAKE_ADMIN_CONTROL_H_
