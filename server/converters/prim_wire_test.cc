#include "server/converters/prim_wire.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "scene/testing/test_scene.h"
#include "server/testing/byte_buffers.h"
#include "stagedoor/v1/prims.pb.h"
#include "stagedoor/v1/query.pb.h"

namespace stagedoor::server {
namespace {

class PrimWireTest : public ::testing::Test {
 protected:
  void SetUp() override {
    scene_.Write("a.usda", R"(
def Xform "World" (kind = "assembly")
{
    def Xform "Group" (kind = "group") {
        def "One" (
            instanceable = true
            kind = "component"
            references = </Source>
        ) {}
        def "Two" (
            instanceable = true
            references = </Source>
        ) {}
        def "Other" (
            instanceable = true
            references = </OtherSource>
        ) {}
    }
    over "Over" {}
    class "Class" {}
    def "Off" (active = false) {}
    def "Later" (payload = </Source>) {}
}
class "Source" {
    def Sphere "Ball" {}
}
class "OtherSource" {
    def Sphere "Ball" {}
}
)");
    StageOptions options;
    options.load = LoadRules::None();
    stage_ = scene_.Open("a.usda", options);
    ASSERT_NE(stage_, nullptr);
  }

  v1::Prim Sent(const char* path, PrimMask mask = {kPrimSummary}) {
    WireWriter writer;
    WritePrim(v1::TraverseResponse::kPrimsFieldNumber, stage_->FindPrim(path), mask, &writer);
    v1::TraverseResponse reply;
    EXPECT_TRUE(reply.ParseFromString(BytesOf(std::move(writer).Finish())));
    EXPECT_EQ(reply.prims_size(), 1);
    return reply.prims(0);
  }
  // The flags that are set, by name.
  std::string Flags(const char* path) {
    const v1::Prim prim = Sent(path);
    std::string flags;
    const auto add = [&](bool flag, const char* name) {
      if (flag) flags += (flags.empty() ? "" : " ") + std::string(name);
    };
    add(prim.inactive(), "inactive");
    add(prim.unloaded(), "unloaded");
    add(prim.undefined(), "undefined");
    add(prim.abstract(), "abstract");
    add(prim.model(), "model");
    add(prim.group(), "group");
    add(prim.instance(), "instance");
    add(prim.instanceable(), "instanceable");
    add(prim.instance_proxy(), "instance_proxy");
    add(prim.has_payload(), "has_payload");
    return flags;
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
};

TEST_F(PrimWireTest, ASummaryHasSpecifierAndType) {
  const v1::Prim world = Sent("/World");
  EXPECT_EQ(world.path(), "/World");
  EXPECT_EQ(world.specifier(), v1::SPECIFIER_DEF);
  EXPECT_EQ(world.type_name(), "Xform");
  EXPECT_EQ(Sent("/World/Over").specifier(), v1::SPECIFIER_OVER);
  EXPECT_EQ(Sent("/World/Over").type_name(), "");
  EXPECT_EQ(Sent("/World/Class").specifier(), v1::SPECIFIER_CLASS);
}

TEST_F(PrimWireTest, ASummaryHasTheFlags) {
  EXPECT_EQ(Flags("/World"), "model group");
  EXPECT_EQ(Flags("/World/Over"), "undefined");
  EXPECT_EQ(Flags("/World/Class"), "abstract");
  EXPECT_EQ(Flags("/World/Off"), "inactive unloaded");
  EXPECT_EQ(Flags("/World/Later"), "unloaded has_payload");
  EXPECT_EQ(Flags("/World/Group/One"), "model instance instanceable");
  EXPECT_EQ(Flags("/World/Group/One/Ball"), "instance_proxy");
}

TEST_F(PrimWireTest, InstancesOfAPrototypeShareItsNumber) {
  const uint64_t one = Sent("/World/Group/One").prototype();
  EXPECT_NE(one, 0u);
  EXPECT_EQ(Sent("/World/Group/Two").prototype(), one);
  EXPECT_NE(Sent("/World/Group/Other").prototype(), one);
  EXPECT_EQ(Sent("/World").prototype(), 0u);
}

TEST_F(PrimWireTest, OnlyThePathAndRequestedFieldsAreWritten) {
  for (const char* path : {"/World", "/World/Over", "/World/Class", "/World/Off", "/World/Later",
                           "/World/Group/One", "/World/Group/One/Ball"}) {
    const v1::Prim all = Sent(path);
    for (int i = 0; i < v1::Prim::descriptor()->field_count(); ++i) {
      const google::protobuf::FieldDescriptor& field = *v1::Prim::descriptor()->field(i);
      v1::Prim expected = all;
      for (int j = 0; j < v1::Prim::descriptor()->field_count(); ++j) {
        if (j == i || v1::Prim::descriptor()->field(j)->name() == "path") continue;
        expected.GetReflection()->ClearField(&expected, v1::Prim::descriptor()->field(j));
      }
      EXPECT_EQ(Sent(path, {FieldSet({field.number()})}).DebugString(), expected.DebugString())
          << path << " " << field.name();
    }
  }
}

}  // namespace
}  // namespace stagedoor::server
