#include "spline_loader.h"

#include <string>
#include <utility>
#include <vector>

#include "daemon_stage.h"
#include "message_fields.h"
#include "wire.h"

namespace stagedoor::openusd {
namespace {

// The prims whose splines one call fetches.
constexpr size_t kRun = 64;

bool HasSpline(const PropertyEntry& property) {
  return property.source == wire::VALUE_SOURCE_SPLINE;
}

std::vector<PrimEntry*> PrimsWithSplines(PrimEntry& first) {
  std::vector<PrimEntry*> found;
  std::deque<PrimEntry>& prims = first.block->prims;
  for (size_t i = first.index; i < prims.size() && found.size() < kRun; ++i) {
    const PropertyTable* const table = prims[i].properties.load(std::memory_order_acquire);
    if (table == nullptr) break;
    for (const PropertyEntry& property : table->properties) {
      if (!HasSpline(property)) continue;
      found.push_back(&prims[i]);
      break;
    }
  }
  return found;
}

// The stage as one layer of text, read by Sdf.
Result<SdfLayerRefPtr> Flatten(const DaemonStage& stage) {
  WireWriter request;
  request.Number(wire::FlattenStageRequest::kFormat, wire::LAYER_FORMAT_USDA);
  const Result<Messages> reply = stage.Call("FlattenStage", request);
  if (!reply.ok()) return reply.failure();
  std::string text;
  for (size_t i = 0; i < reply->size(); ++i) {
    for (WireReader message((*reply)[i]); message.Next();) {
      if (message.field() == wire::FlattenStageResponse::kData) text += message.Bytes();
    }
  }
  SdfLayerRefPtr layer = SdfLayer::CreateAnonymous("splines.usda");
  if (layer->ImportFromString(text)) return layer;
  return Failure{SD_INTERNAL, "OpenUSD cannot read the splines that the daemon sent"};
}

// Where a prim is in a flattened layer: below the prototypes of the instances above it.
SdfPath InFlattened(const SdfLayerRefPtr& layer, const SdfPath& scene_path) {
  SdfPath at = SdfPath::AbsoluteRootPath();
  for (const SdfPath& prefix : scene_path.GetPrefixes()) {
    SdfReferenceListOp references;
    if (layer->HasField(at, SdfFieldKeys->References, &references)) {
      const SdfReferenceListOp::ItemVector items = references.GetAppliedItems();
      if (!items.empty()) at = items.front().GetPrimPath();
    }
    at = at.AppendChild(prefix.GetNameToken());
  }
  return at;
}

}  // namespace

const TfToken& SplineField() {
  static const TfToken* const kField = new TfToken("spline");
  return *kField;
}

Result<VtValue> SplineLoader::Get(const DaemonStage& stage, PrimEntry& prim,
                                  const PropertyEntry& property) {
  if (!HasSpline(property)) return VtValue();
  const std::lock_guard<std::mutex> lock(mu_);
  if (splines_.find(&property) == splines_.end()) {
    if (const Result<bool> fetched = Fetch(stage, prim); !fetched.ok()) return fetched.failure();
  }
  return splines_[&property];
}

Result<SdfLayerRefPtr> SplineLoader::FlattenPrims(const DaemonStage& stage,
                                                  const std::vector<PrimEntry*>& prims) const {
  // A session with a name has one mask, and edits that a stage of its own would not have.
  if (!arguments_.session.empty()) return Flatten(stage);
  DaemonStage::Options options;
  for (const PrimEntry* prim : prims) options.mask.push_back(prim->ScenePath());
  StageArguments arguments = arguments_;
  arguments.snapshot.clear();  // a stage with another mask has other snapshots
  const Result<std::unique_ptr<DaemonStage>> masked =
      DaemonStage::Open(connection_, arguments, options);
  if (!masked.ok()) return masked.failure();
  Result<SdfLayerRefPtr> layer = Flatten(**masked);
  if (!layer.ok()) return layer;
  if (const Result<bool> same = stage.CheckUnchanged(); !same.ok()) return same.failure();
  return layer;
}

Result<bool> SplineLoader::Fetch(const DaemonStage& stage, PrimEntry& first) {
  const std::vector<PrimEntry*> prims = PrimsWithSplines(first);
  const Result<SdfLayerRefPtr> layer = FlattenPrims(stage, prims);
  if (!layer.ok()) return layer.failure();
  for (const PrimEntry* prim : prims) {
    const SdfPath path = InFlattened(*layer, SdfPath(prim->ScenePath()));
    for (const PropertyEntry& property : prim->properties.load()->properties) {
      if (!HasSpline(property)) continue;
      splines_[&property] = (*layer)->GetField(path.AppendProperty(property.name), SplineField());
    }
  }
  return true;
}

}  // namespace stagedoor::openusd
