#ifndef STAGEDOOR_SCENE_USDC_CHARGED_ARRAY_H_
#define STAGEDOOR_SCENE_USDC_CHARGED_ARRAY_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "base/reservation.h"
#include "base/status_macros.h"
#include "scene/values/array.h"
#include "scene/values/array_owner.h"
#include "scene/values/ref_counted.h"

namespace stagedoor {

// Makes arrays whose memory is charged to a pool for as long as they live. Thread-safe.

// Makes `*array` of `count` uninitialized numbers, which the caller writes to `*items` before
// sharing the array. RESOURCE_EXHAUSTED if the pool has no room, before anything is allocated.
template <typename T>
absl::Status MakeChargedArray(const std::shared_ptr<MemoryPool>& pool, size_t count,
                              Array<T>* array, T** items) {
  struct Block : HeapArrayOwner {
    std::shared_ptr<MemoryPool> pool;  // must outlive the reservation
    Reservation reservation;
    std::unique_ptr<T[]> items;
  };
  Reservation reservation(*pool);
  SD_RETURN_IF_ERROR(
      reservation.Grow(count * sizeof(T), "values that expand from compressed data"));
  auto block = MakeRef<Block>();
  block->pool = pool;
  block->reservation = std::move(reservation);
  block->items = std::make_unique_for_overwrite<T[]>(count);
  *items = block->items.get();
  const T* const data = *items;
  *array = Array<T>::View(data, count, std::move(block));
  return absl::OkStatus();
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CHARGED_ARRAY_H_
