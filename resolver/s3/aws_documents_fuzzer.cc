#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "resolver/s3/aws_credentials.h"

namespace {

void CheckSendable(const stagedoor::AwsCredentials& keys) {
  for (const std::string_view key :
       {keys.access_key_id, keys.secret_access_key, keys.session_token}) {
    for (const char c : key) {
      if (c <= 0x20 || c == 0x7f) abort();
    }
  }
}

}  // namespace

// Reads any bytes as each of the documents that the S3 backend reads.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto keys = stagedoor::ParseCredentialsJson(text); keys.ok()) CheckSendable(*keys);
  if (const auto keys = stagedoor::ParseCredentialsFile(text, "default"); keys.ok()) {
    CheckSendable(*keys);
  }
  if (stagedoor::S3ErrorCode(text).size() > 64) abort();
  (void)stagedoor::ParseIsoTime(text);
  return 0;
}
