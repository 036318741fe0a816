#ifndef STAGEDOOR_SCENE_USDC_CRATE_TABLES_H_
#define STAGEDOOR_SCENE_USDC_CRATE_TABLES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/memory_pool.h"
#include "base/mutex.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/usdc/crate_bytes.h"
#include "scene/usdc/crate_format.h"
#include "scene/values/array.h"
#include "scene/values/ref_counted.h"

namespace stagedoor {

// The SPECS section and the tree of the PATHS section (16.3.8.4.5.3 Jump Array), which are needed
// only while a layer is opened. The tree is in depth-first order: the first child of an item
// follows it, and its next sibling comes after its subtree.
struct CrateNamespace {
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Spec {
    uint32_t path = 0;
    uint32_t field_set = 0;
    uint32_t type = 0;
  };
  std::vector<Spec> specs;
  std::vector<uint32_t> item_path;  // path index by item
  std::vector<int32_t> jumps;       // entry of the jump array, by item

  bool HasChild(uint32_t item) const { return jumps[item] > 0 || jumps[item] == -1; }
  // The item of the next sibling; kNone for the last one.
  uint32_t NextSibling(uint32_t item) const {
    return jumps[item] > 0 ? item + jumps[item] : jumps[item] == 0 ? item + 1 : kNone;
  }
};

// The tables that are read when a crate file is opened: tokens, strings, fields, field sets and
// paths (Core Specification, 16.3.8 Preamble).
//
// Everything in the file is untrusted. Each count, offset and index is checked when the tables are
// opened, so that the accessors that return bool fail only for indices out of range. Tokens are
// interned when they are first used, which avoids interning the text of string values. Immutable
// and thread-safe; shared by the layer's field store and by values that decode from the file later
// (time samples).
class CrateTables : public RefCounted {
 public:
  struct Source {
    std::span<const std::byte> bytes;
    RefPtr<const RefCounted> owner;  // keeps `bytes` alive; a SourceBytes if they may change
    std::string name;                // the file's name in messages
    // Charged for arrays that take far more memory than the file, for as long as they live. May be
    // null, in which case each of them may take up to kMaxExpansion.
    std::shared_ptr<MemoryPool> expansions;
  };
  static constexpr uint64_t kMaxExpansion = uint64_t{1} << 30;

  // INVALID_ARGUMENT if the bytes are not a crate file or have an unsupported version, DATA_LOSS if
  // they are damaged, RESOURCE_EXHAUSTED if the tables would take far more memory than the file.
  // Messages name the file and, for damage, the offset.
  static absl::StatusOr<RefPtr<const CrateTables>> Open(Source source, CrateNamespace* names);

  const CrateBytes& bytes() const { return *bytes_; }
  const RefPtr<const RefCounted>& owner() const { return bytes_->owner(); }
  const std::string& name() const { return name_; }
  CrateVersion version() const { return version_; }

  size_t token_count() const { return token_starts_.empty() ? 0 : token_starts_.size() - 1; }
  // The index must be below token_count().
  std::string_view TokenText(uint32_t index) const {
    const char* text = token_text_.get();
    return {text + token_starts_[index], token_starts_[index + 1] - token_starts_[index] - 1};
  }
  Token TokenAt(uint32_t index) const;
  bool FindToken(uint32_t index, Token* token) const;
  bool FindString(uint32_t index, std::string_view* text) const;
  bool FindPath(uint32_t index, Path* path) const;
  // Splits a path element of the form "{set=variant}", in which the variant may be empty; false for
  // any other element.
  static bool SplitSelection(std::string_view element, std::string_view* set,
                             std::string_view* variant);

  // A path: the index of its parent (for the root, its own) and its last element, which is the
  // index of a token, negated for properties of prims, or kNoPath if the table has no path at this
  // index.
  struct PathItem {
    uint32_t parent = 0;
    int32_t element = 0;
  };
  static constexpr int32_t kNoPath = INT32_MIN;
  const std::vector<PathItem>& paths() const { return paths_; }

  // All field sets. A set begins at its index and ends with kCrateNoField.
  const std::vector<uint32_t>& field_sets() const { return field_sets_; }
  uint32_t field_token(uint32_t field) const { return field_tokens_[field]; }
  CrateValueRep field_rep(uint32_t field) const { return field_reps_[field]; }
  size_t field_count() const { return field_tokens_.size(); }

  // A cache of sample times by representation, so that samples with the same times share one array.
  bool FindTimes(CrateValueRep rep, Array<double>* times) const;
  void KeepTimes(CrateValueRep rep, const Array<double>& times) const;

  // The number of bytes that decoding one value may allocate, not counting views into the file.
  // Arrays of numbers, which compression can make very small, may take more if expansions() is
  // charged.
  uint64_t expansion_limit() const { return (uint64_t{16} << 20) + 64 * bytes().size(); }
  const std::shared_ptr<MemoryPool>& expansions() const { return expansions_; }
  size_t byte_size() const;

 private:
  friend class CrateTablesReader;
  Path MakePath(uint32_t index) const;

  std::unique_ptr<const CrateBytes> bytes_;
  std::string name_;
  std::shared_ptr<MemoryPool> expansions_;
  CrateVersion version_;
  std::unique_ptr<char[]> token_text_;
  std::vector<uint32_t> token_starts_;  // one more than tokens, which each end with a zero byte
  std::unique_ptr<std::atomic<Token>[]> tokens_;
  std::vector<uint32_t> strings_;  // indices of tokens
  std::vector<uint32_t> field_tokens_;
  std::vector<CrateValueRep> field_reps_;
  std::vector<uint32_t> field_sets_;
  std::vector<PathItem> paths_;

  mutable SharedMutex times_mutex_;
  mutable std::map<uint64_t, Array<double>> times_ ABSL_GUARDED_BY(times_mutex_);
  mutable size_t times_bytes_ ABSL_GUARDED_BY(times_mutex_) = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_TABLES_H_
