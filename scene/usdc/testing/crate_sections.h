#ifndef STAGEDOOR_SCENE_USDC_TESTING_CRATE_SECTIONS_H_
#define STAGEDOOR_SCENE_USDC_TESTING_CRATE_SECTIONS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scene/usdc/crate_compression.h"
#include "scene/usdc/crate_cursor.h"
#include "scene/usdc/crate_format.h"

namespace stagedoor {

// Takes crates apart and reassembles them, for tests that damage one of their tables.

template <typename T>
T LoadAt(const std::string& bytes, size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}
template <typename T>
void StoreAt(std::string& bytes, size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

// The offset of a section's entry in the table of contents.
inline size_t EntryOf(const std::string& bytes, std::string_view section) {
  const auto contents = LoadAt<uint64_t>(bytes, 16);
  const auto count = LoadAt<uint64_t>(bytes, contents);
  for (uint64_t i = 0; i < count; ++i) {
    const size_t entry = contents + 8 + i * kCrateSectionSize;
    if (bytes.compare(entry, section.size(), section) == 0 && bytes[entry + section.size()] == 0) {
      return entry;
    }
  }
  ADD_FAILURE() << "no section " << section;
  return 0;
}
inline size_t StartOf(const std::string& bytes, std::string_view section) {
  return LoadAt<uint64_t>(bytes, EntryOf(bytes, section) + 16);
}

// The crate with the section replaced by `content`, which is appended to the file.
inline std::string WithSection(std::string bytes, std::string_view section,
                               const std::string& content) {
  const size_t entry = EntryOf(bytes, section);
  StoreAt(bytes, entry + 16, uint64_t{bytes.size()});
  StoreAt(bytes, entry + 24, uint64_t{content.size()});
  return bytes + content;
}

// A section of compressed blocks: FIELDS, FIELDSETS, PATHS or SPECS.
struct CrateSection {
  std::string_view name;
  std::vector<uint64_t> counts;     // at its beginning; the last counts the items of each block
  std::vector<std::string> blocks;  // compressed

  uint64_t count() const { return counts.back(); }

  // The integers of a block.
  std::vector<uint32_t> Ints(size_t block) const {
    std::vector<uint32_t> numbers(count());
    EXPECT_TRUE(DecodeInts(std::as_bytes(std::span(blocks[block])), std::span(numbers)));
    return numbers;
  }
  void SetInts(size_t block, std::span<const uint32_t> numbers) {
    blocks[block] = EncodeInts(numbers);
  }

  std::string Bytes() const {
    std::string out;
    const auto add = [&](uint64_t number) {
      out.append(reinterpret_cast<const char*>(&number), sizeof(number));
    };
    for (const uint64_t count : counts) add(count);
    for (const std::string& block : blocks) {
      add(block.size());
      out += block;
    }
    return out;
  }
};

inline CrateSection SectionOf(const std::string& bytes, std::string_view name, size_t counts,
                              size_t blocks) {
  CrateSection section{name, {}, {}};
  CrateCursor in(std::as_bytes(std::span(bytes)), StartOf(bytes, name));
  for (size_t i = 0; i < counts; ++i) in.Read(&section.counts.emplace_back());
  for (size_t i = 0; i < blocks; ++i) {
    uint64_t size = 0;
    in.Read(&size);
    const auto block = in.Take(size);
    section.blocks.emplace_back(reinterpret_cast<const char*>(block.data()), block.size());
  }
  return section;
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_TESTING_CRATE_SECTIONS_H_
