#include "client/cli/resolver_options.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace stagedoor {
namespace {

using Args = std::vector<std::string>;

absl::StatusOr<v1::OpenStageRequest> Request(Args args) {
  args.insert(args.begin(), {"open", "/r.usda"});
  const auto line = CommandLine::Parse(args);
  if (!line.ok()) return line.status();
  v1::OpenStageRequest request;
  SD_RETURN_IF_ERROR(SetResolverContext(*line, request));
  return request;
}

TEST(ResolverOptionsTest, WithoutFlagsThereIsNoContext) {
  const auto request = Request({});
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_FALSE(request->has_resolver_context());
}

TEST(ResolverOptionsTest, FlagsAreFilledInInOrder) {
  const std::string file = std::filesystem::path(testing::TempDir()) / "fx.usda";
  std::ofstream(file) << "#usda 1.0\n";
  const auto request =
      Request({"--search-path", "/b", "--search-path=s3://a/lib", "--pin", "lib/t.usd=/v=2/t.usd",
               "--pin-file", "pins.json", "--layer", Concat("/shot/fx.usda=", file)});
  ASSERT_TRUE(request.ok()) << request.status();
  const v1::ResolverContext& context = request->resolver_context();
  ASSERT_EQ(context.search_paths_size(), 2);
  EXPECT_EQ(context.search_paths(0), "/b");
  EXPECT_EQ(context.search_paths(1), "s3://a/lib");
  ASSERT_EQ(context.pins_size(), 1);
  EXPECT_EQ(context.pins(0).asset_path(), "lib/t.usd");
  EXPECT_EQ(context.pins(0).target(), "/v=2/t.usd");
  ASSERT_EQ(context.pin_files_size(), 1);
  EXPECT_EQ(context.pin_files(0), (std::filesystem::current_path() / "pins.json").string());
  ASSERT_EQ(context.layers_size(), 1);
  EXPECT_EQ(context.layers(0).identifier(), "/shot/fx.usda");
  EXPECT_EQ(context.layers(0).content(), "#usda 1.0\n");
}

// The daemon runs in another directory, and rejects paths that are relative to a layer.
TEST(ResolverOptionsTest, FilesOfTheUserBecomeAbsolute) {
  const auto request = Request({"--search-path", "lib", "--pin", "./a.usd=../b.usd"});
  ASSERT_TRUE(request.ok()) << request.status();
  const std::filesystem::path here = std::filesystem::current_path();
  EXPECT_EQ(request->resolver_context().search_paths(0), (here / "lib").string());
  EXPECT_EQ(request->resolver_context().pins(0).asset_path(), (here / "a.usd").string());
  EXPECT_EQ(request->resolver_context().pins(0).target(), (here.parent_path() / "b.usd").string());
}

TEST(ResolverOptionsTest, MalformedAssignmentsAreUsageErrors) {
  for (const char* text : {"a", "=b", "a=", ""}) {
    EXPECT_EQ(Message(Request({Concat("--pin=", text)}).status()),
              Concat("--pin must be PATH=TARGET, not ", Quoted(text)));
    const absl::Status status = Request({Concat("--layer=", text)}).status();
    EXPECT_TRUE(IsUsageError(status)) << text;
    EXPECT_EQ(Message(status), Concat("--layer must be NAME=FILE, not ", Quoted(text)));
  }
}

TEST(ResolverOptionsTest, AMissingLayerFileIsAnError) {
  const absl::Status status = Request({"--layer=/a.usda=/nowhere/a.usda"}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(status), "cannot read the layer '/nowhere/a.usda'");
  EXPECT_FALSE(Request({"--layer=/a.usda=/"}).ok()) << "a directory";
}

}  // namespace
}  // namespace stagedoor
