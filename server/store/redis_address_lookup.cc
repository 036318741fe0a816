#include "server/store/redis_address_lookup.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "base/cancellable_wait.h"
#include "base/mutex.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/store/redis_options.h"

namespace stagedoor::server {
namespace {

using Addresses = std::vector<std::string>;

std::string UnixAddress(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // CheckRedisOptions has checked the length.
  std::memcpy(address.sun_path, path.data(), std::min(path.size(), sizeof(address.sun_path) - 1));
  return std::string(reinterpret_cast<const char*>(&address), sizeof(address));
}

absl::StatusOr<Addresses> LookUp(const std::string& host, uint16_t port, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | flags;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(host.c_str(), Concat(port).c_str(), &hints, &found);
  if (failed != 0) {
    return UnavailableError("cannot find the host ", Quoted(host), ": ", ::gai_strerror(failed));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, ::freeaddrinfo);
  Addresses addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    addresses.emplace_back(reinterpret_cast<const char*>(one->ai_addr), one->ai_addrlen);
  }
  return addresses;
}

}  // namespace

struct RedisAddressLookup::Shared {
  Shared(std::string host, uint16_t port) : host(std::move(host)), port(port) {}

  const std::string host;
  const uint16_t port;
  Mutex mu;
  CondVar changed;
  bool running ABSL_GUARDED_BY(mu) = false;
  uint64_t finished ABSL_GUARDED_BY(mu) = 0;  // look-ups
  absl::StatusOr<Addresses> result ABSL_GUARDED_BY(mu) = Addresses();
};

RedisAddressLookup::RedisAddressLookup(const RedisOptions& options)
    : shared_(std::make_shared<Shared>(options.host, options.port)) {
  if (!options.socket_path.empty()) {
    fixed_ = UnixAddress(options.socket_path);
  } else if (auto numeric = LookUp(options.host, options.port, AI_NUMERICHOST); numeric.ok()) {
    fixed_ = std::move(numeric->front());
  }
}

absl::StatusOr<Addresses> RedisAddressLookup::Find(const RedisWait& wait) {
  if (!fixed_.empty()) return Addresses{fixed_};
  Shared& shared = *shared_;
  MutexLock lock(shared.mu);
  // A look-up that is already running may have begun before the name got another address; that is
  // found by the next one.
  const uint64_t before = shared.finished;
  if (!shared.running) {
    shared.running = true;
    std::thread([shared = shared_] {
      auto result = LookUp(shared->host, shared->port, 0);
      MutexLock lock(shared->mu);
      shared->result = std::move(result);
      shared->running = false;
      ++shared->finished;
      shared->changed.NotifyAll();
    }).detach();
  }
  while (shared.finished == before) {
    SD_RETURN_IF_ERROR(CancellableWait(wait.context(), shared.mu, shared.changed));
    if (wait.TimedOut() && shared.finished == before) {
      return UnavailableError("the name of the host ", Quoted(shared.host),
                              " was not found within ", wait.timeout().count(), " ms");
    }
  }
  return shared.result;
}

}  // namespace stagedoor::server
