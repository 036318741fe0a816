#ifndef STAGEDOOR_BASE_PACED_SORT_H_
#define STAGEDOOR_BASE_PACED_SORT_H_

#include <algorithm>

#include "absl/status/status.h"
#include "base/pacer.h"

namespace stagedoor {

// std::stable_sort whose comparisons are steps of the request. Errors: those of the context, in
// which case the order is unspecified. Input that is already sorted costs one comparison per
// element.
//
// Once the request is over, every comparison returns false. That is valid input for a merge sort,
// which then ends without losing an element.
template <typename Iterator, typename Less>
absl::Status PacedStableSort(Pacer& pacer, Iterator begin, Iterator end, const Less& less) {
  bool over = false;
  const auto paced = [&](const auto& a, const auto& b) {
    over = over || !pacer.Go();
    return !over && less(a, b);
  };
  const bool sorted = std::is_sorted(begin, end, paced);
  if (!sorted && !over) std::stable_sort(begin, end, paced);
  return over ? pacer.Step() : absl::OkStatus();
}

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_PACED_SORT_H_
