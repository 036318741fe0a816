#include "client/cc/shared_segments.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/status.h"

namespace stagedoor {
namespace {

constexpr size_t kSize = 4096;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW;

// The descriptor of a file in memory whose bytes are those of the alphabet.
int MemoryFile(size_t size, int seals) {
  const int fd = ::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  std::string bytes(size, 0);
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>('a' + i % 26);
  EXPECT_EQ(::write(fd, bytes.data(), size), static_cast<ssize_t>(size));
  if (seals != 0) EXPECT_EQ(::fcntl(fd, F_ADD_SEALS, seals), 0);
  return fd;
}

v1::NewSegment Announced(uint64_t id, uint64_t size) {
  v1::NewSegment frame;
  frame.set_segment_id(id);
  frame.set_size(size);
  return frame;
}

// A reply with an array of bytes in a segment.
v1::BatchGetValuesResponse ReplyWith(uint64_t id, uint64_t offset, uint64_t size, uint64_t count) {
  v1::BatchGetValuesResponse reply;
  v1::PackedValues* array = reply.add_columns()->add_values()->mutable_array_value();
  array->set_component_type(v1::COMPONENT_TYPE_UINT8);
  array->set_rows(1);
  array->set_columns(1);
  array->set_count(count);
  array->mutable_segment()->set_segment_id(id);
  array->mutable_segment()->set_offset(offset);
  array->mutable_segment()->set_size(size);
  return reply;
}

TEST(SharedSegmentsTest, ArraysAreFoundWhereTheyAre) {
  SharedSegments segments;
  segments.AddDescriptor(MemoryFile(kSize, kSeals));
  ASSERT_TRUE(segments.Map(Announced(7, kSize)).ok());
  std::vector<SharedArrays::Array> arrays;
  ASSERT_TRUE(segments.FindAll(ReplyWith(7, 26, 5, 5), &arrays).ok());
  segments.Unmap(7);
  ASSERT_EQ(arrays.size(), 1);
  EXPECT_EQ(arrays[0].bytes, "abcde") << "stays mapped";
}

TEST(SharedSegmentsTest, CopiesTakeThePlaceOfReferences) {
  SharedSegments segments;
  segments.AddDescriptor(MemoryFile(kSize, kSeals));
  ASSERT_TRUE(segments.Map(Announced(1, kSize)).ok());
  v1::BatchGetValuesResponse reply = ReplyWith(1, 0, 3, 3);
  reply.mutable_columns(0)->add_values()->set_string_value("text");
  *reply.mutable_columns(0)->add_values() = ReplyWith(1, 1, 3, 3).columns(0).values(0);
  std::vector<SharedArrays::Array> found;
  ASSERT_TRUE(segments.FindAll(reply, &found).ok());
  std::vector<v1::SharedSegment> released;
  {
    const SharedArrays arrays(std::move(found), [&](const auto& places) { released = places; });
    arrays.CopyInto(&reply);
    EXPECT_TRUE(released.empty());
  }
  EXPECT_EQ(released.size(), 2);
  EXPECT_EQ(released.at(1).offset(), 1);
  EXPECT_EQ(reply.columns(0).values(0).array_value().data(), "abc");
  EXPECT_EQ(reply.columns(0).values(2).array_value().data(), "bcd");
}

TEST(SharedSegmentsTest, ReferencesThatCannotBeTrueAreErrors) {
  SharedSegments segments;
  segments.AddDescriptor(MemoryFile(kSize, kSeals));
  ASSERT_TRUE(segments.Map(Announced(1, kSize)).ok());
  const struct {
    uint64_t id, offset, size, count;
  } kCases[] = {
      {2, 0, 5, 5},                  // an unknown segment
      {1, kSize - 4, 5, 5},          // beyond its end
      {1, kSize + 1, 0, 0},          //
      {1, UINT64_MAX, 5, 5},         //
      {1, 0, UINT64_MAX, 5},         //
      {1, 0, 5, 6},                  // not the size of the array
      {1, 0, kSize + 1, kSize + 1},  //
  };
  for (const auto& [id, offset, size, count] : kCases) {
    std::vector<SharedArrays::Array> arrays;
    EXPECT_EQ(segments.FindAll(ReplyWith(id, offset, size, count), &arrays).code(),
              absl::StatusCode::kDataLoss)
        << id << " " << offset << " " << size << " " << count;
  }
}

// An access to a segment that has become smaller would end the process.
TEST(SharedSegmentsTest, SegmentsThatMayShrinkAreRefused) {
  SharedSegments segments;
  EXPECT_EQ(segments.Map(Announced(1, kSize)).code(), absl::StatusCode::kDataLoss)
      << "without a descriptor";
  segments.AddDescriptor(MemoryFile(kSize, 0));
  EXPECT_FALSE(segments.Map(Announced(1, kSize)).ok()) << "not sealed";
  segments.AddDescriptor(MemoryFile(kSize, F_SEAL_GROW));
  EXPECT_FALSE(segments.Map(Announced(1, kSize)).ok()) << "may shrink";
  segments.AddDescriptor(MemoryFile(kSize, kSeals));
  EXPECT_FALSE(segments.Map(Announced(1, 2 * kSize)).ok()) << "smaller than announced";
  segments.AddDescriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_FALSE(segments.Map(Announced(1, kSize)).ok()) << "not memory";
  segments.AddDescriptor(MemoryFile(kSize, kSeals));
  EXPECT_TRUE(segments.Map(Announced(1, kSize)).ok());
  segments.AddDescriptor(MemoryFile(kSize, kSeals));
  EXPECT_FALSE(segments.Map(Announced(1, kSize)).ok()) << "a second one of this number";
}

TEST(SharedSegmentsTest, ThereIsALimit) {
  SharedSegments segments;
  for (size_t i = 0; i <= SharedSegments::kMaxSegments; ++i) {
    segments.AddDescriptor(MemoryFile(kSize, kSeals));
    EXPECT_EQ(segments.Map(Announced(i, kSize)).ok(), i < SharedSegments::kMaxSegments) << i;
  }
}

}  // namespace
}  // namespace stagedoor
