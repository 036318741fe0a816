#ifndef STAGEDOOR_SCENE_VALUES_ARRAY_OWNER_H_
#define STAGEDOOR_SCENE_VALUES_ARRAY_OWNER_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "scene/values/array_digest.h"
#include "scene/values/ref_counted.h"

namespace stagedoor {

// The owners of arrays that know, or can remember, the digests of their arrays.

// Owns the bytes of an asset, in which there are any number of arrays. Thread-safe.
class AssetArrayOwner : public RefCounted {
 public:
  // The origin of the arrays, from which their digests are made: a fingerprint of the asset's path
  // and version, and where its bytes begin.
  struct Origin {
    std::array<uint64_t, 2> asset = {};  // zero if unknown: the arrays have no digests
    const void* begin = nullptr;
  };

  explicit AssetArrayOwner(const Origin& origin) : origin_(origin) {}

  bool has_origin() const { return origin_.asset != std::array<uint64_t, 2>{}; }
  // The digest of a view of the bytes. `type`: the ValueType of the elements.
  ArrayDigest DigestOf(const void* elements, uint8_t type, uint64_t count) const {
    const auto offset =
        static_cast<const std::byte*>(elements) - static_cast<const std::byte*>(origin_.begin);
    return DigestOf(static_cast<uint64_t>(offset), /*expanded=*/false, type, count);
  }
  // The digest of an array whose elements are at `offset`. `expanded`: whether they are stored
  // there in another form, for example compressed.
  ArrayDigest DigestOf(uint64_t offset, bool expanded, uint8_t type, uint64_t count) const {
    return ArrayDigest::OfPlace(origin_.asset, offset, expanded, type, count);
  }

 private:
  const Origin origin_;
};

// Owns the elements of one array in memory, and remembers its digest. Thread-safe.
class HeapArrayOwner : public RefCounted {
 public:
  ~HeapArrayOwner() override { delete digested_.load(std::memory_order_acquire); }

  // The digest that was remembered for this part of the elements; null if there is none.
  const ArrayDigest* Find(const void* elements, uint64_t count) const {
    const Digested* known = digested_.load(std::memory_order_acquire);
    const bool same = known && known->elements == elements && known->count == count;
    return same ? &known->digest : nullptr;
  }
  // Remembers a digest if none is remembered yet, of whatever part.
  void Remember(const void* elements, uint64_t count, const ArrayDigest& digest) const {
    if (digested_.load(std::memory_order_acquire) != nullptr) return;
    auto made = std::make_unique<const Digested>(Digested{elements, count, digest});
    const Digested* none = nullptr;
    if (digested_.compare_exchange_strong(none, made.get(), std::memory_order_acq_rel)) {
      (void)made.release();
    }
  }
  // Whether a digest is remembered, of whatever part.
  bool remembers() const { return digested_.load(std::memory_order_acquire) != nullptr; }

 private:
  struct Digested {
    const void* elements;
    uint64_t count;
    ArrayDigest digest;
  };
  mutable std::atomic<const Digested*> digested_{nullptr};
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_ARRAY_OWNER_H_
