#include "server/store/redis_connector.h"

#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/store/store_unavailable.h"

namespace stagedoor::server {
namespace {

struct Advice {
  std::string_view code;
  std::string_view what_to_do;
};

constexpr Advice kAdvice[] = {
    {"NOAUTH", "the server needs a password; set the one of the Redis store"},
    {"WRONGPASS", "check the user and the password of the Redis store"},
    {"NOPERM", "grant the user the permissions in docs/decisions/session-store.md"},
    {"READONLY", "the server is a replica; use the address of the primary"},
    {"LOADING", "the server is starting"},
    {"MASTERDOWN", "the server is a replica; use the address of the primary"},
    {"MOVED", "Redis Cluster is not supported; use a single primary"},
    {"CROSSSLOT", "Redis Cluster is not supported; use a single primary"},
    {"CLUSTERDOWN", "Redis Cluster is not supported; use a single primary"},
    {"OOM", "the server has no memory left; raise its maxmemory"},
    {"MISCONF", "the server cannot save its data; see its log"},
    {"WRONGTYPE", "another program writes keys with the same prefix; set another key prefix"},
};

}  // namespace

absl::StatusOr<std::unique_ptr<RedisConnector>> RedisConnector::Create(RedisOptions options) {
  SD_RETURN_IF_ERROR(CheckRedisOptions(options));
  std::unique_ptr<RedisTls> tls;
  if (options.tls) {
    SD_ASSIGN_OR_RETURN(tls, RedisTls::Create(options));
  }
  return std::unique_ptr<RedisConnector>(new RedisConnector(std::move(options), std::move(tls)));
}

RedisConnector::RedisConnector(RedisOptions options, std::unique_ptr<RedisTls> tls)
    : options_(std::move(options)), tls_(std::move(tls)), addresses_(options_) {}

absl::StatusOr<std::unique_ptr<RedisConnection>> RedisConnector::Connect(RequestContext& context,
                                                                         int wake_fd) {
  SD_RETURN_IF_ERROR(context.Check());
  const RedisWait wait(context, options_.connect_timeout, wake_fd);
  auto socket = OpenSocket(wait);
  if (!socket.ok()) {
    SD_RETURN_IF_ERROR(context.Check());
    return StoreUnavailable(Concat(options_.Address(), ": ", Message(socket.status())));
  }
  auto connection = std::make_unique<RedisConnection>(*std::move(socket), options_.Address(),
                                                      options_.max_reply_bytes);
  SD_RETURN_IF_ERROR(Greet(*connection, wait));
  return connection;
}

absl::StatusOr<std::unique_ptr<RedisSocket>> RedisConnector::OpenSocket(const RedisWait& wait) {
  SD_ASSIGN_OR_RETURN(const std::vector<std::string> addresses, addresses_.Find(wait));
  absl::Status error = UnavailableError("the host has no address");
  for (size_t i = 0; i < addresses.size(); ++i) {
    const RedisWait share = wait.Share(addresses.size() - i);
    auto socket = ConnectSocket(addresses[i], share);
    if (socket.ok() && tls_ != nullptr) socket = tls_->Connect(*std::move(socket), share);
    if (socket.ok()) return socket;
    error = socket.status();
  }
  return error;
}

absl::Status RedisConnector::Greet(RedisConnection& connection, const RedisWait& wait) const {
  std::vector<RedisCommand> commands;
  if (!options_.password.empty()) {
    RedisCommand& command = commands.emplace_back(RedisCommand{"AUTH"});
    if (!options_.user.empty()) command.emplace_back(options_.user);
    command.emplace_back(options_.password);
  }
  const std::string database = Concat(options_.database);
  if (options_.database != 0) commands.push_back({"SELECT", database});
  // A server that is stopped or still loading its data accepts connections as well.
  commands.push_back({"PING"});
  SD_ASSIGN_OR_RETURN(const std::vector<RedisReply> replies, connection.Execute(commands, wait));
  for (const RedisReply& reply : replies) SD_RETURN_IF_ERROR(CheckReply(reply));
  return absl::OkStatus();
}

absl::Status RedisConnector::CheckReply(const RedisReply& reply) const {
  if (reply.type != RedisReply::Type::kError) return absl::OkStatus();
  const std::string message = Concat(options_.Address(), " replied ", Quoted(reply.text));
  for (const Advice& advice : kAdvice) {
    if (reply.HasErrorCode(advice.code)) {
      return StoreUnavailable(Concat(message, "; ", advice.what_to_do));
    }
  }
  return StoreUnavailable(message);
}

}  // namespace stagedoor::server
