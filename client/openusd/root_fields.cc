#include "root_fields.h"

#include <string>

#include "message_fields.h"
#include "wire.h"

namespace stagedoor::openusd {
namespace {

// Whether a field of the root layer cannot be in a layer without arcs, or has its content in other
// fields.
bool IsConsumed(const TfToken& name) {
  return name == SdfFieldKeys->SubLayers || name == SdfFieldKeys->SubLayerOffsets ||
         name == SdfFieldKeys->ExpressionVariables || name == SdfFieldKeys->LayerRelocates;
}

Fields ParseStage(WireReader stage) {
  using S = wire::Stage;
  constexpr double kDefaultRate = 24;
  Fields fields, metadata;
  double time_codes = kDefaultRate, frames = kDefaultRate;
  while (stage.Next()) {
    if (stage.field() == S::kMetadata) AddMetadata(stage.Bytes(), &metadata);
    if (stage.field() == S::kTimeCodesPerSecond) time_codes = stage.Double();
    if (stage.field() == S::kFramesPerSecond) frames = stage.Double();
    if (stage.field() == S::kStartTimeCode) {
      AddField(SdfFieldKeys->StartTimeCode, VtValue(stage.Double()), &fields);
    }
    if (stage.field() == S::kEndTimeCode) {
      AddField(SdfFieldKeys->EndTimeCode, VtValue(stage.Double()), &fields);
    }
    if (stage.field() == S::kDefaultPrim && !stage.Bytes().empty()) {
      const SdfPath path(stage.Text());
      const std::string name = path.IsRootPrimPath() ? path.GetName() : path.GetString();
      AddField(SdfFieldKeys->DefaultPrim, VtValue(TfToken(name)), &fields);
    }
  }
  // A field whose value is OpenUSD's default may be left out.
  if (frames != kDefaultRate) AddField(SdfFieldKeys->FramesPerSecond, VtValue(frames), &fields);
  if (time_codes != frames)
    AddField(SdfFieldKeys->TimeCodesPerSecond, VtValue(time_codes), &fields);
  for (const auto& [name, value] : metadata) {
    if (!IsConsumed(name)) AddField(name, value, &fields);
  }
  return fields;
}

}  // namespace

Result<Fields> FetchRootFields(const DaemonStage& stage) {
  WireWriter request;
  request.Number(wire::GetStageRequest::kDetails, wire::STAGE_DETAIL_METADATA);
  const Result<Messages> reply = stage.Call("GetStage", request);
  if (!reply.ok()) return reply.failure();
  for (WireReader response((*reply)[0]); response.Next();) {
    if (response.field() == wire::GetStageResponse::kStage) return ParseStage(response.Message());
  }
  return Fields();
}

}  // namespace stagedoor::openusd
