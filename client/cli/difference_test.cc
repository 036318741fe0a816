#include "client/cli/difference.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace stagedoor {
namespace {

using Entries = std::vector<DiffEntry>;

DiffSource SideOf(Entries entries) {
  return [entries = std::move(entries)](const DiffSink& sink) {
    absl::Status status;
    for (size_t i = 0; i < entries.size() && status.ok(); ++i) status = sink(entries[i]);
    return status;
  };
}

DiffEntry Prim(const std::string& path, const std::string& kind = "", bool implied = false) {
  DiffEntry entry{.path = path, .title = "Xform"};
  if (!kind.empty()) entry.facts.emplace_back(path + " kind", kind, implied);
  return entry;
}

std::string Diff(Entries left, Entries right, size_t max_held_bytes = size_t{64} << 20) {
  std::string text;
  Difference difference(
      SideOf(std::move(left)), SideOf(std::move(right)),
      [&](char sign, const std::string& line, std::string_view subject) {
        EXPECT_TRUE(line.starts_with(subject)) << line;
        text += sign + line + "\n";
        return absl::OkStatus();
      },
      max_held_bytes);
  EXPECT_TRUE(difference.Run().ok());
  EXPECT_EQ(difference.found(), !text.empty());
  return text;
}

TEST(DifferenceTest, EqualSidesInAnyOrderHaveNone) {
  EXPECT_EQ(Diff({}, {}), "");
  EXPECT_EQ(Diff({Prim("/A", "x"), Prim("/B")}, {Prim("/B"), Prim("/A", "x")}), "");
}

TEST(DifferenceTest, FactsThatDifferArePrintedTogether) {
  EXPECT_EQ(Diff({Prim("/A", "x"), Prim("/B", "y")}, {Prim("/A", "z"), Prim("/B", "y")}),
            "-/A kind: x\n+/A kind: z\n");
  EXPECT_EQ(Diff({Prim("/A", "x")}, {Prim("/A")}), "-/A kind: x\n");
  EXPECT_EQ(Diff({Prim("/A")}, {Prim("/A", "x")}), "+/A kind: x\n");
}

TEST(DifferenceTest, FactsThatASchemaImpliesAreComparedOnlyIfBothHaveThem) {
  EXPECT_EQ(Diff({Prim("/A", "x", true)}, {Prim("/A")}), "");
  EXPECT_EQ(Diff({Prim("/A")}, {Prim("/A", "x", true)}), "");
  EXPECT_EQ(Diff({Prim("/A", "x", true)}, {Prim("/A", "y")}), "-/A kind: x\n+/A kind: y\n");
  EXPECT_EQ(Diff({Prim("/A", "x", true)}, {Prim("/A", "x")}), "");
}

TEST(DifferenceTest, OfASubtreeOnlyTheTopIsPrinted) {
  EXPECT_EQ(
      Diff({Prim("/A"), Prim("/A/B"), Prim("/A/B/C"), Prim("/A/Bee"), Prim("/AA")}, {Prim("/A")}),
      "-/A/B (Xform)\n-/A/Bee (Xform)\n-/AA (Xform)\n");
  EXPECT_EQ(Diff({}, {Prim("/A{v=a}"), Prim("/A{v=a}B"), Prim("/A{v=b}")}),
            "+/A{v=a} (Xform)\n+/A{v=b} (Xform)\n");
}

TEST(DifferenceTest, AttributesOfOneSideShowTheirFacts) {
  DiffEntry attribute = Prim("/A.x", "1");
  attribute.shows_facts = true;
  EXPECT_EQ(Diff({attribute}, {}), "-/A.x (Xform)\n-/A.x kind: 1\n");
}

TEST(DifferenceTest, LongTextsAreComparedWholeAndShortened) {
  const std::string same(5000, 'a');
  EXPECT_EQ(Diff({Prim("/A", same + "x")}, {Prim("/A", same + "x")}), "");
  const std::string text = Diff({Prim("/A", same + "x")}, {Prim("/A", same + "y")});
  EXPECT_LT(text.size(), 1000u);
  EXPECT_NE(text.find("aaa… (5001 bytes)\n+"), std::string::npos) << text;
}

TEST(DifferenceTest, DifferencesThatDoNotFitInMemoryTakeSeveralRounds) {
  Entries left, right;
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    const std::string path = Concat("/P", i);
    left.push_back(Prim(path, "x"));
    right.push_back(Prim(path, "y"));
    expected += Concat("-", path, " kind: x\n+", path, " kind: y\n");
  }
  right.push_back(Prim("/New"));
  const std::string text = Diff(left, right, /*max_held_bytes=*/1);
  const std::string added = "+/New (Xform)\n";
  const size_t at = text.find(added);
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_EQ(text.substr(0, at) + text.substr(at + added.size()), expected);
  EXPECT_EQ(text.find(added, at + 1), std::string::npos) << "only once";
}

TEST(DifferenceTest, ErrorsOfSidesAndOfPrintingEndIt) {
  const DiffSource broken = [](const DiffSink&) { return DataLossError("broken"); };
  const auto ignore = [](char, const std::string&, std::string_view) { return absl::OkStatus(); };
  EXPECT_EQ(Difference(broken, SideOf({}), ignore).Run().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Difference(SideOf({}), broken, ignore).Run().code(), absl::StatusCode::kDataLoss);
  const auto full = [](char, const std::string&, std::string_view) {
    return ResourceExhaustedError("full");
  };
  EXPECT_EQ(Difference(SideOf({Prim("/A")}), SideOf({}), full).Run().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace stagedoor
