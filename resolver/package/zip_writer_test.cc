#include "resolver/package/zip_writer.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "gtest/gtest.h"
#include "resolver/package/testing/package_test_util.h"

namespace stagedoor {
namespace {

using std::string_literals::operator""s;

TEST(ZipWriterTest, WritesTheExpectedBytes) {
  const std::string bytes = MakePackage({{"a.txt", "hello"}, {"b/\xc3\xa9", ""}});
  // Fields of both headers of a file: version 1.0, flags, stored, time 0, 1980-01-01, CRC, sizes.
  const std::string first = "\x0a\0\0\0\0\0\0\0\x21\0\x86\xa6\x10\x36\x05\0\0\0\x05\0\0\0\x05\0"s;
  const std::string second = "\x0a\0\0\x08\0\0\0\0\x21\0\0\0\0\0\0\0\0\0\0\0\0\0\x04\0"s;
  std::string expected;
  expected += "PK\x03\x04"s + first + "\x1d\0"s + "a.txt";
  expected += "\x86\x19\x19\0"s + std::string(25, '\0');  // padding with its size
  ASSERT_EQ(expected.size(), 64u);
  expected += "hello";
  expected += "PK\x03\x04"s + second + "\x19\0"s + "b/\xc3\xa9";
  expected += "\x86\x19\x15\0"s + std::string(21, '\0');
  ASSERT_EQ(expected.size(), 128u);
  // The central directory: empty extra field and comment, disk, attributes, offset of the header.
  expected += "PK\x01\x02\x0a\0"s + first + "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"s + "a.txt";
  expected += "PK\x01\x02\x0a\0"s + second + "\0\0\0\0\0\0\0\0\0\0\0\0\x45\0\0\0"s + "b/\xc3\xa9";
  ASSERT_EQ(expected.size(), 128u + 46 + 5 + 46 + 4);
  // The end of central directory record: disks, files, size and offset of the directory, no
  // comment.
  expected += "PK\x05\x06\0\0\0\0\x02\0\x02\0\x65\0\0\0\x80\0\0\0\0\0"s;
  EXPECT_EQ(bytes, expected);
}

// Lengths of names for which there is no padding, or less than an extra field takes.
TEST(ZipWriterTest, PadsByNothingOrAtLeastFourBytes) {
  static constexpr struct {
    size_t name;
    size_t padding;
  } kCases[] = {{1, 33}, {30, 4}, {31, 67}, {32, 66}, {33, 65}, {34, 0}, {35, 63}, {98, 0}};
  for (const auto& c : kCases) {
    const std::string bytes = MakePackage({{std::string(c.name, 'n'), "x"}});
    EXPECT_EQ(bytes.find('x'), 30 + c.name + c.padding) << c.name;
    EXPECT_EQ(static_cast<uint8_t>(bytes[28]), c.padding) << c.name;
    EXPECT_EQ(bytes[29], 0) << c.name;
    if (c.padding == 0) continue;
    EXPECT_EQ(static_cast<uint8_t>(bytes[30 + c.name + 2]), c.padding - 4) << c.name;
  }
}

TEST(ZipWriterTest, ContentMayFollowInPieces) {
  std::string pieces;
  ZipWriter writer([&](std::string_view bytes) {
    EXPECT_FALSE(bytes.empty());
    pieces += bytes;
    return absl::OkStatus();
  });
  ASSERT_TRUE(writer.Begin("a.txt", 5, 0x3610a686).ok());
  ASSERT_TRUE(writer.Append("he").ok());
  ASSERT_TRUE(writer.Append("").ok());
  ASSERT_TRUE(writer.Append("llo").ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_EQ(pieces, MakePackage({{"a.txt", "hello"}}));
}

TEST(ZipWriterTest, NamesMayBeLongButNotTooLong) {
  ZipWriter writer([](std::string_view) { return absl::OkStatus(); });
  EXPECT_TRUE(writer.Add(std::string(4096, 'n'), "x").ok());
  EXPECT_EQ(writer.Add(std::string(4097, 'm'), "x").code(), absl::StatusCode::kInvalidArgument);
  for (const char* name : {"a", "a/b", ".a", "a..b", "...", "a b", "\xc3\xa9", "~", " "}) {
    EXPECT_TRUE(writer.Add(name, "x").ok()) << name;
  }
  for (const char* name : {"\x1f", "a\x7f", "..", "a/..", "a/.", "\\"}) {
    EXPECT_EQ(writer.Add(name, "x").code(), absl::StatusCode::kInvalidArgument) << Quoted(name);
  }
}

TEST(ZipWriterTest, FilesMustBeSmallerThanFourGibibytes) {
  ZipWriter writer([](std::string_view) { return absl::OkStatus(); });
  EXPECT_EQ(writer.Begin("a", uint64_t{1} << 32, 0).code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(writer.Begin("b", std::numeric_limits<uint32_t>::max(), 0).ok());
}

TEST(ZipWriterTest, ContainsNoMoreFilesThanTheFormatAllows) {
  size_t bytes = 0;
  ZipWriter writer([&](std::string_view piece) {
    bytes += piece.size();
    return absl::OkStatus();
  });
  for (int i = 0; i < 65535; ++i) ASSERT_TRUE(writer.Add(std::to_string(i), "").ok()) << i;
  EXPECT_EQ(writer.Add("more", "").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(writer.Finish().ok());
  EXPECT_GT(bytes, size_t{65535} * (64 + 46));
}

TEST(ZipWriterTest, StopsWhenTheSinkFails) {
  // The sink receives the header, the content, the directory and the end of a package with one
  // file.
  for (int failing = 0; failing < 4; ++failing) {
    int left = failing;
    ZipWriter writer([&](std::string_view) {
      return left-- == 0 ? ResourceExhaustedError("disk full") : absl::OkStatus();
    });
    const absl::Status added = writer.Add("a", "x");
    EXPECT_EQ(added.ok(), failing >= 2) << failing;
    const absl::Status status = added.ok() ? writer.Finish() : added;
    EXPECT_EQ(Message(status), "disk full") << failing;
  }
}

TEST(ZipWriterTest, RejectsBadNames) {
  ZipWriter writer([](std::string_view) { return absl::OkStatus(); });
  for (const char* name : {"", "/a", "a/", "a//b", ".", "../a", "a/./b", "a\\b", "a\nb", "\xff"}) {
    EXPECT_EQ(writer.Add(name, "x").code(), absl::StatusCode::kInvalidArgument) << Quoted(name);
  }
  EXPECT_EQ(writer.Finish().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(writer.Add("a", "x").ok());
  EXPECT_EQ(writer.Add("a", "x").code(), absl::StatusCode::kInvalidArgument);
}

TEST(ZipWriterTest, IsReproducibleAndReportsTheSink) {
  const std::vector<std::pair<std::string, std::string>> files = {{"a", "1"}, {"b", "22"}};
  EXPECT_EQ(MakePackage(files), MakePackage(files));
  ZipWriter writer([](std::string_view) { return ResourceExhaustedError("disk full"); });
  EXPECT_EQ(writer.Add("a", "x").code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace stagedoor
