#ifndef STAGEDOOR_SERVER_SESSIONS_LEASE_OWNER_H_
#define STAGEDOOR_SERVER_SESSIONS_LEASE_OWNER_H_

#include <string>

#include "absl/status/status.h"
#include "base/status.h"
#include "server/access/caller.h"
#include "server/error_info.h"
#include "server/stages/lease_table.h"

namespace stagedoor::server {

// The owner of a lease that the current caller gets.
inline LeaseTable::Owner OwnerOfLease(const std::string& client_name) {
  LeaseTable::Owner owner{.client_name = client_name};
  if (const Caller* const caller = CurrentCaller()) {
    owner.name = caller->identity.name;
    owner.max_leases = caller->grants->max_leases;
  }
  return owner;
}

// FAILED_PRECONDITION (LEASE_EXPIRED): the caller may read other assets than before.
inline absl::Status ScopeChanged() {
  return WithReason(FailedPreconditionError("the assets that the caller may read have changed; "
                                            "open the stage again"),
                    v1::ERROR_REASON_LEASE_EXPIRED);
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_SESSIONS_LEASE_OWNER_H_
