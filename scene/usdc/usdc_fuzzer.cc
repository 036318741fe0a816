// Opens any bytes as a crate file and decodes every value of every spec. An undamaged layer must be
// readable after it is written.
#include <cstdint>
#include <string>

#include "scene/usdc/testing/usdc_test_util.h"
#include "scene/usdc/usdc_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stagedoor;  // NOLINT: a fuzzer's whole file
  const auto layer = ReadUsdcBytes(std::string(reinterpret_cast<const char*>(data), size));
  if (!layer.ok()) return 0;
  size_t invalid = 0;
  DecodeEverything(**layer, &invalid, /*max_samples=*/100);
  if (invalid > 0) return 0;
  // A layer without damage can be written and read back.
  const auto written = WriteUsdc(**layer);
  if (written.ok() && !ReadUsdcBytes(*written).ok()) __builtin_trap();
  return 0;
}
