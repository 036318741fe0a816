#ifndef STAGEDOOR_SERVER_STORE_TESTING_SESSION_STORE_CONFORMANCE_H_
#define STAGEDOOR_SERVER_STORE_TESTING_SESSION_STORE_CONFORMANCE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "server/store/session_store.h"

namespace stagedoor::server {

// The store under test of SessionStoreConformance. One instance per test.
class SessionStoreBackend {
 public:
  virtual ~SessionStoreBackend() = default;

  // Another store object on the same records, as another replica has it.
  virtual std::unique_ptr<SessionStore> Connect() = 0;
  // Lets at least this time pass, as far as times to live are concerned.
  virtual void PassTime(SessionStore::Ttl time) = 0;
  // Whether calls of all store objects succeed. Returns when calls behave so.
  virtual void SetReachable(bool reachable) = 0;
};

// The tests that every store must pass:
//   INSTANTIATE_TEST_SUITE_P(Redis, SessionStoreConformance, testing::Values(&MakeRedisBackend));
// They are skipped if the function returns null, because the server is not installed.
class SessionStoreConformance
    : public testing::TestWithParam<std::function<std::unique_ptr<SessionStoreBackend>()>> {
 protected:
  void SetUp() override {
    backend_ = GetParam()();
    if (backend_ == nullptr) GTEST_SKIP() << "the server of this store is not installed";
    store_ = backend_->Connect();
    other_ = backend_->Connect();
  }

  // Writes a session that has no lease yet.
  void Create(std::string_view session, std::string_view state = "s1");
  bool HasSession(std::string_view session);
  bool HasState(std::string_view session, std::string_view state);
  bool HasLease(std::string_view lease);

  // Records uses, and has them read by the other replica.
  void Use(const std::vector<SessionStore::Use>& uses, SessionStore::Ttl slot);
  std::vector<std::string> Hottest(size_t count, SessionStore::Ttl slot);

  std::unique_ptr<SessionStoreBackend> backend_;
  std::unique_ptr<SessionStore> store_;
  std::unique_ptr<SessionStore> other_;  // of another replica
  RequestContext context_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_TESTING_SESSION_STORE_CONFORMANCE_H_
