#ifndef STAGEDOOR_BASE_LOOPBACK_HOST_H_
#define STAGEDOOR_BASE_LOOPBACK_HOST_H_

#include <string>

namespace stagedoor {

// Whether a host, without brackets and port, is this machine and cannot be reached from others:
// "localhost", 127.0.0.0/8 or ::1. Other names are not looked up.
bool IsLoopbackHost(const std::string& host);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_LOOPBACK_HOST_H_
