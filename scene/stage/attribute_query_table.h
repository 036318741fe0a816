#ifndef STAGEDOOR_SCENE_STAGE_ATTRIBUTE_QUERY_TABLE_H_
#define STAGEDOOR_SCENE_STAGE_ATTRIBUTE_QUERY_TABLE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include "base/mutex.h"
#include "base/reservation.h"
#include "scene/stage/attribute_query.h"

namespace stagedoor {

// The attribute queries of one snapshot, found by the text of their paths. Thread-safe; a Reader
// takes a single lock for any number of paths.
//
// Queries are kept in two generations. When the newer one reaches half of the budget, it becomes
// the older one and the previous older one is dropped. Queries found in the older generation move
// to the newer one. While stages exceed their memory budget, the table has a small budget.
class AttributeQueryTable {
  struct Entry;
  class Generation;

 public:
  using Pointer = std::shared_ptr<const AttributeQuery>;

  // The memory is charged to `pool`, which may be null.
  AttributeQueryTable(size_t max_bytes, MemoryPool* pool);
  ~AttributeQueryTable();

  // A view of the current generations, for the paths of one request. Not thread-safe.
  class Reader {
   public:
    explicit Reader(AttributeQueryTable& table);

    static size_t Hash(std::string_view path) { return std::hash<std::string_view>()(path); }
    // Prefetches the slot that Find reads first into the processor's cache.
    void Prefetch(size_t hash) const;
    // Null if the table does not have the path.
    Pointer Find(std::string_view path, size_t hash) const;

   private:
    AttributeQueryTable& table_;
    std::shared_ptr<const Generation> newer_, older_;
  };

  // Adds a query. Returns the one now at `path`, which another thread may have added first.
  Pointer Add(std::string_view path, AttributeQuery query);

  // Whether queries can be added without dropping others.
  bool HasRoom() const;
  // The size of both generations.
  size_t byte_size() const;

 private:
  Pointer Keep(std::shared_ptr<const Entry> entry);

  // The maximum size of one generation.
  size_t MostBytes() const;

  const size_t max_bytes_;
  Reservation memory_;
  mutable Mutex mu_;
  std::shared_ptr<Generation> newer_ ABSL_GUARDED_BY(mu_);
  std::shared_ptr<Generation> older_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_ATTRIBUTE_QUERY_TABLE_H_
