#ifndef STAGEDOOR_BASE_KEYED_HASHER_H_
#define STAGEDOOR_BASE_KEYED_HASHER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stagedoor {

// Computes a 64-bit hash of a sequence of texts under a secret key: SipHash-2-4. Without the key,
// sequences with the same hash can neither be constructed nor recognized, so two sequences that
// somebody may have chosen have the same hash with a probability of 2^-64. For tables that outlive
// a request but not the process; Fingerprinter is for what is stored or sent.
//
// Several times as fast as a Fingerprinter for short texts. Not thread-safe.
class KeyedHasher {
 public:
  struct Key {
    uint64_t a = 0;
    uint64_t b = 0;
    static Key Random();
  };

  explicit KeyedHasher(const Key& key);

  // Appends a text to the sequence. {"ab", "c"} and {"a", "bc"} are different sequences.
  void Add(std::string_view text);
  // The hash. To be called once, after the last Add.
  uint64_t Finish();

  // The hash of bytes that form no sequence, as the authors of SipHash define it.
  static uint64_t HashOf(const Key& key, std::string_view bytes);

 private:
  void Append(std::string_view bytes);
  void AppendWord(uint64_t word);
  void Round();

  std::array<uint64_t, 4> state_;
  uint64_t size_ = 0;     // of all bytes
  uint64_t pending_ = 0;  // the last size_ % 8 bytes
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_KEYED_HASHER_H_
