#include "scene/stage/prim_finder.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "scene/stage/stage.h"
#include "scene/testing/test_scene.h"

namespace stagedoor {
namespace {

class PrimFinderTest : public testing::Test {
 protected:
  PrimFinderTest() {
    scene_.Write("a.usda", R"(
class "Asset" {
  def "Geo" {
    def "Part" {}
  }
}
def "A" {
  def "B" {}
  def "Bx" {
    def "C" {}
    def "D" {}
  }
  def "E" {}
}
def "I" (
  references = </Asset>
  instanceable = true
) {}
def "J" (
  references = </Asset>
  instanceable = true
) {}
def "K" {
  def "B" {}
}
)");
    stage_ = scene_.Open("a.usda");
  }
  // Finds the paths one after the other, and compares with what the stage finds.
  void ExpectAsStage(const std::vector<std::string>& paths) {
    PrimFinder finder(*stage_);
    std::string_view last = "nothing";
    for (const std::string& path : paths) {
      EXPECT_EQ(finder.Find(path), stage_->FindPrim(path)) << path << " after " << last;
      last = path;
    }
  }

  TestScene scene_;
  std::shared_ptr<const Stage> stage_;
  // In the order of a traversal, with instance proxies and paths that have no prim.
  const std::vector<std::string> paths_ = {
      "/",      "/Asset",   "/A",       "/A/B",        "/A/Bx",      "/A/Bx/C", "/A/Bx/D",
      "/A/E",   "/I",       "/I/Geo",   "/I/Geo/Part", "/J",         "/J/Geo",  "/K",
      "/K/B",   "",         "A",        "//A",         "/A/",        "/A//B",   "/A/B/",
      "/A/Bx/", "/A/Bx/CD", "/A/Bxy",   "/A/BC",       "/A/E/F",     "/K/B/E",  "/Asset/Geo",
      "/AB",    "/L",       "/I/Geo/X", "/I/Missing",  "/A.property"};
};

TEST_F(PrimFinderTest, FindsWhatATraversalVisits) {
  ExpectAsStage(paths_);
  PrimFinder finder(*stage_);
  EXPECT_EQ(finder.Find("/A/Bx/D").PathText(), "/A/Bx/D");
  EXPECT_EQ(finder.Find("/A/E").PathText(), "/A/E");
  EXPECT_EQ(finder.Find("/I/Geo").PathText(), "/I/Geo");
}

TEST_F(PrimFinderTest, FindsPathsInAnyOrder) {
  std::vector<std::string> reversed(paths_.rbegin(), paths_.rend());
  ExpectAsStage(reversed);
  for (const std::string& first : paths_) {
    for (const std::string& second : paths_) ExpectAsStage({first, second, first});
  }
}

}  // namespace
}  // namespace stagedoor
