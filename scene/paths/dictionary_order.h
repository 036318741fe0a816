#ifndef STAGEDOOR_SCENE_PATHS_DICTIONARY_ORDER_H_
#define STAGEDOOR_SCENE_PATHS_DICTIONARY_ORDER_H_

#include <string_view>

#include "scene/paths/token.h"

namespace stagedoor {

// Dictionary order: the order in which the properties of a prim are listed. Corresponds to
// OpenUSD's TfDictionaryLessThan; see the Core Specification, section 8.2 (Element Ordering).
//
// Letters are compared without regard to case, runs of digits by value ("a9" before "a10"). If two
// names are equal in that sense, the first difference in case or in leading zeros decides: upper
// case and fewer zeros sort first. Pure functions.

// Returns a negative number, zero or a positive number; zero only for equal names.
int CompareDictionaryOrder(std::string_view a, std::string_view b);

// Strict weak order for sorting and ordered containers.
struct DictionaryLess {
  bool operator()(std::string_view a, std::string_view b) const {
    return CompareDictionaryOrder(a, b) < 0;
  }
  bool operator()(Token a, Token b) const { return CompareDictionaryOrder(a.text(), b.text()) < 0; }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_DICTIONARY_ORDER_H_
