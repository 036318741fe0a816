#ifndef STAGEDOOR_SERVER_ACCESS_BOUNDED_JSON_H_
#define STAGEDOOR_SERVER_ACCESS_BOUNDED_JSON_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace stagedoor::server {

// How deep objects and lists may be nested; documents about identities are flat.
inline constexpr size_t kMaxJsonDepth = 16;

// Parses a JSON object from a source that is not trusted. Its size is the caller's to bound.
// INVALID_ARGUMENT, whose message continues "the text …" and never quotes the text: it is not
// valid JSON, not an object, nested more than kMaxJsonDepth deep, or an object in it has a member
// twice, so that two readers could see different values.
absl::StatusOr<nlohmann::json> ParseJsonObject(std::string_view text);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_ACCESS_BOUNDED_JSON_H_
