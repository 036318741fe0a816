#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "resolver/remote/range_reader.h"

namespace stagedoor {
namespace {

// Takes numbers and runs of bytes from the input; zeros once it is used up.
class Input {
 public:
  explicit Input(std::string_view bytes) : rest_(bytes) {}
  size_t Number() {
    const std::string_view two = Bytes(2);
    if (two.size() < 2) return 0;
    return static_cast<uint8_t>(two[0]) | size_t{static_cast<uint8_t>(two[1])} << 8;
  }
  std::string_view Bytes(size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

void Require(bool condition) {
  if (!condition) abort();
}

// Takes any messages as the answer to a read of a few ranges: what passes must lie within these
// ranges, in their order.
void Run(Input input) {
  std::vector<ByteRange> ranges(input.Number() % 8);
  for (ByteRange& range : ranges) {
    range.offset = input.Number();
    range.size = input.Number();
  }
  size_t current = 0;  // the range whose bytes arrive
  uint64_t done = 0;   // of its bytes
  const ObjectStore::Sink sink = [&](uint64_t offset, std::span<const std::byte> bytes) {
    while (current < ranges.size() &&
           !(done < ranges[current].size && offset == ranges[current].offset + done)) {
      ++current;
      done = 0;
    }
    Require(current < ranges.size() && !bytes.empty());
    done += bytes.size();
    Require(done <= ranges[current].size);
    return absl::OkStatus();
  };
  RangeReader reader({}, ranges, sink);
  bool alive = true;
  while (alive && !input.empty() && !reader.complete()) {
    Require(reader.BeginCall("asset://fuzz").ranges_size() <= 7);
    for (size_t messages = input.Number() % 16; alive && messages > 0; --messages) {
      const std::string_view bytes = input.Bytes(input.Number());
      resolver::v1::ReadResponse message;
      alive = message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) &&
              reader.Take(message).ok();
    }
    alive = alive && reader.EndCall().ok();
  }
}

}  // namespace
}  // namespace stagedoor

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stagedoor::Run(stagedoor::Input({reinterpret_cast<const char*>(data), size}));
  return 0;
}
