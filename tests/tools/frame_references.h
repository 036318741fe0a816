#ifndef STAGEDOOR_TESTS_TOOLS_FRAME_REFERENCES_H_
#define STAGEDOOR_TESTS_TOOLS_FRAME_REFERENCES_H_

#include <string>
#include <vector>

#include "tests/tools/held_parts.h"

namespace stagedoor {

// Drops the geometry, materials and subsets that belong to no prim or light of a frame. Returns
// what is wrong with the rest: objects without some of their parts, references to objects that do
// not exist, and parts of no object. See HeldFrame::End for `without_invisible`.
std::vector<std::string> DropUnused(HeldParts* parts, bool without_invisible);

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_TOOLS_FRAME_REFERENCES_H_
