// Makes arrays whose memory is charged to a budget for as long as they live. Thread-safe.
#ifndef STAGEDOOR_SCENE_USDC_CHARGED_ARRAY_H_
#define STAGEDOOR_SCENE_USDC_CHARGED_ARRAY_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "base/byte_budget.h"
#include "base/status_macros.h"
#include "scene/values/array.h"
#include "scene/values/array_owner.h"
#include "scene/values/ref_counted.h"

namespace stagedoor {

// Makes `*array` of `count` uninitialized numbers, which the caller writes to `*items` before
// sharing the array. RESOURCE_EXHAUSTED if the budget has no room, before anything is allocated.
template <typename T>
absl::Status MakeChargedArray(const std::shared_ptr<ByteBudget>& budget, size_t count,
                              Array<T>* array, T** items) {
  struct Block : HeapArrayOwner {
    std::shared_ptr<ByteBudget> budget;  // must outlive the reservation
    ByteBudget::Reservation reservation;
    std::unique_ptr<T[]> items;
  };
  SD_ASSIGN_OR_RETURN(
      ByteBudget::Reservation reservation,
      budget->Reserve(count * sizeof(T), "values that expand from compressed data"));
  auto block = MakeRef<Block>();
  block->budget = budget;
  block->reservation = std::move(reservation);
  block->items = std::make_unique_for_overwrite<T[]>(count);
  *items = block->items.get();
  const T* const data = *items;
  *array = Array<T>::View(data, count, std::move(block));
  return absl::OkStatus();
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CHARGED_ARRAY_H_
