#ifndef STAGEDOOR_CLIENT_CC_REQUEST_ID_H_
#define STAGEDOOR_CLIENT_CC_REQUEST_ID_H_

#include <optional>
#include <string>

namespace stagedoor {

// A random ID for a request that may be repeated: 128 bits as hexadecimal digits.
std::string NewRequestId();

// A copy of `request` with a new request_id if it has such a field and leaves it empty, so that the
// daemon recognizes repeated attempts; else nothing.
template <typename Request>
std::optional<Request> WithRequestId(const Request& request) {
  if constexpr (requires { request.request_id(); }) {
    if (request.request_id().empty()) {
      std::optional<Request> identified(request);
      identified->set_request_id(NewRequestId());
      return identified;
    }
  }
  return std::nullopt;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_REQUEST_ID_H_
