#ifndef STAGEDOOR_SCENE_USDC_TESTING_CRATE_MAKER_H_
#define STAGEDOOR_SCENE_USDC_TESTING_CRATE_MAKER_H_

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "scene/usdc/crate_format.h"
#include "scene/usdc/crate_placement.h"
#include "scene/usdc/crate_table_builder.h"
#include "scene/usdc/crate_tables.h"
#include "scene/usdc/crate_value_reader.h"
#include "scene/usdc/crate_value_writer.h"

namespace stagedoor {

template <typename T>
std::string CrateBytesOf(T number) {
  return {reinterpret_cast<const char*>(&number), sizeof(T)};
}

// Makes a crate file value by value, for tests of single values.
//
// The tables come first and the values after them, so that truncating the file truncates the last
// value.
class CrateMaker {
 public:
  static constexpr size_t kValues = 8192;  // offset of the first value
  enum Root { kWithRoot, kWithoutRoot };

  // Makes a file with or without the root spec, which real files always have.
  explicit CrateMaker(Root root = kWithRoot) {
    if (root == kWithoutRoot) return;
    tables_.AddSpec(CrateTableBuilder::kRootPath, tables_.AddFieldSet({}),
                    CrateSpecType::kPseudoRoot);
  }

  CrateTableBuilder& tables() { return tables_; }
  CrateValueWriter& writer() { return writer_; }
  CrateRecorder& recorder() { return recorder_; }
  CrateValueRep Pack(const Value& value) { return writer_.Pack(value); }
  // Places a value that consists of these bytes.
  CrateValueRep Place(CrateType type, std::string_view bytes, uint64_t flags = 0) {
    return recorder_.Place(type, flags, bytes, {}, /*aligned=*/false);
  }
  // The bytes in the file from the first byte of a value on.
  std::string Stored(CrateValueRep rep) const { return file_.substr(rep.payload()); }

  std::string File(CrateVersion version = kNewestCrate) {
    std::string sections;
    const uint64_t contents = tables_.AppendSections(kCrateBootSize, &sections);
    const std::string boot = CrateTableBuilder::BootSection(version, contents);
    EXPECT_LE(boot.size() + sections.size(), kValues);
    std::string file = file_;
    file.replace(0, boot.size(), boot);
    return file.replace(boot.size(), sections.size(), sections);
  }
  RefPtr<const CrateTables> Open(CrateVersion version = kNewestCrate) {
    return OpenBytes(File(version));
  }
  static RefPtr<const CrateTables> OpenBytes(std::string bytes) {
    struct Owner : RefCounted {
      std::string bytes;
    };
    auto owner = MakeRef<Owner>();
    owner->bytes = std::move(bytes);
    const auto view = std::as_bytes(std::span(std::as_const(owner->bytes)));
    CrateNamespace names;
    auto tables = CrateTables::Open({view, std::move(owner), "t.usdc", nullptr}, &names);
    EXPECT_TRUE(tables.ok()) << tables.status();
    return tables.ok() ? *std::move(tables) : RefPtr<const CrateTables>();
  }
  Value Read(CrateValueRep rep, CrateVersion version = kNewestCrate) {
    return CrateValueReader(*Open(version)).Read(rep);
  }
  // The reason why the value that is read is invalid; empty if it is valid.
  std::string Problem(CrateValueRep rep, CrateVersion version = kNewestCrate) {
    const Value value = Read(rep, version);
    return value.is_invalid() ? std::string(value.invalid_reason()) : "";
  }

 private:
  CrateTableBuilder tables_;
  std::string file_ = std::string(kValues, '\0');
  CrateRecorder recorder_{&file_};
  CrateValueWriter writer_{&tables_, &recorder_};
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_TESTING_CRATE_MAKER_H_
