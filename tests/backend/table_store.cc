#include "tests/backend/table_store.h"

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {

void TableStore::Write(const std::string& path, std::string content) {
  MutexLock lock(mu_);
  rows_[path] = {++last_revision_, std::move(content)};
}

void TableStore::Erase(const std::string& path) {
  MutexLock lock(mu_);
  rows_.erase(path);
}

absl::StatusOr<TableStore::Row> TableStore::Find(RequestContext& context,
                                                 const std::string& path) const {
  SD_RETURN_IF_ERROR(context.Check());
  MutexLock lock(mu_);
  const auto it = rows_.find(path);
  if (it == rows_.end()) return NotFoundError("the table has no ", Quoted(path));
  return it->second;
}

ObjectInfo TableStore::InfoOf(const Row& row) {
  return {AssetVersion(Concat("revision ", row.revision)), row.content.size(), {}};
}

absl::StatusOr<ObjectStore::Opened> TableStore::Open(RequestContext& context,
                                                     const std::string& path,
                                                     const ObjectInfo* known,
                                                     size_t head_bytes) const {
  SD_ASSIGN_OR_RETURN(const Row row, Find(context, path));
  const ObjectInfo info = InfoOf(row);
  if (known != nullptr && known->version == info.version) return Opened{info, {}};
  return Opened{info, row.content.substr(0, head_bytes)};
}

std::vector<absl::StatusOr<ObjectInfo>> TableStore::GetInfo(
    RequestContext& context, std::span<const std::string> paths) const {
  std::vector<absl::StatusOr<ObjectInfo>> infos;
  for (const std::string& path : paths) {
    const absl::StatusOr<Row> row = Find(context, path);
    infos.push_back(row.ok() ? absl::StatusOr<ObjectInfo>(InfoOf(*row)) : row.status());
  }
  return infos;
}

absl::Status TableStore::Fetch(RequestContext& context, const std::string& path,
                               const ObjectInfo& info, std::span<const ByteRange> ranges,
                               const Sink& sink) const {
  const absl::StatusOr<Row> row = Find(context, path);
  const bool gone = row.status().code() == absl::StatusCode::kNotFound;
  if (!row.ok() && !gone) return row.status();
  if (gone || InfoOf(*row).version != info.version) {
    return DataLossError(Quoted(path), " has another revision by now");
  }
  const auto bytes = std::as_bytes(std::span(row->content));
  for (const ByteRange& range : ranges) {
    SD_RETURN_IF_ERROR(sink(range.offset, bytes.subspan(range.offset, range.size)));
  }
  return absl::OkStatus();
}

}  // namespace stagedoor
