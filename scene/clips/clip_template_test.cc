#include "scene/clips/clip_template.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

using Strings = std::vector<std::string>;

ClipTemplate Template(std::string path, double start, double end, double stride = 1) {
  ClipTemplate pattern;
  pattern.asset_path = std::move(path);
  pattern.start = start;
  pattern.end = end;
  pattern.stride = stride;
  return pattern;
}

absl::StatusOr<DerivedClips> TryDerive(const ClipTemplate& pattern, const Strings& missing = {}) {
  RequestContext context;
  return DeriveClips(context, pattern, [&](const std::string& file) {
    return std::find(missing.begin(), missing.end(), file) == missing.end();
  });
}

DerivedClips Derive(const ClipTemplate& pattern, const Strings& missing = {}) {
  auto clips = TryDerive(pattern, missing);
  EXPECT_TRUE(clips.ok()) << clips.status();
  return clips.ok() ? *std::move(clips) : DerivedClips();
}

// "(1, 2) (3, 4)"
std::string Text(const std::vector<Vec2d>& pairs) {
  std::string text;
  for (const Vec2d& pair : pairs) {
    text += Concat(text.empty() ? "(" : " (", pair[0], ", ", pair[1], ")");
  }
  return text;
}

TEST(ClipTemplateTest, HasAClipForEachStrideIncludingBothEnds) {
  const DerivedClips clips = Derive(Template("dir/a.##.usd", 9, 11));
  EXPECT_EQ(clips.assets, (Strings{"dir/a.09.usd", "dir/a.10.usd", "dir/a.11.usd"}));
  EXPECT_EQ(Text(clips.active), "(9, 0) (10, 1) (11, 2)");
  EXPECT_EQ(Text(clips.times), "(9, 9) (10, 10) (11, 11)");
  EXPECT_EQ(Derive(Template("a.#.usd", 1, 4, 2)).assets, (Strings{"a.1.usd", "a.3.usd"}));
}

TEST(ClipTemplateTest, NumbersMayBeLongerThanTheirHashes) {
  EXPECT_EQ(Derive(Template("a.#.usd", 100, 100)).assets, Strings{"a.100.usd"});
  EXPECT_EQ(Derive(Template("a.###.usd", -1, -1)).assets, Strings{"a.-01.usd"});
}

TEST(ClipTemplateTest, SecondGroupOfHashesIsTheFraction) {
  EXPECT_EQ(Derive(Template("a.#.##.usd", 1, 1.5, 0.25)).assets,
            (Strings{"a.1.00.usd", "a.1.25.usd", "a.1.50.usd"}));
}

TEST(ClipTemplateTest, FractionalStridesDoNotDrift) {
  EXPECT_EQ(Derive(Template("a.#.#.usd", 0, 1, 0.1)).assets.size(), 11u);
}

TEST(ClipTemplateTest, MissingFilesAreLeftOut) {
  const DerivedClips clips = Derive(Template("a.#.usd", 1, 3), {"a.2.usd"});
  EXPECT_EQ(clips.assets, (Strings{"a.1.usd", "a.3.usd"}));
  EXPECT_EQ(Text(clips.active), "(1, 0) (3, 1)");
  EXPECT_EQ(Text(clips.times), "(1, 1) (3, 3)");
}

// The curve extends beyond either end by the length of the offset, whatever its sign.
TEST(ClipTemplateTest, ActiveOffsetsMoveStartsAndWidenTheCurve) {
  ClipTemplate pattern = Template("a.#.usd", 1, 2);
  pattern.active_offset = 0.5;
  DerivedClips clips = Derive(pattern);
  EXPECT_EQ(Text(clips.active), "(1.5, 0) (2.5, 1)");
  EXPECT_EQ(Text(clips.times), "(0.5, 0.5) (1, 1) (2, 2) (2.5, 2.5)");
  pattern.active_offset = -0.5;
  clips = Derive(pattern);
  EXPECT_EQ(Text(clips.active), "(0.5, 0) (1.5, 1)");
  EXPECT_EQ(Text(clips.times), "(0.5, 0.5) (1, 1) (2, 2) (2.5, 2.5)");
}

TEST(ClipTemplateTest, OffsetsMayBeAsLargeAsTheStride) {
  ClipTemplate pattern = Template("a.#.usd", 1, 2);
  for (const double offset : {1.0, -1.0}) {
    pattern.active_offset = offset;
    EXPECT_TRUE(TryDerive(pattern).ok()) << offset;
  }
  for (const double offset : {1.001, -1.001, std::numeric_limits<double>::quiet_NaN()}) {
    pattern.active_offset = offset;
    EXPECT_FALSE(TryDerive(pattern).ok()) << offset;
  }
}

TEST(ClipTemplateTest, RejectsInvalidRanges) {
  EXPECT_TRUE(TryDerive(Template("a.#.usd", 1, 1)).ok());
  EXPECT_FALSE(TryDerive(Template("a.#.usd", 2, 1)).ok());
  EXPECT_FALSE(TryDerive(Template("a.#.usd", 1, 2, 0)).ok());
  EXPECT_FALSE(TryDerive(Template("a.#.usd", 1, 2, -1)).ok());
  EXPECT_FALSE(TryDerive(Template("a.#.usd", 0, kMaxTemplateClips)).ok()) << "too many";
  EXPECT_FALSE(TryDerive(Template("a.#.usd", 1e18, 1e18 + 1024, 0.001)).ok())
      << "the stride is lost in rounding";
}

TEST(ClipTemplateTest, RejectsPathsWithoutOneGroupOfHashes) {
  for (const char* path : {"a.usd", "a.#.b.#.usd", "a.#.#.#.usd", "#/a.usd", "a#.usd"}) {
    EXPECT_EQ(TryDerive(Template(path, 1, 1)).status().code(), absl::StatusCode::kInvalidArgument)
        << path;
  }
  EXPECT_TRUE(TryDerive(Template(Concat("a.", std::string(300, '#'), ".usd"), 1, 1)).ok());
  EXPECT_FALSE(TryDerive(Template(Concat("a.", std::string(301, '#'), ".usd"), 1, 1)).ok());
  EXPECT_FALSE(TryDerive(Template(Concat("a.#.", std::string(301, '#'), ".usd"), 1, 1)).ok());
}

TEST(ClipTemplateTest, FormatArgumentsAreNotPartOfTheName) {
  EXPECT_EQ(WithoutFormatArguments("a.#.usd:SDF_FORMAT_ARGS:b=1"), "a.#.usd");
  EXPECT_EQ(WithoutFormatArguments("a.#.usd"), "a.#.usd");
  EXPECT_EQ(Derive(Template("a.#.usd:SDF_FORMAT_ARGS:b=1", 1, 1)).assets, Strings{"a.1.usd"});
}

TEST(ClipTemplateTest, FilesAreAnnouncedBeforeTheyAreLookedUp) {
  RequestContext context;
  Strings announced;
  Strings looked_up;
  std::vector<size_t> batches;
  const auto clips = DeriveClips(
      context, Template("a.#.usd", 1, 600),
      [&](const std::string& file) {
        looked_up.push_back(file);
        EXPECT_LE(looked_up.size(), announced.size()) << file;
        return true;
      },
      [&](std::span<const std::string> files) {
        EXPECT_EQ(looked_up.size(), announced.size()) << "not before it is necessary";
        announced.insert(announced.end(), files.begin(), files.end());
        batches.push_back(files.size());
      });
  ASSERT_TRUE(clips.ok()) << clips.status();
  EXPECT_EQ(announced, looked_up);
  EXPECT_EQ(looked_up.size(), 600u);
  EXPECT_EQ(batches, (std::vector<size_t>{256, 256, 88}));
}

TEST(ClipTemplateTest, LookUpsOfFilesAreChargedToTheRequest) {
  RequestContext context(RequestContext::Clock::time_point::max(), {.max_steps = 100000});
  int lookups = 0;
  const auto clips = DeriveClips(context, Template("a.#.usd", 0, 1e6),
                                 [&](const std::string&) { return ++lookups; });
  EXPECT_EQ(clips.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_LT(lookups, 2000);
}

}  // namespace
}  // namespace stagedoor
