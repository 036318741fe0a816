#include "server/stages/stage_state.h"

#include <memory>
#include <utility>

#include "base/byte_source.h"
#include "base/interned_bytes.h"
#include "base/request_scope.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/asset.h"
#include "scene/edit/private_copy.h"
#include "scene/paths/path_scope.h"
#include "server/stages/charged_layer.h"
#include "server/store/session_records.pb.h"

namespace stagedoor::server {
namespace {

namespace records = stagedoor::store::v1;

// How the edited layer is written: exact for all values, and small for arrays.
constexpr std::string_view kFormat = "usdc";
constexpr size_t kPieceBytes = size_t{256} << 10;

absl::Status Damaged(std::string_view what) {
  return DataLossError("the stored state of the session is damaged: ", what,
                       "; open the stage again");
}

absl::StatusOr<std::string> WriteCrate(RequestContext& context, const LayerFormats& formats,
                                       std::shared_ptr<const Layer> layer) {
  const ByteSourcePtr source = formats.FindByName(kFormat)->write(std::move(layer));
  std::string crate;
  for (;;) {
    const size_t before = crate.size();
    SD_ASSIGN_OR_RETURN(const bool more, source->Next(context, kPieceBytes, &crate));
    SD_RETURN_IF_ERROR(context.Reserve(crate.size() - before, "the stored state of a session"));
    if (!more) return crate;
  }
}

absl::StatusOr<SessionEdits> ReadEdits(RequestContext& context, const LayerFormats& formats,
                                       MemoryPool* pool,
                                       const records::StateRecord::EditedLayer& record) {
  SessionEdits edits{
      .layer = nullptr, .fingerprint = record.fingerprint(), .paths = PathScope::Create(pool)};
  const RequestScope::Guard guard(RequestScope::Current().WithOwner(edits.paths.get()));
  const InternedBytes::ScopedHalfLimit names;
  const auto asset =
      InMemoryAsset::FromString(record.identifier(), AssetVersion("1"), record.crate());
  Layer::Info info{.identifier = record.identifier(),
                   .resolved_path = record.resolved_path(),
                   .version = record.version(),
                   .content_version = record.content_version(),
                   .format = record.format(),
                   .anonymous = true};
  SD_ASSIGN_OR_RETURN(const auto layer, formats.FindByName(kFormat)->open(context, asset, info));
  // Without what the file format keeps, as if the edits had been made here.
  SD_ASSIGN_OR_RETURN(LayerBuilder copy, MakePrivateCopy(context, *layer, SIZE_MAX));
  std::shared_ptr<const Layer> built = std::move(copy).Build(std::move(info));
  const size_t bytes = WholeBytes(*built);
  edits.layer = ChargeLayer(pool, std::move(built), bytes);
  return edits;
}

}  // namespace

absl::StatusOr<std::string> SerializeStageState(RequestContext& context,
                                                const LayerFormats& formats,
                                                const StageKey& stage_key) {
  records::StateRecord record;
  record.set_session_layer(stage_key.options.session);
  record.set_session_content(stage_key.session_content);
  for (const auto& [path, rule] : stage_key.options.load.rules()) {
    records::StateRecord::LoadRule* const out = record.add_load_rules();
    out->set_path(path.ToString());
    out->set_rule(static_cast<int>(rule));
  }
  for (const std::string& layer : stage_key.options.muted_layers) record.add_muted_layers(layer);
  if (const auto& layer = stage_key.edits.layer; layer != nullptr) {
    records::StateRecord::EditedLayer* const out = record.mutable_edited_layer();
    const Layer::Info& info = layer->info();
    out->set_identifier(info.identifier);
    out->set_resolved_path(info.resolved_path);
    out->set_version(info.version);
    out->set_content_version(info.content_version);
    out->set_format(info.format);
    out->set_fingerprint(stage_key.edits.fingerprint);
    SD_ASSIGN_OR_RETURN(*out->mutable_crate(), WriteCrate(context, formats, layer));
  }
  return record.SerializeAsString();
}

absl::Status RestoreStageState(RequestContext& context, const LayerFormats& formats,
                               MemoryPool* pool, std::string_view record, StageKey& stage_key) {
  records::StateRecord parsed;
  if (!parsed.ParseFromArray(record.data(), static_cast<int>(record.size()))) {
    return Damaged("it cannot be decoded");
  }
  StageOptions& options = stage_key.options;
  options.session = parsed.session_layer();
  stage_key.session_content = parsed.session_content();
  options.muted_layers.assign(parsed.muted_layers().begin(), parsed.muted_layers().end());
  options.paths = PathScope::CreateSuccessor(options.paths);
  options.load = LoadRules();
  {
    const RequestScope::Guard guard(RequestScope::Current().WithOwner(options.paths.get()));
    for (const auto& rule : parsed.load_rules()) {
      const absl::StatusOr<Path> path = Path::Parse(rule.path());
      if (!path.ok() || rule.rule() < 0 || rule.rule() > static_cast<int>(LoadRules::Rule::kNone)) {
        return Damaged("load rules");
      }
      options.load.Set(*path, static_cast<LoadRules::Rule>(rule.rule()));
    }
  }
  stage_key.edits = {};
  if (!parsed.has_edited_layer()) return absl::OkStatus();
  auto edits = ReadEdits(context, formats, pool, parsed.edited_layer());
  if (!edits.ok()) {
    return context.Check().ok() ? Damaged(Message(edits.status())) : edits.status();
  }
  stage_key.edits = *std::move(edits);
  return absl::OkStatus();
}

}  // namespace stagedoor::server
