#include "server/sharing/recipe_uses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "resolver/memory/memory_resolver.h"
#include "server/handlers/edit_stage_handler.h"
#include "server/store/session_records.pb.h"
#include "server/testing/bare_replica.h"

namespace stagedoor::server {
namespace {

class RecipeUsesTest : public ::testing::Test {
 protected:
  RecipeUsesTest() {
    for (const std::string name : {"a", "b"}) {
      EXPECT_TRUE(files_->Put("/" + name + ".usda", "#usda 1.0\ndef \"P\" {\n}\n").ok());
    }
  }

  static v1::OpenStageRequest Request(const std::string& root_layer) {
    v1::OpenStageRequest request;
    request.set_root_layer(root_layer);
    return request;
  }
  // A request whose session layer is a comment of this size.
  static v1::OpenStageRequest LongRequest(size_t size, const std::string& comment = "x") {
    v1::OpenStageRequest request = Request("/a.usda");
    std::string text = "#usda 1.0\n#" + comment;
    text.resize(std::max(size, text.size()), '-');
    request.mutable_session_layer()->set_content(text);
    return request;
  }
  // Opens a stage and counts that.
  std::string Open(const v1::OpenStageRequest& request) {
    const std::string handle = replica_.Open(request);
    Count(handle);
    return handle;
  }
  void Count(const std::string& handle) {
    uses_.Add(*replica_.daemon.leases.Find(handle)->session);
  }
  std::vector<SessionStore::Use> Take() { return uses_.Take(replica_.daemon.leases.All()); }
  // The weights of the uses, with the root layers.
  static std::vector<std::string> Describe(const std::vector<SessionStore::Use>& uses) {
    std::vector<std::string> texts;
    for (const SessionStore::Use& use : uses) {
      texts.push_back(Concat(use.weight, " ", RecordOf(use).recipe().root_layer()));
    }
    return texts;
  }
  static store::v1::RecipeRecord RecordOf(const SessionStore::Use& use) {
    store::v1::RecipeRecord record;
    EXPECT_TRUE(record.ParseFromString(use.record));
    return record;
  }

  std::shared_ptr<MemoryResolver> files_ = std::make_shared<MemoryResolver>();
  BareReplica replica_{files_, std::make_shared<SharedRecords>()};
  RecipeUses uses_;
};

using Texts = std::vector<std::string>;

TEST_F(RecipeUsesTest, TheLeasesOfARecipeAreCounted) {
  Open(Request("/b.usda"));
  for (int i = 0; i < 3; ++i) Open(Request("/a.usda"));
  EXPECT_EQ(Describe(Take()), (Texts{"3 /a.usda", "1 /b.usda"}));
}

TEST_F(RecipeUsesTest, LivingLeasesCountAgainAndOthersOnce) {
  Open(Request("/a.usda"));
  for (int i = 0; i < 2; ++i) replica_.Close(Open(Request("/b.usda")));
  EXPECT_EQ(Describe(Take()), (Texts{"2 /b.usda", "1 /a.usda"}));
  EXPECT_EQ(Describe(Take()), Texts{"1 /a.usda"});
  Open(Request("/a.usda"));
  EXPECT_EQ(Describe(Take()), Texts{"2 /a.usda"});
}

TEST_F(RecipeUsesTest, NamesEditsAndClientsDoNotMultiplyRecipes) {
  v1::OpenStageRequest named = Request("/a.usda");
  named.set_session("shot");
  named.set_client_name("ann");
  named.set_request_id("0123456789abcdef");
  named.mutable_lease_ttl()->set_seconds(77);
  const std::string handle = Open(named);
  v1::EditStageRequest edit;
  edit.mutable_stage()->set_handle(handle);
  edit.add_edits()->mutable_define_prim()->set_path("/New");
  v1::EditStageResponse edited;
  RequestContext context;
  ASSERT_TRUE(EditStage(replica_.session_state(), context, edit, &edited).ok());
  Open(Request("/a.usda"));
  Count(handle);
  const std::vector<SessionStore::Use> uses = Take();
  EXPECT_EQ(Describe(uses), Texts{"3 /a.usda"});
  EXPECT_EQ(RecordOf(uses[0]).recipe().SerializeAsString(), Request("/a.usda").SerializeAsString());
}

TEST_F(RecipeUsesTest, WhatMakesAnotherStageIsAnotherRecipe) {
  v1::OpenStageRequest request = Request("/a.usda");
  Open(request);
  request.set_interpolation(v1::INTERPOLATION_HELD);  // the same stage
  Open(request);
  request.set_change_policy(v1::CHANGE_POLICY_FIXED);
  Open(request);
  request.set_load_policy(v1::LOAD_POLICY_NONE);
  request.set_change_policy(v1::CHANGE_POLICY_FOLLOW);
  Open(request);
  EXPECT_EQ(Describe(Take()), (Texts{"2 /a.usda", "1 /a.usda", "1 /a.usda"}));
}

TEST_F(RecipeUsesTest, TheScopeOfTheCallersIsPartOfTheRecipe) {
  const Caller ann = MakeCaller("ann", "/"), bob = MakeCaller("bob", "/");
  Count(replica_.OpenAs(ann, Request("/a.usda")));
  Count(replica_.OpenAs(bob, Request("/a.usda")));
  Open(Request("/a.usda"));
  const std::vector<SessionStore::Use> uses = Take();
  ASSERT_EQ(Describe(uses), (Texts{"2 /a.usda", "1 /a.usda"}));
  EXPECT_EQ(RecordOf(uses[0]).access_scope(), ann.grants->assets->fingerprint());
  EXPECT_EQ(RecordOf(uses[1]).access_scope(), "");
}

TEST_F(RecipeUsesTest, LargeRecipesAreNotCounted) {
  Open(LongRequest(RecipeUses::kMaxRecordBytes));
  EXPECT_EQ(Describe(Take()), Texts());
  Open(LongRequest(RecipeUses::kMaxRecordBytes - 100));
  EXPECT_EQ(Describe(Take()), Texts{"1 /a.usda"});
}

TEST_F(RecipeUsesTest, RecordsAreBounded) {
  constexpr size_t kBytes = 60000;
  std::string first;
  for (size_t i = 0; i <= RecipeUses::kMaxBytes / kBytes; ++i) {
    const std::string handle = Open(LongRequest(kBytes, std::to_string(i)));
    if (i == 0) first = handle;
  }
  Count(first);  // known, so it needs no room
  const std::vector<SessionStore::Use> uses = Take();
  EXPECT_EQ(uses.size(), RecipeUses::kMaxBytes / (kBytes + 240)) << "about 240 bytes besides";
  EXPECT_EQ(uses[0].weight, 2u);
}

TEST_F(RecipeUsesTest, OnlyTheMostUsedAreReported) {
  for (size_t i = 0; i < SessionStore::kMaxRecipes; ++i) Open(LongRequest(0, std::to_string(i)));
  for (int i = 0; i < 2; ++i) Open(Request("/b.usda"));
  const std::vector<SessionStore::Use> uses = Take();
  EXPECT_EQ(uses.size(), SessionStore::kMaxRecipes);
  EXPECT_EQ(Describe({uses[0]}), Texts{"2 /b.usda"});
}

}  // namespace
}  // namespace stagedoor::server
