#ifndef STAGEDOOR_CLIENT_CC_PROXY_H_
#define STAGEDOOR_CLIENT_CC_PROXY_H_

#include <grpcpp/support/status.h>

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace stagedoor {

// INVALID_ARGUMENT if ClientOptions::proxy is neither empty, "environment" nor a URL such as
// "http://proxy:3128". The message does not repeat it, because it may contain a password.
absl::Status CheckProxy(const std::string& proxy);
// How errors name the proxy, without its password, such as " through the proxy p:3128"; empty if
// there is none.
std::string ProxyText(const std::string& proxy);

// "host:port" of the URL of a proxy, and the user and password before it, such as "me:secret";
// these are empty if there are none.
std::string_view ProxyAddress(std::string_view url);
std::string_view ProxyCredentials(std::string_view url);

// The status of HTTP, if something else than a daemon has answered a call, such as a proxy.
std::optional<int> HttpStatusOf(const grpc::Status& status);
// The error of a call that a proxy has answered with a status of HTTP, with what to do.
absl::Status ProxyError(int http_status, absl::StatusCode code);
// The error of a connection through `proxy` that it has refused with a status of HTTP.
absl::Status ConnectError(std::string_view proxy, std::string_view address, int http_status);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_PROXY_H_
