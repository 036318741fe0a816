#include <gtest/gtest.h>

#include <string>

#include "client/cli/testing/commands_test.h"

namespace stagedoor {
namespace {

class LsCommandTest : public CommandsTest {
 protected:
  void SetUp() override {
    Write("root.usda", R"(def "P" ( kind = "group" )
{
    double plain = 1.5
    float moving.timeSamples = { 1: 10, 3: 30 }
    int[] many = [1, 2, 3, 4, 5, 6, 7, 8, 9]
    string gone = None
    double unset
    rel r = </P/Child>
    def Sphere "Child" ( kind = "component" ) {}
    over "Ghost" {}
}
)");
  }
};

TEST_F(LsCommandTest, LongListingsHaveTypesValuesAndSources) {
  const std::string digest = "\"digest\":\"";
  std::string text = Printed(RunLs, {"ls", "-l", "/root.usda", "/P"});
  const size_t at = text.find(digest) + digest.size();
  ASSERT_LT(at, text.size()) << text;
  text.replace(at, 16, "D");
  EXPECT_EQ(text,
            "kind          type    name    flags  source        value\n"
            "prim          Sphere  Child/                       component\n"
            "prim                  Ghost/  over\n"
            "attribute     string  gone           nothing       blocked\n"
            "attribute     int[]   many           default       "
            "{\"count\":9,\"digest\":\"D\",\"first\":[1,2],\"last\":[8,9]}\n"
            "attribute     float   moving         time samples\n"
            "attribute     double  plain          default       1.5\n"
            "attribute     double  unset          nothing\n"
            "relationship          r                            [\"/P/Child\"]\n");
}

TEST_F(LsCommandTest, ValuesAreThoseOfTheTime) {
  const std::string text = Printed(
      RunLs, {"ls", "-l", "/root.usda", "/P", "--time", "2", "--arrays=full", "--format=csv"});
  EXPECT_NE(text.find("attribute,float,moving,,time samples,20\r\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\"[1,2,3,4,5,6,7,8,9]\""), std::string::npos) << text;
  EXPECT_TRUE(IsUsageError(Failure(RunLs, {"ls", "-l", "/root.usda", "/P", "--time=1,2"})));
  EXPECT_EQ(Message(Failure(RunLs, {"ls", "/root.usda", "--time=1"})),
            "ls takes --time only with -l");
}

TEST_F(LsCommandTest, ThePseudoRootHasNoAttributes) {
  EXPECT_EQ(Printed(RunLs, {"ls", "-l", "/root.usda"}),
            "kind  type  name  flags  source  value\nprim        P/                   group\n");
}

TEST_F(LsCommandTest, RecordsOfTheShortForm) {
  EXPECT_EQ(Printed(RunLs, {"ls", "/root.usda", "/P", "--format=csv"}),
            "kind,type,name\r\n"
            "prim,,Child\r\n"
            "prim,,Ghost\r\n"
            "attribute,string,gone\r\n"
            "attribute,int[],many\r\n"
            "attribute,float,moving\r\n"
            "attribute,double,plain\r\n"
            "relationship,,r\r\n"
            "attribute,double,unset\r\n");
  EXPECT_EQ(Failure(RunLs, {"ls", "-l", "/root.usda", "/None"}).code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace stagedoor
