// Localizes scenes with nested packages, opens the copies and compares the composed values.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/testing/thread_pool_executor.h"
#include "gtest/gtest.h"
#include "resolver/asset_path.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/package/package_resolver.h"
#include "resolver/package/testing/package_test_util.h"
#include "scene/clips/clip_environment.h"
#include "scene/export/localize.h"
#include "scene/stage/stage.h"
#include "scene/usda/usda_format.h"
#include "scene/usda/usda_writer.h"
#include "scene/usda/value_text.h"
#include "scene/usdz/usdz_format.h"
#include "scene/values/asset_path.h"

namespace stagedoor {
namespace {

// Files in memory, and stages over them.
class Files {
 public:
  void Put(const std::string& name, const std::string& content) {
    EXPECT_TRUE(memory_->Put(name, content).ok()) << name;
  }
  LayerRegistry& layers() { return layers_; }
  RequestContext& context() { return context_; }

  // All values at some times, by path. The value of an asset path is the content of its file.
  std::map<std::string, std::string> Compose(const std::string& root) {
    std::map<std::string, std::string> values;
    StageOptions options;
    options.root = root;
    const auto stage = Stage::Open(context_, environment_, std::move(options));
    EXPECT_TRUE(stage.ok()) << stage.status();
    if (!stage.ok()) return values;
    root_ = *layers_.Open(context_, {}, root, nullptr);
    for (const Prim& prim : (*stage)->Traverse(PrimFlagsPredicate::All())) {
      values[prim.path().ToString()] = prim.type_name().str();
      for (const Token name : prim.AuthoredPropertyNames()) {
        const Attribute attribute = prim.GetAttribute(name);
        if (!attribute.valid()) continue;
        for (const TimeCode time :
             {TimeCode::Default(), TimeCode::At(1), TimeCode::At(2), TimeCode::At(3)}) {
          values[attribute.path().ToString() + " at " + time.ToString()] =
              TextOf(attribute.Get(context_, time));
        }
      }
    }
    return values;
  }

 private:
  std::string TextOf(const Value& value) {
    std::string text;
    if (const auto* path = value.Get<AssetPath>()) return ContentOf(*path);
    if (const auto* paths = value.Get<Array<AssetPath>>()) {
      for (const AssetPath& path : *paths) text += ContentOf(path) + ";";
      return text;
    }
    usda::AppendValueText(value, &text);
    return text;
  }

  std::string ContentOf(const AssetPath& path) {
    std::string name = path.resolved;
    if (const size_t udim = path.authored.find("<UDIM>"); udim != std::string::npos) {
      const std::string tile = std::string(path.authored).replace(udim, 6, "1002");
      name = layers_.Identify(context_, {}, tile, root_.get());
    }
    const auto asset = layers_.resolver().OpenAsset(context_, {}, name);
    if (!asset.ok()) return "missing";
    return std::string(ReadAll(context_, **asset, 1 << 20)->text());
  }

  RequestContext context_;
  std::shared_ptr<const Layer> root_;  // anchors the paths with <UDIM>
  std::shared_ptr<MemoryResolver> memory_ = std::make_shared<MemoryResolver>();
  LayerRegistry layers_{
      std::make_shared<PackageResolver>(memory_), {UsdaFormat(), UsdzFormat({UsdaFormat()})}, {}};
  ThreadPoolExecutor executor_{2};
  ClipEnvironment clips_{layers_, {}};
  StageEnvironment environment_{.layers = &layers_, .executor = &executor_, .clips = &clips_};
};

std::string Text(const std::string& content) { return "#usda 1.0\n" + content; }

class LocalizePackagesTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::string inner =
        MakePackage({{"inner.usda",
                      Text("(defaultPrim = \"I\")\ndef \"I\" {\n asset t = @./tex.png@\n double v "
                           "= 3\n}\n")},
                     {"tex.png", "inner pixels"}});
    const std::string outer = MakePackage(
        {{"outer.usda", Text("(defaultPrim = \"O\")\ndef \"O\" {\n asset t = @./maps/tex.png@\n"
                             " def \"C\" (references = @./inner.usdz@) {\n }\n"
                             " def \"D\" (references = @./inner.usdz[inner.usda]@) {\n }\n}\n")},
         {"maps/tex.png", "outer pixels"},
         {"inner.usdz", inner},
         {"part.usda", Text("(defaultPrim = \"P\")\ndef \"P\" {\n double p = 7\n}\n")}});
    from_.Put("/lib/outer.usdz", outer);
    from_.Put("/shot/near/outer.usdz", outer);
    from_.Put("/tex/a.1001.png", "first tile");
    from_.Put("/tex/a.1002.png", "second tile");
    from_.Put("/tex/red.png", "red");
    from_.Put("/lib/red.usda",
              Text("(defaultPrim = \"R\")\ndef \"R\" {\n asset t = @../tex/red.png@"
                   "\n}\n"));
    for (int i = 1; i <= 3; ++i) {
      const std::string clip =
          Concat("def \"M\" {\n double x.timeSamples = { ", i, ": ", i, ".5 }\n}\n");
      from_.Put(Concat("/clips/c.00", i, ".usda"), Text(clip));
      from_.Put(Concat("/shot/0/n.", i, ".usda"), Text(clip));
    }
    from_.Put("/clips/manifest.usda", Text("def \"M\" {\n double x\n}\n"));
  }

  // The files of a localized stage, the root layer first.
  std::vector<LocalizedFile> LocalizeRoot(const std::string& root) {
    const auto dependencies = ComputeDependencies(from_.context(), from_.layers(), {}, root);
    EXPECT_TRUE(dependencies.ok()) << dependencies.status();
    LocalizeOptions options;
    options.encode = [](const Layer& layer, const std::string&) { return WriteUsda(layer); };
    auto files = Localize(from_.context(), from_.layers(), {}, *dependencies, options);
    EXPECT_TRUE(files.ok()) << files.status();
    return files.ok() ? *std::move(files) : std::vector<LocalizedFile>();
  }

  // Expects the copies to compose to the same values as a folder and as a package, without the
  // originals.
  void ExpectSame(const std::string& root) {
    const auto wanted = from_.Compose(root);
    EXPECT_GT(wanted.size(), 1u);
    const auto files = LocalizeRoot(root);
    ASSERT_FALSE(files.empty());
    Files folder;
    std::vector<std::pair<std::string, std::string>> packed;
    for (const LocalizedFile& file : files) {
      folder.Put("/copy/" + file.name, file.content);
      packed.emplace_back(file.name, file.content);
    }
    EXPECT_EQ(folder.Compose("/copy/" + files.front().name), wanted);
    Files package;
    package.Put("/copy.usdz", MakePackage(packed));
    EXPECT_EQ(package.Compose("/copy.usdz"), wanted);
  }

  Files from_;
};

TEST_F(LocalizePackagesTest, PackagesAreCopiedWhole) {
  from_.Put("/shot/root.usda", Text(R"(
def "A" (references = @../lib/outer.usdz@) {
}
def "B" (payload = @./near/outer.usdz@) {
}
)"));
  ExpectSame("/shot/root.usda");
  std::map<std::string, std::string> names;
  for (LocalizedFile& file : LocalizeRoot("/shot/root.usda")) names[file.name] = file.content;
  ASSERT_EQ(names.size(), 3u);
  EXPECT_TRUE(names.at("0/outer.usdz").starts_with("PK"));
  EXPECT_TRUE(names.at("near/outer.usdz").starts_with("PK"));
}

TEST_F(LocalizePackagesTest, PathsIntoPackagesAndPackagesInThem) {
  from_.Put("/shot/root.usda", Text(R"(
def "A" (references = @../lib/outer.usdz[part.usda]@) {
}
def "B" (payload = @../lib/outer.usdz[inner.usdz[inner.usda]]@) {
  asset own = @../lib/outer.usdz[maps/tex.png]@
  asset inner = @../lib/outer.usdz[inner.usdz[tex.png]]@
  asset whole = @../lib/outer.usdz@
  asset sampled.timeSamples = { 1: @../lib/outer.usdz[maps/tex.png]@, 2: @../tex/red.png@ }
}
)"));
  ExpectSame("/shot/root.usda");
}

TEST_F(LocalizePackagesTest, TilesTemplatesAndExpressions) {
  from_.Put("/shot/root.usda", Text(R"((
  expressionVariables = { string COLOR = "red" }
)
def "V" (references = @`"../lib/${COLOR}.usda"`@) {
  asset map = @`"../tex/${COLOR}.png"`@
  asset tiles = @../tex/a.<UDIM>.png@
  asset[] many = [@../tex/red.png@, @./none.png@]
}
def "Far" (clips = { dictionary default = {
    string templateAssetPath = "../clips/c.###.usda"
    double templateStartTime = 1
    double templateEndTime = 3
    double templateStride = 1
    string primPath = "/M"
    asset manifestAssetPath = @../clips/manifest.usda@
  } }) {
  double x
}
def "Near" (clips = { dictionary default = {
    string templateAssetPath = "./0/n.#.usda"
    double templateStartTime = 1
    double templateEndTime = 3
    double templateStride = 1
    string primPath = "/M"
  } }) {
  double x
}
def "Listed" (clips = { dictionary default = {
    asset[] assetPaths = [@../clips/c.001.usda@, @../clips/c.002.usda@]
    double2[] active = [(1, 0), (2, 1)]
    string primPath = "/M"
    asset manifestAssetPath = @../clips/manifest.usda@
  } }) {
  double x
}
)"));
  ExpectSame("/shot/root.usda");
}

TEST_F(LocalizePackagesTest, ARootThatIsAPackage) { ExpectSame("/lib/outer.usdz"); }

TEST_F(LocalizePackagesTest, LayersThatAttributesNameAreFollowed) {
  from_.Put("/other/named.usda", Text("def \"N\" (references = @./deeper.usda@</Q>) {\n}\n"));
  from_.Put("/other/deeper.usda", Text("def \"Q\" {\n}\n"));
  from_.Put("/shot/root.usda", Text("def \"A\" {\n asset layer = @../other/named.usda@\n}\n"));
  std::map<std::string, std::string> names;
  for (LocalizedFile& file : LocalizeRoot("/shot/root.usda")) names[file.name] = file.content;
  EXPECT_EQ(names.size(), 3u);
  EXPECT_TRUE(names.contains("0/deeper.usda"));
  EXPECT_NE(names["0/named.usda"].find("@./deeper.usda@"), std::string::npos);
}

}  // namespace
}  // namespace stagedoor
