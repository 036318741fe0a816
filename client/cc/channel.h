#ifndef STAGEDOOR_CLIENT_CC_CHANNEL_H_
#define STAGEDOOR_CLIENT_CC_CHANNEL_H_

#include <memory>

#include "absl/status/status.h"
#include "client/cc/client_options.h"

namespace grpc {
class Channel;
}  // namespace grpc

namespace stagedoor {

// INVALID_ARGUMENT, in words for people, for an address, proxy or security options that cannot be
// used.
absl::Status CheckClientOptions(const ClientOptions& options);

// A channel to the daemon of the options. Returns immediately. With options that CheckClientOptions
// does not accept, all its calls fail.
std::shared_ptr<grpc::Channel> MakeChannel(const ClientOptions& options);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_CHANNEL_H_
