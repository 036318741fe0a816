// An array whose memory is taken from a budget as long as it lives.
#ifndef STAGEDOOR_SCENE_USDC_CHARGED_ARRAY_H_
#define STAGEDOOR_SCENE_USDC_CHARGED_ARRAY_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "base/byte_budget.h"
#include "base/status_macros.h"
#include "scene/values/array.h"
#include "scene/values/ref_counted.h"

namespace stagedoor {

// Makes `*array` of `count` uninitialised numbers, to be written to `*items` before it is shared.
// RESOURCE_EXHAUSTED, before anything is allocated, where the budget has no room.
template <typename T>
absl::Status MakeChargedArray(const std::shared_ptr<ByteBudget>& budget, size_t count,
                              Array<T>* array, T** items) {
  struct Block : RefCounted {
    std::shared_ptr<ByteBudget> budget;  // outlives the reservation
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
