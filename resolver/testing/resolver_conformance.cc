#include "resolver/testing/resolver_conformance.h"

#include <thread>
#include <vector>

#include "resolver/asset_path.h"

namespace stagedoor {
namespace {

std::string Pattern(size_t size) {
  std::string out(size, '\0');
  for (size_t i = 0; i < size; ++i) out[i] = static_cast<char>(i * 31 + i / 251);
  return out;
}

}  // namespace

std::string ResolverConformance::ReadInSteps(const Asset& asset, size_t step) {
  std::string out;
  std::vector<std::byte> buffer(step);
  for (;;) {
    const auto count = asset.Read(context_, out.size(), buffer);
    EXPECT_TRUE(count.ok()) << count.status();
    if (!count.ok() || *count == 0) return out;
    out.append(reinterpret_cast<const char*>(buffer.data()), *count);
  }
}

std::shared_ptr<const Asset> ResolverConformance::Open(std::string_view name) {
  auto asset = resolver().OpenAsset(context_, resolver_context_, backend_->Path(name));
  EXPECT_TRUE(asset.ok()) << asset.status();
  return asset.ok() ? *asset : nullptr;
}

TEST_P(ResolverConformance, ResolvesExistingAssets) {
  backend_->Write("dir/a.usd", "content");
  const auto resolved =
      resolver().Resolve(context_, resolver_context_, backend_->Path("dir/a.usd"));
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(*resolved, backend_->Path("dir/a.usd"));
  EXPECT_EQ(*resolver().Resolve(context_, resolver_context_, *resolved), *resolved);
}

TEST_P(ResolverConformance, ContextsThatDoNotConcernAnAssetDoNotChangeIt) {
  backend_->Write("dir/a.usd", "content");
  const ResolverContext other = ResolverContext::Create({.search_paths = {"/not/there"},
                                                         .pins = {{"/not/there.usd", "/a.usd"}},
                                                         .layers = {{"/not/here.usd", "x"}}});
  for (const ResolverContext& resolver_context : {ResolverContext(), other}) {
    const std::string path = resolver().CreateIdentifier(context_, resolver_context, "./a.usd",
                                                         backend_->Path("dir/root.usd"));
    EXPECT_EQ(path, backend_->Path("dir/a.usd"));
    EXPECT_EQ(resolver().Resolve(context_, resolver_context, path).value_or(""), path);
    EXPECT_TRUE(resolver().OpenAsset(context_, resolver_context, path).ok());
    EXPECT_EQ(resolver().GetVersion(context_, resolver_context, path).value(),
              resolver().GetVersion(context_, resolver_context_, path).value());
  }
}

TEST_P(ResolverConformance, ErrorsOfMissingAssetsNameThem) {
  const std::string path = backend_->Path("nowhere.usd");
  const absl::Status all[] = {resolver().Resolve(context_, resolver_context_, path).status(),
                              resolver().OpenAsset(context_, resolver_context_, path).status(),
                              resolver().GetVersion(context_, resolver_context_, path).status()};
  for (const absl::Status& status : all) {
    EXPECT_EQ(status.code(), absl::StatusCode::kNotFound) << status;
    EXPECT_NE(status.ToString().find("nowhere.usd"), std::string::npos) << status;
  }
}

TEST_P(ResolverConformance, VersionsOfManyAssetsComeInTheirOrder) {
  backend_->Write("a.usd", "a");
  backend_->Write("b.usd", "b");
  const std::vector<std::string> paths = {backend_->Path("b.usd"), backend_->Path("nowhere.usd"),
                                          backend_->Path("a.usd"), backend_->Path("b.usd")};
  const auto versions = resolver().GetVersions(context_, resolver_context_, paths);
  ASSERT_EQ(versions.size(), paths.size());
  EXPECT_EQ(versions[1].status().code(), absl::StatusCode::kNotFound);
  for (const size_t i : {0, 2, 3}) {
    ASSERT_TRUE(versions[i].ok()) << versions[i].status();
    EXPECT_EQ(*versions[i], resolver().GetVersion(context_, resolver_context_, paths[i]).value());
  }
  EXPECT_TRUE(resolver().GetVersions(context_, resolver_context_, {}).empty());
}

TEST_P(ResolverConformance, ReadsAnyPartOfAnySize) {
  for (const size_t size : {0, 1, 4095, 4096, 4097, 300000}) {
    const std::string content = Pattern(size);
    backend_->Write("a.bin", content);
    const auto asset = Open("a.bin");
    ASSERT_NE(asset, nullptr);
    EXPECT_EQ(asset->size(), size);
    EXPECT_EQ(ReadInSteps(*asset, 1000), content) << size;
    std::byte buffer[16];
    EXPECT_EQ(asset->Read(context_, size, buffer).value(), 0u);
    EXPECT_EQ(asset->Read(context_, UINT64_MAX, buffer).value(), 0u);
    EXPECT_EQ(asset->Read(context_, 0, {}).value(), 0u);
    EXPECT_TRUE(asset->Check().ok());
    EXPECT_EQ(ReadAll(context_, *asset, size).value().text(), content);
    if (size > 0) {
      EXPECT_EQ(ReadAll(context_, *asset, size - 1).status().code(),
                absl::StatusCode::kResourceExhausted);
    }
  }
}

TEST_P(ResolverConformance, MappingOutlivesTheAsset) {
  const std::string content = Pattern(300000);
  backend_->Write("a.bin", content);
  auto asset = Open("a.bin");
  ASSERT_NE(asset, nullptr);
  const auto mapping = asset->GetBuffer();
  asset.reset();
  if (!mapping.has_value()) return;
  EXPECT_EQ(mapping->text(), content);
}

TEST_P(ResolverConformance, VersionsDistinguishContents) {
  backend_->Write("a.usd", "one");
  const std::string path = backend_->Path("a.usd");
  const AssetVersion first = resolver().GetVersion(context_, resolver_context_, path).value();
  EXPECT_NE(first, AssetVersion());
  EXPECT_EQ(resolver().GetVersion(context_, resolver_context_, path).value(), first);
  const auto asset = Open("a.usd");
  ASSERT_NE(asset, nullptr);
  EXPECT_EQ(asset->version(), first);
  backend_->Write("a.usd", "other");
  EXPECT_NE(resolver().GetVersion(context_, resolver_context_, path).value(), first);
  EXPECT_EQ(asset->version(), first);
}

TEST_P(ResolverConformance, AnOpenAssetKeepsItsContent) {
  for (const size_t size : {10, 300000}) {
    const std::string content = Pattern(size);
    backend_->Write("a.bin", content);
    const auto asset = Open("a.bin");
    ASSERT_NE(asset, nullptr);
    if (!backend_->KeepsOldContent()) {
      EXPECT_EQ(ReadInSteps(*asset, 5000), content);
    }
    backend_->Write("a.bin", "something else");
    EXPECT_EQ(ReadInSteps(*asset, 5000), content);
    EXPECT_TRUE(asset->Check().ok()) << asset->Check();
    backend_->Remove("a.bin");
    EXPECT_EQ(ReadInSteps(*asset, 5000), content);
    EXPECT_FALSE(resolver().Resolve(context_, resolver_context_, backend_->Path("a.bin")).ok());
  }
}

TEST_P(ResolverConformance, AnOpenAssetNeverMixesVersions) {
  const std::string content = Pattern(300000);
  backend_->Write("a.bin", content);
  const auto asset = Open("a.bin");
  ASSERT_NE(asset, nullptr);
  backend_->Write("a.bin", std::string(300000, 'x'));
  std::vector<std::byte> out(1000);
  for (uint64_t offset = 0; offset + out.size() <= content.size(); offset += 50000) {
    const auto count = asset->Read(context_, offset, out);
    if (!count.ok()) {
      EXPECT_FALSE(backend_->KeepsOldContent()) << count.status();
      EXPECT_EQ(count.status().code(), absl::StatusCode::kDataLoss) << count.status();
      continue;
    }
    EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(out.data()), *count),
              std::string_view(content).substr(offset, *count));
  }
}

TEST_P(ResolverConformance, VersionsOfManyAssetsComeInOrder) {
  backend_->Write("a.usd", "one");
  backend_->Write("b.usd", "other");
  const std::string paths[] = {backend_->Path("b.usd"), backend_->Path("nowhere.usd"),
                               backend_->Path("a.usd"), ""};
  const auto versions = resolver().GetVersions(context_, resolver_context_, paths);
  ASSERT_EQ(versions.size(), 4u);
  EXPECT_EQ(versions[0].value(), Open("b.usd")->version());
  EXPECT_EQ(versions[1].status().code(), absl::StatusCode::kNotFound) << versions[1].status();
  EXPECT_EQ(versions[2].value(), Open("a.usd")->version());
  EXPECT_FALSE(versions[3].ok());
}

TEST_P(ResolverConformance, AnchorsLikeTheDefaultResolver) {
  backend_->Write("shot/beside.usd", "x");
  const std::string anchor = backend_->Path("shot/root.usd");
  const struct {
    const char* path;
    std::string identifier;
  } cases[] = {
      {"./new.usd", backend_->Path("shot/new.usd")},
      {"../lib/./x.usd", backend_->Path("lib/x.usd")},
      {"sub/../beside.usd", backend_->Path("shot/beside.usd")},
      {"beside.usd", backend_->Path("shot/beside.usd")},
      {"missing.usd", "missing.usd"},
      {"lib//missing.usd", "lib/missing.usd"},
      {"", ""},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(resolver().CreateIdentifier(context_, resolver_context_, c.path, anchor),
              c.identifier)
        << c.path;
  }
  const std::string absolute = backend_->Path("any/../x.usd");
  EXPECT_EQ(resolver().CreateIdentifier(context_, resolver_context_, absolute, anchor),
            backend_->Path("x.usd"));
  EXPECT_EQ(resolver().CreateIdentifier(context_, resolver_context_, "./x.usd", ""), "x.usd");
}

TEST_P(ResolverConformance, ImpossiblePathsAreErrors) {
  const std::string with_nul = backend_->Path("a") + std::string("\0b", 2);
  for (const std::string& path :
       {std::string(), with_nul, std::string(100000, 'x'), backend_->Path(std::string(5000, 'y')),
        std::string("\xff\xfe")}) {
    EXPECT_FALSE(resolver().Resolve(context_, resolver_context_, path).ok());
    EXPECT_FALSE(resolver().OpenAsset(context_, resolver_context_, path).ok());
    EXPECT_FALSE(resolver().GetVersion(context_, resolver_context_, path).ok());
    (void)resolver().CreateIdentifier(context_, resolver_context_, path,
                                      backend_->Path("root.usd"));
  }
}

TEST_P(ResolverConformance, EndedRequestsFail) {
  backend_->Write("a.usd", "x");
  RequestContext cancelled;
  cancelled.Cancel();
  EXPECT_EQ(
      resolver().OpenAsset(cancelled, resolver_context_, backend_->Path("a.usd")).status().code(),
      absl::StatusCode::kCancelled);
  RequestContext late(RequestContext::Clock::now());
  EXPECT_EQ(resolver().Resolve(late, resolver_context_, backend_->Path("a.usd")).status().code(),
            absl::StatusCode::kDeadlineExceeded);
}

TEST_P(ResolverConformance, IsThreadSafe) {
  const std::string content = Pattern(100000);
  backend_->Write("a.bin", content);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      RequestContext context;
      for (int i = 0; i < 20; ++i) {
        const auto asset =
            resolver().OpenAsset(context, resolver_context_, backend_->Path("a.bin"));
        ASSERT_TRUE(asset.ok()) << asset.status();
        EXPECT_EQ(ReadAll(context, **asset, UINT64_MAX).value().text(), content);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace stagedoor
