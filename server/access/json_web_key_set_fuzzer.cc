#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "server/access/json_web_key_set.h"

// Reads any bytes as a key set: it must be rejected, or hold keys that can be used.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stagedoor::server;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto set = JsonWebKeySet::Parse(text);
  if (ERR_peek_error() != 0) abort();
  if (!set.ok()) return 0;
  if (set->keys().size() > kMaxKeysPerSet) abort();
  for (const JsonWebKey& key : set->keys()) {
    if (key.key == nullptr || key.id.size() > kMaxKeyIdBytes) abort();
    for (const SignatureAlgorithm algorithm :
         {SignatureAlgorithm::kRs256, SignatureAlgorithm::kEs256, SignatureAlgorithm::kEs384,
          SignatureAlgorithm::kEdDsa}) {
      if (key.Fits(algorithm)) (void)VerifySignature(algorithm, key.key.get(), text, text);
    }
    if (ERR_peek_error() != 0) abort();
  }
  return 0;
}
