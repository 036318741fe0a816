#ifndef STAGEDOOR_SERVER_LISTEN_ACCEPT_ERROR_H_
#define STAGEDOOR_SERVER_LISTEN_ACCEPT_ERROR_H_

#include <cerrno>

namespace stagedoor::server {

// Whether a connection could not be accepted because no descriptor or memory is left, so that it
// waits still. Other errors of accept(2) concern a connection that is gone.
inline bool IsExhaustion(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LISTEN_ACCEPT_ERROR_H_
