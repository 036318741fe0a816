#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "resolver/pin_file.h"

// Reads any bytes as a pin file: they must be rejected, or give pins that can be used.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto pins = stagedoor::ParsePinFile("/fuzz.json", text);
  if (!pins.ok()) return 0;
  if (pins->size() > stagedoor::kMaxPinsPerFile) abort();
  for (const auto& [from, to] : *pins) {
    if (from.empty() || to.empty()) abort();
  }
  return 0;
}
