#include "scene/usdc/crate_placement.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

constexpr CrateType kInts = CrateType::kInt;

TEST(CratePlacementTest, EqualValuesShareAPlace) {
  std::string file = "head";
  CrateRecorder recorder(&file);
  const CrateValueRep first = recorder.Place(kInts, CrateValueRep::kArray, "abc", "def", false);
  EXPECT_EQ(first, CrateValueRep(kInts, CrateValueRep::kArray, 4));
  EXPECT_EQ(recorder.Place(kInts, CrateValueRep::kArray, "abc", "def", false), first);
  EXPECT_EQ(recorder.placed(), 1u);
  EXPECT_EQ(recorder.end(), 10u);
  EXPECT_EQ(file, "headabcdef");
}

TEST(CratePlacementTest, DifferentValuesHaveDifferentPlaces) {
  std::string file;
  CrateRecorder recorder(&file);
  std::set<uint64_t> places;
  const auto place = [&](CrateType type, uint64_t flags, std::string_view bytes) {
    places.insert(recorder.Place(type, flags, bytes, {}, false).payload());
  };
  place(kInts, 0, "0123456789abcdef0123");
  place(CrateType::kUInt, 0, "0123456789abcdef0123");
  place(kInts, CrateValueRep::kArray, "0123456789abcdef0123");
  place(kInts, 0, "0123456789abcdef0124");
  place(kInts, 0, "1123456789abcdef0123");
  place(kInts, 0, "0123456789abcdeg0123");
  place(kInts, 0, "0123456789abcdef012");
  place(kInts, 0, std::string_view("0123456789abcdef0123\0", 21));
  place(kInts, 0, "89abcdef012345670123");  // words swapped
  EXPECT_EQ(places.size(), 9u);
  EXPECT_EQ(recorder.placed(), 9u);
  EXPECT_EQ(recorder.end(), 20u * 7 + 19 + 21);
}

TEST(CratePlacementTest, AlignedValuesBeginAtMultiplesOfEight) {
  for (size_t size = 0; size <= 17; ++size) {
    std::string file(size, 'x');
    CrateRecorder recorder(&file);
    const uint64_t expected = (size + 7) / 8 * 8;
    EXPECT_EQ(recorder.Place(kInts, 0, "ab", "c", true).payload(), expected) << size;
    EXPECT_EQ(file, std::string(size, 'x') + std::string(expected - size, '\0') + "abc") << size;
    EXPECT_EQ(recorder.end(), expected + 3) << size;
  }
}

TEST(CratePlacementTest, WithoutAFileTheFirstValueFollowsTheHeader) {
  CrateLog log;
  CrateRecorder recorder(&log);
  EXPECT_EQ(recorder.end(), kCrateBootSize);
  EXPECT_EQ(recorder.Place(kInts, 0, "a", {}, false), CrateValueRep(kInts, 0, kCrateBootSize));
  EXPECT_EQ(recorder.end(), kCrateBootSize + 1);
  EXPECT_TRUE(recorder.status().ok());
  EXPECT_EQ(log.size(), 1u);
}

// A log of three values, two of which are equal.
struct Recorded {
  Recorded() {
    CrateRecorder recorder(&log);
    reps[0] = recorder.Place(kInts, 0, "abc", "defgh", false);
    reps[1] = recorder.Place(kInts, 0, "abc", "defgh", false);
    reps[2] = recorder.Place(kInts, 0, "xy", {}, true);
    end = recorder.end();
  }
  CrateLog log;
  CrateValueRep reps[3];
  uint64_t end = 0;
};

TEST(CratePlacementTest, ReplayGivesPlacesAndBytesOfNewValues) {
  const Recorded recorded;
  EXPECT_EQ(recorded.log.fresh, (std::vector<bool>{true, false, true}));
  EXPECT_EQ(recorded.reps[2].payload(), kCrateBootSize + 8);
  CrateReplay replay(recorded.log);
  EXPECT_EQ(replay.Place(kInts, 0, "abc", "defgh", false), recorded.reps[0]);
  EXPECT_EQ(replay.text(), "abcdefgh");
  EXPECT_EQ(replay.Place(kInts, 0, "abc", "defgh", false), recorded.reps[1]);
  EXPECT_EQ(replay.text(), "abcdefgh") << "written only once";
  EXPECT_FALSE(replay.Ended(recorded.end));
  EXPECT_EQ(replay.Place(kInts, 0, "xy", {}, true), recorded.reps[2]);
  EXPECT_EQ(replay.text(), "abcdefghxy");
  EXPECT_TRUE(replay.Ended(recorded.end));
  EXPECT_FALSE(replay.Ended(recorded.end + 1));
  EXPECT_TRUE(replay.consistent());
}

TEST(CratePlacementTest, ReplayPadsLikeTheRecorder) {
  CrateLog log;
  CrateRecorder recorder(&log);
  recorder.Place(kInts, 0, "abc", {}, false);
  recorder.Place(kInts, 0, "xy", {}, true);
  CrateReplay replay(log);
  replay.Place(kInts, 0, "abc", {}, false);
  replay.Place(kInts, 0, "xy", {}, true);
  EXPECT_EQ(replay.text(), std::string("abc\0\0\0\0\0xy", 10));
}

TEST(CratePlacementTest, ReplayMayKeepTheBulkSeparate) {
  const Recorded recorded;
  CrateReplay replay(recorded.log);
  replay.set_keeps(true);
  replay.Place(kInts, 0, "abc", "defgh", false);
  EXPECT_EQ(replay.text(), "abc");
  EXPECT_EQ(replay.bulk(), "defgh");
  replay.TakeBulk(2);
  EXPECT_EQ(replay.bulk(), "fgh");
  replay.Place(kInts, 0, "abc", "defgh", false);
  EXPECT_EQ(replay.bulk(), "fgh") << "the value is not new";
  replay.set_keeps(false);
  replay.Place(kInts, 0, "xy", {}, true);
  EXPECT_EQ(replay.text(), "abcfghxy") << "bytes that were not taken come first";
  EXPECT_EQ(replay.bulk(), "");
}

TEST(CratePlacementTest, ReplayOfOtherValuesIsInconsistent) {
  const Recorded recorded;
  {
    CrateReplay other_type(recorded.log);
    other_type.Place(CrateType::kUInt, 0, "abc", "defgh", false);
    EXPECT_FALSE(other_type.consistent());
    EXPECT_EQ(other_type.text(), "");
  }
  {
    CrateReplay again(recorded.log);
    again.Place(kInts, 0, "abc", "defgh", false);
    again.Place(CrateType::kUInt, 0, "abc", "defgh", false);
    EXPECT_FALSE(again.consistent()) << "the recorded value has another type";
  }
  {
    CrateReplay longer(recorded.log);
    longer.Place(kInts, 0, "abc", "defghi", false);
    longer.Place(kInts, 0, "abc", "defgh", false);
    EXPECT_TRUE(longer.consistent()) << "the difference is not detected yet";
    longer.Place(kInts, 0, "xy", {}, true);
    EXPECT_FALSE(longer.consistent()) << "the value would be at another offset";
    EXPECT_FALSE(longer.Ended(recorded.end));
  }
  {
    CrateReplay more(recorded.log);
    more.Place(kInts, 0, "abc", "defgh", false);
    more.Place(kInts, 0, "abc", "defgh", false);
    more.Place(kInts, 0, "xy", {}, true);
    EXPECT_TRUE(more.consistent());
    const CrateValueRep expected(kInts, CrateValueRep::kArray, recorded.end);
    EXPECT_EQ(more.Place(kInts, CrateValueRep::kArray, "z", {}, false), expected);
    EXPECT_FALSE(more.consistent());
    EXPECT_EQ(more.Place(kInts, CrateValueRep::kArray, "z", {}, false), expected);
    EXPECT_EQ(more.text(), "abcdefghxy");
  }
}

}  // namespace
}  // namespace stagedoor
