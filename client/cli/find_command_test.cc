#include <gtest/gtest.h>

#include <string>

#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class FindCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(def Xform "World" ( kind = "assembly" )
{
    def Mesh "Wall_1" ( kind = "component"; prepend apiSchemas = ["CollectionAPI:lights"] )
    {
        custom double height = 2.5
        custom string note = "oak"
        custom double[] many = [1, 2]
        custom rel owner = </World>
    }
    def Mesh "Wall_2" ( kind = "component" )
    {
        custom double height.timeSamples = { 1: 1, 3: 3 }
    }
    def Sphere "Ball" ( kind = "prop" ) {}
    def "Off" ( active = false ) {}
}
)");
  }
  std::string Find(Args flags) {
    flags.insert(flags.begin(), {"find", "/root.usda"});
    return Printed(RunFind, flags);
  }
};

TEST_F(FindCommandTest, PrimsByTypeNameKindAndSchema) {
  EXPECT_EQ(Find({}), "/World\n/World/Wall_1\n/World/Wall_2\n/World/Ball\n");
  EXPECT_EQ(Find({"--all"}), "/World\n/World/Wall_1\n/World/Wall_2\n/World/Ball\n/World/Off\n");
  EXPECT_EQ(Find({"--type", "Mesh"}), "/World/Wall_1\n/World/Wall_2\n");
  EXPECT_EQ(Find({"--type", "Gprim"}), "/World/Wall_1\n/World/Wall_2\n/World/Ball\n")
      << "types that derive from it too";
  EXPECT_EQ(Find({"--name", "Wall_[2-9]"}), "/World/Wall_2\n");
  EXPECT_EQ(Find({"--name", "Ball", "--name", "World"}), "/World\n/World/Ball\n") << "either";
  EXPECT_EQ(Find({"--kind", "component", "--name", "*1"}), "/World/Wall_1\n") << "both";
  EXPECT_EQ(Find({"--applied", "CollectionAPI"}), "/World/Wall_1\n");
  EXPECT_EQ(Find({"--applied", "CollectionAPI:lights"}), "/World/Wall_1\n");
  EXPECT_EQ(Find({"--applied", "CollectionAPI", "--applied", "SkelBindingAPI"}), "") << "all";
  EXPECT_EQ(Find({"--depth", "0", "/World/Ball"}), "/World/Ball\n");
}

TEST_F(FindCommandTest, PropertiesByPattern) {
  EXPECT_EQ(Find({"--property", "height"}), "/World/Wall_1.height\n/World/Wall_2.height\n");
  EXPECT_EQ(Find({"--property", "*w*", "--authored"}), "/World/Wall_1.owner\n");
  EXPECT_NE(Find({"--property", "radius"}).find("/World/Ball.radius\n"), std::string::npos)
      << "those of schemas too";
  EXPECT_EQ(Find({"--property", "radius", "--authored"}), "");
}

TEST_F(FindCommandTest, AttributesByValue) {
  EXPECT_EQ(Find({"--property", "height", "--value", ">2"}), "/World/Wall_1.height\t2.5\n");
  EXPECT_EQ(Find({"--property", "height", "--value", ">0", "--time", "2"}),
            "/World/Wall_1.height\t2.5\n/World/Wall_2.height\t2\n");
  EXPECT_EQ(Find({"--property", "height", "--value", ">0", "--value", "<2.2", "--time", "2"}),
            "/World/Wall_2.height\t2\n")
      << "both";
  EXPECT_EQ(Find({"--value", "oak"}), "/World/Wall_1.note\t\"oak\"\n");
  EXPECT_EQ(Find({"--value", "=1", "--authored"}), "") << "not in arrays";
}

TEST_F(FindCommandTest, ManyAttributesAreComparedInBatches) {
  std::string text;
  for (int i = 0; i < 2500; ++i) text += Concat("def \"P", i, "\" { double x = ", i, "; }\n");
  Write("many.usda", text);
  EXPECT_EQ(Printed(RunFind, {"find", "/many.usda", "--value", ">=2498"}),
            "/P2498.x\t2498\n/P2499.x\t2499\n");
  EXPECT_EQ(Printed(RunFind, {"find", "/many.usda", "--value", "<1"}), "/P0.x\t0\n");
}

TEST_F(FindCommandTest, RecordsHaveTheColumnsOfWhatIsFound) {
  EXPECT_EQ(Find({"--kind", "prop", "--format=csv"}),
            "path,type,kind\r\n/World/Ball,Sphere,prop\r\n");
  EXPECT_EQ(Find({"--property", "owner", "--format=csv"}), "path,type\r\n/World/Wall_1.owner,\r\n");
  EXPECT_EQ(Find({"--value", "~o[a]k", "--format=json"}),
            "{\"path\":\"/World/Wall_1.note\",\"type\":\"string\",\"value\":\"oak\"}\n");
}

TEST_F(FindCommandTest, WrongFlagsAndPathsAreErrors) {
  const auto fails = [&](const Args& args) { return Failure(RunFind, args); };
  EXPECT_TRUE(IsUsageError(fails({"find", "/root.usda", "--value", ">a"})));
  EXPECT_TRUE(IsUsageError(fails({"find", "/root.usda", "--time", "1"})));
  EXPECT_TRUE(IsUsageError(fails({"find", "/root.usda", "--authored"})));
  EXPECT_TRUE(IsUsageError(fails({"find", "/root.usda", "--format", "xml"})));
  EXPECT_EQ(fails({"find", "/root.usda", "/None"}).code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace stagedoor
