#include "property_loader.h"

#include <string>
#include <utility>

#include "daemon_stage.h"
#include "message_fields.h"
#include "wire.h"

namespace stagedoor::openusd {
namespace {

// The prims whose properties one call fetches: a run that begins at a multiple of this.
constexpr size_t kRun = 512;

WireWriter TraverseRequest(const std::vector<PrimEntry*>& prims) {
  using T = wire::TraverseRequest;
  WireWriter predicate, mask, request;
  predicate.Number(wire::PrimPredicate::kPreset, wire::PrimPredicate::PRESET_ALL);
  predicate.Number(wire::PrimPredicate::kInstanceProxies, 1);
  for (const char* path :
       {"properties", "properties.metadata", "properties.source", "properties.blocked",
        "properties.time_samples", "properties.connections", "properties.targets"}) {
    mask.Bytes(1, path);  // google.protobuf.FieldMask.paths
  }
  for (const PrimEntry* prim : prims) request.Bytes(T::kRoots, prim->ScenePath());
  request.Message(T::kPredicate, predicate);
  request.Message(T::kReadMask, mask);
  request.Number(T::kMaxDepth, 0);
  return request;
}

// Whether values come from somewhere else than a default. Value clips have values of attributes
// that no layer has a spec of.
bool IsAnimated(uint32_t source) {
  return source == wire::VALUE_SOURCE_TIME_SAMPLES || source == wire::VALUE_SOURCE_VALUE_CLIPS ||
         source == wire::VALUE_SOURCE_SPLINE;
}

struct ParsedProperty {
  std::string name, type_name;
  bool is_relationship = false, uniform = false, custom = false, authored = false, blocked = false;
  uint32_t source = 0;
  std::string_view time_samples;
  SdfPathVector paths;  // targets or connections
  Fields metadata;
};

ParsedProperty ParseProperty(std::string_view message, const PrimBlock& block) {
  using P = wire::Property;
  ParsedProperty property;
  for (WireReader field(message); field.Next();) {
    if (field.field() == P::kName) property.name = field.Text();
    if (field.field() == P::kTypeName) property.type_name = field.Text();
    if (field.field() == P::kKind)
      property.is_relationship = field.Number() == P::KIND_RELATIONSHIP;
    if (field.field() == P::kVariability)
      property.uniform = field.Number() == wire::VARIABILITY_UNIFORM;
    if (field.field() == P::kCustom) property.custom = field.Bool();
    if (field.field() == P::kAuthored) property.authored = field.Bool();
    if (field.field() == P::kBlocked) property.blocked = field.Bool();
    if (field.field() == P::kSource) property.source = static_cast<uint32_t>(field.Number());
    if (field.field() == P::kTimeSamples) property.time_samples = field.Bytes();
    if (field.field() == P::kMetadata) AddMetadata(field.Bytes(), &property.metadata);
    if (field.field() == P::kConnections || field.field() == P::kTargets) {
      property.paths.emplace_back(block.ToLayer(field.Bytes()));
    }
  }
  return property;
}

Fields FieldsOf(const ParsedProperty& property) {
  Fields fields;
  if (property.custom) AddField(SdfFieldKeys->Custom, VtValue(true), &fields);
  const bool uniform = property.uniform || property.is_relationship;
  AddField(SdfFieldKeys->Variability,
           VtValue(uniform ? SdfVariabilityUniform : SdfVariabilityVarying), &fields);
  if (!property.is_relationship) {
    AddField(SdfFieldKeys->TypeName, VtValue(TfToken(property.type_name)), &fields);
  }
  if (!property.paths.empty()) {
    SdfPathListOp op;
    op.SetExplicitItems(property.paths);
    AddField(property.is_relationship ? SdfFieldKeys->TargetPaths : SdfFieldKeys->ConnectionPaths,
             VtValue::Take(op), &fields);
  }
  for (const auto& [name, value] : property.metadata) AddField(name, value, &fields);
  return fields;
}

Failure ParseError(WireReader error) {
  Failure failure{SD_UNKNOWN, "the daemon cannot send the properties of a prim"};
  while (error.Next()) {
    if (error.field() == wire::ItemStatus::kCode)
      failure.code = static_cast<sd_code>(error.Number());
    if (error.field() == wire::ItemStatus::kMessage) failure.message = error.Text();
  }
  return failure;
}

}  // namespace

Result<const PropertyTable*> PropertyLoader::Load(PrimEntry& prim) {
  if (const PropertyTable* table = prim.properties.load(std::memory_order_acquire)) return table;
  const std::lock_guard<std::mutex> lock(mutexes_[prim.index / kRun % mutexes_.size()]);
  if (const PropertyTable* table = prim.properties.load(std::memory_order_acquire)) return table;
  if (const Result<bool> fetched = Fetch(NextPrims(prim)); !fetched.ok()) return fetched.failure();
  return prim.properties.load(std::memory_order_acquire);
}

std::vector<PrimEntry*> PropertyLoader::NextPrims(PrimEntry& first) const {
  std::deque<PrimEntry>& prims = first.block->prims;
  std::vector<PrimEntry*> next;
  for (size_t i = first.index; i < prims.size() && i / kRun == first.index / kRun; ++i) {
    if (prims[i].properties.load() == nullptr) next.push_back(&prims[i]);
  }
  return next;
}

Result<bool> PropertyLoader::Fetch(const std::vector<PrimEntry*>& prims) const {
  const PrimBlock& block = *prims.front()->block;
  const Result<Messages> reply = block.stage->Call("Traverse", TraverseRequest(prims));
  if (!reply.ok()) return reply.failure();
  size_t at = 0;
  for (size_t i = 0; i < reply->size(); ++i) {
    for (WireReader message((*reply)[i]); message.Next();) {
      if (message.field() != wire::TraverseResponse::kPrims || at == prims.size()) continue;
      PrimEntry& prim = *prims[at];
      auto table = std::make_unique<PropertyTable>();
      if (!prim.is_holder) {
        Result<std::unique_ptr<PropertyTable>> parsed = Parse(message.Bytes(), prim);
        if (!parsed.ok()) return parsed.failure();
        table = std::move(*parsed);
      }
      prim.properties.store(table.release(), std::memory_order_release);
      ++at;
    }
  }
  if (at == prims.size()) return true;
  return Failure{SD_INTERNAL, "the daemon sent " + std::to_string(at) + " of " +
                                  std::to_string(prims.size()) + " prims"};
}

Result<std::unique_ptr<PropertyTable>> PropertyLoader::Parse(std::string_view message,
                                                             const PrimEntry& prim) const {
  auto table = std::make_unique<PropertyTable>();
  for (WireReader field(message); field.Next();) {
    if (field.field() == wire::Prim::kError) return ParseError(field.Message());
    if (field.field() != wire::Prim::kProperties) continue;
    const ParsedProperty parsed = ParseProperty(field.Bytes(), *prim.block);
    // The schemas of the application have the others.
    if (!parsed.authored && !IsAnimated(parsed.source)) continue;
    PropertyEntry& property = table->properties.emplace_back();
    property.name = TfToken(parsed.name);
    property.is_relationship = parsed.is_relationship;
    property.blocked = parsed.blocked;
    property.source = parsed.source;
    property.fields = FieldsOf(parsed);
    if (parsed.is_relationship) continue;
    const SdfValueTypeName type = SdfSchema::GetInstance().FindType(parsed.type_name);
    property.is_array = type.IsArray();
    if (type && !type.GetDefaultValue().IsEmpty()) {
      property.type = &type.GetDefaultValue().GetTypeid();
      property.numbers = FindValueType(*property.type);
    }
    if (!frozen_) property.times = DecodeTimes(parsed.time_samples);
  }
  table->Finish();
  return table;
}

}  // namespace stagedoor::openusd
