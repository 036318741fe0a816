#ifndef STAGEDOOR_SCENE_USDC_TESTING_USDC_TEST_UTIL_H_
#define STAGEDOOR_SCENE_USDC_TESTING_USDC_TEST_UTIL_H_

#include <cstddef>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "scene/usdc/usdc_reader.h"
#include "scene/values/time_samples.h"

namespace stagedoor {

// Helpers for the tests of crate files.

// Bytes at an aligned address that live as long as they are referenced.
struct OwnedBytes : RefCounted {
  explicit OwnedBytes(std::string b) : bytes(std::move(b)) {}
  std::string bytes;
};

inline std::string ReadCorpusFile(const std::string& name) {
  std::ifstream file("scene/usdc/corpus/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline absl::StatusOr<std::shared_ptr<const Layer>> ReadUsdcBytes(std::string bytes,
                                                                  std::string name = "test.usdc") {
  auto owner = MakeRef<OwnedBytes>(std::move(bytes));
  const auto view = std::as_bytes(std::span(owner->bytes));
  return ReadUsdc(view, std::move(owner), {.identifier = std::move(name)});
}

// Decodes all values, including time samples, and returns their number. Adds the number of invalid
// ones to `*invalid`.
inline size_t DecodeEverything(const Layer& layer, size_t* invalid, size_t max_samples = 1000) {
  size_t count = 0;
  const auto visit = [&](const Value& value) {
    ++count;
    *invalid += value.is_invalid();
  };
  for (SpecId spec = 0; spec < layer.tree().size(); ++spec) {
    for (const Token name : layer.FieldNames(spec)) {
      const Value value = layer.Get(spec, name);
      visit(value);
      const TimeSamples* samples = value.samples();
      if (!samples) continue;
      for (size_t i = 0; i < samples->size() && i < max_samples; ++i) {
        visit(samples->At(i));
        (void)samples->BlockedAt(i);
      }
    }
  }
  return count;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_TESTING_USDC_TEST_UTIL_H_
