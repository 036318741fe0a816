#ifndef STAGEDOOR_SCENE_USDA_PATH_LIST_WRITER_H_
#define STAGEDOOR_SCENE_USDA_PATH_LIST_WRITER_H_

#include <string_view>
#include <utility>
#include <vector>

#include "scene/usda/text_sink.h"
#include "scene/values/list_op.h"

namespace stagedoor::usda {

// Writes the path lists of properties: relationship targets and attribute connections (Core
// Specification, 16.2.16.4 Connections, 16.2.16.9 Relationship Values).

// Writes "None" if there are no paths, a single path as it is, and several in brackets on lines of
// their own. Does not write a line end.
inline void WritePaths(const std::vector<Path>& paths, int indent, TextSink* out) {
  if (paths.empty()) {
    out->Put("None");
  } else if (paths.size() == 1) {
    out->PathText(paths[0]);
  } else {
    out->Put("[\n");
    for (const Path path : paths) out->Indent(indent + 1).PathText(path).Put(",\n");
    out->Indent(indent).Put("]");
  }
}

// Writes a statement "EDIT TARGET = PATHS" for each edit, or "TARGET = PATHS" for an explicit list.
inline void WritePathListOp(const ListOp<Path>& op, std::string_view target, int indent,
                            TextSink* out) {
  const auto write = [&](const char* edit, const std::vector<Path>& paths) {
    out->Indent(indent).Put(edit, target, " = ");
    WritePaths(paths, indent, out);
    out->Put("\n");
  };
  if (op.is_explicit) return write("", op.explicit_items);
  const std::pair<const char*, const std::vector<Path>*> lists[] = {
      {"delete ", &op.deleted},  {"add ", &op.added},       {"prepend ", &op.prepended},
      {"append ", &op.appended}, {"reorder ", &op.ordered},
  };
  for (const auto& [edit, paths] : lists) {
    if (!paths->empty()) write(edit, *paths);
  }
}

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_PATH_LIST_WRITER_H_
