// Reads the sections of a crate file into CrateTables (Core Specification, 16.3.8 Preamble).
#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/usdc/crate_compression.h"
#include "scene/usdc/crate_cursor.h"
#include "scene/usdc/crate_tables.h"

namespace stagedoor {
namespace {

// Tables of contents take less than this many bytes, unless they have sections of the future.
constexpr uint64_t kUsualContents = 1024;

// The maximum depth of a namespace. It is limited because paths are built recursively.
constexpr uint32_t kMaxDepth = 2048;
// The maximum number of fields of one spec. It is limited because fields are searched linearly.
constexpr size_t kMaxFields = 65535;

struct Section {
  uint64_t start = 0;
  uint64_t size = 0;
};

}  // namespace

// A friend of CrateTables. Borrows both arguments; used once.
class CrateTablesReader {
 public:
  CrateTablesReader(CrateTables* tables, CrateNamespace* names) : t_(*tables), names_(*names) {}

  absl::Status Read() {
    SD_RETURN_IF_ERROR(ReadBoot());
    SD_RETURN_IF_ERROR(ReadTokens());
    SD_RETURN_IF_ERROR(ReadStrings());
    SD_RETURN_IF_ERROR(ReadFields());
    SD_RETURN_IF_ERROR(ReadFieldSets());
    SD_RETURN_IF_ERROR(ReadPaths());
    return ReadSpecs();
  }

 private:
  absl::Status Damaged(uint64_t offset, std::string_view what) const {
    return DataLossError(t_.name(), ": ", what, " at offset ", offset);
  }

  absl::Status ReadBoot();
  absl::Status ReadContents(uint64_t offset);
  // A cursor that is limited to the section; empty if the file does not have it, as all are
  // optional.
  std::optional<CrateCursor> Open(std::string_view section) const;
  absl::Status ReadTokens();
  absl::Status SplitTokens(uint64_t count, uint64_t text_size, uint64_t offset);
  absl::Status ReadStrings();
  absl::Status ReadFields();
  absl::Status ReadFieldSets();
  absl::Status ReadPaths();
  absl::Status LinkPaths(const std::vector<int32_t>& elements, uint64_t offset);
  absl::Status ReadSpecs();
  absl::Status CheckSpec(const CrateNamespace::Spec& spec, uint64_t offset) const;

  // Reads the number of entries of a section, each of which takes up to `bytes_each` bytes of
  // memory. RESOURCE_EXHAUSTED if they would take far more memory than the file.
  absl::Status ReadCount(CrateCursor& in, uint64_t bytes_each, uint64_t* count) const;
  template <typename Int>
  absl::Status ReadInts(CrateCursor& in, uint64_t count, std::vector<Int>* out) const;

  CrateTables& t_;
  CrateNamespace& names_;
  std::vector<std::pair<std::string_view, Section>> sections_;
};

absl::Status CrateTablesReader::ReadBoot() {
  SD_RETURN_IF_ERROR(t_.bytes().Fetch({{0, kCrateBootSize}}));
  const auto bytes = t_.bytes().now();
  if (bytes.size() < kCrateMagic.size() ||
      std::memcmp(bytes.data(), kCrateMagic.data(), kCrateMagic.size()) != 0) {
    return InvalidArgumentError(t_.name(), ": not a crate file");
  }
  if (bytes.size() < kCrateBootSize) return Damaged(bytes.size(), "the header is truncated");
  CrateCursor in(bytes, kCrateMagic.size());
  uint8_t version[8];
  uint64_t contents = 0;
  in.Read(&version);
  in.Read(&contents);
  t_.version_ = {version[0], version[1], version[2]};
  if (t_.version_ < kOldestCrate || t_.version_ > kNewestCrate) {
    return InvalidArgumentError(t_.name(), ": crate version ", int{version[0]}, ".",
                                int{version[1]}, ".", int{version[2]},
                                " is not supported; supported versions are 0.4.0 to 0.16.0");
  }
  return ReadContents(contents);
}

absl::Status CrateTablesReader::ReadContents(uint64_t offset) {
  SD_RETURN_IF_ERROR(t_.bytes().Fetch({{offset, kUsualContents}}));
  CrateCursor in(t_.bytes().now(), offset);
  uint64_t count = 0;
  if (!in.Read(&count) || count > in.remaining() / kCrateSectionSize) {
    return Damaged(offset, "table of contents is outside the file");
  }
  SD_RETURN_IF_ERROR(t_.bytes().Fetch({{in.offset(), count * kCrateSectionSize}}));
  std::vector<ByteRange> all;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = in.offset();
    const auto name = in.Take(16);
    Section section;
    in.Read(&section.start);
    in.Read(&section.size);
    const char* text = reinterpret_cast<const char*>(name.data());
    const size_t length = std::find(text, text + name.size(), '\0') - text;
    if (section.start > t_.bytes().now().size() ||
        section.size > t_.bytes().now().size() - section.start) {
      return Damaged(at, "section is outside the file");
    }
    sections_.emplace_back(std::string_view(text, length), section);
    all.push_back({section.start, section.size});
  }
  return t_.bytes().Fetch(std::move(all));
}

std::optional<CrateCursor> CrateTablesReader::Open(std::string_view name) const {
  for (const auto& [known, section] : sections_) {
    if (known == name) {
      return CrateCursor(t_.bytes().now().first(section.start + section.size), section.start);
    }
  }
  return std::nullopt;
}

absl::Status CrateTablesReader::ReadCount(CrateCursor& in, uint64_t bytes_each,
                                          uint64_t* count) const {
  const uint64_t at = in.offset();
  if (!in.Read(count)) return Damaged(at, "section is truncated");
  const uint64_t limit = (uint64_t{256} << 20) + 512 * t_.bytes().now().size();
  if (*count > limit / bytes_each || *count >= std::numeric_limits<uint32_t>::max()) {
    return ResourceExhaustedError(t_.name(), ": section claims ", *count,
                                  " entries, more than the file can hold, at offset ", at);
  }
  return absl::OkStatus();
}

template <typename Int>
absl::Status CrateTablesReader::ReadInts(CrateCursor& in, uint64_t count,
                                         std::vector<Int>* out) const {
  static_assert(sizeof(Int) == sizeof(uint32_t));
  const uint64_t at = in.offset();
  uint64_t size = 0;
  if (!in.Read(&size)) return Damaged(at, "section is truncated");
  const auto packed = in.Take(size);
  if (!in.ok()) return Damaged(at, "compressed integers extend beyond their section");
  if (count > 0 && !CanHoldInts(size, count, sizeof(Int))) {
    return Damaged(at, "too few compressed integers");
  }
  out->resize(count);
  if (!DecodeInts(packed, std::span(reinterpret_cast<uint32_t*>(out->data()), count))) {
    return Damaged(at, "corrupt compressed integers");
  }
  return absl::OkStatus();
}

absl::Status CrateTablesReader::ReadTokens() {
  auto in = Open("TOKENS");
  if (!in) return absl::OkStatus();
  const uint64_t at = in->offset();
  uint64_t count = 0;
  uint64_t text_size = 0;
  uint64_t packed_size = 0;
  SD_RETURN_IF_ERROR(ReadCount(*in, 16, &count));
  in->Read(&text_size);
  in->Read(&packed_size);
  const auto packed = in->Take(packed_size);
  if (!in->ok()) return Damaged(at, "tokens extend beyond their section");
  if (text_size > packed_size * kLz4MaxRatio || text_size < count ||
      text_size >= std::numeric_limits<uint32_t>::max()) {
    return Damaged(at, "tokens have an invalid size");
  }
  t_.token_text_ = std::make_unique_for_overwrite<char[]>(text_size);
  if (text_size > 0) {
    const auto out = std::as_writable_bytes(std::span(t_.token_text_.get(), text_size));
    if (DecodeLz4(packed, out) != text_size) return Damaged(at, "corrupt compressed tokens");
  }
  return SplitTokens(count, text_size, at);
}

absl::Status CrateTablesReader::SplitTokens(uint64_t count, uint64_t text_size, uint64_t offset) {
  const char* const text = t_.token_text_.get();
  t_.token_starts_.reserve(count + 1);
  t_.token_starts_.push_back(0);
  const char* at = text;
  for (uint64_t i = 0; i < count; ++i) {
    const void* end = std::memchr(at, '\0', text + text_size - at);
    if (!end) return Damaged(offset, "fewer tokens than the section claims");
    at = static_cast<const char*>(end) + 1;
    t_.token_starts_.push_back(static_cast<uint32_t>(at - text));
  }
  t_.tokens_ = std::make_unique<std::atomic<Token>[]>(count);
  return absl::OkStatus();
}

absl::Status CrateTablesReader::ReadStrings() {
  auto in = Open("STRINGS");
  if (!in) return absl::OkStatus();
  const uint64_t at = in->offset();
  uint64_t count = 0;
  if (!in->Read(&count) || count > in->remaining() / sizeof(uint32_t)) {
    return Damaged(at, "strings extend beyond their section");
  }
  t_.strings_.resize(count);
  const auto indices = in->Take(count * sizeof(uint32_t));
  if (count > 0) std::memcpy(t_.strings_.data(), indices.data(), indices.size());
  for (const uint32_t token : t_.strings_) {
    if (token >= t_.token_count()) return Damaged(at, "string refers to a missing token");
  }
  return absl::OkStatus();
}

absl::Status CrateTablesReader::ReadFields() {
  auto in = Open("FIELDS");
  if (!in) return absl::OkStatus();
  const uint64_t at = in->offset();
  uint64_t count = 0;
  SD_RETURN_IF_ERROR(ReadCount(*in, 16, &count));
  SD_RETURN_IF_ERROR(ReadInts(*in, count, &t_.field_tokens_));
  for (const uint32_t token : t_.field_tokens_) {
    if (token >= t_.token_count()) return Damaged(at, "field refers to a missing token");
  }
  uint64_t size = 0;
  in->Read(&size);
  const auto packed = in->Take(size);
  if (!in->ok() || (count > 0 && count * sizeof(CrateValueRep) > size * kLz4MaxRatio)) {
    return Damaged(at, "field values extend beyond their section");
  }
  t_.field_reps_.resize(count);
  if (count == 0) return absl::OkStatus();
  const auto out = std::as_writable_bytes(std::span(t_.field_reps_));
  if (DecodeLz4(packed, out) != out.size()) return Damaged(at, "corrupt field values");
  for (const CrateValueRep rep : t_.field_reps_) {
    if (static_cast<uint8_t>(rep.type()) >= kCrateTypeEnd) return Damaged(at, "unknown field type");
  }
  return absl::OkStatus();
}

absl::Status CrateTablesReader::ReadFieldSets() {
  auto in = Open("FIELDSETS");
  if (!in) return absl::OkStatus();
  const uint64_t at = in->offset();
  uint64_t count = 0;
  SD_RETURN_IF_ERROR(ReadCount(*in, 8, &count));
  SD_RETURN_IF_ERROR(ReadInts(*in, count, &t_.field_sets_));
  size_t length = 0;
  for (const uint32_t field : t_.field_sets_) {
    length = field == kCrateNoField ? 0 : length + 1;
    if (length > kMaxFields) return Damaged(at, "field set is too long");
    if (field != kCrateNoField && field >= t_.field_count()) {
      return Damaged(at, "field set refers to a missing field");
    }
  }
  if (count > 0 && t_.field_sets_.back() != kCrateNoField) {
    return Damaged(at, "unterminated field set");
  }
  return absl::OkStatus();
}

absl::Status CrateTablesReader::ReadPaths() {
  auto in = Open("PATHS");
  if (!in) return absl::OkStatus();
  const uint64_t at = in->offset();
  uint64_t paths = 0;
  uint64_t items = 0;
  SD_RETURN_IF_ERROR(ReadCount(*in, 24, &paths));
  SD_RETURN_IF_ERROR(ReadCount(*in, 24, &items));
  // OpenUSD writes two counts; the specification has only the first. The empty path has no item,
  // and there is at most one.
  if (items > paths || paths > items + 1) return Damaged(at, "inconsistent numbers of paths");
  std::vector<int32_t> elements;
  SD_RETURN_IF_ERROR(ReadInts(*in, items, &names_.item_path));
  SD_RETURN_IF_ERROR(ReadInts(*in, items, &elements));
  SD_RETURN_IF_ERROR(ReadInts(*in, items, &names_.jumps));
  t_.paths_.assign(paths, {0, CrateTables::kNoPath});
  return LinkPaths(elements, at);
}

absl::Status CrateTablesReader::LinkPaths(const std::vector<int32_t>& elements, uint64_t offset) {
  struct Pending {  // a sibling that follows the current subtree
    uint32_t item;
    uint32_t parent;
    uint32_t depth;
  };
  std::vector<Pending> pending;
  const uint32_t count = static_cast<uint32_t>(elements.size());
  uint32_t parent = CrateNamespace::kNone;  // path index
  uint32_t depth = 0;
  for (uint32_t item = 0; item < count; ++item) {
    const uint32_t path = names_.item_path[item];
    if (path >= t_.paths_.size() || t_.paths_[path].element != CrateTables::kNoPath) {
      return Damaged(offset, "path index out of range or repeated");
    }
    const int64_t element = elements[item];
    if (static_cast<uint64_t>(std::abs(element)) >= std::max<size_t>(t_.token_count(), 1)) {
      return Damaged(offset, "path element refers to a missing token");
    }
    const bool root = parent == CrateNamespace::kNone;
    if (root && item > 0) return Damaged(offset, "more than one root path");
    t_.paths_[path] = {root ? path : parent, root ? 0 : elements[item]};
    const int32_t jump = names_.jumps[item];
    if (jump > 0) {
      const uint64_t sibling = uint64_t{item} + static_cast<uint32_t>(jump);
      if (root || sibling <= uint64_t{item} + 1 || sibling >= count) {
        return Damaged(offset, "path jump leads outside the table");
      }
      pending.push_back({static_cast<uint32_t>(sibling), parent, depth});
    }
    if (jump > 0 || jump == -1) {
      parent = path;
      if (++depth > kMaxDepth) return Damaged(offset, "namespace is nested too deeply");
      if (item + 1 == count) return Damaged(offset, "missing child of a path");
    } else if (jump == 0) {
      if (root || item + 1 == count) return Damaged(offset, "missing sibling of a path");
    } else if (pending.empty()) {
      if (item + 1 != count) return Damaged(offset, "paths after the end of the tree");
    } else {
      if (pending.back().item != item + 1) return Damaged(offset, "paths are out of order");
      parent = pending.back().parent;
      depth = pending.back().depth;
      pending.pop_back();
    }
  }
  return absl::OkStatus();
}

absl::Status CrateTablesReader::ReadSpecs() {
  auto in = Open("SPECS");
  if (!in) return absl::OkStatus();
  const uint64_t at = in->offset();
  uint64_t count = 0;
  SD_RETURN_IF_ERROR(ReadCount(*in, 64, &count));
  if (count == 0) return Damaged(at, "the specs section is empty");
  if (count > t_.paths_.size()) return Damaged(at, "more specs than paths");
  names_.specs.resize(count);
  std::vector<uint32_t> numbers;
  for (uint32_t CrateNamespace::Spec::*member :
       {&CrateNamespace::Spec::path, &CrateNamespace::Spec::field_set,
        &CrateNamespace::Spec::type}) {
    SD_RETURN_IF_ERROR(ReadInts(*in, count, &numbers));
    for (uint64_t i = 0; i < count; ++i) names_.specs[i].*member = numbers[i];
  }
  for (const CrateNamespace::Spec& spec : names_.specs) SD_RETURN_IF_ERROR(CheckSpec(spec, at));
  return absl::OkStatus();
}

absl::Status CrateTablesReader::CheckSpec(const CrateNamespace::Spec& spec, uint64_t offset) const {
  if (spec.path >= t_.paths_.size() || t_.paths_[spec.path].element == CrateTables::kNoPath) {
    return Damaged(offset, "spec refers to a missing path");
  }
  const std::vector<uint32_t>& sets = t_.field_sets_;
  if (spec.field_set >= sets.size() ||
      (spec.field_set > 0 && sets[spec.field_set - 1] != kCrateNoField)) {
    return Damaged(offset, "spec refers to an invalid field set");
  }
  if (spec.type == 0 || spec.type >= static_cast<uint32_t>(CrateSpecType::kEnd)) {
    return Damaged(offset, "spec of an unknown type");
  }
  return absl::OkStatus();
}

absl::StatusOr<RefPtr<const CrateTables>> CrateTables::Open(Source source, CrateNamespace* names) {
  auto tables = MakeRef<CrateTables>();
  tables->bytes_ = std::make_unique<const CrateBytes>(source.bytes, std::move(source.owner));
  tables->name_ = std::move(source.name);
  tables->expansions_ = std::move(source.expansions);
  SD_RETURN_IF_ERROR(CrateTablesReader(tables.get(), names).Read());
  return RefPtr<const CrateTables>(std::move(tables));
}

}  // namespace stagedoor
