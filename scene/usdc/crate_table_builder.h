#ifndef STAGEDOOR_SCENE_USDC_CRATE_TABLE_BUILDER_H_
#define STAGEDOOR_SCENE_USDC_CRATE_TABLE_BUILDER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/usdc/crate_format.h"

namespace stagedoor {

// Collects the tables of a crate file while it is written, without duplicates, and encodes them as
// sections (Core Specification, 16.3.8.4 Table of Contents).
//
// Not thread-safe. The Add functions return indices into the tables of the file.
class CrateTableBuilder {
 public:
  CrateTableBuilder();

  // A zero byte ends a token in the file, so texts end at their first one, as in OpenUSD.
  uint32_t AddToken(std::string_view text);
  uint32_t AddToken(Token token);
  uint32_t AddString(std::string_view text);

  static constexpr uint32_t kRootPath = 0;
  // Adds any path. The empty path has an index of its own.
  uint32_t AddPath(Path path);
  // Add the path of a spec without interning it as a Path.
  uint32_t AddPrimPath(uint32_t parent, Token name) { return AddChild(parent, AddToken(name), 1); }
  uint32_t AddPropertyPath(uint32_t prim, Token name) { return AddChild(prim, AddToken(name), -1); }
  uint32_t AddVariantPath(uint32_t prim, Token set, Token variant);

  // Returns the index of the field.
  uint32_t AddField(Token name, CrateValueRep value);
  // Returns the index of the set's first entry in the table of field sets.
  uint32_t AddFieldSet(const std::vector<uint32_t>& fields);
  void AddSpec(uint32_t path, uint32_t field_set, CrateSpecType type);

  // Appends everything that follows the values, which end at the offset `start`: all sections, then
  // the table of contents. Returns the offset of the table of contents in the file.
  uint64_t AppendSections(uint64_t start, std::string* out) const;
  // The first kCrateBootSize bytes of the file (16.3.8.1 Header, 16.3.8.3 Bootstrap). `contents` is
  // the offset of the table of contents.
  static std::string BootSection(CrateVersion version, uint64_t contents);

  size_t byte_size() const;

 private:
  struct PathNode {
    uint32_t parent;
    int32_t element;
    uint32_t first_child;
    uint32_t last_child;
    uint32_t next_sibling;
  };
  struct Spec {
    uint32_t path;
    uint32_t field_set;
    uint32_t type;
  };
  struct Section {
    std::string_view name;
    uint64_t start;
    uint64_t size;
  };
  static constexpr uint32_t kNone = ~uint32_t{0};

  uint32_t AddChild(uint32_t parent, uint32_t token, int sign);
  uint32_t AddElement(uint32_t parent, Path path);
  void AppendTokens(std::string* file) const;
  void AppendFields(std::string* file) const;
  void AppendPaths(std::string* file) const;
  void AppendSpecs(std::string* file) const;

  std::deque<std::string> tokens_;  // a deque does not move its items, which the keys below view
  std::unordered_map<std::string_view, uint32_t> token_index_;
  std::unordered_map<Token, uint32_t> interned_index_;
  std::vector<uint32_t> strings_;                        // indices of tokens
  std::unordered_map<uint32_t, uint32_t> string_index_;  // by token
  std::vector<PathNode> paths_;
  uint32_t empty_path_ = kNone;
  std::unordered_map<uint64_t, uint32_t> child_index_;  // by parent and element
  std::unordered_map<Path, uint32_t> path_index_;
  std::vector<std::pair<uint32_t, CrateValueRep>> fields_;
  std::unordered_multimap<uint64_t, uint32_t> field_index_;  // by hash
  std::vector<uint32_t> field_sets_;
  std::unordered_multimap<uint64_t, uint32_t> field_set_index_;  // by hash
  std::vector<Spec> specs_;
  size_t text_bytes_ = 0;  // total size of the tokens
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_TABLE_BUILDER_H_
