#include "server/store/redis_session_store.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/random_id.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/store/store_unavailable.h"

namespace stagedoor::server {
namespace {

constexpr size_t kCallsPerBatch = 128;

// At least what Redis accepts, and at most what it can add to a time.
std::string Milliseconds(SessionStore::Ttl ttl) {
  constexpr int64_t kCentury = int64_t{100} * 366 * 24 * 3600 * 1000;
  return Concat(std::clamp(int64_t{ttl.count()}, int64_t{1}, kCentury));
}

}  // namespace

absl::StatusOr<std::unique_ptr<RedisSessionStore>> RedisSessionStore::Create(
    RedisOptions options, RedisListener::Timing timing) {
  SD_ASSIGN_OR_RETURN(auto connector, RedisConnector::Create(std::move(options)));
  SD_ASSIGN_OR_RETURN(std::string writer, RandomId());
  return std::unique_ptr<RedisSessionStore>(
      new RedisSessionStore(std::move(connector), std::move(writer), timing));
}

// Channels are not part of a database, so the channel's name has its number.
RedisSessionStore::RedisSessionStore(std::unique_ptr<RedisConnector> connector, std::string writer,
                                     RedisListener::Timing timing)
    : connector_(std::move(connector)),
      timing_(timing),
      writer_(std::move(writer)),
      channel_(
          Concat(connector_->options().key_prefix, "written:", connector_->options().database)),
      client_(*connector_) {}

RedisSessionStore::~RedisSessionStore() { SetListener(nullptr); }

std::string RedisSessionStore::Key(std::string_view kind, std::string_view id) const {
  return Concat(connector_->options().key_prefix, kind, ":", id);
}

std::string RedisSessionStore::StatePrefix(std::string_view session) const {
  // With the size, so that no other session and state have the same key.
  return Key("state", Concat(session.size(), ":", session, ":"));
}

std::string RedisSessionStore::StateKey(std::string_view session, std::string_view state) const {
  return StatePrefix(session).append(state);
}

absl::Status RedisSessionStore::Unexpected() const {
  return StoreUnavailable(
      Concat(connector_->options().Address(),
             " has another kind of record; another program writes keys with the same prefix"));
}

absl::StatusOr<std::optional<SessionStore::Session>> RedisSessionStore::FindSession(
    RequestContext& context, std::string_view session) {
  const std::string key = Key("session", session);
  SD_ASSIGN_OR_RETURN(RedisReply reply,
                      client_.Read(context, {"HMGET", key, "record", "revision"}));
  if (reply.elements.size() != 2) return Unexpected();
  RedisReply& record = reply.elements[0];
  const RedisReply& revision = reply.elements[1];
  if (record.type == RedisReply::Type::kNil && revision.type == RedisReply::Type::kNil) {
    return std::nullopt;
  }
  const std::optional<uint64_t> number = ParseNumber<uint64_t>(revision.text);
  if (record.type != RedisReply::Type::kString || !number.has_value()) return Unexpected();
  return Session{std::move(record.text), *number};
}

absl::StatusOr<bool> RedisSessionStore::WriteSession(RequestContext& context,
                                                     const Update& update) {
  const std::string session_key = Key("session", update.session);
  const std::string states_key = Key("states", update.session);
  const std::string state_key = StateKey(update.session, update.state);
  // Not numbers in the script, because those of Lua cannot hold all of them.
  const std::string revision = Concat(update.revision);
  const std::string next_revision = Concat(update.revision + 1);
  const std::string ttl = Milliseconds(update.ttl);
  const std::string announcement = Concat(writer_, update.session);
  const RedisClient::ScriptCall call = {
      .keys = {session_key, states_key, state_key},
      .arguments = {revision, next_revision, update.record, ttl, channel_, announcement,
                    update.state, update.state_record}};
  SD_ASSIGN_OR_RETURN(const std::vector<RedisReply> replies,
                      client_.RunScript(context, scripts_.write_session, {&call, 1}));
  if (replies.front().type != RedisReply::Type::kInteger) return Unexpected();
  return replies.front().integer == 1;
}

absl::StatusOr<std::optional<std::string>> RedisSessionStore::FindState(RequestContext& context,
                                                                        std::string_view session,
                                                                        std::string_view state) {
  return FindText(context, StateKey(session, state));
}

absl::StatusOr<std::optional<std::string>> RedisSessionStore::FindLease(RequestContext& context,
                                                                        std::string_view lease) {
  return FindText(context, Key("lease", lease));
}

absl::StatusOr<std::optional<std::string>> RedisSessionStore::FindText(RequestContext& context,
                                                                       std::string_view key) {
  SD_ASSIGN_OR_RETURN(RedisReply reply, client_.Read(context, {"GET", key}));
  if (reply.type == RedisReply::Type::kNil) return std::nullopt;
  if (reply.type != RedisReply::Type::kString) return Unexpected();
  return std::move(reply.text);
}

absl::Status RedisSessionStore::WriteLease(RequestContext& context, std::string_view session,
                                           std::string_view lease, std::string_view record,
                                           Ttl ttl) {
  const std::string lease_key = Key("lease", lease);
  const std::string leases_key = Key("leases", session);
  const std::string ttl_text = Milliseconds(ttl);
  const RedisClient::ScriptCall call = {.keys = {lease_key, leases_key},
                                        .arguments = {lease, record, ttl_text}};
  return client_.RunScript(context, scripts_.write_lease, {&call, 1}).status();
}

absl::Status RedisSessionStore::RemoveLease(RequestContext& context, std::string_view session,
                                            std::string_view lease) {
  const std::string lease_key = Key("lease", lease);
  const std::string leases_key = Key("leases", session);
  const std::string session_key = Key("session", session);
  const std::string states_key = Key("states", session);
  const std::string state_prefix = StatePrefix(session);
  const RedisClient::ScriptCall call = {.keys = {lease_key, leases_key, session_key, states_key},
                                        .arguments = {lease, state_prefix}};
  return client_.RunScript(context, scripts_.remove_lease, {&call, 1}).status();
}

absl::Status RedisSessionStore::Renew(RequestContext& context, std::span<const Renewal> renewals) {
  SD_RETURN_IF_ERROR(context.Check());
  while (!renewals.empty()) {
    const size_t size = std::min(renewals.size(), kCallsPerBatch);
    SD_RETURN_IF_ERROR(RenewBatch(context, renewals.first(size)));
    renewals = renewals.subspan(size);
  }
  return absl::OkStatus();
}

absl::Status RedisSessionStore::RenewBatch(RequestContext& context,
                                           std::span<const Renewal> renewals) {
  std::vector<std::array<std::string, 6>> words;
  words.reserve(renewals.size());  // the calls refer to them
  std::vector<RedisClient::ScriptCall> calls;
  for (const Renewal& renewal : renewals) {
    const auto& [lease, leases, session, states, state, ttl] =
        words.emplace_back(std::array<std::string, 6>{
            Key("lease", renewal.lease), Key("leases", renewal.session),
            Key("session", renewal.session), Key("states", renewal.session),
            StateKey(renewal.session, renewal.state), Milliseconds(renewal.ttl)});
    calls.push_back({.keys = {lease, leases, session, states, state},
                     .arguments = {renewal.lease, renewal.state, ttl}});
  }
  return client_.RunScript(context, scripts_.renew, calls).status();
}

absl::Status RedisSessionStore::RecordUses(RequestContext& context, std::span<const Use> uses,
                                           Ttl slot) {
  SD_RETURN_IF_ERROR(context.Check());
  while (!uses.empty()) {
    const size_t size = std::min(uses.size(), kCallsPerBatch);
    SD_RETURN_IF_ERROR(RecordBatch(context, uses.first(size), slot));
    uses = uses.subspan(size);
  }
  return absl::OkStatus();
}

absl::Status RedisSessionStore::RecordBatch(RequestContext& context, std::span<const Use> uses,
                                            Ttl slot) {
  const std::string uses_key = Key("uses", "");
  const std::string recipes_key = Key("recipes", "");
  const std::string length = Milliseconds(slot);
  const std::string most = Concat(kMaxRecipes);
  std::vector<std::string> weights;
  weights.reserve(uses.size());  // the calls refer to them
  std::vector<RedisClient::ScriptCall> calls;
  for (const Use& use : uses) {
    const std::string& weight = weights.emplace_back(Concat(use.weight));
    calls.push_back(
        {.keys = {uses_key, recipes_key}, .arguments = {length, most, use.id, use.record, weight}});
  }
  return client_.RunScript(context, scripts_.record_use, calls).status();
}

absl::StatusOr<std::vector<std::string>> RedisSessionStore::HottestRecipes(RequestContext& context,
                                                                           size_t count, Ttl slot) {
  const std::string uses_key = Key("uses", "");
  const std::string recipes_key = Key("recipes", "");
  const std::string length = Milliseconds(slot);
  const std::string most = Concat(count);
  const RedisClient::ScriptCall call = {.keys = {uses_key, recipes_key},
                                        .arguments = {length, most}};
  SD_ASSIGN_OR_RETURN(std::vector<RedisReply> replies,
                      client_.RunScript(context, scripts_.hottest_recipes, {&call, 1}));
  std::vector<std::string> records;
  for (RedisReply& record : replies.front().elements) {
    if (record.type != RedisReply::Type::kString) return Unexpected();
    records.push_back(std::move(record.text));
  }
  return records;
}

void RedisSessionStore::SetListener(Listener listener) {
  MutexLock lock(listener_mu_);
  listener_.reset();
  if (listener == nullptr) return;
  listener_ =
      std::make_unique<RedisListener>(*connector_, channel_, writer_, std::move(listener), timing_);
}

}  // namespace stagedoor::server
