// Reads any bytes as text. If they are a layer, the text written for it must read back and be
// written the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "scene/usda/usda_reader.h"
#include "scene/usda/usda_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto layer = stagedoor::ReadUsda(text, stagedoor::Layer::Info());
  if (!layer.ok()) return 0;
  const std::string written = stagedoor::WriteUsda(**layer);
  const auto again = stagedoor::ReadUsda(written, stagedoor::Layer::Info());
  if (!again.ok() || stagedoor::WriteUsda(**again) != written) std::abort();
  return 0;
}
