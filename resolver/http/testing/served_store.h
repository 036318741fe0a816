#ifndef STAGEDOOR_RESOLVER_HTTP_TESTING_SERVED_STORE_H_
#define STAGEDOOR_RESOLVER_HTTP_TESTING_SERVED_STORE_H_

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/request_context.h"
#include "resolver/http/http_client.h"
#include "resolver/http/http_store.h"
#include "resolver/http/http_validators.h"
#include "resolver/http/testing/scripted_server.h"

namespace stagedoor {

// An HTTP store over a scripted server, which retries without waiting and records how long it would
// have waited.
class ServedStore {
 public:
  explicit ServedStore(ScriptedServer::Script script, HttpClientOptions options = {},
                       std::vector<std::string> allowed = {})
      : server_(std::move(script)) {
    allowed.push_back(server_.Url("/show/"));
    options.allowed_urls = *UrlAllowList::Parse(allowed);
    options.retry.random = [] { return 1.0; };
    options.retry.wait = [this](HttpRetryPolicy::Duration delay) {
      MutexLock lock(mu_);
      delays_.push_back(delay.count());
      return HttpRetryPolicy::Duration(0);
    };
    client_ = *HttpClient::Create(std::move(options));
    store_ = *MakeHttpStore({client_});
  }

  ScriptedServer& server() { return server_; }
  HttpClient& client() { return *client_; }
  const ObjectStore& store() const { return *store_; }
  std::string Path(std::string_view name) const { return server_.Url("/show/").append(name); }
  std::vector<int64_t> delays() const {
    MutexLock lock(mu_);
    return delays_;
  }

  absl::StatusOr<ObjectStore::Opened> Open(std::string_view name, size_t head = 4,
                                           const ObjectInfo* known = nullptr) {
    return store_->Open(context_, Path(name), known, head);
  }
  // Fetches ranges into a string of the object's size with '.' for what was not fetched.
  absl::Status Fetch(std::string_view name, const ObjectInfo& info,
                     const std::vector<ByteRange>& ranges, std::string* out) {
    out->assign(static_cast<size_t>(info.size), '.');
    return store_->Fetch(context_, Path(name), info, ranges,
                         [out](uint64_t offset, std::span<const std::byte> bytes) {
                           out->replace(static_cast<size_t>(offset), bytes.size(),
                                        reinterpret_cast<const char*>(bytes.data()), bytes.size());
                           return absl::OkStatus();
                         });
  }

 private:
  ScriptedServer server_;
  mutable Mutex mu_;
  std::vector<int64_t> delays_ ABSL_GUARDED_BY(mu_);
  RequestContext context_;
  std::shared_ptr<HttpClient> client_;
  std::shared_ptr<const ObjectStore> store_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_HTTP_TESTING_SERVED_STORE_H_
