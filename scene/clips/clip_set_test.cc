// Clip sets as stages use them: what they share, which clips they open, and how Explain describes
// them.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/clips/clip_environment.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

struct Entries {
  std::string_view name = "default";
  std::string_view assets = "@./a.usda@, @./b.usda@";
  std::string_view prim = "/C";
  std::string_view active = "(0, 0), (5, 1)";
  std::string_view times = "(0, 0), (5, 5), (9, 9)";
  std::string_view more = "";

  std::string Text() const {
    return Concat("clips = { dictionary ", name, " = {\n  asset[] assetPaths = [", assets,
                  "]\n  string primPath = \"", prim, "\"\n  double2[] active = [", active,
                  "]\n  double2[] times = [", times, "]\n  ", more, "\n} }\n");
  }
};

// Each differs from Entries() in one respect.
const std::pair<const char*, Entries> kOthers[] = {
    {"name", {.name = "other"}},
    {"an asset", {.assets = "@./a.usda@, @./a.usda@"}},
    {"one more asset", {.assets = "@./a.usda@, @./b.usda@, @./b.usda@"}},
    {"prim", {.prim = "/D"}},
    {"start of a clip", {.active = "(0, 0), (4, 1)"}},
    {"clip of an entry", {.active = "(0, 0), (5, 0)"}},
    {"one clip fewer", {.active = "(0, 0)"}},
    {"stage time of a knot", {.times = "(0, 0), (4, 5), (9, 9)"}},
    {"clip time of a knot", {.times = "(0, 0), (5, 4), (9, 9)"}},
    {"one knot more", {.times = "(0, 0), (5, 5), (7, 7), (9, 9)"}},
    {"a manifest", {.more = "asset manifestAssetPath = @./a.usda@"}},
    {"missing values interpolate", {.more = "bool interpolateMissingClipValues = true"}},
};

class ClipSetTest : public AnswersTest {
 protected:
  ClipSetTest() {
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
      Write(Concat(name, ".usda"), R"(
def "C" { double x.timeSamples = { 0: 1, 4: 5 }; }
def "D" { double x.timeSamples = { 0: 2 }; }
)");
    }
  }
  static std::string PrimText(std::string_view name, const Entries& entries) {
    return Concat("def \"", name, "\" (\n", entries.Text(), ") { double x; }\n");
  }
  void WritePrim(const Entries& entries) { Write("root.usda", PrimText("R", entries)); }
  std::string OnlyWarning() {
    const auto warnings = scene_.context().warnings();
    return warnings.size() == 1 ? warnings[0].message : Concat(warnings.size(), " warnings");
  }
  const ClipAttribute* Clips(std::string_view path) {
    return Find(path).Compile(scene_.context()).clip_attribute();
  }
  std::string Explain(std::string_view path, double time) {
    return Join(Clips(path)->ExplainAt(scene_.context(), time), "\n");
  }
};

// ---- Sharing

TEST_F(ClipSetTest, EqualSetsOfOneLayerAreShared) {
  Write("root.usda", PrimText("R", {}) + PrimText("S", {}));
  ASSERT_NE(Clips("/R.x"), nullptr);
  EXPECT_EQ(Clips("/R.x"), Clips("/S.x"));
}

TEST_F(ClipSetTest, DifferentSetsAreNotShared) {
  for (const auto& [what, entries] : kOthers) {
    Write("root.usda", PrimText("R", {}) + PrimText("S", entries));
    ASSERT_NE(Clips("/R.x"), nullptr);
    ASSERT_NE(Clips("/S.x"), nullptr) << what;
    EXPECT_NE(Clips("/R.x"), Clips("/S.x")) << what;
  }
}

TEST_F(ClipSetTest, SetsWithDifferentOffsetsAreNotShared) {
  Write("set.usda", PrimText("R", {}));
  Write("root.usda", R"(
def "R" (references = @./set.usda@</R>) {}
def "S" (references = @./set.usda@</R> (offset = 1)) {}
def "T" (references = @./set.usda@</R>) {}
)");
  ASSERT_NE(Clips("/R.x"), nullptr);
  EXPECT_NE(Clips("/R.x"), Clips("/S.x"));
  EXPECT_EQ(Clips("/R.x"), Clips("/T.x"));
}

TEST_F(ClipSetTest, EqualSetsOfAnEditedLayerAreShared) {
  Write("root.usda", PrimText("R", {}));
  const std::shared_ptr<const Stage> before = scene_.Open("root.usda");
  const auto clips = Attribute(before->FindProperty(P("/R.x"))).Compile(scene_.context());
  Write("root.usda", PrimText("R", {}) + "def \"New\" {}\n");
  ASSERT_TRUE(stage().FindPrim(P("/New")).valid());
  ASSERT_NE(clips.clip_attribute(), nullptr);
  EXPECT_EQ(Clips("/R.x"), clips.clip_attribute());
}

TEST_F(ClipSetTest, EqualSetsOfTwoLayersAreNotShared) {
  Write("set.usda", PrimText("S", {}));
  Write("root.usda", "(subLayers = [@./set.usda@])\n" + PrimText("R", {}));
  ASSERT_NE(Clips("/S.x"), nullptr);
  EXPECT_NE(Clips("/R.x"), Clips("/S.x")) << "their paths are relative to different layers";
}

// ---- Instances

class ClipInstancesTest : public ClipSetTest {
 protected:
  // The number of prototypes of two instances of a prim, the second of which adds `more`.
  size_t Prototypes(std::string_view source, std::string_view more) {
    Write("root.usda", Concat(R"(
def "Source" (
)",
                              source, R"() {
  def "Child" { double x; }
}
def "I" (
  instanceable = true
  references = </Source>
) {}
def "J" (
  instanceable = true
  references = </Source>
)",
                              more, ") {}\n"));
    return stage().Prototypes().size();
  }
};

TEST_F(ClipInstancesTest, EqualClipsShareAPrototype) {
  EXPECT_EQ(Prototypes("", ""), 1u);
  EXPECT_EQ(Prototypes(Entries().Text(), ""), 1u);
  // Authoring the same value again makes no difference.
  EXPECT_EQ(Prototypes(Entries().Text(),
                       "clips = { dictionary default = { string primPath = \"/C\" } }\n"),
            1u);
}

TEST_F(ClipInstancesTest, DifferentClipsNeedTheirOwnPrototype) {
  EXPECT_EQ(Prototypes("", Entries().Text()), 2u);
  for (const char* more : {
           "string primPath = \"/D\"",
           "double2[] active = [(0, 0), (6, 1)]",
           "double2[] active = []",
           "double2[] times = [(0, 0), (5, 5), (9, 8)]",
           "string times = \"none\"",
           "string active = \"none\"",
           "string assetPaths = \"none\"",
           "asset manifestAssetPath = @./a.usda@",
           "bool interpolateMissingClipValues = true",
           "asset[] assetPaths = [@./b.usda@, @./a.usda@]",
       }) {
    EXPECT_EQ(
        Prototypes(Entries().Text(), Concat("clips = { dictionary default = { ", more, " } }\n")),
        2u)
        << more;
  }
}

TEST_F(ClipInstancesTest, DifferentTemplatesNeedTheirOwnPrototype) {
  const std::string pattern = R"(clips = { dictionary default = {
  string primPath = "/C"
  string templateAssetPath = "./t.#.usda"
  double templateStartTime = 1
  double templateEndTime = 3
  double templateStride = 1
} }
)";
  EXPECT_EQ(Prototypes(pattern, ""), 1u);
  for (const char* more :
       {"string templateAssetPath = \"./u.#.usda\"", "double templateStartTime = 2",
        "double templateEndTime = 2", "double templateStride = 2",
        "double templateActiveOffset = 0.5", "string templateStride = \"none\""}) {
    EXPECT_EQ(Prototypes(pattern, Concat("clips = { dictionary default = { ", more, " } }\n")), 2u)
        << more;
  }
}

TEST_F(ClipInstancesTest, EachOfManyEntriesCounts) {
  std::string many;
  for (int i = 0; i < 5000; ++i) many += Concat("(", i, ", 0), ");
  const std::string set = Concat(
      "clips = { dictionary default = {\n asset[] assetPaths = "
      "[@./a.usda@]\n string primPath = \"/C\"\n double2[] active = [",
      many, "(5000, 0)]\n} }\n");
  EXPECT_EQ(Prototypes(set, ""), 1u);
  EXPECT_EQ(Prototypes(set, Concat("clips = { dictionary default = { double2[] active = [", many,
                                   "(5001, 0)] } }\n")),
            2u);
}

// ---- Manifests that cannot be opened

TEST_F(ClipSetTest, MissingManifestsAreWarningsAndGiveNoValues) {
  WritePrim({.more = "asset manifestAssetPath = @./missing.usda@"});
  EXPECT_EQ(At("/R.x", {0}), "-");
  const std::string warning = OnlyWarning();
  EXPECT_EQ(warning.substr(0, 49), "cannot open manifest layer for clip set 'default'") << warning;
  EXPECT_NE(warning.find("missing.usda"), std::string::npos) << warning;
  EXPECT_EQ(scene_.context().warnings()[0].kind, Warning::Kind::kMissingAsset);
  EXPECT_EQ(scene_.context().warnings()[0].asset, "./missing.usda");
  RequestContext other;
  EXPECT_TRUE(Find("/R.x").Get(other, TimeCode::At(0)).empty());
  EXPECT_EQ(other.warnings(), scene_.context().warnings()) << "every request gets the warning";
}

TEST_F(ClipSetTest, MissingManifestsAreTriedAgainAfterTheTimeOfTheOptions) {
  auto now = ClipCache::Clock::now();
  ClipEnvironment::Options options;
  options.cache.now = [&now] { return now; };
  options.cache.negative_ttl = std::chrono::hours(1);
  scene_.UseClips(options);
  WritePrim({.more = "asset manifestAssetPath = @./m.usda@"});
  const std::shared_ptr<const Stage> stage = scene_.Open("root.usda");
  const auto found = [&] {
    const Attribute x(stage->FindProperty(P("/R.x")));
    return x.Compile(scene_.context()).clip_attribute() != nullptr;
  };
  EXPECT_FALSE(found());
  scene_.Write("m.usda", "def \"C\" { double x; }\n");
  now += std::chrono::minutes(59);
  EXPECT_FALSE(found());
  now += std::chrono::minutes(1);
  EXPECT_TRUE(found());
}

TEST_F(ClipSetTest, MissingManifestsAreWarningsEvenIfNotRemembered) {
  ClipEnvironment::Options options;
  options.cache.negative_ttl = std::chrono::seconds(0);
  scene_.UseClips(options);
  WritePrim({.more = "asset manifestAssetPath = @./missing.usda@"});
  EXPECT_EQ(At("/R.x", {0}), "-");
  EXPECT_NE(OnlyWarning().find("missing.usda"), std::string::npos);
  EXPECT_TRUE(scene_.context().Check().ok()) << scene_.context().Check();
}

TEST_F(ClipSetTest, RelationshipsInTheManifestHaveNoClips) {
  Write("m.usda", "def \"C\" { rel x; }\n");
  WritePrim({.more = "asset manifestAssetPath = @./m.usda@"});
  EXPECT_EQ(Find("/R.x").Compile(scene_.context()).kind(), ResolveInfoSource::kNone);
}

TEST_F(ClipSetTest, RequestsThatEndLeaveTheManifestToOthers) {
  WritePrim({});
  const stagedoor::Attribute x = Find("/R.x");
  RequestContext full;
  const Value expected = x.Get(full, TimeCode::At(2));
  ASSERT_EQ(Text(expected), "3");
  bool ended = false;
  for (uint64_t steps = 1; steps <= full.steps(); steps += 16) {
    WritePrim({});
    const stagedoor::Attribute again = Find("/R.x");
    RequestContext few(RequestContext::Clock::time_point::max(), {.max_steps = steps});
    const Value value = again.Get(few, TimeCode::At(2));
    ended |= few.failed();
    EXPECT_TRUE(few.failed() || value == expected) << steps;
    EXPECT_EQ(At("/R.x", {2}), "3") << steps;
  }
  EXPECT_TRUE(ended);
  WritePrim({});
  RequestContext gone;
  gone.Cancel();
  (void)Find("/R.x").Get(gone, TimeCode::At(2));
  EXPECT_TRUE(gone.warnings().empty()) << "the clip did not cause the failure";
  EXPECT_EQ(At("/R.x", {2}), "3");
}

// ---- Reading ahead

// Keeps its tasks until it is asked to run them.
class LaterExecutor final : public Executor {
 public:
  void Schedule(std::function<void()> fn) override { waiting.push_back(std::move(fn)); }
  int concurrency() const override { return 1; }
  void RunAll() {
    for (const auto& fn : std::exchange(waiting, {})) fn();
  }
  std::vector<std::function<void()>> waiting;
};

class ClipReadAheadTest : public ClipSetTest {
 protected:
  ClipReadAheadTest() {
    scene_.mutable_environment().clips = &ahead_;
    Write("m.usda", "def \"C\" { double x; }\n");
    WritePrim({.assets = "@./a.usda@, @./b.usda@, @./c.usda@, @./d.usda@, @./e.usda@, @./f.usda@, "
                         "@./g.usda@, @./h.usda@",
               .active = "(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7)",
               .times = "",
               .more = "asset manifestAssetPath = @./m.usda@"});
  }
  ~ClipReadAheadTest() override {
    later_.waiting.clear();
    stage_.reset();
    scene_.mutable_environment().clips = &scene_.clips();
  }
  void Read(double time) { (void)HeldAt("/R.x", {time}); }
  uint64_t Prefetches() const { return ahead_.cache().Stats().prefetches; }

  LaterExecutor later_;
  mutable ClipEnvironment ahead_{scene_.layers(), {.executor = &later_}};
};

TEST_F(ClipReadAheadTest, PlayingForwardsOpensTheNextFour) {
  Read(0);
  EXPECT_TRUE(later_.waiting.empty()) << "the direction is still unknown";
  Read(1);
  EXPECT_EQ(later_.waiting.size(), 1u);
  later_.RunAll();
  EXPECT_EQ(Prefetches(), 4u);
  EXPECT_EQ(ahead_.cache().Stats().opens, 6u);
  EXPECT_EQ(ahead_.cache().Stats().pinned_layers, 0u);
  Read(5);
  EXPECT_EQ(ahead_.cache().Stats().opens, 6u);
}

TEST_F(ClipReadAheadTest, PlayingBackwardsOpensPrecedingClips) {
  Read(7);
  Read(6);
  later_.RunAll();
  EXPECT_EQ(Prefetches(), 4u);
  Read(2);
  EXPECT_EQ(ahead_.cache().Stats().opens, 6u);
}

TEST_F(ClipReadAheadTest, ReadingAheadEndsAtTheFirstAndLastClip) {
  Read(2);
  Read(1);
  later_.RunAll();
  EXPECT_EQ(Prefetches(), 1u);
  Read(5);
  Read(6);
  later_.RunAll();
  EXPECT_EQ(Prefetches(), 2u);
}

TEST_F(ClipReadAheadTest, JumpsOpenNothingAhead) {
  Read(0);
  Read(2);
  Read(5);
  Read(3);
  EXPECT_TRUE(later_.waiting.empty());
}

TEST_F(ClipReadAheadTest, OnlyOneTaskReadsAheadAtATime) {
  Read(0);
  Read(1);
  Read(2);
  EXPECT_EQ(later_.waiting.size(), 1u);
  later_.RunAll();
  Read(6);
  Read(7);
  EXPECT_EQ(later_.waiting.size(), 1u);
}

TEST_F(ClipReadAheadTest, ClipsThatCannotBeOpenedAreSkipped) {
  Write("c.usda", "broken {");
  Read(0);
  Read(1);
  later_.RunAll();
  EXPECT_EQ(Prefetches(), 3u);
  EXPECT_TRUE(scene_.context().warnings().empty()) << "no request has asked for it";
}

TEST_F(ClipReadAheadTest, DestructionWaitsForClipsThatAreBeingOpened) {
  std::optional<ClipEnvironment> environment;
  environment.emplace(scene_.layers(), ClipEnvironment::Options{.executor = &later_});
  scene_.mutable_environment().clips = &*environment;
  Read(0);
  Read(1);
  ASSERT_EQ(later_.waiting.size(), 1u);
  stage_.reset();
  std::atomic<bool> destroyed{false};
  std::thread thread([&] {
    environment.reset();
    destroyed = true;
  });
  EXPECT_FALSE(destroyed);
  later_.RunAll();
  thread.join();
}

// ---- Prefetching

TEST_F(ClipReadAheadTest, PrefetchOpensTheClipsOfARange) {
  const auto prefetch = [&](double first, double last) {
    PrefetchTally tally;
    for (const auto& source : *stage().FindPrim(P("/R")).clips()) {
      source->Prefetch(scene_.context(), first, last, &tally);
    }
    return tally.opened;
  };
  EXPECT_EQ(prefetch(2.5, 4), 3u);
  EXPECT_EQ(ahead_.cache().Stats().opens, 3u);
  Write("h.usda", "broken {");
  EXPECT_EQ(prefetch(6, 7), 1u);
  EXPECT_EQ(prefetch(-5, -1), 1u) << "the first clip is active before its start";
}

TEST_F(ClipSetTest, PrefetchAppliesTheOffsetOfTheSet) {
  Write("m.usda", "def \"C\" { double x; }\n");
  Write("set.usda", PrimText("R", {.times = "", .more = "asset manifestAssetPath = @./m.usda@"}));
  Write("root.usda", "def \"R\" (references = @./set.usda@</R> (offset = 10; scale = 2)) {}\n");
  PrefetchTally tally;
  stage().FindPrim(P("/R")).clips()->at(0)->Prefetch(scene_.context(), 12, 18, &tally);
  EXPECT_EQ(tally.opened, 1u);
  EXPECT_EQ(scene_.clips().cache().LayerStats().at(0).identifier, "/a.usda");
}

TEST_F(ClipSetTest, PrefetchSkipsSetsWithoutClipsOrManifest) {
  for (const Entries& entries :
       {Entries{.active = ""}, Entries{.more = "asset manifestAssetPath = @./missing.usda@"},
        Entries{.prim = "C"}}) {
    WritePrim(entries);
    PrefetchTally tally;
    stage().FindPrim(P("/R")).clips()->at(0)->Prefetch(scene_.context(), 0, 9, &tally);
    EXPECT_EQ(tally.opened, 0u);
    EXPECT_EQ(scene_.clips().cache().Stats().opens, 0u);
  }
}

// ---- Explain

TEST_F(ClipSetTest, ExplainNamesTheSamplesUsed) {
  WritePrim({.times = ""});
  EXPECT_EQ(Explain("/R.x", 1),
            "clip set 'default': 2 active entries\n"
            "active clip 0: @./a.usda@ from the beginning to 5\n"
            "stage time 1 is clip time 1, path /C.x\n"
            "samples at stage times 0 and 4");
  EXPECT_EQ(Explain("/R.x", 5),
            "clip set 'default': 2 active entries\n"
            "active clip 1: @./b.usda@ from 5 to the end\n"
            "stage time 5 is clip time 5, path /C.x\n"
            "sample at stage time 5");
}

TEST_F(ClipSetTest, ExplainReportsStageTimes) {
  Write("set.usda", PrimText("R", {.times = "(0, 0), (5, 10)"}));
  Write("root.usda", "def \"R\" (references = @./set.usda@</R> (offset = 10; scale = 2)) {}\n");
  EXPECT_EQ(Explain("/R.x", 1),
            "clip set 'default': 2 active entries\n"
            "active clip 0: @./a.usda@ from the beginning to 20\n"
            "stage time 12 is clip time 2, path /C.x\n"
            "samples at stage times 10 and 14");
}

TEST_F(ClipSetTest, ExplainStatesWhyThereIsNoValue) {
  Write("b.usda", "def \"C\" {}\n");
  WritePrim({.times = ""});
  const std::string head =
      "clip set 'default': 2 active entries\n"
      "active clip 1: @./b.usda@ from 5 to the end\n"
      "stage time 6 is clip time 6, path /C.x\n";
  EXPECT_EQ(Explain("/R.x", 6), head +
                                    "the clip has no samples for it\n"
                                    "sample at stage time 5\n"
                                    "no value: blocked, and no default in the manifest");
  const struct {
    const char* declared;
    const char* more;
    const char* why;
  } kCases[] = {
      {"double x = None", "",
       "the clip has no samples for it\nsample at stage time 5\nno value: blocked"},
      {"double x = 4", "", "the clip has no samples for it\nsample at stage time 5"},
      {"double x.timeSamples = { 5: None }", "",
       "the manifest declares the clip to have no samples\nsample at stage time 5\n"
       "no value: blocked, and no default in the manifest"},
      {"double x.timeSamples = { 5: 1 }", "",
       "the clip has no samples for it\nsample at stage time 5\n"
       "no value: blocked, and no default in the manifest"},
      {"double x", "bool interpolateMissingClipValues = true",
       "the clip has no samples for it\nsample at stage time 4\n"
       "missing values interpolate between clips\n"
       "no value: blocked, and no default in the manifest"},
  };
  for (const auto& c : kCases) {
    Write("m.usda", Concat("def \"C\" { ", c.declared, "; }\n"));
    const std::string more = Concat("asset manifestAssetPath = @./m.usda@\n", c.more);
    WritePrim({.times = "", .more = more});
    EXPECT_EQ(Explain("/R.x", 6), head + c.why) << c.declared;
  }
  Write("m.usda", "def \"C\" { double x; }\n");
  Write("b.usda", "broken {");
  WritePrim({.times = "", .more = "asset manifestAssetPath = @./m.usda@"});
  EXPECT_EQ(Explain("/R.x", 6), head +
                                    "the clip layer cannot be opened\nsample at stage time 5\n"
                                    "no value: blocked, and no default in the manifest");
}

}  // namespace
}  // namespace stagedoor
