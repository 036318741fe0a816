#include "scene/usdc/usdc_reader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/paths/identifier.h"
#include "scene/usdc/crate_cursor.h"
#include "scene/usdc/crate_field_store.h"
#include "scene/usdc/crate_format.h"
#include "scene/usdc/crate_path_checker.h"
#include "scene/usdc/crate_tables.h"

namespace stagedoor {
namespace {

constexpr uint32_t kNone = CrateNamespace::kNone;

// Most lists of children take less than this many bytes.
constexpr uint64_t kUsualList = 256;

// The tokens of the fields that list the children of a spec, in order (7.6.2.2 Hierarchy Fields).
struct ChildFields {
  uint32_t properties = kNone;
  uint32_t prims = kNone;
  uint32_t variant_sets = kNone;
  uint32_t variants = kNone;
};

ChildFields FindChildFields(const CrateTables& tables) {
  ChildFields fields;
  const std::pair<std::string_view, uint32_t*> wanted[] = {
      {"properties", &fields.properties},
      {"primChildren", &fields.prims},
      {"variantSetChildren", &fields.variant_sets},
      {"variantChildren", &fields.variants}};
  for (uint32_t token = 0; token < tables.token_count(); ++token) {
    const std::string_view text = tables.TokenText(token);
    for (const auto& [name, index] : wanted) {
      if (text == name) *index = token;
    }
  }
  return fields;
}

// Lays out the specs of a crate as a SpecTree. As in OpenUSD, the hierarchy fields define the
// children of a spec, and specs that they do not list are not part of the layer. A listed child
// that does not exist is damage only if it is a child prim of a prim; otherwise it is ignored.
class TreeReader {
 public:
  TreeReader(const CrateTables& tables, const CrateNamespace& names)
      : tables_(tables), names_(names), layout_(names.specs.size() + 1) {}

  absl::Status Read();
  SpecTree TakeTree() { return std::move(layout_).Build(); }
  std::vector<uint32_t> TakeFieldSets() { return std::move(field_sets_); }
  const std::vector<SpecId>& prims() const { return prims_; }

 private:
  using Spec = CrateNamespace::Spec;

  const Spec* SpecOf(uint32_t item) const {
    const uint32_t spec = spec_of_path_[names_.item_path[item]];
    return spec == kNone ? nullptr : &names_.specs[spec];
  }
  const CrateTables::PathItem& PathOf(uint32_t item) const {
    return tables_.paths()[names_.item_path[item]];
  }
  // Makes all lists of children present with few fetches.
  absl::Status FetchLists() const;
  absl::Status IndexSpecs();
  absl::Status IndexVariants();
  void Add(SpecId parent, SpecType type, Token name, uint32_t item, const Spec& spec);
  absl::Status AddChildren(SpecId id);
  absl::Status AddNamed(SpecId id, uint32_t field, bool properties);
  // True if every listed child prim must exist and be listed only once.
  bool IsStrict(SpecId id) const { return types_[id] == SpecType::kPrim; }
  absl::Status AddVariants(SpecId id, uint32_t field, SpecType type);
  // Fills listed_ with the tokens that `field` of the spec lists.
  absl::Status ReadListed(SpecId id, uint32_t field);
  // DATA_LOSS if the name is malformed or the token table has a second token with the same text.
  absl::Status CheckName(uint32_t token, bool property);

  const CrateTables& tables_;
  const CrateNamespace& names_;
  ChildFields fields_;
  OrderedSpecTreeBuilder layout_;
  // By spec id.
  std::vector<uint32_t> field_sets_;
  std::vector<uint32_t> items_;
  std::vector<SpecId> parents_;
  std::vector<SpecType> types_;
  std::vector<SpecId> prims_;
  std::vector<Token> set_names_;  // names of variant sets, by spec id up to the last set

  std::vector<uint32_t> spec_of_path_;
  std::vector<uint32_t> slots_;     // the last child seen with a name, by token and kind of name
  std::vector<bool> name_checked_;  // by token and kind of name
  std::unordered_set<Token> names_seen_;
  // Items of variants and variant sets, by parent path and element.
  std::map<std::pair<uint32_t, std::string_view>, uint32_t> variant_items_;
  std::vector<uint32_t> listed_;
  CrateValueRep listed_rep_;
  uint64_t listed_total_ = 0;
};

absl::Status TreeReader::Read() {
  fields_ = FindChildFields(tables_);
  SD_RETURN_IF_ERROR(FetchLists());
  slots_.assign(2 * tables_.token_count(), kNone);
  name_checked_.assign(2 * tables_.token_count(), false);
  SD_RETURN_IF_ERROR(IndexSpecs());
  SD_RETURN_IF_ERROR(IndexVariants());
  SD_RETURN_IF_ERROR(CratePathChecker(tables_, names_).Check());
  const size_t count = names_.specs.size() + 1;
  field_sets_.reserve(count);
  items_.reserve(count);
  types_.reserve(count);
  parents_.reserve(count);
  const bool rooted = !names_.item_path.empty() && SpecOf(0);
  field_sets_.push_back(rooted ? SpecOf(0)->field_set : kCrateNoField);
  items_.push_back(rooted ? 0 : kNone);
  types_.push_back(SpecType::kPseudoRoot);
  parents_.push_back(kNoSpec);
  if (!rooted) return absl::OkStatus();
  for (SpecId id = 0; id < items_.size(); ++id) SD_RETURN_IF_ERROR(AddChildren(id));
  return absl::OkStatus();
}

absl::Status TreeReader::FetchLists() const {
  if (!tables_.bytes().may_lack_bytes()) return absl::OkStatus();
  std::vector<ByteRange> lists;
  for (uint32_t field = 0; field < tables_.field_count(); ++field) {
    const uint32_t token = tables_.field_token(field);
    const CrateValueRep rep = tables_.field_rep(field);
    const bool lists_children = token == fields_.properties || token == fields_.prims ||
                                token == fields_.variant_sets || token == fields_.variants;
    if (!lists_children || rep.type() != CrateType::kTokenVector || rep.is_inlined()) continue;
    if (rep.payload() < tables_.bytes().size()) lists.push_back({rep.payload(), kUsualList});
  }
  SD_RETURN_IF_ERROR(tables_.bytes().Fetch(lists));
  for (ByteRange& list : lists) {
    CrateCursor in(tables_.bytes().now(), list.offset);
    uint64_t count = 0;
    in.Read(&count);
    list.size =
        sizeof(count) + std::min(count, in.remaining() / sizeof(uint32_t)) * sizeof(uint32_t);
  }
  return tables_.bytes().Fetch(std::move(lists));
}

absl::Status TreeReader::IndexSpecs() {
  spec_of_path_.assign(tables_.paths().size(), kNone);
  for (uint32_t i = 0; i < names_.specs.size(); ++i) {
    uint32_t& slot = spec_of_path_[names_.specs[i].path];
    if (slot != kNone) return DataLossError(tables_.name(), ": duplicate path of spec ", i);
    slot = i;
  }
  return absl::OkStatus();
}

absl::Status TreeReader::IndexVariants() {
  std::vector<bool> selections(tables_.token_count());  // tokens like "{set=variant}"
  bool any = false;
  for (uint32_t token = 0; token < selections.size(); ++token) {
    selections[token] = tables_.TokenText(token).starts_with('{');
    any |= selections[token];
  }
  if (!any) return absl::OkStatus();
  for (uint32_t item = 0; item < names_.item_path.size(); ++item) {
    const CrateTables::PathItem& path = PathOf(item);
    if (path.element <= 0 || !selections[path.element]) continue;
    const std::string_view text = tables_.TokenText(static_cast<uint32_t>(path.element));
    const bool first = variant_items_.emplace(std::pair(path.parent, text), item).second;
    if (!first) return DataLossError(tables_.name(), ": ", Quoted(text), " is a duplicate element");
  }
  return absl::OkStatus();
}

void TreeReader::Add(SpecId parent, SpecType type, Token name, uint32_t item, const Spec& spec) {
  const SpecId id = layout_.Add(parent, type, name);
  if (type == SpecType::kPrim) prims_.push_back(id);
  field_sets_.push_back(spec.field_set);
  items_.push_back(item);
  parents_.push_back(parent);
  types_.push_back(type);
}

absl::Status TreeReader::AddChildren(SpecId id) {
  switch (types_[id]) {
    case SpecType::kAttribute:
    case SpecType::kRelationship:
      return absl::OkStatus();
    case SpecType::kVariantSet:
      return AddVariants(id, fields_.variants, SpecType::kVariant);
    default:
      break;
  }
  const uint32_t item = items_[id];
  if (!names_.HasChild(item)) {
    return IsStrict(id) ? AddNamed(id, fields_.prims, /*properties=*/false) : absl::OkStatus();
  }
  for (uint32_t child = item + 1; child != kNone; child = names_.NextSibling(child)) {
    const int32_t element = PathOf(child).element;
    slots_[2 * std::abs(element) + (element < 0)] = child;
  }
  SD_RETURN_IF_ERROR(AddNamed(id, fields_.properties, /*properties=*/true));
  SD_RETURN_IF_ERROR(AddVariants(id, fields_.variant_sets, SpecType::kVariantSet));
  return AddNamed(id, fields_.prims, /*properties=*/false);
}

absl::Status TreeReader::ReadListed(SpecId id, uint32_t field) {
  const std::vector<uint32_t>& sets = tables_.field_sets();
  uint32_t i = field_sets_[id];
  while (sets[i] != kCrateNoField && tables_.field_token(sets[i]) != field) ++i;
  if (field == kNone || sets[i] == kCrateNoField) {
    listed_.clear();
    listed_rep_ = CrateValueRep();
    return absl::OkStatus();
  }
  const CrateValueRep rep = tables_.field_rep(sets[i]);
  const auto damaged = [&](std::string_view what) {
    return DataLossError(tables_.name(), ": ", what, " at offset ", rep.payload());
  };
  if (!(rep == listed_rep_)) {
    CrateCursor in(tables_.bytes().now(), rep.payload());
    uint64_t count = 0;
    if (rep.type() != CrateType::kTokenVector || rep.is_array() || rep.is_inlined() ||
        !in.Read(&count) || count > in.remaining() / sizeof(uint32_t)) {
      return damaged("child names are outside the file");
    }
    listed_.resize(count);
    const auto bytes = in.Take(count * sizeof(uint32_t));
    if (count > 0) std::memcpy(listed_.data(), bytes.data(), bytes.size());
    for (const uint32_t token : listed_) {
      if (token >= tables_.token_count()) return damaged("child name refers to a missing token");
    }
    listed_rep_ = rep;
  }
  // All lists together are about as long as the namespace is large, because they list its items.
  listed_total_ += listed_.size();
  if (listed_total_ > 1024 + 4 * uint64_t{names_.item_path.size()}) {
    return damaged("more child names than the namespace has paths");
  }
  return absl::OkStatus();
}

absl::Status TreeReader::CheckName(uint32_t token, bool property) {
  const size_t slot = 2 * size_t{token} + property;
  if (name_checked_[slot]) return absl::OkStatus();
  const std::string_view text = tables_.TokenText(token);
  if (property ? !IsNamespacedIdentifier(text) : !IsIdentifier(text)) {
    return DataLossError(tables_.name(), ": ", Quoted(text), " is not a valid name");
  }
  const bool first = !name_checked_[2 * size_t{token} + !property];
  if (first && !names_seen_.insert(tables_.TokenAt(token)).second) {
    return DataLossError(tables_.name(), ": token ", Quoted(text), " is repeated");
  }
  name_checked_[slot] = true;
  return absl::OkStatus();
}

absl::Status TreeReader::AddNamed(SpecId id, uint32_t field, bool properties) {
  SD_RETURN_IF_ERROR(ReadListed(id, field));
  const uint32_t path = names_.item_path[items_[id]];
  for (const uint32_t token : listed_) {
    const uint32_t item = std::exchange(slots_[2 * size_t{token} + properties], kNone);
    const bool is_child = item != kNone && PathOf(item).parent == path && item != items_[id];
    const Spec* const spec = is_child ? SpecOf(item) : nullptr;
    if (!spec && !properties && IsStrict(id)) {
      return DataLossError(tables_.name(), ": a prim lists the child ",
                           Quoted(tables_.TokenText(token)),
                           ", which does not exist or is listed twice");
    }
    if (!spec) continue;
    SD_RETURN_IF_ERROR(CheckName(token, properties));
    SpecType type = SpecType::kPrim;
    const auto stored = static_cast<CrateSpecType>(spec->type);
    if (properties) {
      if (stored != CrateSpecType::kAttribute && stored != CrateSpecType::kRelationship) continue;
      type = stored == CrateSpecType::kAttribute ? SpecType::kAttribute : SpecType::kRelationship;
    } else if (stored != CrateSpecType::kPrim) {
      continue;
    }
    Add(id, type, tables_.TokenAt(token), item, *spec);
  }
  return absl::OkStatus();
}

absl::Status TreeReader::AddVariants(SpecId id, uint32_t field, SpecType type) {
  SD_RETURN_IF_ERROR(ReadListed(id, field));
  if (listed_.empty()) return absl::OkStatus();
  const bool sets = type == SpecType::kVariantSet;
  const uint32_t prim = names_.item_path[items_[sets ? id : parents_[id]]];
  const auto wanted =
      static_cast<uint32_t>(sets ? CrateSpecType::kVariantSet : CrateSpecType::kVariant);
  for (const uint32_t token : listed_) {
    const std::string_view name = tables_.TokenText(token);
    const std::string element =
        sets ? Concat("{", name, "=}") : Concat("{", set_names_[id].text(), "=", name, "}");
    const auto found = variant_items_.extract(std::pair(prim, std::string_view(element)));
    if (found.empty()) continue;
    const Spec* const spec = SpecOf(found.mapped());
    if (!spec || spec->type != wanted) continue;
    if (sets) {
      set_names_.resize(layout_.size() + 1);
      set_names_.back() = tables_.TokenAt(token);
    }
    Add(id, type, tables_.TokenAt(token), found.mapped(), *spec);
  }
  return absl::OkStatus();
}

}  // namespace

bool IsUsdc(std::span<const std::byte> bytes) {
  return bytes.size() >= kCrateMagic.size() &&
         std::memcmp(bytes.data(), kCrateMagic.data(), kCrateMagic.size()) == 0;
}

absl::StatusOr<std::shared_ptr<const Layer>> ReadUsdc(std::span<const std::byte> bytes,
                                                      RefPtr<const RefCounted> owner,
                                                      Layer::Info info,
                                                      std::shared_ptr<MemoryPool> expansions) {
  info.format = "usdc";
  CrateNamespace names;
  const std::string& name = info.resolved_path.empty() ? info.identifier : info.resolved_path;
  SD_ASSIGN_OR_RETURN(
      RefPtr<const CrateTables> tables,
      CrateTables::Open({bytes, std::move(owner), name, std::move(expansions)}, &names));
  TreeReader reader(*tables, names);
  SD_RETURN_IF_ERROR(reader.Read());
  SpecTree tree = reader.TakeTree();
  auto fields = std::make_unique<CrateFieldStore>(tables, reader.TakeFieldSets(), reader.prims());
  return std::make_shared<Layer>(std::move(info), std::move(tree), std::move(fields));
}

}  // namespace stagedoor
