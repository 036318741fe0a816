#ifndef STAGEDOOR_CLIENT_CC_CHANNEL_SECURITY_H_
#define STAGEDOOR_CLIENT_CC_CHANNEL_SECURITY_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "client/cc/client_options.h"

namespace grpc {
class ChannelCredentials;
}  // namespace grpc

namespace stagedoor {

// Whether the address of a daemon is one of this machine: a Unix socket or the loopback interface.
bool IsLocalAddress(const std::string& address);

// The credentials of the options. INVALID_ARGUMENT, which names the file or option, if a file
// cannot be read, a key lacks its certificate, or a token would be sent to another machine without
// TLS.
absl::StatusOr<std::shared_ptr<grpc::ChannelCredentials>> MakeChannelCredentials(
    const ClientOptions& options);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_CHANNEL_SECURITY_H_
