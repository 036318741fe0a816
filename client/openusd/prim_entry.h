#ifndef STAGEDOOR_CLIENT_OPENUSD_PRIM_ENTRY_H_
#define STAGEDOOR_CLIENT_OPENUSD_PRIM_ENTRY_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metadata_decoder.h"
#include "usd.h"
#include "value_types.h"

namespace stagedoor::openusd {

struct CachedValue;
class DaemonStage;
struct PrimBlock;

// The properties of a layer's prims, as one traversal of the daemon brings them. What is here does
// not change once it can be seen by other threads, except for atomic members.

// A value that is found out once, and kept. Thread-safe once nothing moves it any more.
class KeptValue {
 public:
  KeptValue() = default;
  KeptValue(KeptValue&& other) noexcept
      : state_(other.state_.load()), value_(std::move(other.value_)) {}
  KeptValue& operator=(KeptValue&&) = delete;

  // Null if nothing is kept.
  const VtValue* get() const {
    return state_.load(std::memory_order_acquire) == State::kKept ? &value_ : nullptr;
  }
  // Keeps a value, unless one is kept or another thread is about to keep one.
  void Keep(VtValue value) const;

 private:
  enum class State : int { kNone, kKeeping, kKept };

  mutable std::atomic<State> state_{State::kNone};
  mutable VtValue value_;  // does not change once it is kept
};

// Whether something is so, once that is known. Thread-safe as KeptValue is.
class KeptAnswer {
 public:
  enum class Answer : int { kUnknown, kNo, kYes };

  KeptAnswer() = default;
  KeptAnswer(KeptAnswer&& other) noexcept : answer_(other.answer_.load()) {}
  KeptAnswer& operator=(KeptAnswer&&) = delete;

  Answer get() const { return answer_; }
  void Keep(bool yes) const { answer_ = yes ? Answer::kYes : Answer::kNo; }

 private:
  mutable std::atomic<Answer> answer_{Answer::kUnknown};
};

// A property with all its fields but its values.
struct PropertyEntry {
  // Where the values of an attribute come from. Numbers are those of stagedoor.v1.ValueSource.
  uint32_t source = 0;
  bool is_relationship = false;
  bool is_array = false;
  bool blocked = false;
  TfToken name;
  const std::type_info* type = nullptr;  // of the values; null for a type that Sdf does not know
  const ValueType* numbers = nullptr;    // how they are made of numbers; null for texts
  KeptValue small_default;               // the default, if it is small: ValueLoader
  KeptAnswer has_default;                // of an animated attribute, besides its animation
  // The default, if it is cached. Belongs to ValueCache, which says what guards it.
  mutable CachedValue* cached_default = nullptr;
  Fields fields;
  std::vector<double> times;

  bool has_samples() const { return !times.empty(); }
};

struct PropertyTable {
  std::vector<PropertyEntry> properties;  // in the order of the prim

  // The property with this name; null if there is none.
  const PropertyEntry* Find(const TfToken& name) const;
  // Prepares Find. Call it once `properties` is complete.
  void Finish();

 private:
  // The names once more, because comparing those that are next to each other is fast.
  std::vector<TfToken> names_;
  // Indexes of properties by name, in an arbitrary order that look-ups use; empty if they are few.
  std::vector<uint32_t> sorted_;
};

struct VariantSetEntry {
  TfToken name;
  TfTokenVector variants;
};

// A prim of the layer, with all its fields but those that depend on its properties.
struct PrimEntry {
  PrimBlock* block = nullptr;
  uint32_t index = 0;  // in its block
  SdfPath path;
  // Whether it only holds the children of a prototype or of a part of the scene, or the arcs to a
  // payload: it has no properties, because another prim has those.
  bool is_holder = false;
  Fields fields;
  TfTokenVector children;
  std::vector<VariantSetEntry> variant_sets;
  std::atomic<const PropertyTable*> properties{nullptr};  // owned; null until they are loaded

  PrimEntry() = default;
  ~PrimEntry() { delete properties.load(); }
  PrimEntry(const PrimEntry&) = delete;
  PrimEntry& operator=(const PrimEntry&) = delete;

  // The path of the prim at the daemon.
  std::string ScenePath() const;
  void AppendScenePath(std::string* out) const;
};

// The prims that one traversal has brought, in its order: a parent precedes its descendants.
struct PrimBlock {
  const DaemonStage* stage = nullptr;
  // The root of the prims at the daemon and in the layer. Empty for the main block, where both are
  // the same.
  std::string scene_root;
  std::string layer_root;
  bool instance_proxies = false;
  // Whether the root prim is a holder: PrimEntry::is_holder.
  bool has_bare_root = true;
  std::deque<PrimEntry> prims;

  // Where a path of the daemon is in the layer, as seen from a prim of the block.
  std::string ToLayer(std::string_view scene_path) const;
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_PRIM_ENTRY_H_
