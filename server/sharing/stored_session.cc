#include "server/sharing/stored_session.h"

#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/layer/kept_layers.h"
#include "server/stages/stage_state.h"

namespace stagedoor::server {

namespace records = stagedoor::store::v1;

absl::StatusOr<records::SessionRecord> StoredSession::ParseRecord(const std::string& text) {
  records::SessionRecord record;
  if (record.ParseFromString(text)) return record;
  return DataLossError("the stored session is damaged; open the stage again");
}

std::vector<RequestIdTable::Done> StoredSession::DoneIn(const records::SessionRecord& record) {
  std::vector<RequestIdTable::Done> done;
  for (const records::RepeatableEdit& edit : record.repeatable_edits()) {
    done.push_back({{edit.id(), edit.fingerprint()}, edit.snapshot()});
  }
  return done;
}

StoredSession::StoredSession(SessionStore& store, StageCache& stages, std::string id,
                             records::SessionRecord record, uint64_t revision,
                             SessionStore::Ttl ttl)
    : store_(store),
      stages_(stages),
      id_(std::move(id)),
      recipe_(std::move(*record.mutable_recipe())),
      first_snapshot_(record.first_snapshot()),
      ttl_(ttl),
      revision_(revision),
      edit_count_(record.edit_count()) {}

absl::StatusOr<bool> StoredSession::Write(RequestContext& context, const Outcome& outcome,
                                          uint64_t revision, uint64_t edit_count) {
  records::SessionRecord record;
  *record.mutable_recipe() = recipe_;
  record.set_snapshot(outcome.snapshot->fingerprint());
  record.set_edit_count(edit_count);
  record.set_first_snapshot(first_snapshot_);
  for (const RequestIdTable::Done& done : outcome.done) {
    records::RepeatableEdit* const edit = record.add_repeatable_edits();
    edit->set_id(done.request.id);
    edit->set_fingerprint(done.request.fingerprint);
    edit->set_snapshot(done.result);
  }
  std::string state;
  if (edit_count > 0) {
    const LayerFormats& formats = stages_.environment().layers->formats();
    SD_ASSIGN_OR_RETURN(state, SerializeStageState(context, formats, outcome.stage_key));
  }
  SD_ASSIGN_OR_RETURN(
      const bool written,
      store_.WriteSession(context,
                          {.session = id_,
                           .revision = revision,
                           .record = record.SerializeAsString(),
                           .state = edit_count > 0 ? std::string_view(record.snapshot()) : "",
                           .state_record = state,
                           .ttl = ttl_}));
  if (!written) return false;
  revision_ = revision + 1;
  edit_count_ = edit_count;
  return true;
}

absl::StatusOr<bool> StoredSession::StoreIfMissing(RequestContext& context,
                                                   const Outcome& current) {
  if (revision_ == 0) {  // most likely nobody else has this ID
    SD_ASSIGN_OR_RETURN(const bool created, Write(context, current, 0, edit_count_));
    if (created) return true;
  }
  SD_ASSIGN_OR_RETURN(const auto found, store_.FindSession(context, id_));
  if (!found.has_value()) return Write(context, current, 0, edit_count_);
  SD_ASSIGN_OR_RETURN(const records::SessionRecord record, ParseRecord(found->record));
  if (record.edit_count() >= edit_count_) return false;
  return Write(context, current, found->revision, edit_count_);
}

absl::StatusOr<bool> StoredSession::Record(RequestContext& context, const Outcome& outcome) {
  SD_ASSIGN_OR_RETURN(const bool written, Write(context, outcome, revision_, edit_count_ + 1));
  if (written) return true;
  SD_ASSIGN_OR_RETURN(const auto found, store_.FindSession(context, id_));
  if (found.has_value()) return false;
  return Write(context, outcome, 0, edit_count_ + 1);
}

absl::StatusOr<std::optional<SessionRecorder::Outcome>> StoredSession::FindNewer(
    RequestContext& context, const Outcome& current) {
  SD_ASSIGN_OR_RETURN(const auto found, store_.FindSession(context, id_));
  if (!found.has_value() || found->revision == revision_) return std::nullopt;
  SD_ASSIGN_OR_RETURN(const records::SessionRecord record, ParseRecord(found->record));
  Outcome newer = current;
  if (record.edit_count() > edit_count_ || (record.edit_count() == edit_count_ && edit_count_ > 0 &&
                                            record.snapshot() != current.snapshot->fingerprint())) {
    SD_ASSIGN_OR_RETURN(
        auto opened, OpenState(context, record.snapshot(), current.stage_key, *current.snapshot));
    if (!opened.has_value()) return std::nullopt;  // it is written and renewed with the session
    newer = *std::move(opened);
    edit_count_ = record.edit_count();
  }
  revision_ = found->revision;
  newer.done = DoneIn(record);
  return newer;
}

absl::StatusOr<bool> StoredSession::RestoreState(RequestContext& context,
                                                 const std::string& snapshot,
                                                 StageKey& stage_key) const {
  SD_ASSIGN_OR_RETURN(const auto state, store_.FindState(context, id_, snapshot));
  if (!state.has_value()) return false;
  SD_RETURN_IF_ERROR(RestoreStageState(context, stages_.environment().layers->formats(),
                                       stages_.budget().pool(), *state, stage_key));
  return true;
}

absl::StatusOr<std::optional<SessionRecorder::Outcome>> StoredSession::OpenState(
    RequestContext& context, const std::string& snapshot, StageKey stage_key,
    const StageSnapshot& before) const {
  SD_ASSIGN_OR_RETURN(const bool found, RestoreState(context, snapshot, stage_key));
  if (!found) return std::nullopt;
  StageOptions& options = stage_key.options;
  if (stage_key.policy == ChangePolicy::kFixed) {
    options.kept_layers = KeepLayers(options.kept_layers, before.stage().UsedLayers());
  }
  SD_ASSIGN_OR_RETURN(auto opened, stages_.OpenEdited(context, stage_key, before));
  if (opened->fingerprint() != snapshot && options.kept_layers != nullptr) {
    options.kept_layers = nullptr;  // the stage was reloaded
    SD_ASSIGN_OR_RETURN(opened, stages_.OpenEdited(context, stage_key, before));
  }
  return Outcome{std::move(stage_key), std::move(opened), {}};
}

}  // namespace stagedoor::server
