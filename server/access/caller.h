#ifndef STAGEDOOR_SERVER_ACCESS_CALLER_H_
#define STAGEDOOR_SERVER_ACCESS_CALLER_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "server/access/grants.h"
#include "server/access/identity.h"

namespace stagedoor::server {

// The caller of an RPC and its permissions. Immutable, shared by the calls of a connection.
struct Caller {
  Identity identity;
  std::shared_ptr<const Grants> grants;
  // Names the share of the daemon that the caller uses: the identity's name or, where nothing was
  // proved, the name of the client's address.
  std::string share;
  // The address of the client without the port; empty inside the process.
  std::string peer;
};

// The caller whose call the thread works on. Set by Call::Run for the steps of a handler.
class CurrentCaller {
 public:
  // Null outside of calls, and for calls inside the process.
  static const Caller* Get() { return current_; }

  class Guard {
   public:
    explicit Guard(const Caller* caller) : before_(std::exchange(current_, caller)) {}
    ~Guard() { current_ = before_; }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    const Caller* const before_;
  };

 private:
  static inline constinit thread_local const Caller* current_ = nullptr;
};

// The name of the caller whose call the thread works on; empty inside the process.
inline std::string_view CurrentCallerName() {
  const Caller* const caller = CurrentCaller::Get();
  return caller == nullptr ? std::string_view() : caller->identity.name;
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_CALLER_H_
