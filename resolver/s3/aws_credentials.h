#ifndef STAGEDOOR_RESOLVER_S3_AWS_CREDENTIALS_H_
#define STAGEDOOR_RESOLVER_S3_AWS_CREDENTIALS_H_

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace stagedoor {

// Keys for requests to S3. Must never get into a message or a log.
struct AwsCredentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // empty for keys that do not expire
  // When they stop working, if that is known.
  std::optional<std::chrono::sys_seconds> expiration;

  // Whether requests are sent without a signature.
  bool anonymous() const { return access_key_id.empty(); }
};

// INVALID_ARGUMENT if a key is missing or cannot be sent.
absl::Status CheckKeys(const AwsCredentials& keys);

inline constexpr size_t kMaxCredentialsBytes = size_t{1} << 20;

// Parses a shared credentials file, with sections such as "[default]" and "[profile name]" and
// lines such as "aws_access_key_id = ...". Errors hold nothing of the text: NOT_FOUND if there is
// no such profile, INVALID_ARGUMENT if it has no keys or keys that cannot be sent.
absl::StatusOr<AwsCredentials> ParseCredentialsFile(std::string_view text,
                                                    std::string_view profile);

// Parses the answer of a credentials endpoint: a flat JSON object with AccessKeyId,
// SecretAccessKey, Token and Expiration. INVALID_ARGUMENT, without anything of the text.
absl::StatusOr<AwsCredentials> ParseCredentialsJson(std::string_view text);

// Parses the XML answer of AssumeRoleWithWebIdentity. INVALID_ARGUMENT, without anything of the
// text.
absl::StatusOr<AwsCredentials> ParseStsAnswer(std::string_view text);

// "2026-11-25T12:00:00Z", also with fractions of a second.
std::optional<std::chrono::sys_seconds> ParseIsoTime(std::string_view text);

// The text of the first element `name` in an XML document of AWS, as it is written; empty if there
// is none, or if it has more than 8 KiB. Not for untrusted documents with comments or CDATA.
std::string_view AwsXmlElement(std::string_view document, std::string_view name);

// The text of an element of an error document of S3, if it is a plain word with hyphens, such as
// "eu-west-1"; otherwise empty text.
std::string_view S3ErrorElement(std::string_view document, std::string_view name);

// The value of the element "Code" in an error document of S3, if it is a plain word such as
// "NoSuchKey"; otherwise empty text.
std::string_view S3ErrorCode(std::string_view document);

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_S3_AWS_CREDENTIALS_H_
