#include "scene/stage/collection_rules.h"

#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace stagedoor {
namespace {

using Rule = CollectionRule;

Path P(const std::string& text) { return *Path::Parse(text); }

struct Case {
  const char* about;
  std::vector<std::pair<const char*, Rule>> rules;
  std::vector<const char*> included;
  std::vector<const char*> excluded;
};

TEST(CollectionRulesTest, TheNearestRulesDecide) {
  const Case kCases[] = {
      {"nothing", {}, {}, {"/", "/W", "/W.x"}},
      {"prims",
       {{"/W", Rule::kExpandPrims}},
       {"/W", "/W/A", "/W/A/B"},
       {"/", "/O", "/W.x", "/W/A.x"}},
      {"properties", {{"/W", Rule::kExpandPrimsAndProperties}}, {"/W", "/W.x", "/W/A.x"}, {"/O.x"}},
      {"explicit",
       {{"/W", Rule::kExplicitOnly}, {"/W/A.x", Rule::kExplicitOnly}},
       {"/W", "/W/A.x"},
       {"/W/A", "/W.x", "/W/A.y"}},
      {"a property by itself", {{"/W.x", Rule::kExpandPrims}}, {"/W.x"}, {"/W", "/W.y"}},
      {"the root",
       {{"/", Rule::kExpandPrims}, {"/W", Rule::kExclude}},
       {"/O", "/O/P"},
       {"/W", "/W/A", "/W.x"}},
      {"included again below",
       {{"/W", Rule::kExpandPrims}, {"/W/A", Rule::kExclude}, {"/W/A/B/C", Rule::kExpandPrims}},
       {"/W", "/W/A/B/C", "/W/A/B/C/D"},
       {"/W/A", "/W/A/B"}},
      {"explicit ones let rules above through",
       {{"/W", Rule::kExpandPrims}, {"/W/A", Rule::kExplicitOnly}},
       {"/W/A", "/W/A/B"},
       {"/W/A.x"}},
      {"rules for prims let those for properties through",
       {{"/W", Rule::kExpandPrimsAndProperties}, {"/W/A", Rule::kExpandPrims}},
       {"/W/A.x", "/W/A/B.x"},
       {}},
      {"an excluded property",
       {{"/W", Rule::kExpandPrimsAndProperties}, {"/W/A.x", Rule::kExclude}},
       {"/W/A", "/W/A.y"},
       {"/W/A.x"}},
      {"an unknown rule", {{"/W", Rule::kUnknown}}, {"/W", "/W/A"}, {"/W.x", "/V"}},
  };
  for (const Case& c : kCases) {
    CollectionRules rules;
    for (const auto& [path, rule] : c.rules) rules.Set(P(path), rule);
    for (const char* path : c.included)
      EXPECT_TRUE(rules.Includes(P(path))) << c.about << ": " << path;
    for (const char* path : c.excluded)
      EXPECT_FALSE(rules.Includes(P(path))) << c.about << ": " << path;
  }
}

TEST(CollectionRulesTest, ThePseudoRootIsNoMember) {
  CollectionRules rules;
  rules.Set(P("/"), CollectionRule::kExpandPrims);
  EXPECT_FALSE(rules.Includes(P("/")));
  EXPECT_TRUE(rules.Includes(P("/A")));
}

TEST(CollectionRulesTest, IncludedCollectionsReplaceRulesAtTheirPaths) {
  CollectionRules rules;
  rules.Set(P("/W"), Rule::kExpandPrims);
  rules.Set(P("/W/A"), Rule::kExpandPrims);
  CollectionRules nested;
  nested.Set(P("/W/A"), Rule::kExclude);
  rules.Include(nested);
  EXPECT_TRUE(rules.Includes(P("/W")));
  EXPECT_FALSE(rules.Includes(P("/W/A")));
}

TEST(CollectionRulesTest, ParsesExpansionRules) {
  EXPECT_EQ(ParseCollectionRule(Token("expandPrims")), Rule::kExpandPrims);
  EXPECT_EQ(ParseCollectionRule(Token("expandPrimsAndProperties")),
            Rule::kExpandPrimsAndProperties);
  EXPECT_EQ(ParseCollectionRule(Token("explicitOnly")), Rule::kExplicitOnly);
  EXPECT_EQ(ParseCollectionRule(Token("exclude")), Rule::kUnknown);
  EXPECT_EQ(ParseCollectionRule(Token()), Rule::kUnknown);
}

}  // namespace
}  // namespace stagedoor
