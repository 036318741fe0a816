#ifndef STAGEDOOR_BASE_FINGERPRINTER_H_
#define STAGEDOOR_BASE_FINGERPRINTER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace stagedoor {

// Computes a 128-bit fingerprint of a sequence of texts: the first half of their SHA-256. It is the
// same on every machine and in every release, so it may be stored and sent, and nobody can
// construct two sequences with the same fingerprint.
class Fingerprinter {
 public:
  Fingerprinter();
  ~Fingerprinter();
  Fingerprinter(const Fingerprinter&) = delete;
  Fingerprinter& operator=(const Fingerprinter&) = delete;

  // Appends a text to the sequence. {"ab", "c"} and {"a", "bc"} are different sequences.
  void Add(std::string_view text);

  // The fingerprint as 32 hexadecimal digits. To be called once, after the last Add.
  std::string Finish();
  // As Finish, but returns numbers, least significant byte first.
  std::array<uint64_t, 2> FinishWords();
  // As Finish, but returns all 32 bytes of the SHA-256.
  std::string FinishBytes();

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

// The fingerprint of the sequence of a single text.
std::string FingerprintOf(std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_FINGERPRINTER_H_
