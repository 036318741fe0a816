// Dictionary order: the order in which a prim's properties are listed.
//
// Letters by alphabet, runs of digits by value ("a9" before "a10"). Where two names are equal in
// that sense, the first difference in case or in leading zeros decides: upper case and fewer zeros
// first.
#ifndef STAGEDOOR_SCENE_PATHS_DICTIONARY_ORDER_H_
#define STAGEDOOR_SCENE_PATHS_DICTIONARY_ORDER_H_

#include <string_view>

#include "scene/paths/token.h"

namespace stagedoor {

// Negative, zero or positive; zero for equal names only.
int CompareDictionaryOrder(std::string_view a, std::string_view b);

struct DictionaryLess {
  bool operator()(std::string_view a, std::string_view b) const {
    return CompareDictionaryOrder(a, b) < 0;
  }
  bool operator()(Token a, Token b) const { return CompareDictionaryOrder(a.text(), b.text()) < 0; }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_DICTIONARY_ORDER_H_
