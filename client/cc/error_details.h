#ifndef STAGEDOOR_CLIENT_CC_ERROR_DETAILS_H_
#define STAGEDOOR_CLIENT_CC_ERROR_DETAILS_H_

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The messages of google.rpc that come with errors, without generated code: a program that uses the
// library may have that code itself, and protobuf refuses to register it twice. Bytes that cannot
// be decoded are ignored.
namespace stagedoor {

inline constexpr std::string_view kErrorInfoType = "type.googleapis.com/google.rpc.ErrorInfo";
inline constexpr std::string_view kRetryInfoType = "type.googleapis.com/google.rpc.RetryInfo";

// The bytes of all details of a type in the bytes of a google.rpc.Status, in order.
std::vector<std::string> FindDetails(const std::string& status, std::string_view type_url);

// A google.rpc.ErrorInfo.
struct ErrorInfo {
  std::string reason;
  std::string domain;
  std::map<std::string, std::string> metadata;
};
ErrorInfo ParseErrorInfo(const std::string& bytes);
std::string SerializeErrorInfo(const ErrorInfo& info);

// The delay of a google.rpc.RetryInfo, at most a day; nothing if the bytes cannot be decoded.
std::optional<std::chrono::milliseconds> ParseRetryDelay(const std::string& bytes);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_ERROR_DETAILS_H_
