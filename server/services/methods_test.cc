#include "server/services/methods.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "server/rpc/call_admission.h"

namespace stagedoor::server {
namespace {

using Names = std::set<std::string>;

// The methods of the API by group, and those that are served while memory is short.
struct Policies {
  template <typename... Handles>
  void Unary(const char* method, const MethodPolicy& policy, const Handles&...) {
    Add(method, policy);
  }
  template <typename... Handles>
  void Stream(const char* method, const MethodPolicy& policy, const Handles&...) {
    Add(method, policy);
  }

  void Add(const char* method, const MethodPolicy& policy) {
    by_group[policy.group].insert(method);
    if (MethodCounters(method, policy).is_essential) essential.insert(method);
  }

  std::map<RpcGroup, Names> by_group;
  Names essential;
};

Policies AllPolicies() {
  Policies all;
  AddAllMethods(all);
  return all;
}

// Whoever moves a method to another group changes who may call it.
TEST(MethodsTest, WhatChangesAndWhatIsCostlyIsNoQuery) {
  auto by_group = AllPolicies().by_group;
  EXPECT_EQ(by_group[RpcGroup::kEdit], (Names{"SetSessionLayer", "LoadPrims", "UnloadPrims",
                                              "ReloadStage", "MuteLayers", "EditStage"}));
  EXPECT_EQ(by_group[RpcGroup::kAdmin],
            (Names{"ListStages", "GetCacheStatistics", "GetServerStatistics", "ListCalls",
                   "EvictCaches", "Drain", "SetLogLevel", "ReloadConfig", "GetConfig"}));
  EXPECT_EQ(by_group[RpcGroup::kTools],
            (Names{"ReadLayer", "ReadAsset", "ConvertLayer", "ValidateLayer", "FlattenStage",
                   "StitchClips", "GenerateClipManifest", "ListDependencies", "LocalizeStage"}));
}

TEST(MethodsTest, WhatReleasesAndWhatShowsIsEssential) {
  EXPECT_EQ(AllPolicies().essential,
            (Names{"CloseStage", "RenewLease", "ListStages", "GetCapabilities",
                   "GetCacheStatistics", "GetServerStatistics", "ListCalls", "EvictCaches", "Drain",
                   "SetLogLevel", "ReloadConfig", "GetConfig"}));
}

}  // namespace
}  // namespace stagedoor::server
