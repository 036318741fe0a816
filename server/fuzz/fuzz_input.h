#ifndef STAGEDOOR_SERVER_FUZZ_FUZZ_INPUT_H_
#define STAGEDOOR_SERVER_FUZZ_FUZZ_INPUT_H_

#include <cstddef>
#include <cstdint>

namespace stagedoor::server {

// The input of a fuzzer, read as a sequence of choices. At its end every choice is 0. Refers to the
// bytes.
class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size) : next_(data), end_(data + size) {}

  bool empty() const { return next_ == end_; }

  // A number below `count`, which is positive, of as few bytes as possible.
  uint32_t Below(uint32_t count) {
    uint64_t number = 0;
    for (uint64_t range = 1; range < count; range <<= 8) number = number << 8 | Byte();
    return static_cast<uint32_t>(number % count);
  }

 private:
  uint8_t Byte() { return empty() ? uint8_t{0} : *next_++; }

  const uint8_t* next_;
  const uint8_t* const end_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FUZZ_FUZZ_INPUT_H_
