#include "server/store/redis_client.h"

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kUnknownScript = "NOSCRIPT";

RedisCommand MakeCommand(std::string_view name, std::string_view script, std::string_view key_count,
                         const RedisClient::ScriptCall& call) {
  RedisCommand command = {name, script, key_count};
  command.insert(command.end(), call.keys.begin(), call.keys.end());
  command.insert(command.end(), call.arguments.begin(), call.arguments.end());
  return command;
}

// Whether another connection may reach a server that can do what this one cannot.
bool IsWrongServer(const RedisReply& reply) {
  for (const std::string_view code : {"READONLY", "LOADING", "MASTERDOWN", "MOVED"}) {
    if (reply.HasErrorCode(code)) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<RedisReply> RedisClient::Read(RequestContext& context, const RedisCommand& command) {
  SD_ASSIGN_OR_RETURN(std::vector<RedisReply> replies, Run(context, {&command, 1}, true));
  return std::move(replies.front());
}

absl::StatusOr<std::vector<RedisReply>> RedisClient::RunScript(RequestContext& context,
                                                               const RedisScript& script,
                                                               std::span<const ScriptCall> calls) {
  if (calls.empty()) return std::vector<RedisReply>();
  const std::string key_count = Concat(calls.front().keys.size());
  std::vector<RedisCommand> commands;
  for (const ScriptCall& call : calls) {
    commands.push_back(MakeCommand("EVALSHA", script.digest, key_count, call));
  }
  SD_ASSIGN_OR_RETURN(std::vector<RedisReply> replies, Run(context, commands, false));
  // A server that was restarted or that has become the primary does not know the script yet, and
  // has not run it.
  std::vector<size_t> missed;
  commands.clear();
  for (size_t i = 0; i < calls.size(); ++i) {
    if (!replies[i].HasErrorCode(kUnknownScript)) continue;
    missed.push_back(i);
    commands.push_back(MakeCommand("EVAL", script.text, key_count, calls[i]));
  }
  if (missed.empty()) return replies;
  SD_ASSIGN_OR_RETURN(std::vector<RedisReply> others, Run(context, commands, false));
  for (size_t i = 0; i < missed.size(); ++i) replies[missed[i]] = std::move(others[i]);
  return replies;
}

absl::StatusOr<std::vector<RedisReply>> RedisClient::Run(RequestContext& context,
                                                         std::span<const RedisCommand> commands,
                                                         bool only_reads) {
  // All connections of the pool may be stale, then a new one is made.
  for (int left = connector_.options().max_connections;; --left) {
    SD_ASSIGN_OR_RETURN(const RedisPool::Borrowed connection, pool_.Borrow(context));
    auto replies =
        connection->Execute(commands, RedisWait(context, connector_.options().operation_timeout));
    if (replies.ok()) {
      SD_RETURN_IF_ERROR(CheckReplies(*connection, *replies));
      return replies;
    }
    if (connection->timed_out() && context.Check().ok()) pool_.ReportOutage(replies.status());
    const bool is_stale = connection.reused() && connection->closed_by_server();
    const bool may_repeat = is_stale && (only_reads || !connection->sent());
    if (!may_repeat || left == 0) return replies;
  }
}

absl::Status RedisClient::CheckReplies(RedisConnection& connection,
                                       std::span<const RedisReply> replies) const {
  for (const RedisReply& reply : replies) {
    if (reply.HasErrorCode(kUnknownScript)) continue;
    if (IsWrongServer(reply)) connection.Close();
    SD_RETURN_IF_ERROR(connector_.CheckReply(reply));
  }
  return absl::OkStatus();
}

}  // namespace stagedoor::server
