#include "server/handlers/collection_handler.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/stage/collection.h"
#include "scene/stage/prim_range.h"
#include "scene/stage/stage.h"
#include "scene/stage/traversal_budget.h"
#include "server/check_count.h"
#include "server/converters/prim_converter.h"
#include "server/converters/reply_budget.h"
#include "server/server_limits.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/query_state.h"
#include "server/stages/stage_lookup.h"
#include "server/streams/chunk_bytes.h"

namespace stagedoor::server {
namespace {

// Streams collections. The members of each are computed when its message is made.
class CollectionStream final : public ResponseStream<v1::ListCollectionsResponse> {
 public:
  CollectionStream(RequestContext& context, const ServerLimits& limits, size_t chunk_bytes,
                   LeasedStage leased, PrimFlagsPredicate predicate,
                   std::vector<Collection> collections)
      : budget_(context, limits.max_item_bytes(), "request smaller collections"),
        leased_(std::move(leased)),
        predicate_(predicate),
        collections_(std::move(collections)),
        message_bytes_(chunk_bytes) {}

  absl::StatusOr<bool> Next(RequestContext& context,
                            v1::ListCollectionsResponse* response) override {
    budget_.StartMessage();
    // A reply without collections still reports the snapshot.
    const bool first = !std::exchange(started_, true);
    if (first) response->set_snapshot(leased_.snapshot->fingerprint());
    while (next_ < collections_.size() && budget_.message_bytes() < message_bytes_) {
      SD_RETURN_IF_ERROR(context.Check());
      const Collection& collection = collections_[next_++];
      budget_.StartItem();
      v1::Collection* out = budget_.Add(response->mutable_collections());
      FillMembers(collection, out);
      SD_RETURN_IF_ERROR(ReportIfTooLarge(budget_, 0, out));
      out->set_path(budget_.Text(collection.path().ToString()));
    }
    SD_RETURN_IF_ERROR(leased_.CheckKnownChanges());
    return first || response->collections_size() != 0;
  }

 private:
  void FillMembers(const Collection& collection, v1::Collection* out) {
    RequestContext& context = budget_.context();
    const CollectionMembershipQuery membership = collection.ComputeMembershipQuery(context);
    out->set_mode(membership.mode() == CollectionMembershipQuery::Mode::kExpression
                      ? v1::Collection::MODE_EXPRESSION
                      : v1::Collection::MODE_RULES);
    auto* members = out->mutable_members();
    for (const Path path : membership.Members(context, predicate_)) {
      if (!budget_.ok()) return;
      budget_.AddText(path.ToString(), members);
    }
    std::sort(members->begin(), members->end());
  }

  ReplyBudget budget_;
  const LeasedStage leased_;
  const PrimFlagsPredicate predicate_;
  const std::vector<Collection> collections_;
  const size_t message_bytes_;
  bool started_ = false;
  size_t next_ = 0;
};

// Adds the collections that a path of a request names: all of a prim "/P", or the one at
// "/P.collection:NAME".
absl::Status AddNamed(const Stage& stage, const std::string& text, std::vector<Collection>* out) {
  constexpr std::string_view kCollection = ".collection:";
  const size_t at = text.find(kCollection);
  SD_ASSIGN_OR_RETURN(const Prim prim, LookUpPrim(stage, text.substr(0, at)));
  for (const Collection& collection : Collection::AllOf(prim)) {
    if (at == std::string::npos ||
        collection.name().text() == std::string_view(text).substr(at + kCollection.size())) {
      out->push_back(collection);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ResponseStreamPtr<v1::ListCollectionsResponse>> ListCollections(
    const QueryState& state, RequestContext& context, const v1::ListCollectionsRequest& request) {
  // Look up the stage, and parse.
  SD_ASSIGN_OR_RETURN(LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(const PrimFlagsPredicate predicate,
                      ParsePredicate(request.predicate(), v1::PrimPredicate::PRESET_ALL));
  SD_RETURN_IF_ERROR(
      CheckCount(static_cast<size_t>(request.paths_size()), state.limits.max_paths, "paths"));
  std::vector<Collection> collections;
  for (const std::string& path : request.paths()) {
    SD_RETURN_IF_ERROR(context.Check());
    SD_RETURN_IF_ERROR(AddNamed(leased.stage(), path, &collections));
  }
  if (request.paths().empty()) {
    TraversalBudget visits(leased.stage());
    for (const Prim& prim : leased.stage().Traverse(predicate)) {
      if (!visits.Spend(context, prim)) break;
      for (const Collection& collection : Collection::AllOf(prim)) {
        SD_RETURN_IF_ERROR(context.Reserve(sizeof(Collection), "collections"));
        collections.push_back(collection);
      }
    }
    SD_RETURN_IF_ERROR(context.Check());
  }
  // The request's predicate determines whether instance proxies are searched for collections, but
  // they are members only if a collection names them.
  PrimFlagsPredicate members = predicate;
  members.instance_proxies = false;
  // The stream calls the engine, and fills the messages.
  return std::make_unique<CollectionStream>(context, state.limits,
                                            ChunkBytes(request, state.limits), std::move(leased),
                                            members, std::move(collections));
}

}  // namespace stagedoor::server
