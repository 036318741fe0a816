#include "scene/stage/attribute_query.h"

#include <string>
#include <string_view>
#include <vector>

#include "base/strings.h"
#include "gtest/gtest.h"
#include "scene/testing/answers_fixture.h"

namespace stagedoor {
namespace {

class AttributeQueryTest : public AnswersTest {
 protected:
  void SetUp() override {
    Write("clip.usda", "def \"C\" { double clipped.timeSamples = { 1: 10, 3: 30 }; }\n");
    Write("back.usda", R"((
  timeCodesPerSecond = -24
)
def "P" {
  double reversed.timeSamples = { 1: 10, 3: 30, 4: 40 }
}
)");
    Write("root.usda", R"(
def Cube "P" (
  references = @./back.usda@</P>
  clips = { dictionary default = {
    asset[] assetPaths = [@./clip.usda@]
    double2[] active = [(0, 0)]
    double2[] times = [(0, 0), (9, 9)]
    string primPath = "/C"
  } }
) {
  double default_only = 7
  double none
  double blocked = None
  double one.timeSamples = { 2: 20 }
  double many = 7
  double many.timeSamples = { 1: 10, 3: 30 }
  double part.timeSamples = { 1: 10, 3: None }
  double all_blocked.timeSamples = { 1: None }
  double curve.spline = { 1: 10; post linear (0), 3: 30; post linear (0) }
  double clipped
  token visibility = None
}
def "WithoutClips" {
  double many = 7
  double many.timeSamples = { 1: 10, 3: 30 }
}
)");
  }

  AttributeQuery Query(std::string_view name) {
    return AttributeQuery(scene_.context(), Find(Concat("/P.", name)));
  }
  // The values at default time and at 0, 2 and 9.
  template <typename Get>
  static std::string Values(const Get& get) {
    std::vector<std::string> texts;
    for (const TimeCode time :
         {TimeCode::Default(), TimeCode::At(0), TimeCode::At(2), TimeCode::At(9)}) {
      texts.push_back(Text(get(time)));
    }
    return Join(texts, " ");
  }
};

TEST_F(AttributeQueryTest, ValuesAreThoseOfTheAttribute) {
  const struct {
    std::string name, expected;
  } kCases[] = {{"default_only", "7 7 7 7"}, {"none", "- - - -"},        {"one", "- 20 20 20"},
                {"many", "7 10 20 30"},      {"reversed", "- 10 10 10"}, {"size", "2 2 2 2"},
                {"clipped", "- 10 20 30"}};
  for (const auto& c : kCases) {
    const AttributeQuery query = Query(c.name);
    EXPECT_EQ(Values([&](TimeCode time) { return query.Get(scene_.context(), time); }), c.expected)
        << c.name;
  }
  for (const char* name : {"default_only", "none", "blocked", "one", "many", "part", "all_blocked",
                           "curve", "clipped", "visibility", "size", "reversed"}) {
    const AttributeQuery query = Query(name);
    const Attribute attribute = Find(Concat("/P.", name));
    EXPECT_EQ(Values([&](TimeCode time) { return query.Get(scene_.context(), time); }),
              Values([&](TimeCode time) { return attribute.Get(scene_.context(), time); }))
        << name;
    EXPECT_TRUE(query.valid());
    EXPECT_EQ(query.attribute().name(), attribute.name());
  }
}

TEST_F(AttributeQueryTest, FallbacksAndBlocksAreNotAuthored) {
  const struct {
    const char* name;
    bool authored, steady;
  } kCases[] = {{"default_only", true, true}, {"none", false, true},    {"blocked", false, true},
                {"one", true, true},          {"many", true, false},    {"part", true, false},
                {"curve", true, false},       {"clipped", true, false}, {"size", false, true},
                {"visibility", false, true}};
  for (const auto& c : kCases) {
    EXPECT_EQ(Query(c.name).HasAuthoredValue(), c.authored) << c.name;
    EXPECT_EQ(Query(c.name).is_steady(), c.steady) << c.name;
    EXPECT_EQ(Find(Concat("/P.", c.name)).HasAuthoredValue(scene_.context()), c.authored) << c.name;
  }
}

TEST_F(AttributeQueryTest, SampleTimesAscend) {
  const auto times = [&](const char* name) {
    const Array<double> all = Query(name).SampleTimes(scene_.context());
    return std::vector<double>(all.begin(), all.end());
  };
  EXPECT_EQ(times("many"), (std::vector<double>{1, 3}));
  EXPECT_EQ(times("reversed"), (std::vector<double>{-4, -3, -1}));
  EXPECT_EQ(times("one"), std::vector<double>{2});
  EXPECT_EQ(times("default_only"), std::vector<double>{});
  EXPECT_EQ(times("none"), std::vector<double>{});
  EXPECT_EQ(times("clipped"), (std::vector<double>{0, 1, 3, 9}))
      << "including the end points of `times`";
}

TEST_F(AttributeQueryTest, AnInvalidAttributeHasNoValue) {
  for (const AttributeQuery& none :
       {AttributeQuery(), AttributeQuery(scene_.context(), Attribute())}) {
    EXPECT_FALSE(none.valid());
    EXPECT_FALSE(none.HasAuthoredValue());
    EXPECT_FALSE(none.attribute().HasAuthoredValue(scene_.context()));
    EXPECT_TRUE(none.is_steady());
    EXPECT_TRUE(none.Get(scene_.context(), TimeCode::At(1)).empty());
    EXPECT_TRUE(none.SampleTimes(scene_.context()).empty());
    EXPECT_FALSE(none.GetAs<double>(scene_.context(), TimeCode::At(1)).has_value());
  }
}

TEST_F(AttributeQueryTest, KnowsTheTypeName) {
  EXPECT_EQ(Query("many").type_name(), Token("double"));
  EXPECT_EQ(Query("visibility").type_name(), Token("token"));
  EXPECT_EQ(AttributeQuery(Find("/P.many"), Value(5.0)).type_name(), Token("double"));
}

TEST_F(AttributeQueryTest, DefaultTimeHasASourceOfItsOwnOnlyWhereItDiffers) {
  const auto differs = [&](const char* name) {
    const AttributeQuery query = Query(name);
    return &query.SourceFor(TimeCode::Default()) != &query.SourceFor(TimeCode::At(1));
  };
  for (const char* name : {"default_only", "none", "size"}) EXPECT_FALSE(differs(name)) << name;
  for (const char* name : {"blocked", "one", "many", "curve", "clipped", "visibility"}) {
    EXPECT_TRUE(differs(name)) << name;
  }
}

TEST_F(AttributeQueryTest, TakesTheSourceThatRepeatedReadsHaveKept) {
  const Attribute many = Find("/WithoutClips.many");
  EXPECT_EQ(many.KeptSource(), nullptr);
  for (int i = 0; i < 2; ++i) many.Get(scene_.context(), TimeCode::At(1));
  ASSERT_NE(many.KeptSource(), nullptr);
  const AttributeQuery query(scene_.context(), many);
  EXPECT_EQ(query.GetAs<double>(scene_.context(), TimeCode::At(2)), 20);
  EXPECT_EQ(query.GetAs<double>(scene_.context(), TimeCode::Default()), 7);
}

TEST_F(AttributeQueryTest, AKnownValueHoldsAtAllTimes) {
  const AttributeQuery known(Find("/P.many"), Value(5.0));
  EXPECT_EQ(Values([&](TimeCode time) { return known.Get(scene_.context(), time); }), "5 5 5 5");
  EXPECT_TRUE(known.HasAuthoredValue());
  EXPECT_TRUE(known.is_steady());
  EXPECT_TRUE(known.SampleTimes(scene_.context()).empty());
  EXPECT_EQ(known.GetAs<double>(scene_.context(), TimeCode::At(0)), 5);
  EXPECT_EQ(known.GetAs<float>(scene_.context(), TimeCode::At(0)), std::nullopt);
}

}  // namespace
}  // namespace stagedoor
