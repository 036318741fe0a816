#include "scene/export/localize.h"

#include <map>

#include "gtest/gtest.h"
#include "scene/testing/test_scene.h"
#include "scene/usda/usda_writer.h"

namespace stagedoor {
namespace {

class LocalizeTest : public testing::Test {
 protected:
  std::map<std::string, std::string> Run() {
    auto dependencies =
        ComputeDependencies(scene_.context(), scene_.layers(), {}, "/shot/root.usda");
    EXPECT_TRUE(dependencies.ok()) << dependencies.status();
    if (!dependencies.ok()) return {};
    LocalizeOptions options;
    options.encode = [](const Layer& layer, const std::string&) { return WriteUsda(layer); };
    auto files = Localize(scene_.context(), scene_.layers(), {}, *dependencies, options);
    EXPECT_TRUE(files.ok()) << files.status();
    std::map<std::string, std::string> result;
    if (files.ok()) {
      for (LocalizedFile& file : *files) result[file.name] = std::move(file.content);
    }
    return result;
  }

  TestScene scene_;
};

TEST_F(LocalizeTest, CopiesWhatIsNeededAndRewritesPaths) {
  scene_.Write("shot/root.usda", R"(
def "A" (
  references = @../lib/chair.usda@</Chair>
) {
  asset missing = @./none.png@
  asset tex = @./tex.png@
}
def "B" (
  variants = { string v = "off" }
  prepend variantSets = "v"
) {
  variantSet "v" = {
    "on" (payload = @./sub/part.usda@</P>) {
    }
  }
}
)");
  scene_.Write("lib/chair.usda", "def \"Chair\" (references = @./leg.usda@</Leg>) {\n}\n");
  scene_.Write("lib/leg.usda", "def \"Leg\" {\n}\n");
  scene_.Write("shot/sub/part.usda", "def \"P\" {\n}\n");
  scene_.Write("shot/tex.png", "pixels");
  const auto files = Run();
  ASSERT_EQ(files.size(), 5u);
  const std::string& root = files.at("root.usda");
  EXPECT_NE(root.find("@./0/chair.usda@</Chair>"), std::string::npos) << root;
  EXPECT_NE(root.find("@./sub/part.usda@"), std::string::npos) << root;
  EXPECT_NE(root.find("@./none.png@"), std::string::npos) << root;
  EXPECT_NE(root.find("@./tex.png@"), std::string::npos) << root;
  EXPECT_NE(files.at("0/chair.usda").find("@./leg.usda@"), std::string::npos);
  EXPECT_TRUE(files.contains("0/leg.usda"));
  EXPECT_TRUE(files.contains("sub/part.usda"));
  EXPECT_TRUE(files.contains("tex.png"));
}

// The variables of a referenced layer hold for its paths, below those of the layers that name it;
// those of sublayers count nowhere.
TEST_F(LocalizeTest, ExpressionsHaveTheVariablesOfTheirLayerStack) {
  scene_.Write("shot/root.usda", R"((
  expressionVariables = { string A = "root" }
  subLayers = [@./sub.usda@]
)
def "R" (references = @./ref.usda@</P>) {
}
)");
  scene_.Write("shot/sub.usda", R"((
  expressionVariables = { string A = "sub"
    string B = "sub" }
)
def "S" {
  asset a = @`"./sub_${A}.png"`@
  asset b = @`"./sub_${B}.png"`@
}
)");
  scene_.Write("shot/ref.usda", R"((
  expressionVariables = { string A = "ref"
    string B = "ref" }
)
def "P" (references = @./leaf.usda@</P>) {
  asset a = @`"./${A}.png"`@
  asset b = @`"./${B}.png"`@
}
)");
  scene_.Write("shot/leaf.usda", "def \"P\" {\n  asset c = @`\"./leaf_${B}.png\"`@\n}\n");
  for (const std::string name :
       {"root", "ref", "sub", "sub_root", "sub_sub", "leaf_ref", "leaf_root"}) {
    scene_.Write("shot/" + name + ".png", "pixels");
  }
  const auto files = Run();
  std::string pictures;
  for (const auto& [name, content] : files) {
    if (name.ends_with(".png")) pictures += name + " ";
  }
  EXPECT_EQ(pictures, "leaf_ref.png ref.png root.png sub_root.png ");
}

TEST_F(LocalizeTest, EqualNamesFromDifferentFoldersStayApart) {
  scene_.Write("shot/root.usda", R"((
  subLayers = [@../a/x.usda@, @../b/x.usda@]
)
)");
  scene_.Write("a/x.usda", "def \"A\" {\n}\n");
  scene_.Write("b/x.usda", "def \"B\" {\n}\n");
  const auto files = Run();
  ASSERT_EQ(files.size(), 3u);
  EXPECT_NE(files.at("0/x.usda").find("\"A\""), std::string::npos);
  EXPECT_NE(files.at("1/x.usda").find("\"B\""), std::string::npos);
}

TEST_F(LocalizeTest, FoldersForOutsideFilesAvoidExistingNames) {
  scene_.Write("shot/root.usda", R"((
  subLayers = [@./0/x.usda@, @../a/x.usda@, @./1.usda/y.usda@, @../b/x.usda@]
)
)");
  scene_.Write("shot/0/x.usda", "def \"X\" {\n}\n");
  scene_.Write("shot/1.usda/y.usda", "def \"Y\" {\n}\n");
  scene_.Write("a/x.usda", "def \"A\" {\n}\n");
  scene_.Write("b/x.usda", "def \"B\" {\n}\n");
  const auto files = Run();
  ASSERT_EQ(files.size(), 5u);
  EXPECT_NE(files.at("0/x.usda").find("\"X\""), std::string::npos);
  EXPECT_NE(files.at("1/x.usda").find("\"A\""), std::string::npos);
  EXPECT_NE(files.at("2/x.usda").find("\"B\""), std::string::npos);
}

// File names that are not valid UTF-8, which crate files can contain.
class LocalizeNamesTest : public LocalizeTest {
 protected:
  // Copies a layer with the asset paths "a" to "d", which resolve to the files `resolved`.
  absl::StatusOr<std::vector<LocalizedFile>> Copy(const std::vector<std::string>& resolved) {
    scene_.Write("shot/root.usda", R"(
def "A" {
  asset a = @a@
  asset b = @b@
  asset c = @c@
  asset d = @d@
}
)");
    auto dependencies =
        ComputeDependencies(scene_.context(), scene_.layers(), {}, "/shot/root.usda");
    EXPECT_TRUE(dependencies.ok()) << dependencies.status();
    for (size_t i = 0; i < resolved.size(); ++i) {
      scene_.Write(resolved[i].substr(1), resolved[i]);
      const std::string name(1, static_cast<char>('a' + i));
      for (Dependency& use : dependencies->uses) {
        if (use.written == name) use.resolved = resolved[i];
      }
    }
    LocalizeOptions options;
    options.encode = [](const Layer& layer, const std::string&) { return WriteUsda(layer); };
    return Localize(scene_.context(), scene_.layers(), {}, *dependencies, options);
  }
};

TEST_F(LocalizeNamesTest, InvalidUtf8NamesAreEscaped) {
  const auto files =
      Copy({"/shot/%/\xff\xc3.png", "/\xff.png", "/shot/%25.png", "/shot/\xc3\xa4\xff.png"});
  ASSERT_TRUE(files.ok()) << files.status();
  std::map<std::string, std::string> content;
  for (const LocalizedFile& file : *files) content[file.name] = file.content;
  ASSERT_EQ(content.size(), 5u);
  for (const auto& [name, from] :
       std::map<std::string, std::string>{{"%25/%FF%C3.png", "/shot/%/\xff\xc3.png"},
                                          {"0/%FF.png", "/\xff.png"},
                                          {"%25.png", "/shot/%25.png"},
                                          {"\xc3\xa4%FF.png", "/shot/\xc3\xa4\xff.png"}}) {
    EXPECT_NE(content[name].find(from), std::string::npos) << name;
    EXPECT_NE(content["root.usda"].find(Concat("@./", name, "@")), std::string::npos) << name;
  }
}

TEST_F(LocalizeNamesTest, EscapedNamesMustBeUnique) {
  EXPECT_EQ(Copy({"/shot/\xff.png", "/shot/%FF.png"}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace stagedoor
