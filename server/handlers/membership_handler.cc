#include "server/handlers/membership_handler.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/pacer.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/stage/collection.h"
#include "server/check_count.h"
#include "server/converters/reply_budget.h"
#include "server/error_info.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/query_state.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kFewerMembers = "request fewer paths or collections";
constexpr int64_t kStepsPerMember = 16;
constexpr size_t kMaxCollections = 100'000;
constexpr size_t kBytesPerCollection = 64;  // a node of the map of those that are known

// The collection at a path of the request; nothing if its prim does not have it.
absl::StatusOr<std::optional<Collection>> FindCollection(const Stage& stage,
                                                         std::string_view path) {
  constexpr std::string_view kInfix = ".collection:";
  const size_t at = path.find(kInfix);
  if (at == std::string_view::npos) {
    return WithReason(InvalidArgumentError(Quoted(path), " is not the path of a collection"),
                      v1::ERROR_REASON_INVALID_PATH);
  }
  SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(stage, path.substr(0, at)));
  const auto name = Token::Find(path.substr(at + kInfix.size()));
  const auto schema = Token::Find(Concat("CollectionAPI:", path.substr(at + kInfix.size())));
  if (!name || !schema || !prim.HasApi(*schema)) return std::nullopt;
  return Collection(prim, *name);
}

// The prims and properties of the request; empty paths for those that the stage does not have.
absl::StatusOr<std::vector<Path>> FindObjects(const Stage& stage,
                                              const v1::ComputeMembershipRequest& request,
                                              ReplyBudget& budget,
                                              v1::ComputeMembershipResponse* response) {
  const auto count = static_cast<size_t>(request.paths_size());
  SD_RETURN_IF_ERROR(budget.context().Reserve(count * sizeof(Path), "the paths of a batch"));
  std::vector<Path> paths;
  Pacer pacer(budget.context());
  for (const std::string& text : request.paths()) {
    SD_RETURN_IF_ERROR(pacer.Step());
    absl::Status failure;
    Path path;
    if (text.find('.') == std::string::npos) {
      const auto prim = LookUpPrim(stage, text);
      failure = prim.status();
      if (prim.ok()) path = prim->path();
    } else {
      const auto property = LookUpProperty(stage, text);
      failure = property.status();
      if (property.ok()) path = property->path();
    }
    if (!failure.ok()) {
      const auto item = static_cast<uint32_t>(paths.size());
      budget.FillError(failure, item, response->add_path_errors());
      SD_RETURN_IF_ERROR(budget.status());
    }
    paths.push_back(path);
  }
  return paths;
}

// The bits of the paths that are members.
absl::StatusOr<std::string> MembersOf(RequestContext& context, const Collection& collection,
                                      const std::vector<Path>& paths) {
  const CollectionMembershipQuery query = collection.ComputeMembershipQuery(context);
  std::string bits((paths.size() + 7) / 8, '\0');
  Pacer pacer(context);
  for (size_t i = 0; i < paths.size(); ++i) {
    SD_RETURN_IF_ERROR(pacer.Step(kStepsPerMember));
    if (paths[i].empty() || !query.Includes(paths[i])) continue;
    bits[i / 8] = static_cast<char>(bits[i / 8] | 1 << i % 8);
  }
  return bits;
}

// Fills the members of the collections. One that is asked for several times is evaluated once.
absl::Status FillAllMembers(const Stage& stage, const v1::ComputeMembershipRequest& request,
                            const std::vector<Path>& objects, ReplyBudget& budget,
                            v1::ComputeMembershipResponse* response) {
  std::unordered_map<std::string_view, int> known;  // the indices of collections in the reply
  for (const std::string& path : request.collections()) {
    const size_t bytes = (objects.size() + 7) / 8;
    if (!budget.Charge(sizeof(std::string) + bytes + 1)) return budget.status();
    SD_RETURN_IF_ERROR(budget.context().Reserve(kBytesPerCollection, "collections"));
    std::string* out = response->add_members();
    const auto [at, is_new] = known.try_emplace(path, response->members_size() - 1);
    if (!is_new) {
      *out = response->members(at->second);
      continue;
    }
    SD_ASSIGN_OR_RETURN(const auto collection, FindCollection(stage, path));
    out->assign(bytes, '\0');
    if (!collection) continue;
    SD_ASSIGN_OR_RETURN(*out, MembersOf(budget.context(), *collection, objects));
  }
  return budget.status();
}

}  // namespace

absl::Status ComputeMembership(const QueryState& state, RequestContext& context,
                               const v1::ComputeMembershipRequest& request,
                               v1::ComputeMembershipResponse* response) {
  // Parse.
  const auto paths = static_cast<size_t>(request.paths_size());
  const auto collections = static_cast<size_t>(request.collections_size());
  SD_RETURN_IF_ERROR(CheckCount(paths, state.limits.max_paths, "paths"));
  SD_RETURN_IF_ERROR(CheckCount(collections, kMaxCollections, "collections"));
  SD_RETURN_IF_ERROR(CheckCount(paths * collections, state.limits.max_items, "items"));
  // Look up the stage.
  SD_ASSIGN_OR_RETURN(const LeasedStage leased, AcquireStage(state, context, request.stage()));
  const Stage& stage = leased.stage();
  // Call the engine, and fill the reply.
  response->set_snapshot(leased.snapshot->fingerprint());
  response->set_path_count(static_cast<uint32_t>(paths));
  ReplyBudget budget(context, state.limits.max_reply_bytes, kFewerMembers);
  SD_ASSIGN_OR_RETURN(const std::vector<Path> objects,
                      FindObjects(stage, request, budget, response));
  SD_RETURN_IF_ERROR(FillAllMembers(stage, request, objects, budget, response));
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return leased.CheckRead();
}

}  // namespace stagedoor::server
