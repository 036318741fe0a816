#include "server/access/method_groups.h"

#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/strings.h"
#include "stagedoor/v1/admin.pb.h"
#include "stagedoor/v1/cache.pb.h"
#include "stagedoor/v1/geom.pb.h"
#include "stagedoor/v1/layers.pb.h"
#include "stagedoor/v1/query.pb.h"
#include "stagedoor/v1/server.pb.h"
#include "stagedoor/v1/sessions.pb.h"
#include "stagedoor/v1/skel.pb.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {
namespace {

// "stagedoor.v1.QueryService/GetPrim" of all services.
std::set<std::string> AllMethods() {
  std::set<std::string> all;
  for (const google::protobuf::FileDescriptor* file :
       {v1::OpenStageRequest::descriptor()->file(), v1::EditStageRequest::descriptor()->file(),
        v1::GetPrimRequest::descriptor()->file(), v1::ReadLayerRequest::descriptor()->file(),
        v1::PrefetchClipsRequest::descriptor()->file(),
        v1::ComputeBoundsRequest::descriptor()->file(),
        v1::ListSkelBindingsRequest::descriptor()->file(),
        v1::GetCapabilitiesRequest::descriptor()->file(), v1::DrainRequest::descriptor()->file()}) {
    for (int i = 0; i < file->service_count(); ++i) {
      const auto* service = file->service(i);
      for (int j = 0; j < service->method_count(); ++j) {
        all.insert(Concat(service->full_name(), "/", service->method(j)->name()));
      }
    }
  }
  return all;
}

std::string WithoutService(const std::string& method) {
  return method.substr(method.find('/') + 1);
}

std::map<RpcGroup, std::set<std::string>> MethodsByGroup() {
  std::map<RpcGroup, std::set<std::string>> by_group;
  for (const std::string& name : AllMethods()) {
    EXPECT_TRUE(FindMethodGroup(name).has_value()) << name;
    by_group[MethodGroup(name)].insert(WithoutService(name));
  }
  return by_group;
}

TEST(MethodGroupsTest, EveryMethodThatChangesSomethingIsNamed) {
  const auto by_group = MethodsByGroup();
  EXPECT_EQ(by_group.at(RpcGroup::kEdit),
            (std::set<std::string>{"SetSessionLayer", "LoadPrims", "UnloadPrims", "ReloadStage",
                                   "MuteLayers", "EditStage"}));
  EXPECT_EQ(
      by_group.at(RpcGroup::kAdmin),
      (std::set<std::string>{"ListStages", "GetCacheStatistics", "GetServerStatistics", "ListCalls",
                             "EvictCaches", "Drain", "SetLogLevel", "ReloadConfig", "GetConfig"}));
  EXPECT_EQ(by_group.at(RpcGroup::kTools),
            (std::set<std::string>{"ReadLayer", "ConvertLayer", "ValidateLayer", "FlattenStage",
                                   "StitchClips", "GenerateClipManifest", "ListDependencies",
                                   "LocalizeStage"}));
  EXPECT_TRUE(by_group.at(RpcGroup::kQuery).contains("OpenStage"));
}

TEST(MethodGroupsTest, WhatReleasesAndWhatShowsIsEssential) {
  std::set<std::string> essential;
  for (const std::string& name : AllMethods()) {
    if (IsEssentialMethod(name)) essential.insert(WithoutService(name));
  }
  EXPECT_EQ(essential, (std::set<std::string>{
                           "CloseStage", "RenewLease", "ListStages", "GetCapabilities",
                           "GetCacheStatistics", "GetServerStatistics", "ListCalls", "EvictCaches",
                           "Drain", "SetLogLevel", "ReloadConfig", "GetConfig"}));
  EXPECT_FALSE(IsEssentialMethod("stagedoor.v1.NewService/Method"));
}

TEST(MethodGroupsTest, OtherMethodsAreForAdministrators) {
  for (const std::string_view name :
       {"grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
        "stagedoor.v1.NewService/Method", "stagedoor.v1.QueryService2/GetPrim", ""}) {
    EXPECT_FALSE(FindMethodGroup(name).has_value()) << name;
    EXPECT_EQ(MethodGroup(name), RpcGroup::kAdmin) << name;
  }
}

}  // namespace
}  // namespace stagedoor::server
