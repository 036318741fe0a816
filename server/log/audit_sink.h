#ifndef STAGEDOOR_SERVER_LOG_AUDIT_SINK_H_
#define STAGEDOOR_SERVER_LOG_AUDIT_SINK_H_

#include <string_view>

#include "absl/status/status.h"

namespace stagedoor::server {

// Takes decisions about access: see AuditLog. Thread-safe.
class AuditSink {
 public:
  struct Entry {
    std::string_view caller;  // the identity's name; empty if none was proved
    std::string_view role;
    std::string_view peer;  // the address of the client
    std::string_view method;
    std::string_view asset;        // may be empty
    absl::Status decision;         // OK if allowed
    std::string_view action = {};  // what an administrator did; may be empty
  };

  virtual ~AuditSink() = default;
  virtual void Record(const Entry& entry) = 0;
};

// For daemons without an audit log.
class NoAudit final : public AuditSink {
 public:
  void Record(const Entry&) override {}
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LOG_AUDIT_SINK_H_
