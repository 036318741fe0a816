// The rules for all backends, kept by those that read from servers.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/strings.h"
#include "gtest/gtest.h"
#include "resolver/http/http_client.h"
#include "resolver/http/http_store.h"
#include "resolver/http/testing/scripted_server.h"
#include "resolver/remote/remote_identifiers.h"
#include "resolver/remote/remote_store.h"
#include "resolver/remote/testing/fake_service.h"
#include "resolver/s3/s3_store.h"
#include "resolver/store/block_cache.h"
#include "resolver/store/store_resolver.h"
#include "resolver/testing/resolver_conformance.h"

namespace stagedoor {
namespace {

// The objects of a web server, each with an ETag.
class Objects {
 public:
  void Write(const std::string& target, std::string_view content) {
    MutexLock lock(mu_);
    objects_[target] = {Concat("\"", ++last_, "\""), std::string(content)};
  }
  void Remove(const std::string& target) {
    MutexLock lock(mu_);
    objects_.erase(target);
  }
  ScriptedServer::Reply Answer(const ScriptedServer::Request& request) const {
    MutexLock lock(mu_);
    const auto it = objects_.find(request.target.substr(0, request.target.find('?')));
    if (it == objects_.end()) return {HttpResponse(404, "", "")};
    return ServeObject(request, it->second.content, it->second.etag);
  }

 private:
  struct Object {
    std::string etag;
    std::string content;
  };
  mutable Mutex mu_;
  std::map<std::string, Object> objects_ ABSL_GUARDED_BY(mu_);
  int last_ ABSL_GUARDED_BY(mu_) = 0;
};

// A backend over a store that the subclass makes.
class StoreBackend : public ResolverBackend {
 public:
  const Resolver& resolver() const override { return *resolver_; }
  bool KeepsOldContent() const override { return false; }

 protected:
  void Use(std::shared_ptr<const ObjectStore> store,
           std::shared_ptr<const IdentifierService> identifiers = nullptr) {
    resolver_ = std::make_unique<StoreResolver>(
        std::move(store), *cache_, StoreResolverOptions{.revalidate = std::chrono::milliseconds(0)},
        std::move(identifiers));
  }

 private:
  const std::unique_ptr<BlockCache> cache_ = *BlockCache::Create({});
  std::unique_ptr<StoreResolver> resolver_;
};

std::shared_ptr<HttpClient> ClientFor(const std::string& prefix) {
  HttpClientOptions options;
  options.allowed_urls = *UrlAllowList::Parse(std::vector<std::string>{prefix});
  return *HttpClient::Create(std::move(options));
}

class HttpBackend final : public StoreBackend {
 public:
  HttpBackend() { Use(*MakeHttpStore({ClientFor(server_.Url("/"))})); }
  std::string Path(std::string_view name) const override {
    return server_.Url("/") + std::string(name);
  }
  void Write(std::string_view name, std::string_view content) override {
    objects_.Write(Concat("/", name), content);
  }
  void Remove(std::string_view name) override { objects_.Remove(Concat("/", name)); }

 private:
  Objects objects_;
  ScriptedServer server_{[this](const ScriptedServer::Request& r) { return objects_.Answer(r); }};
};

class S3Backend final : public StoreBackend {
 public:
  S3Backend() {
    S3StoreOptions options{.keys = {"AKID", "secret", "", {}}};
    options.client = ClientFor("s3://bucket/");
    options.endpoint = server_.Url("");
    Use(*MakeS3Store(options));
  }
  std::string Path(std::string_view name) const override { return Concat("s3://bucket/", name); }
  void Write(std::string_view name, std::string_view content) override {
    objects_.Write(Concat("/bucket/", name), content);
  }
  void Remove(std::string_view name) override { objects_.Remove(Concat("/bucket/", name)); }

 private:
  Objects objects_;
  ScriptedServer server_{[this](const ScriptedServer::Request& r) { return objects_.Answer(r); }};
};

class ServiceBackend final : public StoreBackend {
 public:
  ServiceBackend() {
    const auto connection = server_.Connect();
    Use(std::make_shared<RemoteStore>(connection), std::make_shared<RemoteIdentifiers>(connection));
  }
  std::string Path(std::string_view name) const override { return Concat("asset://show/", name); }
  void Write(std::string_view name, std::string_view content) override {
    server_.service().Write(Path(name), std::string(content));
  }
  void Remove(std::string_view name) override { server_.service().Remove(Path(name)); }

 private:
  FakeServer server_;
};

template <typename Backend>
std::unique_ptr<ResolverBackend> Make() {
  return std::make_unique<Backend>();
}

INSTANTIATE_TEST_SUITE_P(Http, ResolverConformance, testing::Values(&Make<HttpBackend>));
INSTANTIATE_TEST_SUITE_P(S3, ResolverConformance, testing::Values(&Make<S3Backend>));
INSTANTIATE_TEST_SUITE_P(Service, ResolverConformance, testing::Values(&Make<ServiceBackend>));

}  // namespace
}  // namespace stagedoor
