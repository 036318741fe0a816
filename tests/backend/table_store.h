#ifndef STAGEDOOR_TESTS_BACKEND_TABLE_STORE_H_
#define STAGEDOOR_TESTS_BACKEND_TABLE_STORE_H_

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "resolver/store/object_store.h"

namespace stagedoor {

// An example of a backend that is not ours: assets in a table of a program, "table://NAME", whose
// rows have a revision. docs/extending.md explains it. Thread-safe.
class TableStore final : public ObjectStore {
 public:
  void Write(const std::string& path, std::string content);
  void Erase(const std::string& path);

  absl::StatusOr<Opened> Open(RequestContext& context, const std::string& path,
                              const ObjectInfo* known, size_t head_bytes) const override;
  std::vector<absl::StatusOr<ObjectInfo>> GetInfo(
      RequestContext& context, std::span<const std::string> paths) const override;
  absl::Status Fetch(RequestContext& context, const std::string& path, const ObjectInfo& info,
                     std::span<const ByteRange> ranges, const Sink& sink) const override;

 private:
  struct Row {
    int revision = 0;
    std::string content;
  };
  absl::StatusOr<Row> Find(RequestContext& context, const std::string& path) const;
  static ObjectInfo InfoOf(const Row& row);

  mutable Mutex mu_;
  std::map<std::string, Row> rows_ ABSL_GUARDED_BY(mu_);
  int last_revision_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_BACKEND_TABLE_STORE_H_
