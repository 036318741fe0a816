#include "scene/composition/map_function.h"

#include "gtest/gtest.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {
namespace {

Path P(const char* text) { return text[0] ? Path::Parse(text).value() : Path(); }

MapFunction Make(const std::vector<std::pair<const char*, const char*>>& pairs,
                 LayerOffset offset = {}) {
  std::vector<MapFunction::Pair> paths;
  for (const auto& [source, target] : pairs) paths.emplace_back(P(source), P(target));
  return MapFunction::Make(std::move(paths), offset);
}

TEST(MapFunctionTest, MapsByTheMostSpecificPair) {
  const MapFunction f = Make({{"/A", "/B"}, {"/A/X", "/B/Y"}});
  EXPECT_EQ(f.MapSourceToTarget(P("/A/Z.p")), P("/B/Z.p"));
  EXPECT_EQ(f.MapSourceToTarget(P("/A/X/C")), P("/B/Y/C"));
  EXPECT_EQ(f.MapTargetToSource(P("/B/Y/C")), P("/A/X/C"));
  EXPECT_EQ(f.MapSourceToTarget(P("/C")), Path());
}

TEST(MapFunctionTest, PathsClaimedByAnotherPairHaveNoImage) {
  const MapFunction inherit = Make({{"/", "/"}, {"/_class_Model", "/Model"}});
  EXPECT_EQ(inherit.MapSourceToTarget(P("/Model")), Path());
  EXPECT_EQ(inherit.MapSourceToTarget(P("/Other")), P("/Other"));
  EXPECT_EQ(Make({{"/A", "/B"}, {"/C", "/B/C"}}).MapSourceToTarget(P("/A/C")), Path());
  EXPECT_EQ(Make({{"/A", "/A/B"}}).MapSourceToTarget(P("/A/B")), P("/A/B/B"));
}

TEST(MapFunctionTest, TargetPathsWithinPathsAreMapped) {
  const MapFunction f = Make({{"/A", "/B"}});
  EXPECT_EQ(f.MapSourceToTarget(P("/A.rel[/A/X].attr")), P("/B.rel[/B/X].attr"));
  EXPECT_EQ(f.MapSourceToTarget(P("/A.x.mapper[/A/Y].arg")), P("/B.x.mapper[/B/Y].arg"));
  EXPECT_EQ(f.MapSourceToTarget(P("/A.rel[/A/X].a.expression")), P("/B.rel[/B/X].a.expression"));
  EXPECT_EQ(f.MapSourceToTarget(P("/A.rel[/C]")), Path());
}

TEST(MapFunctionTest, ComposesPathsAndTimes) {
  const MapFunction inner = Make({{"/R", "/M"}}, {10, 2});
  const MapFunction outer = Make({{"/M", "/World/M1"}}, {1, 1});
  const MapFunction both = outer.Compose(inner);
  EXPECT_EQ(both, Make({{"/R", "/World/M1"}}, {11, 2}));
  EXPECT_EQ(both.Inverse().MapSourceToTarget(P("/World/M1/X")), P("/R/X"));
  EXPECT_EQ(MapFunction::Identity().Compose(inner), inner);
}

TEST(MapFunctionTest, ABlockedSourceStaysBlocked) {
  const MapFunction relocated = Make({{"/", "/"}, {"/C/A", ""}});
  EXPECT_EQ(relocated.Compose(Make({{"/R", "/C"}})).MapSourceToTarget(P("/R/A/X")), Path());
}

TEST(MapFunctionTest, RedundantPairsAreDropped) {
  EXPECT_EQ(Make({{"/", "/"}, {"/A", "/A"}}), MapFunction::Identity());
  EXPECT_EQ(Make({{"/A", "/B"}, {"/A/X", "/B/X"}}), Make({{"/A", "/B"}}));
  EXPECT_TRUE(MapFunction().IsNull());
}

// The pairs that usd-core keeps.
TEST(MapFunctionTest, KeepsTheSamePairsAsOpenUsd) {
  const std::pair<std::vector<std::pair<const char*, const char*>>, const char*> cases[] = {
      {{{"/A", ""}}, ""},
      {{{"/", "/"}, {"/A", ""}}, "/ -> /, /A -> <>"},
      {{{"/", "/"}, {"/A", ""}, {"/A/X", ""}}, "/ -> /, /A -> <>"},
      {{{"/", "/"}, {"/A", ""}, {"/A/X", "/A/X"}}, "/ -> /, /A -> <>, /A/X -> /A/X"},
      {{{"/", "/"}, {"/A", "/B"}, {"/B", ""}}, "/ -> /, /A -> /B"},
      {{{"/A", "/B"}, {"/A/X", ""}}, "/A -> /B, /A/X -> <>"},
      {{{"/A", "/B"}, {"/C", "/B/X"}, {"/A/X", ""}}, "/A -> /B, /C -> /B/X"},
      {{{"/A", "/B"}, {"/A/X", "/B/Y"}}, "/A -> /B, /A/X -> /B/Y"},
      {{{"/A", "/B"}, {"/A/X", "/C/X"}}, "/A -> /B, /A/X -> /C/X"},
      {{{"/A", "/B"}, {"/C", "/B/X"}, {"/A/X/Y", "/B/X/Y"}},
       "/A -> /B, /C -> /B/X, /A/X/Y -> /B/X/Y"},
      {{{"/", "/"}, {"/A", "/A"}, {"/A/X", "/A/Y"}}, "/ -> /, /A/X -> /A/Y"},
      {{{"/", "/"}, {"/A/X", "/A/Y"}, {"/A/X/Z", "/A/Y/Z"}}, "/ -> /, /A/X -> /A/Y"},
  };
  for (const auto& [pairs, kept] : cases) EXPECT_EQ(Make(pairs).ToString(), kept);
  EXPECT_EQ(Make({{"/A", "/B"}}, {10, 2}).ToString(), "/A -> /B (offset 10, scale 2)");
}

TEST(MapFunctionTest, ComposesTheDomainsOfBoth) {
  using Pairs = std::vector<std::pair<const char*, const char*>>;
  const std::tuple<Pairs, Pairs, const char*> cases[] = {
      {{{"/", "/"}, {"/M", "/P"}}, {{"/", "/"}, {"/R", "/M"}}, "/ -> /, /R -> /P"},
      {{{"/M", "/P"}}, {{"/", "/"}, {"/R", "/M"}}, "/R -> /P"},
      {{{"/", "/"}, {"/M", "/P"}}, {{"/R", "/M"}}, "/R -> /P"},
      {{{"/M", "/P"}, {"/M/X", "/P/Y"}}, {{"/R", "/M"}}, "/R -> /P, /R/X -> /P/Y"},
      {{{"/M", "/P"}, {"/M/X", "/P/Y"}}, {{"/R", "/M"}, {"/R/X", ""}}, "/R -> /P, /R/X -> <>"},
      {{{"/M", "/P"}}, {{"/R", "/M"}, {"/R/X", "/M/Y"}}, "/R -> /P, /R/X -> /P/Y"},
      {{{"/M", "/P"}, {"/M/X", ""}}, {{"/R", "/M"}}, "/R -> /P, /R/X -> <>"},
      {{{"/N", "/P"}}, {{"/R", "/M"}}, ""},
  };
  for (const auto& [outer, inner, both] : cases) {
    EXPECT_EQ(Make(outer).Compose(Make(inner)).ToString(), both);
  }
  const MapFunction arc = Make({{"/R", "/M"}}, {1, 2});
  const MapFunction late = MapFunction::Identity().WithOffset({5, 1});
  EXPECT_EQ(late.Compose(arc).ToString(), "/R -> /M (offset 6, scale 2)");
  EXPECT_EQ(arc.Compose(late).ToString(), "/R -> /M (offset 11, scale 2)");
}

TEST(MapFunctionTest, BlockedPathsHaveNoImage) {
  const MapFunction f = Make({{"/", "/"}, {"/A", "/B"}, {"/A/X", ""}});
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"/", "/", "/"},      {"/A", "/B", ""}, {"/A/X", "", ""},   {"/A/X/Y", "", ""},
      {"/A/Z", "/B/Z", ""}, {"/B", "", "/A"}, {"/C", "/C", "/C"},
  };
  for (const auto& [path, target, source] : cases) {
    EXPECT_EQ(f.MapSourceToTarget(P(path)).ToString(), target) << path;
    EXPECT_EQ(f.MapTargetToSource(P(path)).ToString(), source) << path;
  }
}

TEST(MapFunctionTest, InverseMapsPathsAndTimesBack) {
  const MapFunction f = Make({{"/A", "/B"}, {"/A/X", ""}, {"/C", "/D/E"}}, {10, 2});
  EXPECT_EQ(f.Inverse().ToString(), "/B -> /A, /D/E -> /C (offset -5, scale 0.5)");
}

TEST(MapFunctionTest, TheRootIdentityCanBeAddedAndRemoved) {
  const MapFunction f = Make({{"/A", "/B"}}, {1, 1});
  EXPECT_FALSE(f.HasRootIdentity());
  const MapFunction with = f.WithRootIdentity();
  EXPECT_TRUE(with.HasRootIdentity());
  EXPECT_EQ(with.ToString(), "/ -> /, /A -> /B (offset 1, scale 1)");
  EXPECT_EQ(with.WithRootIdentity(), with);
  EXPECT_EQ(with.WithoutRootIdentity(), f);
  EXPECT_EQ(Make({{"/A", "/A"}}).WithRootIdentity(), MapFunction::Identity());
}

// Recorded from PcpMapFunction::ImpliedClass.
TEST(MapFunctionTest, ImpliedClassesMoveWithTheirInstances) {
  const auto implied = [](const std::vector<std::pair<const char*, const char*>>& transfer,
                          const std::vector<std::pair<const char*, const char*>>& arc) {
    return MapFunction::ImpliedClass(Make(transfer, {5, 2}), Make(arc, {1, 1})).ToString();
  };
  EXPECT_EQ(implied({{"/", "/"}, {"/R", "/P"}}, {{"/", "/"}, {"/C", "/R"}}),
            "/ -> /, /C -> /P (offset 1, scale 1)");
  EXPECT_EQ(implied({{"/R", "/P"}}, {{"/", "/"}, {"/R/C", "/R/X"}}),
            "/ -> /, /P/C -> /P/X (offset 1, scale 1)");
  // A class that the transfer does not map has no mapping.
  EXPECT_EQ(implied({{"/R", "/P"}}, {{"/", "/"}, {"/C", "/R"}}), "/ -> / (offset 1, scale 1)");
  // An instance without a place blocks its class: there is none, or another pair claims it.
  EXPECT_EQ(implied({{"/A/B", "/B"}}, {{"/", "/"}, {"/A/B", "/A/A"}}),
            "/ -> /, /B -> <> (offset 1, scale 1)");
  EXPECT_EQ(implied({{"/", "/"}, {"/A", "/B"}}, {{"/", "/"}, {"/C", "/B/B"}}),
            "/ -> /, /C -> <> (offset 1, scale 1)");
  // Paths that the transfer maps from below the instance, but not from below the class.
  EXPECT_EQ(implied({{"/", "/"}, {"/A/Y", "/C/X"}}, {{"/", "/"}, {"/C", "/A"}}),
            "/ -> /, /C -> /A, /C/Y -> /C/X (offset 1, scale 1)");
  EXPECT_EQ(implied({{"/", "/"}, {"/A/C", ""}, {"/C/A", "/C"}}, {{"/", "/"}, {"/B", "/A"}}),
            "/ -> /, /B -> /A, /B/C -> <> (offset 1, scale 1)");
  EXPECT_EQ(implied({{"/", "/"}, {"/C/B", "/A/A/B"}}, {{"/", "/"}, {"/C", "/A"}}),
            "/ -> /, /C -> /A (offset 1, scale 1)");
  // Paths elsewhere are mapped as the transfer maps them.
  EXPECT_EQ(
      implied({{"/", "/"}, {"/B", "/C/A/B"}, {"/C/C", "/A/B"}}, {{"/", "/"}, {"/A", "/B/A/B"}}),
      "/ -> /, /A -> /C/A/B/A/B (offset 1, scale 1)");
}

TEST(MapFunctionTest, ImpliedClassesWithoutATransferAreTheSame) {
  const MapFunction arc = Make({{"/C", "/P"}});
  EXPECT_EQ(MapFunction::ImpliedClass(MapFunction::Identity(), arc), arc);
}

TEST(MapFunctionTest, EqualFunctionsHaveEqualHashes) {
  const MapFunction f = Make({{"/A", "/B"}, {"/C", "/D"}}, {1, 2});
  EXPECT_EQ(f.hash(), Make({{"/C", "/D"}, {"/A", "/B"}}, {1, 2}).hash());
  EXPECT_NE(f.hash(), Make({{"/A", "/B"}, {"/C", "/D"}}, {1, 3}).hash());
  EXPECT_NE(f.hash(), Make({{"/A", "/B"}, {"/C", "/E"}}, {1, 2}).hash());
  EXPECT_NE(f, Make({{"/A", "/B"}, {"/C", "/D"}}, {1, 3}));
  EXPECT_NE(f, Make({{"/A", "/B"}}, {1, 2}));
}

// Many pairs are found by look-up, few by a scan; both must give the same answers.
TEST(MapFunctionTest, MapsTheSameWithManyPairs) {
  const auto path = [](const std::string& text) { return *Path::Parse(text); };
  const std::vector<MapFunction::Pair> few = {
      {path("/"), path("/")},
      {path("/A"), path("/B")},
      {path("/A/x"), path("/C/y")},
      {path("/A/x/p/q"), path("/D")},
      {path("/A/gone"), Path()},
      {path("/E"), path("/E")},
      {path("/A/x/same"), path("/C/y/same")},
  };
  std::vector<MapFunction::Pair> many = few;
  for (int i = 0; i < 500; ++i) {
    const std::string n = std::to_string(i);
    many.emplace_back(path("/Many/from" + n), path("/Many/to" + n));
  }
  const MapFunction small = MapFunction::Make(few, {});
  const MapFunction large = MapFunction::Make(many, {});
  EXPECT_EQ(large.pairs().size(), small.pairs().size() + 500);
  for (const char* text : {"/", "/A", "/A/b", "/A/x", "/A/x/p", "/A/x/p/q", "/A/x/p/q/r", "/A/gone",
                           "/A/gone/z", "/B", "/C/y", "/C/y/p/q", "/D/r", "/E/f", "/Z"}) {
    EXPECT_EQ(large.MapSourceToTarget(path(text)), small.MapSourceToTarget(path(text))) << text;
    EXPECT_EQ(large.MapTargetToSource(path(text)), small.MapTargetToSource(path(text))) << text;
  }
  EXPECT_EQ(large.MapSourceToTarget(path("/Many/from77/a")), path("/Many/to77/a"));
  const MapFunction both = large.Compose(small.Inverse());
  EXPECT_EQ(both.MapSourceToTarget(path("/Many/from3")), path("/Many/to3"));
  EXPECT_EQ(both.MapSourceToTarget(path("/B/b")), path("/B/b"));
  // The outer pairs lead back to the sources of the inner ones, which are not added again.
  std::vector<MapFunction::Pair> moved;
  for (int i = 0; i < 500; ++i) {
    const std::string n = std::to_string(i);
    moved.emplace_back(path("/Moved" + n), path("/Many/from" + n));
  }
  EXPECT_EQ(large.Compose(MapFunction::Make(moved, {})).pairs().size(), 500u);
}

}  // namespace
}  // namespace stagedoor
