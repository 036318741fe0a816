#ifndef STAGEDOOR_SERVER_STORE_OPEN_SESSION_STORE_H_
#define STAGEDOOR_SERVER_STORE_OPEN_SESSION_STORE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "server/store/redis_options.h"
#include "server/store/session_store.h"
#include "server/store/session_store_options.h"

namespace stagedoor::server {

// How to reach the store that the flags name, without opening a connection. INVALID_ARGUMENT, which
// names the flag, if they contradict each other, the password is in the URL, where others could
// read it, or a file cannot be read.
absl::StatusOr<RedisOptions> ParseSessionStore(const SessionStoreOptions& options);

// The store that the flags name; null if they name none. Errors as for ParseSessionStore.
absl::StatusOr<std::shared_ptr<SessionStore>> OpenSessionStore(const SessionStoreOptions& options);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STORE_OPEN_SESSION_STORE_H_
