#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "gtest/gtest.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/package/package_resolver.h"
#include "resolver/package/zip_writer.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/layer/layer_registry.h"
#include "scene/usdc/usdc_format.h"
#include "scene/usdc/usdc_writer.h"
#include "scene/usdz/usdz_format.h"
#include "scene/usdz/usdz_writer.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

// A layer with one prim.
std::shared_ptr<const Layer> LayerWith(std::string_view prim) {
  LayerBuilder builder;
  const SpecId spec = builder.EnsurePrim(Path::AbsoluteRoot().AppendChild(Token(prim)));
  builder.Set(spec, Fields().specifier, Value(Specifier::kDef));
  return std::move(builder).Build({});
}

std::string Package(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string package;
  ZipWriter writer([&](std::string_view bytes) {
    package += bytes;
    return absl::OkStatus();
  });
  for (const auto& [name, content] : files) {
    EXPECT_TRUE(writer.Add(name, std::string_view(content)).ok());
  }
  EXPECT_TRUE(writer.Finish().ok());
  return package;
}

class UsdzTest : public ::testing::Test {
 protected:
  void Put(const std::string& name, std::string content) {
    ASSERT_TRUE(memory_->Put(name, std::move(content)).ok());
  }
  absl::StatusOr<std::shared_ptr<const Layer>> Open(const std::string& identifier) {
    return registry_.Open(context_, {}, identifier);
  }
  // The name of the layer's only prim.
  std::string PrimOf(const std::string& identifier) {
    const auto layer = Open(identifier);
    if (!layer.ok()) return layer.status().ToString();
    const SpecRange prims = (*layer)->tree().prims(kRootSpec);
    return prims.size() == 1 ? (*layer)->tree().name(prims[0]).str() : "";
  }

  RequestContext context_;
  std::shared_ptr<MemoryResolver> memory_ = std::make_shared<MemoryResolver>();
  LayerRegistry registry_{
      std::make_shared<PackageResolver>(memory_), {UsdcFormat(), UsdzFormat({UsdcFormat()})}, {}};
};

TEST_F(UsdzTest, WrittenPackagesAreRead) {
  const std::string extra = *WriteUsdc(*LayerWith("Extra"));
  const PackageFile files[] = {{"sub/extra.usdc", extra}};
  const auto package = WriteUsdz(*LayerWith("Root"), "root.usdc", files);
  ASSERT_TRUE(package.ok()) << package.status();
  Put("/a.usdz", *package);
  EXPECT_EQ(PrimOf("/a.usdz"), "Root");
  EXPECT_EQ(PrimOf("/a.usdz[root.usdc]"), "Root");
  EXPECT_EQ(PrimOf("/a.usdz[sub/extra.usdc]"), "Extra");
  EXPECT_EQ((*Open("/a.usdz"))->identifier(), "/a.usdz");
}

TEST_F(UsdzTest, SingleLayersAreNamedAfterTheirSource) {
  for (const auto& [identifier, root] :
       {std::pair("/show/lamp.usda", "lamp.usdc"), std::pair("/p.usdz[in/lamp.usd]", "lamp.usdc"),
        std::pair("lamp", "lamp.usdc"), std::pair("", "root.usdc")}) {
    LayerBuilder builder(*LayerWith("A"));
    const auto package = WriteUsdz(*std::move(builder).Build({.identifier = identifier}));
    ASSERT_TRUE(package.ok()) << package.status();
    EXPECT_EQ(package->find("PXR-USDC") % 64, 0u) << identifier;
    Put("/a.usdz", *package);
    EXPECT_EQ(PrimOf(std::string("/a.usdz[") + root + "]"), "A") << identifier;
    memory_->Remove("/a.usdz");
  }
  LayerBuilder builder(*LayerWith("A"));
  Put("/a.usdz",
      *WriteUsdz(*std::move(builder).Build({.identifier = "anon:x", .anonymous = true})));
  EXPECT_EQ(PrimOf("/a.usdz[root.usdc]"), "A");
}

TEST_F(UsdzTest, TheFirstFileIsTheRoot) {
  Put("/a.usdz",
      Package({{"z.usd", *WriteUsdc(*LayerWith("Z"))}, {"a.usdc", *WriteUsdc(*LayerWith("A"))}}));
  EXPECT_EQ(PrimOf("/a.usdz"), "Z");
}

TEST_F(UsdzTest, PackagesNest) {
  const std::string inner = Package({{"in.usdc", *WriteUsdc(*LayerWith("Inner"))}});
  Put("/a.usdz", Package({{"inner.usdz", inner}}));
  EXPECT_EQ(PrimOf("/a.usdz"), "Inner");
  EXPECT_EQ(PrimOf("/a.usdz[inner.usdz[in.usdc]]"), "Inner");
}

TEST_F(UsdzTest, NestingIsBounded) {
  std::string package = Package({{"in.usdc", *WriteUsdc(*LayerWith("Inner"))}});
  for (int i = 0; i < 20; ++i) package = Package({{"inner.usdz", package}});
  Put("/a.usdz", package);
  EXPECT_EQ(Open("/a.usdz").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(UsdzTest, PathsInLayersAreAnchoredInThePackage) {
  Put("/a.usdz", Package({{"d/root.usdc", *WriteUsdc(*LayerWith("Root"))},
                          {"d/b.usdc", *WriteUsdc(*LayerWith("B"))}}));
  const auto root = Open("/a.usdz");
  ASSERT_TRUE(root.ok()) << root.status();
  const auto b = registry_.Open(context_, {}, "./b.usdc", root->get());
  ASSERT_TRUE(b.ok()) << b.status();
  EXPECT_EQ((*b)->identifier(), "/a.usdz[d/b.usdc]");
}

TEST_F(UsdzTest, BadPackagesAreErrors) {
  Put("/text.usdz", "no archive");
  Put("/image.usdz", Package({{"a.png", "PNG"}}));
  Put("/damaged.usdz", Package({{"a.usdc", "PXR-USDC"}}));
  EXPECT_EQ(Open("/text.usdz").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Open("/image.usdz").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Open("/damaged.usdz").status().code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(WriteUsdz(*LayerWith("A"), "/absolute.usdc", {}).ok());
}

// A file that has the next of `contents` each time it is opened, and then always the last one.
GeneratedFile FileOf(std::string name, std::vector<std::string> contents) {
  auto opened = std::make_shared<size_t>(0);
  return {.name = std::move(name),
          .open = [contents = std::move(contents),
                   opened](RequestContext&) -> absl::StatusOr<ByteSourcePtr> {
            const size_t i = std::min((*opened)++, contents.size() - 1);
            return std::make_unique<MemoryByteSource>(contents[i]);
          }};
}

// All bytes of a source, read `piece` bytes at a time, or its error.
absl::StatusOr<std::string> Drain(ByteSourcePtr source, size_t piece) {
  RequestContext context;
  std::string all;
  for (;;) {
    const size_t before = all.size();
    const absl::StatusOr<bool> more = source->Next(context, piece, &all);
    if (!more.ok()) return more.status();
    EXPECT_EQ(*more, all.size() > before) << "true if and only if there are more bytes";
    if (!*more) return all;
  }
}

TEST_F(UsdzTest, StreamedPackagesAreTheSame) {
  const std::shared_ptr<const Layer> layer = LayerWith("A");
  const std::string expected = *WriteUsdz(*layer);
  for (const size_t piece : {1, 7, 1000000}) {
    EXPECT_EQ(Drain(UsdzBytes(layer), piece).value_or("an error"), expected) << piece;
  }
  const std::vector<std::pair<std::string, std::string>> files = {
      {"a.usdc", std::string(5000, 'a')}, {"in/empty.png", ""}, {"b.png", "PNG"}};
  for (const size_t piece : {1, 64, 1000000}) {
    std::vector<GeneratedFile> sources;
    for (const auto& [name, content] : files) sources.push_back(FileOf(name, {content}));
    EXPECT_EQ(Drain(PackageBytes(std::move(sources)), piece).value_or("an error"), Package(files))
        << piece;
  }
}

TEST_F(UsdzTest, ChangesWhilePackingAreErrors) {
  for (const char* second : {"longer than the first", "short", "", "other bytes."}) {
    const auto package = Drain(PackageBytes({FileOf("a.usdc", {"first bytes.", second})}), 1000);
    EXPECT_EQ(package.status(),
              absl::DataLossError("a.usdc: the file changed while it was being packed"))
        << second;
  }
  EXPECT_TRUE(Drain(PackageBytes({FileOf("a.usdc", {"first", "first"})}), 1000).ok());
}

TEST_F(UsdzTest, FileErrorsBecomeErrorsOfThePackage) {
  const GeneratedFile missing{.name = "a.usdc", .open = [](RequestContext&) {
                                return absl::StatusOr<ByteSourcePtr>(absl::NotFoundError("gone"));
                              }};
  EXPECT_EQ(Drain(PackageBytes({missing}), 100).status(), absl::NotFoundError("gone"));
  EXPECT_EQ(Drain(PackageBytes({FileOf("/a.usdc", {"x"})}), 100).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Drain(PackageBytes({FileOf("a", {"x"}), FileOf("a", {"x"})}), 100).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Drain(PackageBytes({}), 100).status().code(), absl::StatusCode::kInvalidArgument);
  RequestContext gone;
  gone.Cancel();
  std::string out;
  EXPECT_EQ(UsdzBytes(LayerWith("A"))->Next(gone, 100, &out).status().code(),
            absl::StatusCode::kCancelled);
}

TEST_F(UsdzTest, FilesNamedUsdAreIdentifiedByTheirContent) {
  const std::string inner = Package({{"in.usdc", *WriteUsdc(*LayerWith("Inner"))}});
  Put("/nested.usdz", Package({{"root.usd", inner}}));
  EXPECT_EQ(PrimOf("/nested.usdz"), "Inner");
  Put("/text.usdz", Package({{"root.usd", "what is this"}}));
  EXPECT_EQ(Open("/text.usdz").status(),
            absl::InvalidArgumentError("/text.usdz[root.usd]: not a layer in any known format"));
  Put("/usda.usdz", Package({{"root.usda", "#usda 1.0"}}));
  EXPECT_EQ(Open("/usda.usdz").status(),
            absl::InvalidArgumentError("/usda.usdz[root.usda]: not a layer in any known format"));
}

TEST_F(UsdzTest, ValuesOutliveThePackage) {
  LayerBuilder builder;
  const auto path = *Path::Parse("/A.p");
  builder.Set(builder.EnsureProperty(path, SpecType::kAttribute), Fields().default_,
              Value(Array<Vec3f>{{0.1f, 0.2f, 0.3f}}));
  Put("/a.usdz", *WriteUsdz(*std::move(builder).Build({}), "a.usdc", {}));
  Value value;
  {
    const auto layer = Open("/a.usdz");
    ASSERT_TRUE(layer.ok());
    value = (*layer)->Get((*layer)->tree().Find(path), Fields().default_);
  }
  memory_->Remove("/a.usdz");
  EXPECT_EQ(value, (Value(Array<Vec3f>{{0.1f, 0.2f, 0.3f}})));
}

}  // namespace
}  // namespace stagedoor
