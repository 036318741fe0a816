#ifndef STAGEDOOR_CLIENT_CC_ROUTING_KEY_H_
#define STAGEDOOR_CLIENT_CC_ROUTING_KEY_H_

#include <string>
#include <string_view>

namespace stagedoor {

// The key of a root layer by which a proxy sends all calls for it to the same daemon: its SHA-256
// in lower-case hexadecimal digits (docs/client_protocol.md, "Behind a proxy").
std::string RoutingKeyOf(std::string_view root_layer);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_ROUTING_KEY_H_
