#include "server/store/testing/memory_session_store.h"

#include <memory>

#include "server/store/testing/session_store_conformance.h"

namespace stagedoor::server {
namespace {

class MemoryBackend final : public SessionStoreBackend {
 public:
  std::unique_ptr<SessionStore> Connect() override {
    return std::make_unique<MemorySessionStore>(records_);
  }
  void PassTime(SessionStore::Ttl time) override { now_ += time; }
  void SetReachable(bool reachable) override {
    MemorySessionStore(records_).SetReachable(reachable);
  }

 private:
  SharedRecords::Clock::time_point now_;
  std::shared_ptr<SharedRecords> records_ =
      std::make_shared<SharedRecords>([this] { return now_; });
};

INSTANTIATE_TEST_SUITE_P(Memory, SessionStoreConformance,
                         testing::Values([] { return std::make_unique<MemoryBackend>(); }));

}  // namespace
}  // namespace stagedoor::server
