#include "scene/values/source_bytes.h"

#include <memory>
#include <string>
#include <utility>

#include "base/status.h"
#include "gtest/gtest.h"
#include "scene/values/array.h"
#include "scene/values/refused_value.h"

namespace stagedoor {
namespace {

// A file that can be overwritten, with a value that is a view of it.
struct Source {
  explicit Source(SourceWatch* watch, const std::string& name = "a.usdc")
      : bytes(MakeRef<SourceBytes>(
            name,
            [this]() -> absl::Status {
              ++checks;
              return overwritten ? DataLossError("overwritten") : absl::OkStatus();
            },
            pin, watch)) {}

  Value View() const {
    return Value(Array<double>::View(numbers, 3, RefPtr<const RefCounted>(bytes)));
  }

  int checks = 0;
  bool overwritten = false;
  double numbers[3] = {1, 2, 3};
  std::shared_ptr<const int> pin = std::make_shared<const int>(1);
  RefPtr<const SourceBytes> bytes;
};

TEST(SourceBytesTest, RemembersThatItWasChanged) {
  SourceWatch watch;
  Source source(&watch);
  EXPECT_TRUE(source.bytes->Check().ok());
  EXPECT_FALSE(source.bytes->changed());
  source.overwritten = true;
  EXPECT_FALSE(source.bytes->changed()) << "not checked yet";
  EXPECT_EQ(source.bytes->Check().code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(source.bytes->changed());
  EXPECT_EQ(watch.changes(), 1u);
  EXPECT_FALSE(source.bytes->Check().ok());
  EXPECT_EQ(watch.changes(), 1u) << "counted once";
}

TEST(SourceBytesTest, KeepsItsPin) {
  auto pin = std::make_shared<const int>(1);
  const std::weak_ptr<const int> alive = pin;
  auto bytes = MakeRef<SourceBytes>(
      "a", [] { return absl::OkStatus(); }, std::move(pin), nullptr);
  bytes->NoteUse();
  EXPECT_FALSE(alive.expired());
  bytes = {};
  EXPECT_TRUE(alive.expired());
}

TEST(SourceBytesTest, ViewsKnowTheirSource) {
  Source source(nullptr);
  EXPECT_EQ(SourceOf(source.View()), source.bytes.get());
  EXPECT_EQ(SourceOf(Value(Array<double>::FromVector({1}))), nullptr);
  EXPECT_EQ(SourceOf(Value(1)), nullptr);
  EXPECT_TRUE(CheckUnchanged(Value(1)).ok());
  EXPECT_TRUE(CheckUnchanged(source.View()).ok());
  source.overwritten = true;
  EXPECT_EQ(CheckUnchanged(source.View()).code(), absl::StatusCode::kDataLoss);
}

TEST(SourceBytesTest, CheckKnownDoesNotCheckTheFile) {
  Source source(nullptr);
  source.overwritten = true;
  EXPECT_TRUE(CheckKnownChanges(source.View()).ok());
  EXPECT_EQ(source.checks, 0);
  (void)source.bytes->Check();
  EXPECT_FALSE(CheckKnownChanges(source.View()).ok());
  EXPECT_TRUE(CheckKnownChanges(Value(1)).ok());
}

TEST(SourceWatchTest, ChecksSourcesUsedSinceAMoment) {
  SourceWatch watch;
  Source used(&watch, "used"), before(&watch, "before"), never(&watch, "never");
  before.bytes->NoteUse();
  const uint64_t moment = watch.Now();
  watch.CheckAllUsed(moment);
  EXPECT_EQ(before.checks, 0) << "nothing was used since";
  used.bytes->NoteUse();
  watch.CheckAllUsed(moment);
  EXPECT_EQ(used.checks, 1);
  EXPECT_EQ(before.checks, 0);
  EXPECT_EQ(never.checks, 0);
  watch.CheckAllUsed(1);
  EXPECT_EQ(before.checks, 1);
  EXPECT_EQ(never.checks, 0);
}

TEST(SourceWatchTest, ChangedSourcesThatWereUsedAreAnError) {
  SourceWatch watch;
  Source used(&watch), other(&watch);
  other.overwritten = true;
  const uint64_t moment = watch.Now();
  used.bytes->NoteUse();
  EXPECT_TRUE(watch.CheckUsed(moment).ok());
  used.overwritten = true;
  EXPECT_TRUE(watch.CheckUsed(moment, /*known=*/true).ok()) << "not checked yet";
  EXPECT_EQ(watch.CheckUsed(moment).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(watch.CheckUsed(moment, /*known=*/true).code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(watch.CheckUsed(watch.Now()).ok());
}

TEST(SourceWatchTest, SourcesAreCheckedByName) {
  SourceWatch watch;
  Source a(&watch, SourceName("a", "1")), b(&watch, SourceName("a", "2"));
  b.overwritten = true;
  EXPECT_TRUE(watch.CheckNamed({SourceName("a", "1")}).ok());
  EXPECT_EQ(b.checks, 0);
  EXPECT_TRUE(watch.CheckNamed({SourceName("a", "2")}, /*known=*/true).ok());
  EXPECT_EQ(watch.CheckNamed({SourceName("a", "2")}).code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(watch.CheckNamed({SourceName("a", "2")}, /*known=*/true).code(),
            absl::StatusCode::kDataLoss);
}

TEST(SourceWatchTest, ForgetsDestroyedSources) {
  SourceWatch watch;
  {
    Source source(&watch, "a");
    source.overwritten = true;
    source.bytes->NoteUse();
  }
  EXPECT_TRUE(watch.CheckUsed(1).ok());
  EXPECT_TRUE(watch.CheckNamed({"a"}).ok());
}

TEST(SourceSetTest, ChecksEachSourceOnce) {
  Source a(nullptr), b(nullptr);
  SourceSet set;
  set.Add(a.View());
  set.Add(b.View());
  set.Add(a.View());
  set.Add(Value(1));
  EXPECT_TRUE(set.Check().ok());
  EXPECT_EQ(a.checks, 1);
  EXPECT_EQ(b.checks, 1);
  a.overwritten = true;
  EXPECT_EQ(set.Check().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(b.checks, 2) << "all are checked";
}

TEST(RefusedValueTest, FailsTheRequest) {
  RequestContext context;
  FailIfRefused(context, Value(1));
  FailIfRefused(context, Value::Invalid("a.usdc: damaged"));
  EXPECT_FALSE(context.failed());
  const Value refused = RefusedValue("an array");
  EXPECT_TRUE(IsRefused(refused));
  EXPECT_FALSE(IsRefused(Value::Invalid("a.usdc: damaged")));
  FailIfRefused(context, refused);
  EXPECT_EQ(context.Check().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace stagedoor
