#ifndef STAGEDOOR_SERVER_STAGES_ATTRIBUTE_TABLE_H_
#define STAGEDOOR_SERVER_STAGES_ATTRIBUTE_TABLE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "base/memory_account.h"
#include "base/mutex.h"
#include "server/stages/compiled_attribute.h"

namespace stagedoor {

// The compiled attributes of one snapshot by the text of their paths. Thread-safe; readers of many
// paths take one lock for all of them.
//
// Attributes are kept in two generations. When the newer one has grown to half of the budget, it
// becomes the older one, from which attributes move on as they are asked for; the others go with
// it. While stages hold more than they may, the budget is a small one.
class AttributeTable {
  struct Entry;
  class Generation;

 public:
  using Pointer = std::shared_ptr<const CompiledAttribute>;

  // Charged to `account`, which may be null.
  AttributeTable(size_t max_bytes, MemoryAccount* account);
  ~AttributeTable();

  // The table as it is now. For one thread, and for the paths of one request.
  class Reader {
   public:
    explicit Reader(AttributeTable& table);

    static size_t Hash(std::string_view path) { return std::hash<std::string_view>()(path); }
    // Fetches into the processor's cache what Find will look at first.
    void Prefetch(size_t hash) const;
    // Null if the path is not there.
    Pointer Find(std::string_view path, size_t hash) const;

   private:
    AttributeTable& table_;
    std::shared_ptr<const Generation> newer_, older_;
  };

  // Adds an attribute. Returns what is at `path` now: another thread may have been faster.
  Pointer Add(std::string_view path, CompiledAttribute attribute);

  // Of both generations.
  size_t byte_size() const;

 private:
  Pointer Keep(std::shared_ptr<const Entry> entry);

  // What the newer generation may take.
  size_t MostBytes() const;

  const size_t max_bytes_;
  MemoryCharge memory_;
  mutable Mutex mu_;
  std::shared_ptr<Generation> newer_ ABSL_GUARDED_BY(mu_);
  std::shared_ptr<Generation> older_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_STAGES_ATTRIBUTE_TABLE_H_
