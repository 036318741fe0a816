#include "resolver/package/zip_archive.h"

#include <zlib.h>

#include <functional>
#include <utility>

#include "base/status.h"
#include "gtest/gtest.h"
#include "resolver/package/testing/package_test_util.h"

namespace stagedoor {
namespace {

absl::StatusOr<ZipArchive> ReadZip(std::string bytes) {
  RequestContext context;
  return ZipArchive::Read(
      context, *InMemoryAsset::FromString("/t.usdz", AssetVersion("1"), std::move(bytes)));
}

std::string ThreeFiles() {
  return MakePackage(
      {{"root.usda", "#usda 1.0\n"}, {"sub/a.usda", std::string(100, 'a')}, {"tex.png", ""}});
}

void Put32(std::string& bytes, size_t at, uint32_t value) {
  for (int i = 0; i < 4; ++i) bytes.at(at + i) = static_cast<char>(value >> (8 * i));
}
void Put16(std::string& bytes, size_t at, uint16_t value) {
  for (int i = 0; i < 2; ++i) bytes.at(at + i) = static_cast<char>(value >> (8 * i));
}

TEST(ZipArchiveTest, ReadsWhatZipWriterWrites) {
  const std::string bytes = ThreeFiles();
  const auto archive = ReadZip(bytes);
  ASSERT_TRUE(archive.ok()) << archive.status();
  EXPECT_TRUE(archive->CheckConformance().ok()) << archive->CheckConformance();
  ASSERT_EQ(archive->entries().size(), 3u);
  EXPECT_EQ(archive->entries()[0].name, "root.usda");
  for (const ZipEntry& entry : archive->entries()) {
    EXPECT_TRUE(entry.aligned()) << entry.name;
    const auto* data = reinterpret_cast<const Bytef*>(bytes.data()) + entry.data_offset;
    EXPECT_EQ(crc32_z(0, data, entry.size), entry.crc32) << entry.name;
  }
  const ZipEntry* a = archive->Find("sub/a.usda");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(bytes.substr(a->data_offset, a->size), std::string(100, 'a'));
  EXPECT_EQ(archive->Find("a.usda"), nullptr);
}

TEST(ZipArchiveTest, AlignsWithNamesOfAnyLength) {
  for (size_t length = 1; length <= 130; ++length) {
    const auto archive = ReadZip(MakePackage({{std::string(length, 'n'), "1"}, {"b", "22"}}));
    ASSERT_TRUE(archive.ok()) << length;
    EXPECT_TRUE(archive->CheckConformance().ok()) << length << archive->CheckConformance();
  }
}

// Offsets in ThreeFiles(): the first local header is at 0, the end record is the last 22 bytes.
size_t End(const std::string& bytes) { return bytes.size() - 22; }
size_t Directory(const std::string& bytes) { return bytes.find("PK\x01\x02"); }

TEST(ZipArchiveTest, TheDirectoryMayHaveExtraFieldsAndComments) {
  std::string bytes = ThreeFiles();
  const size_t entry = Directory(bytes);
  Put16(bytes, entry + 30, 4);
  Put16(bytes, entry + 32, 3);
  bytes.insert(entry + 46 + std::string("root.usda").size(), "xtra?!.");
  Put32(bytes, End(bytes) + 12, static_cast<uint32_t>(End(bytes) - entry));
  const auto archive = ReadZip(bytes);
  ASSERT_TRUE(archive.ok()) << archive.status();
  EXPECT_TRUE(archive->CheckConformance().ok()) << archive->CheckConformance();
}

TEST(ZipArchiveTest, MaliciousArchivesAreRejectedWithAReason) {
  const struct {
    const char* reason;
    std::function<void(std::string&)> damage;
  } cases[] = {
      {"it does not begin with the header of a ZIP file", [](auto& b) { b.clear(); }},
      {"it does not begin with the header of a ZIP file", [](auto& b) { b = "hello"; }},
      {"it does not begin with the header of a ZIP file", [](auto& b) { b = b.substr(End(b)); }},
      {"it does not begin with the header of a ZIP file", [](auto& b) { b.insert(0, 64, '\0'); }},
      {"file 0 is truncated", [](auto& b) { b.resize(70); }},
      {"file 0 is truncated", [](auto& b) { b.resize(33); }},
      {"file 0 is truncated", [](auto& b) { Put32(b, 18, 0xFFFFFFFF); }},
      {"file 0 is truncated", [](auto& b) { Put16(b, 28, 0xFFFF); }},
      {"file 0 is truncated", [](auto& b) { Put16(b, 26, 0xFFFF); }},
      {"'root.usda' has two different sizes in its header", [](auto& b) { Put32(b, 22, 5); }},
      {"'root.usda' is compressed", [](auto& b) { Put16(b, 8, 8); }},
      {"'root.usda' is encrypted", [](auto& b) { Put16(b, 6, 1); }},
      {"'root.usda' has its size after its data", [](auto& b) { Put16(b, 6, 8); }},
      {"'root\\x00usda' has a NUL character in its name", [](auto& b) { b[34] = '\0'; }},
      {"it does not end with the end of central directory record",
       [](auto& b) { b.resize(End(b)); }},
      {"it does not end with the end of central directory record", [](auto& b) { b += "x"; }},
      {"it spans several disks", [](auto& b) { Put16(b, End(b) + 4, 1); }},
      {"the central directory lists 65535 files; the number of files is 3",
       [](auto& b) { Put16(b, End(b) + 10, 0xFFFF); }},
      {"the central directory does not follow the last file",
       [](auto& b) { Put32(b, End(b) + 16, 0xFFFFFFFF); }},
      {"the central directory does not end at its end record",
       [](auto& b) { Put32(b, End(b) + 12, 1); }},
      {"the central directory is damaged at 'root.usda'", [](auto& b) { b[Directory(b)] = 'X'; }},
      {"the central directory has another name for 'root.usda'",
       [](auto& b) { b[Directory(b) + 46] = 'X'; }},
      {"the central directory contradicts the header of 'root.usda'",
       [](auto& b) { Put32(b, Directory(b) + 42, 7); }},
      {"the central directory contradicts the header of 'root.usda'",
       [](auto& b) { Put32(b, Directory(b) + 20, 11); }},
  };
  for (const auto& c : cases) {
    std::string bytes = ThreeFiles();
    c.damage(bytes);
    const auto archive = ReadZip(bytes);
    const absl::Status status = archive.ok() ? archive->CheckConformance() : archive.status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.reason;
    EXPECT_TRUE(Message(status).ends_with(c.reason)) << status << "\n" << c.reason;
  }
}

TEST(ZipArchiveTest, UnalignedAndDuplicateFilesAreIssues) {
  std::string unaligned = MakePackage({{"root.usda", "x"}});
  // One byte of the padding is removed.
  unaligned.erase(40, 1);
  Put16(unaligned, 28, static_cast<uint16_t>(static_cast<uint8_t>(unaligned[28]) - 1));
  EXPECT_EQ(Message(ReadZip(unaligned)->CheckConformance()),
            "'root.usda' is not aligned to 64 bytes");

  std::string doubled = MakePackage({{"a", "1"}, {"b", "2"}});
  for (size_t at; (at = doubled.find('b')) != std::string::npos;) doubled[at] = 'a';
  const auto archive = ReadZip(doubled);
  ASSERT_TRUE(archive.ok());
  EXPECT_EQ(Message(archive->CheckConformance()), "'a' is in it more than once");
  EXPECT_EQ(archive->Find("a"), &archive->entries()[0]);
}

TEST(ZipArchiveTest, ReturnsTheFilesBeforeAMissingEnd) {
  const std::string bytes = ThreeFiles();
  const auto whole = ReadZip(bytes);
  const ZipEntry& second = whole->entries()[1];
  const size_t end = second.data_offset + second.size;
  EXPECT_EQ(ReadZip(bytes.substr(0, end - 1))->entries().size(), 1u);
  EXPECT_EQ(ReadZip(bytes.substr(0, end))->entries().size(), 2u);
  EXPECT_EQ(ReadZip(bytes.substr(0, Directory(bytes)))->entries().size(), 3u);
}

TEST(ZipArchiveTest, TooManyFilesAreRejected) {
  const std::string one = MakePackage({{"a", ""}}).substr(0, 64);
  std::string many;
  for (int i = 0; i < 65537; ++i) many += one;
  const auto archive = ReadZip(many);
  EXPECT_EQ(archive.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(Message(archive.status()).ends_with("more than 65535 files")) << archive.status();
}

TEST(ZipArchiveTest, AnyTruncationOrFlippedByteIsSafe) {
  const std::string bytes = ThreeFiles();
  for (size_t i = 0; i < bytes.size(); ++i) {
    (void)ReadZip(bytes.substr(0, i));
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string flipped = bytes;
      flipped[i] = static_cast<char>(flipped[i] ^ flip);
      const auto archive = ReadZip(flipped);
      if (!archive.ok()) continue;
      for (const ZipEntry& entry : archive->entries()) {
        EXPECT_LE(entry.data_offset + entry.size, flipped.size());
      }
    }
  }
}

}  // namespace
}  // namespace stagedoor
