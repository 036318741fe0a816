// Opens any bytes as a package and decodes every value of its root layer.
#include <cstdint>
#include <string>

#include "scene/usdc/testing/usdc_test_util.h"
#include "scene/usdc/usdc_format.h"
#include "scene/usdz/usdz_format.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stagedoor;  // NOLINT: a fuzzer's whole file
  RequestContext context;
  const auto asset = InMemoryAsset::FromString(
      "a.usdz", AssetVersion("1"), std::string(reinterpret_cast<const char*>(data), size));
  const auto layer = UsdzFormat({UsdcFormat()}).open(context, asset, {.identifier = "a.usdz"});
  if (!layer.ok()) return 0;
  size_t invalid = 0;
  DecodeEverything(**layer, &invalid, /*max_samples=*/100);
  return 0;
}
