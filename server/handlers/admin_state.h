#ifndef STAGEDOOR_SERVER_HANDLERS_ADMIN_STATE_H_
#define STAGEDOOR_SERVER_HANDLERS_ADMIN_STATE_H_

#include "server/handlers/cache_state.h"
#include "server/lifecycle/admin_control.h"
#include "server/log/audit_sink.h"
#include "server/rpc/call_admission.h"

namespace stagedoor::server {

// The objects that administrators see and steer. Borrowed; they outlive all calls. Thread-safe.
struct AdminState {
  AdminControl& control;
  const CallAdmission& admission;
  AuditSink& audit;
  const CacheState caches;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_ADMIN_STATE_H_
