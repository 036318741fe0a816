#ifndef STAGEDOOR_RESOLVER_HTTP_HTTP_VALIDATORS_H_
#define STAGEDOOR_RESOLVER_HTTP_HTTP_VALIDATORS_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "resolver/http/http_message.h"
#include "resolver/store/object_store.h"

namespace stagedoor {

// How a version follows from what a server says about an object, in this order:
//
//   strong ETag                     the ETag and the size
//   ETag of a time and the size     the same as below of other ETags, with ObjectInfo::by_time: web
//                                   servers make it of Last-Modified (nginx, Apache)
//   weak ETag                       the ETag, Last-Modified and the size
//   Last-Modified                   the date and the size, with ObjectInfo::by_time
//   none of them                    the whole content, see VersionOfContent
//
// The token of a version is a fingerprint of these, so it is short and does not repeat what the
// server said. The handle is the validator itself, for conditional requests: "E" and the ETag, or
// "M" and the date; empty if it is longer than kMaxHandleBytes.
inline constexpr size_t kMaxHandleBytes = 256;

// The version is empty if there is no validator.
ObjectInfo IdentifyByValidators(const HttpHeaders& headers, uint64_t size);

// The version of an object whose server sends no validators.
AssetVersion VersionOfContent(std::string_view content);
bool IsVersionOfContent(const AssetVersion& version);

// Adds the condition that the object has changed since `known` (If-None-Match, If-Modified-Since).
void AddIfChanged(const ObjectInfo& known, HttpRequest* request);
// Adds the condition that it has not (If-Match, only for a strong ETag).
void AddIfUnchanged(const ObjectInfo& info, HttpRequest* request);

// INVALID_ARGUMENT if the body is compressed although that was not accepted.
absl::Status CheckNotEncoded(const HttpHeaders& headers);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_HTTP_VALIDATORS_H_
