#include "scene/engine/local_engine.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/request_context.h"
#include "base/strings.h"
#include "base/testing/temp_dir.h"
#include "base/testing/thread_pool_executor.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/remote/testing/fake_service.h"
#include "scene/export/dependencies.h"
#include "scene/export/localize.h"
#include "scene/stage/stage.h"

namespace stagedoor {
namespace {

class LocalEngineTest : public testing::Test {
 protected:
  // Returns the path of the file.
  std::string Write(const std::string& name, const std::string& text) {
    folder_.Write(name, text);
    return folder_ / name;
  }
  absl::StatusOr<std::shared_ptr<const Stage>> Open(LocalEngine& engine, const std::string& root) {
    return Stage::Open(context_, engine.environment(), {.root = root});
  }

  const TempDir folder_;
  ThreadPoolExecutor executor_{2};
  RequestContext context_;
};

TEST_F(LocalEngineTest, OpensFilesOfEachFormatWithSchemas) {
  const std::string root = Write("root.usda", "#usda 1.0\ndef Cube \"C\" {}\n");
  const auto engine = LocalEngine::Create({}, executor_);
  ASSERT_TRUE(engine.ok()) << engine.status();
  const auto stage = Open(**engine, root);
  ASSERT_TRUE(stage.ok()) << stage.status();
  const Prim cube = (*stage)->FindPrim("/C");
  EXPECT_TRUE(cube.IsA(Token("Gprim")));
  for (const char* name : {"usda", "usdc", "usdz"}) {
    EXPECT_NE((*engine)->layers().formats().FindByName(name), nullptr) << name;
  }
}

// As OpenUSD lists them, except those that are named as layers.
TEST_F(LocalEngineTest, ListsDirectoriesAsAssetsAndDoesNotCopyThem) {
  Write("plain/file", "x");
  Write("dir.usd/file", "x");
  const std::string root = Write("root.usda", R"(#usda 1.0
def "A" (
  prepend references = @./plain@</P>
) {
  asset[] a = [@./plain/@, @./dir.usd@, @./plain/file@]
}
)");
  const auto engine = LocalEngine::Create({}, executor_);
  ASSERT_TRUE(engine.ok()) << engine.status();
  LayerRegistry& layers = (*engine)->layers();
  const auto found = ComputeDependencies(context_, layers, {}, root);
  ASSERT_TRUE(found.ok()) << found.status();
  std::string listed;
  for (const Dependency& use : found->uses) {
    listed += Concat(use.authored, use.IsLayer() ? " layer" : " asset",
                     use.resolved.empty() ? " missing\n" : "\n");
  }
  EXPECT_EQ(listed, "./plain asset\n./plain/ asset\n./dir.usd layer missing\n./plain/file asset\n");
  const auto files =
      Localize(context_, layers, {}, *found,
               {.encode = [](const Layer&, const std::string&) -> absl::StatusOr<std::string> {
                 return "";
               }});
  ASSERT_TRUE(files.ok()) << files.status();
  ASSERT_EQ(files->size(), 2u);
  EXPECT_EQ((*files)[1].name, "plain/file");
  EXPECT_FALSE((*found).uses[0].layer);
}

TEST_F(LocalEngineTest, FindsAssetsInTheSearchPathsAndNothingOutsideTheAllowedRoots) {
  Write("found/part.usda", "#usda 1.0\ndef \"Part\" {}\n");
  const std::string root = Write("root.usda", "#usda 1.0\n(subLayers = [@part.usda@])\n");
  const auto engine = LocalEngine::Create({.search_paths = {folder_ / "found"}}, executor_);
  ASSERT_TRUE(engine.ok()) << engine.status();
  const auto stage = Open(**engine, root);
  ASSERT_TRUE(stage.ok()) << stage.status();
  EXPECT_TRUE((*stage)->FindPrim("/Part").valid());

  const auto confined = LocalEngine::Create({.allowed_roots = {folder_ / "found"}}, executor_);
  ASSERT_TRUE(confined.ok()) << confined.status();
  EXPECT_FALSE(Open(**confined, root).ok());
}

TEST_F(LocalEngineTest, MapsThePathsOfOtherMachinesBeforeItDecidesWhatMayBeRead) {
  Write("show/part.usda", "#usda 1.0\ndef \"Part\" {}\n");
  Write("lib/other.usda", "#usda 1.0\ndef \"Other\" {}\n");
  Write("secret/hidden.usda", "#usda 1.0\ndef \"Hidden\" {}\n");
  Write("show/root.usda", R"(#usda 1.0
(subLayers = [@Z:\show\part.usda@, @\\srv\lib\other.usda@, @Z:/secret/hidden.usda@])
)");
  const auto engine = LocalEngine::Create(
      {.allowed_roots = {folder_ / "show", folder_ / "lib"},
       .path_map = {Concat("Z:/show=", folder_ / "show"), Concat("\\\\srv\\lib=", folder_ / "lib"),
                    Concat("Z:/secret=", folder_ / "secret")}},
      executor_);
  ASSERT_TRUE(engine.ok()) << engine.status();
  const auto stage = Open(**engine, "Z:/show/root.usda");
  ASSERT_TRUE(stage.ok()) << stage.status();
  EXPECT_TRUE((*stage)->FindPrim("/Part").valid());
  EXPECT_TRUE((*stage)->FindPrim("/Other").valid());
  EXPECT_FALSE((*stage)->FindPrim("/Hidden").valid());
  EXPECT_EQ(Open(**engine, "Z:/secret/hidden.usda").status().code(),
            absl::StatusCode::kPermissionDenied);
  const absl::Status unmapped = Open(**engine, "Y:/show/root.usda").status();
  EXPECT_NE(unmapped.ToString().find("--map-path"), std::string::npos) << unmapped;
  EXPECT_EQ(LocalEngine::Create({.path_map = {"show=/show"}}, executor_).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(LocalEngineTest, AServiceMayAnswerWithFilesBelowTheAllowedRoots) {
  Write("show/part.usda", "#usda 1.0\ndef \"Part\" {}\n");
  Write("show/root.usda", "#usda 1.0\n(subLayers = [@./part.usda@])\n");
  Write("secret/root.usda", "#usda 1.0\ndef \"Hidden\" {}\n");
  const TempDir socket_folder{"/tmp"};  // the path of a socket is short
  const std::string address = Concat("unix:", socket_folder / "service");
  FakeServer server(address);
  server.service().spoil_paths = [&](const auto& request, FakeService::Paths* answer) {
    const std::string name = request.identifiers(0).substr(std::string("asset://").size());
    answer->mutable_results(0)->set_resolved_path(folder_ / name);
  };
  LocalEngineOptions options{.allowed_roots = {folder_ / "show"}};
  options.remote.resolvers = {"asset=" + address};
  const auto strict = LocalEngine::Create(options, executor_);
  ASSERT_TRUE(strict.ok()) << strict.status();
  EXPECT_EQ(Open(**strict, "asset://show/root.usda").status().code(),
            absl::StatusCode::kFailedPrecondition);

  options.remote.resolvers_may_name_files = true;
  const auto engine = LocalEngine::Create(options, executor_);
  ASSERT_TRUE(engine.ok()) << engine.status();
  RequestContext context;
  const auto open = [&](const char* root) {
    return Stage::Open(context, (*engine)->environment(), {.root = root});
  };
  const auto stage = open("asset://show/root.usda");
  ASSERT_TRUE(stage.ok()) << stage.status();
  EXPECT_TRUE((*stage)->FindPrim("/Part").valid()) << "relative to the file";
  EXPECT_EQ(open("asset://secret/root.usda").status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(open("asset://show/none.usda").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(LocalEngineTest, UsesAnotherResolverAndSharedSchemas) {
  const auto first = LocalEngine::Create({}, executor_);
  ASSERT_TRUE(first.ok()) << first.status();
  const auto memory = std::make_shared<MemoryResolver>();
  ASSERT_TRUE(memory->Put("/root.usda", "#usda 1.0\ndef Sphere \"S\" {}\n").ok());
  const auto engine =
      LocalEngine::Create({.resolver = memory, .schemas = (*first)->schemas()}, executor_);
  ASSERT_TRUE(engine.ok()) << engine.status();
  EXPECT_EQ((*engine)->schemas(), (*first)->schemas());
  const auto stage = Open(**engine, "/root.usda");
  ASSERT_TRUE(stage.ok()) << stage.status();
  EXPECT_TRUE((*stage)->FindPrim("/S").IsA(Token("Gprim")));
}

TEST_F(LocalEngineTest, StagesResolveInTheirContexts) {
  const auto memory = std::make_shared<MemoryResolver>();
  ASSERT_TRUE(memory->Put("/root.usda", "#usda 1.0\n(subLayers = [@lib/a.usda@])\n").ok());
  ASSERT_TRUE(memory->Put("/own/lib/a.usda", "#usda 1.0\ndef \"Own\" {}\n").ok());
  ASSERT_TRUE(memory->Put("/v2/a.usda", "#usda 1.0\ndef \"Pinned\" {}\n").ok());
  ASSERT_TRUE(memory->Put("/pins.json", R"({"lib/a.usda": "/v2/a.usda"})").ok());
  const auto engine =
      LocalEngine::Create({.search_paths = {"/own"}, .resolver = memory}, executor_);
  ASSERT_TRUE(engine.ok()) << engine.status();
  const auto open = [&](ResolverContext resolver_context) {
    StageOptions options;
    options.root = "/root.usda";
    options.resolver_context = std::move(resolver_context);
    return Stage::Open(context_, (*engine)->environment(), std::move(options));
  };
  EXPECT_TRUE((*open({}))->FindPrim("/Own").valid());
  const auto pinned = open(ResolverContext::Create({.pin_files = {"/pins.json"}}));
  ASSERT_TRUE(pinned.ok()) << pinned.status();
  EXPECT_TRUE((*pinned)->FindPrim("/Pinned").valid());
  const auto sent =
      open(ResolverContext::Create({.layers = {{"lib/a.usda", "#usda 1.0\ndef \"Sent\" {}\n"}}}));
  ASSERT_TRUE(sent.ok()) << sent.status();
  EXPECT_TRUE((*sent)->FindPrim("/Sent").valid());
  EXPECT_EQ(open(ResolverContext::Create({.pin_files = {"none.json"}})).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(LocalEngineTest, ReportsWhatIsWrongWithSchemaPlugins) {
  EXPECT_EQ(LocalEngine::Create({.schema_paths = {folder_ / "none"}}, executor_).status().code(),
            absl::StatusCode::kNotFound);
  Write("found/plugInfo.json", R"({"Plugins": [{"Name": "broken", "Info": {"Types": {
      "BrokenSchema": {"schemaIdentifier": "Broken", "schemaKind": "concreteTyped"}}}}]})");
  const auto engine = LocalEngine::Create({.schema_paths = {folder_ / "found"}}, executor_);
  ASSERT_TRUE(engine.ok()) << engine.status();
  EXPECT_FALSE((*engine)->schema_problems().empty());
}

TEST_F(LocalEngineTest, RefusesAnAllowedRootThatIsNoDirectory) {
  const auto engine = LocalEngine::Create({.allowed_roots = {folder_ / "none"}}, executor_);
  EXPECT_EQ(engine.status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace stagedoor
