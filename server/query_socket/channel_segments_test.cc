#include "server/query_socket/channel_segments.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "base/strings.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

class ChannelSegmentsTest : public ::testing::Test, private ChannelSegments::Announcer {
 protected:
  // A place as "SEGMENT+OFFSET", or "none".
  std::string Place(size_t bytes) {
    v1::SharedSegment place;
    char* const data = segments_.Place(bytes, &place);
    if (data == nullptr) return "none";
    std::memset(data, 1, bytes);
    places_.push_back(place);
    return Concat(place.segment_id(), "+", place.offset());
  }

  std::vector<std::string> announced_;
  std::vector<v1::SharedSegment> places_;
  MemoryPool memory_{"channel", 64 * kMiB};
  ChannelSegments segments_{memory_, *this};

 private:
  void AnnounceSegment(uint64_t id, size_t size, int fd) override {
    announced_.push_back(Concat(id, ": ", size / kMiB, " MiB"));
    ::close(fd);
  }
  void AnnounceEnd(uint64_t id) override { announced_.push_back(Concat(id, " ends")); }
};

TEST_F(ChannelSegmentsTest, ArraysShareASegment) {
  EXPECT_EQ(Place(100), "1+0");
  EXPECT_EQ(Place(100), "1+128");
  EXPECT_EQ(Place(4 * kMiB), "1+256");
  EXPECT_EQ(announced_, std::vector<std::string>{"1: 8 MiB"});
  EXPECT_EQ(memory_.used(), 8 * kMiB);
}

TEST_F(ChannelSegmentsTest, ReleasedPlacesAreUsedAgain) {
  EXPECT_EQ(Place(kMiB), "1+0");
  EXPECT_EQ(Place(kMiB), "1+1048576");
  EXPECT_TRUE(segments_.Release(places_[0]).ok());
  EXPECT_EQ(Place(2 * kMiB), "1+2097152");
  EXPECT_EQ(Place(kMiB), "1+0");
  EXPECT_NE(places_[0].generation(), places_[3].generation());
}

TEST_F(ChannelSegmentsTest, ALargeArrayGetsALargeSegment) {
  EXPECT_EQ(Place(20 * kMiB), "1+0");
  EXPECT_EQ(announced_, std::vector<std::string>{"1: 20 MiB"});
}

TEST_F(ChannelSegmentsTest, SegmentsAreBounded) {
  for (int i = 0; i < 6; ++i) EXPECT_EQ(Place(8 * kMiB), Concat(i + 1, "+0"));
  EXPECT_EQ(Place(kMiB), "none");
  EXPECT_EQ(Place(100 * kMiB), "none");
  EXPECT_TRUE(segments_.Release(places_[3]).ok());
  EXPECT_EQ(Place(kMiB), "4+0");
}

TEST_F(ChannelSegmentsTest, WithoutMemoryThereIsNoPlace) {
  Reservation others(memory_);
  ASSERT_TRUE(others.Grow(60 * kMiB, "other memory").ok());
  EXPECT_EQ(Place(kMiB), "none");
  others.Release();
  EXPECT_EQ(Place(kMiB), "1+0");
}

TEST_F(ChannelSegmentsTest, OnlyArraysThatAreThereCanBeReleased) {
  Place(kMiB);
  v1::SharedSegment place = places_[0];
  for (const auto& change : std::vector<void (*)(v1::SharedSegment&)>{
           [](v1::SharedSegment& p) { p.set_segment_id(9); },
           [](v1::SharedSegment& p) { p.set_offset(64); },
           [](v1::SharedSegment& p) { p.set_size(1); },
           [](v1::SharedSegment& p) { p.set_generation(77); }}) {
    v1::SharedSegment wrong = place;
    change(wrong);
    EXPECT_EQ(GetReason(segments_.Release(wrong)), v1::ERROR_REASON_INVALID_FIELD);
  }
  EXPECT_TRUE(segments_.Release(place).ok());
  EXPECT_FALSE(segments_.Release(place).ok()) << "a second time";
}

TEST_F(ChannelSegmentsTest, IdleSegmentsEnd) {
  Place(8 * kMiB);
  Place(8 * kMiB);
  EXPECT_TRUE(segments_.Release(places_[0]).ok());
  const auto now = ChannelSegments::Clock::now();
  segments_.EndIdle(now);
  EXPECT_EQ(memory_.used(), 16 * kMiB) << "used just now";
  segments_.EndIdle(now + 2 * ChannelSegments::kIdle);
  EXPECT_EQ(announced_.back(), "1 ends");
  EXPECT_EQ(memory_.used(), 8 * kMiB) << "the other one has an array";
  EXPECT_FALSE(segments_.Release(places_[0]).ok());
}

}  // namespace
}  // namespace stagedoor::server
