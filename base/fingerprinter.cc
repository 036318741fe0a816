#include "base/fingerprinter.h"

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <new>

#include "absl/strings/escaping.h"

namespace stagedoor {
namespace {

constexpr size_t kBytes = 16;

// EVP_sha256() would have OpenSSL look for an implementation each time, which takes longer than a
// digest of a short text.
const EVP_MD* Sha256() {
  static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return fetched != nullptr ? fetched : EVP_sha256();
}

}  // namespace

struct Fingerprinter::State {
  State() {
    if (context == nullptr || EVP_DigestInit_ex(context, Sha256(), nullptr) != 1) {
      throw std::bad_alloc();  // the only way in which these can fail
    }
  }
  ~State() { EVP_MD_CTX_free(context); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void Append(const void* bytes, size_t size) { EVP_DigestUpdate(context, bytes, size); }
  std::array<unsigned char, EVP_MAX_MD_SIZE> Finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    EVP_DigestFinal_ex(context, digest.data(), nullptr);
    return digest;
  }

  EVP_MD_CTX* const context = EVP_MD_CTX_new();
};

Fingerprinter::Fingerprinter() : state_(std::make_unique<State>()) {}
Fingerprinter::~Fingerprinter() = default;

void Fingerprinter::Add(std::string_view text) {
  // The length, least significant byte first on every machine, marks where the text ends.
  std::array<uint8_t, 8> length;
  for (size_t i = 0; i < length.size(); ++i) {
    length[i] = static_cast<uint8_t>(uint64_t{text.size()} >> (8 * i));
  }
  state_->Append(length.data(), length.size());
  state_->Append(text.data(), text.size());
}

std::string Fingerprinter::Finish() {
  const std::array<unsigned char, EVP_MAX_MD_SIZE> digest = state_->Finish();
  return absl::BytesToHexString({reinterpret_cast<const char*>(digest.data()), kBytes});
}

std::array<uint64_t, 2> Fingerprinter::FinishWords() {
  const std::array<unsigned char, EVP_MAX_MD_SIZE> digest = state_->Finish();
  std::array<uint64_t, 2> words = {};
  for (size_t i = 0; i < kBytes; ++i) words[i / 8] |= uint64_t{digest[i]} << (8 * (i % 8));
  return words;
}

std::string Fingerprinter::FinishBytes() {
  constexpr size_t kAllBytes = 32;
  const std::array<unsigned char, EVP_MAX_MD_SIZE> digest = state_->Finish();
  return std::string(reinterpret_cast<const char*>(digest.data()), kAllBytes);
}

std::string FingerprintOf(std::string_view text) {
  Fingerprinter fingerprinter;
  fingerprinter.Add(text);
  return fingerprinter.Finish();
}

}  // namespace stagedoor
