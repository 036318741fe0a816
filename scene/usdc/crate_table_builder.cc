#include "scene/usdc/crate_table_builder.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/hash.h"
#include "base/strings.h"
#include "base/up_to_zero.h"
#include "scene/usdc/crate_compression.h"

namespace stagedoor {
namespace {

void AppendCount(uint64_t number, std::string* file) {
  file->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void AppendBlock(const std::string& block, std::string* file) {
  AppendCount(block.size(), file);
  *file += block;
}

void AppendInts(std::span<const uint32_t> numbers, std::string* file) {
  AppendBlock(EncodeInts(numbers), file);
}

// The last element of a path as it is written in files; see AppendElement in crate_tables.cc.
std::string ElementText(Path path) {
  switch (path.kind()) {
    case Path::Kind::kVariantSelection:
      return Concat("{", path.name().text(), "=", path.variant().text(), "}");
    case Path::Kind::kTarget:
      return Concat("[", path.target().ToString(), "]");
    case Path::Kind::kMapper:
      return Concat(".mapper[", path.target().ToString(), "]");
    case Path::Kind::kExpression:
      return ".expression";
    case Path::Kind::kRelationalAttribute:
    case Path::Kind::kMapperArg:
      return Concat(".", path.name().text());
    default:
      return path.name().str();
  }
}

}  // namespace

CrateTableBuilder::CrateTableBuilder() {
  AddToken(";-)");  // path elements must not use index 0, because it cannot be negated
  paths_.push_back({kRootPath, 0, kNone, kNone, kNone});
}

uint32_t CrateTableBuilder::AddToken(std::string_view whole) {
  const std::string_view text = UpToZero(whole);
  if (const auto it = token_index_.find(text); it != token_index_.end()) return it->second;
  const auto index = static_cast<uint32_t>(tokens_.size());
  tokens_.emplace_back(text);
  text_bytes_ += text.size() + 1;
  token_index_.emplace(tokens_.back(), index);
  return index;
}

uint32_t CrateTableBuilder::AddToken(Token token) {
  const auto [it, added] = interned_index_.try_emplace(token, 0);
  if (added) it->second = AddToken(token.text());
  return it->second;
}

uint32_t CrateTableBuilder::AddString(std::string_view text) {
  const uint32_t token = AddToken(text);
  const auto [it, added] = string_index_.try_emplace(token, static_cast<uint32_t>(strings_.size()));
  if (added) strings_.push_back(token);
  return it->second;
}

uint32_t CrateTableBuilder::AddChild(uint32_t parent, uint32_t token, int sign) {
  const int32_t element = static_cast<int32_t>(token) * sign;
  const auto index = static_cast<uint32_t>(paths_.size());
  const uint64_t key = uint64_t{parent} << 32 | static_cast<uint32_t>(element);
  const auto [it, added] = child_index_.try_emplace(key, index);
  if (!added) return it->second;
  paths_.push_back({parent, element, kNone, kNone, kNone});
  PathNode& up = paths_[parent];
  (up.last_child == kNone ? up.first_child : paths_[up.last_child].next_sibling) = index;
  up.last_child = index;
  return index;
}

uint32_t CrateTableBuilder::AddVariantPath(uint32_t prim, Token set, Token variant) {
  return AddChild(prim, AddToken(Concat("{", set.text(), "=", variant.text(), "}")), 1);
}

uint32_t CrateTableBuilder::AddPath(Path path) {
  if (path.empty()) {
    if (empty_path_ == kNone) {
      empty_path_ = static_cast<uint32_t>(paths_.size());
      paths_.push_back({kNone, 0, kNone, kNone, kNone});
    }
    return empty_path_;
  }
  if (path.IsAbsoluteRoot()) return kRootPath;
  if (const auto it = path_index_.find(path); it != path_index_.end()) return it->second;
  // Relative paths are written below the root, which is how OpenUSD reads them.
  const Path parent = path.Parent();
  const bool top = !path.IsAbsolute() && (path.depth() <= 1 || parent.empty());
  const uint32_t index = AddElement(top ? kRootPath : AddPath(parent), path);
  path_index_.emplace(path, index);
  return index;
}

uint32_t CrateTableBuilder::AddElement(uint32_t parent, Path path) {
  const bool property = path.kind() == Path::Kind::kProperty;
  return AddChild(parent, property ? AddToken(path.name()) : AddToken(ElementText(path)),
                  property ? -1 : 1);
}

uint32_t CrateTableBuilder::AddField(Token name, CrateValueRep value) {
  const uint32_t token = AddToken(name);
  const uint64_t hash = HashCombine(HashCombine(0, uint64_t{token}), value.bits());
  const auto [begin, end] = field_index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (fields_[it->second] == std::pair(token, value)) return it->second;
  }
  const auto index = static_cast<uint32_t>(fields_.size());
  field_index_.emplace(hash, index);
  fields_.emplace_back(token, value);
  return index;
}

uint32_t CrateTableBuilder::AddFieldSet(const std::vector<uint32_t>& fields) {
  uint64_t hash = fields.size();
  for (const uint32_t field : fields) hash = HashCombine(hash, uint64_t{field});
  const auto same = [&](uint32_t start) {
    return field_sets_.size() - start > fields.size() &&
           std::equal(fields.begin(), fields.end(), field_sets_.begin() + start) &&
           field_sets_[start + fields.size()] == kCrateNoField;
  };
  const auto [begin, end] = field_set_index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    if (same(it->second)) return it->second;
  }
  const auto start = static_cast<uint32_t>(field_sets_.size());
  field_set_index_.emplace(hash, start);
  field_sets_.insert(field_sets_.end(), fields.begin(), fields.end());
  field_sets_.push_back(kCrateNoField);
  return start;
}

void CrateTableBuilder::AddSpec(uint32_t path, uint32_t field_set, CrateSpecType type) {
  specs_.push_back({path, field_set, static_cast<uint32_t>(type)});
}

void CrateTableBuilder::AppendTokens(std::string* file) const {
  std::string text;
  for (const std::string& token : tokens_) text.append(token).push_back('\0');
  AppendCount(tokens_.size(), file);
  AppendCount(text.size(), file);
  AppendBlock(EncodeLz4(std::as_bytes(std::span(text))), file);
}

void CrateTableBuilder::AppendFields(std::string* file) const {
  std::vector<uint32_t> tokens;
  std::vector<uint64_t> reps;
  for (const auto& [token, rep] : fields_) {
    tokens.push_back(token);
    reps.push_back(rep.bits());
  }
  AppendCount(fields_.size(), file);
  AppendInts(tokens, file);
  AppendBlock(EncodeLz4(std::as_bytes(std::span(reps))), file);
}

void CrateTableBuilder::AppendPaths(std::string* file) const {
  std::vector<uint32_t> order;  // paths in depth-first order
  std::vector<uint32_t> elements;
  std::vector<uint32_t> ends(paths_.size());  // by path: the item after its subtree
  struct Visit {
    uint32_t path;
    bool leaving;
  };
  std::vector<Visit> stack = {{kRootPath, false}};
  while (!stack.empty()) {
    const auto [path, leaving] = stack.back();
    stack.pop_back();
    if (leaving) {
      ends[path] = static_cast<uint32_t>(order.size());
      continue;
    }
    order.push_back(path);
    elements.push_back(static_cast<uint32_t>(paths_[path].element));
    stack.push_back({path, true});
    const size_t first = stack.size();
    for (uint32_t c = paths_[path].first_child; c != kNone; c = paths_[c].next_sibling) {
      stack.push_back({c, false});
    }
    std::reverse(stack.begin() + first, stack.end());
  }
  std::vector<uint32_t> jumps(order.size());
  for (uint32_t item = 0; item < order.size(); ++item) {
    const PathNode& node = paths_[order[item]];
    const bool child = node.first_child != kNone;
    const bool sibling = node.next_sibling != kNone;
    const int32_t jump = child     ? (sibling ? static_cast<int32_t>(ends[order[item]] - item) : -1)
                         : sibling ? 0
                                   : -2;
    jumps[item] = static_cast<uint32_t>(jump);
  }
  AppendCount(paths_.size(), file);
  AppendCount(order.size(), file);
  AppendInts(order, file);
  AppendInts(elements, file);
  AppendInts(jumps, file);
}

void CrateTableBuilder::AppendSpecs(std::string* file) const {
  AppendCount(specs_.size(), file);
  for (const uint32_t Spec::*member : {&Spec::path, &Spec::field_set, &Spec::type}) {
    std::vector<uint32_t> numbers;
    numbers.reserve(specs_.size());
    for (const Spec& spec : specs_) numbers.push_back(spec.*member);
    AppendInts(numbers, file);
  }
}

uint64_t CrateTableBuilder::AppendSections(uint64_t start, std::string* out) const {
  std::vector<Section> sections;
  const auto offset = [&] { return start + out->size(); };
  const auto add = [&](std::string_view name, auto append) {
    const uint64_t begin = offset();
    append();
    sections.push_back({name, begin, offset() - begin});
  };
  start -= out->size();
  add("TOKENS", [&] { AppendTokens(out); });
  add("STRINGS", [&] {
    AppendCount(strings_.size(), out);
    out->append(reinterpret_cast<const char*>(strings_.data()), strings_.size() * sizeof(uint32_t));
  });
  add("FIELDS", [&] { AppendFields(out); });
  add("FIELDSETS", [&] {
    AppendCount(field_sets_.size(), out);
    AppendInts(field_sets_, out);
  });
  add("PATHS", [&] { AppendPaths(out); });
  add("SPECS", [&] { AppendSpecs(out); });
  const uint64_t contents = offset();
  AppendCount(sections.size(), out);
  for (const Section& section : sections) {
    std::string name(section.name);
    name.resize(16);
    *out += name;
    AppendCount(section.start, out);
    AppendCount(section.size, out);
  }
  return contents;
}

std::string CrateTableBuilder::BootSection(CrateVersion version, uint64_t contents) {
  std::string boot(kCrateMagic);
  boot.resize(kCrateBootSize, '\0');
  boot[8] = static_cast<char>(version.major);
  boot[9] = static_cast<char>(version.minor);
  boot[10] = static_cast<char>(version.patch);
  std::memcpy(boot.data() + 16, &contents, sizeof(contents));
  return boot;
}

size_t CrateTableBuilder::byte_size() const {
  // The size of a hash table's node and its share of the buckets.
  constexpr size_t kNode = 4 * sizeof(void*);
  return tokens_.size() * (sizeof(std::string) + sizeof(std::string_view) + 2 * kNode) +
         text_bytes_ + paths_.size() * (sizeof(PathNode) + 2 * kNode) +
         fields_.size() * (sizeof(fields_[0]) + kNode) + specs_.size() * sizeof(Spec) +
         (field_sets_.size() + strings_.size()) * sizeof(uint32_t) +
         (field_set_index_.size() + string_index_.size()) * kNode;
}

}  // namespace stagedoor
