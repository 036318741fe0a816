#include "server/converters/resolver_context_converter.h"

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/status.h"
#include "gtest/gtest.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

using Change = std::function<void(v1::ResolverContext&)>;

absl::StatusOr<ResolverContext> Parse(const Change& change, const ServerLimits& limits = {}) {
  v1::ResolverContext request;
  change(request);
  return ParseResolverContext(request, limits, nullptr, nullptr);
}

void AddPin(v1::ResolverContext& request, std::string_view from, std::string_view to) {
  v1::ResolverContext::Pin* pin = request.add_pins();
  pin->set_asset_path(std::string(from));
  pin->set_target(std::string(to));
}

void AddLayer(v1::ResolverContext& request, std::string_view name) {
  v1::ResolverContext::InMemoryLayer* layer = request.add_layers();
  layer->set_identifier(std::string(name));
  layer->set_content("#usda 1.0\n");
}

TEST(ResolverContextConverterTest, EverythingIsConverted) {
  const auto context = Parse([](v1::ResolverContext& r) {
    r.add_search_paths("/b");
    r.add_search_paths("s3://a");
    AddPin(r, "x.usd", "/y.usd");
    r.add_pin_files("pins.json");
    AddLayer(r, "/shot/fx.usda");
    AddLayer(r, "lib/fx.usd");
  });
  ASSERT_TRUE(context.ok()) << context.status();
  EXPECT_EQ(context->search_paths(), (std::vector<std::string>{"/b", "s3://a"}));
  EXPECT_EQ(*context->FindPin("x.usd"), "/y.usd");
  EXPECT_EQ(context->pin_files(), std::vector<std::string>{"pins.json"});
  EXPECT_EQ(context->FindLayer("/shot/fx.usda")->GetBuffer()->text(), "#usda 1.0\n");
  EXPECT_EQ(context->layer_names().size(), 2u);
  EXPECT_TRUE(Parse([](v1::ResolverContext&) {})->empty());
}

TEST(ResolverContextConverterTest, InvalidFieldsAreNamed) {
  const struct {
    std::string_view message;
    Change change;
  } cases[] = {
      {"resolver_context.search_paths: 'lib' must be an absolute path or a URI",
       [](auto& r) { r.add_search_paths("lib"); }},
      {"resolver_context.search_paths: the asset path is empty",
       [](auto& r) { r.add_search_paths(""); }},
      {"resolver_context.pins: the asset path is empty", [](auto& r) { AddPin(r, "", "/a"); }},
      {"resolver_context.pins: the asset path is empty", [](auto& r) { AddPin(r, "/a", ""); }},
      {"resolver_context.pins: pinned path '../a' must be absolute, a URI or a search path, "
       "because "
       "it is not relative to a layer",
       [](auto& r) { AddPin(r, "../a", "/b"); }},
      {"resolver_context.pins: '/a' is pinned twice",
       [](auto& r) {
         AddPin(r, "/a", "/b");
         AddPin(r, "/a", "/c");
       }},
      {"resolver_context.pin_files: './p.json' must be absolute, a URI or a search path: it is not "
       "relative to a layer",
       [](auto& r) { r.add_pin_files("./p.json"); }},
      {"resolver_context.layers: '/a.usdc' must end in .usda or .usd",
       [](auto& r) { AddLayer(r, "/a.usdc"); }},
      {"resolver_context.layers: './a.usda' must be absolute, a URI or a search path: it is not "
       "relative to a layer",
       [](auto& r) { AddLayer(r, "./a.usda"); }},
      {"resolver_context.layers: there are two layers named '/a.usda'",
       [](auto& r) {
         AddLayer(r, "/a.usda");
         AddLayer(r, "/a.usda");
       }},
  };
  for (const auto& c : cases) {
    const absl::Status status = Parse(c.change).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.message;
    EXPECT_EQ(Message(status), c.message);
    EXPECT_EQ(GetReason(status), v1::ERROR_REASON_INVALID_FIELD) << c.message;
  }
}

TEST(ResolverContextConverterTest, SizesAreLimited) {
  ServerLimits limits;
  limits.max_search_paths = limits.max_pins = limits.max_pin_files = limits.max_context_layers = 2;
  const struct {
    std::string_view field;
    std::function<void(v1::ResolverContext&, const std::string&)> add;
  } cases[] = {
      {"resolver_context.search_paths", [](auto& r, auto& name) { r.add_search_paths(name); }},
      {"resolver_context.pins", [](auto& r, auto& name) { AddPin(r, name, "/x"); }},
      {"resolver_context.pin_files", [](auto& r, auto& name) { r.add_pin_files(name); }},
      {"resolver_context.layers", [](auto& r, auto& name) { AddLayer(r, name); }},
  };
  for (const auto& c : cases) {
    const auto with = [&](int count) {
      return Parse(
          [&](v1::ResolverContext& r) {
            for (int i = 0; i < count; ++i) c.add(r, Concat("/", i, ".usda"));
          },
          limits);
    };
    EXPECT_TRUE(with(2).ok()) << c.field;
    EXPECT_EQ(Message(with(3).status()), Concat(c.field, ": at most 2 are accepted"));
    EXPECT_EQ(GetReason(with(3).status()), v1::ERROR_REASON_INVALID_FIELD);
  }
}

TEST(ResolverContextConverterTest, BytesAreLimited) {
  ServerLimits limits;
  limits.max_context_bytes = 100;
  const auto with = [&](size_t bytes) {
    return Parse([&](v1::ResolverContext& r) { r.add_search_paths("/" + std::string(bytes, 'x')); },
                 limits);
  };
  EXPECT_TRUE(with(90).ok());
  EXPECT_EQ(GetReason(with(101).status()), v1::ERROR_REASON_INVALID_FIELD);
}

}  // namespace
}  // namespace stagedoor::server
