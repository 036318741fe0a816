#include "client/cc/routing_key.h"

#include <openssl/evp.h>

#include <array>

#include "absl/strings/escaping.h"

namespace stagedoor {

std::string RoutingKeyOf(std::string_view root_layer) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  EVP_Digest(root_layer.data(), root_layer.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return absl::BytesToHexString({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace stagedoor
