#include "scene/usdc/crate_tables.h"

#include <algorithm>

#include "scene/paths/identifier.h"
#include "scene/paths/variant_names.h"

namespace stagedoor {
namespace {

// Appends one element, which the file writes as "name", "{set=variant}", "[target]", ".name",
// ".mapper[target]" or ".expression".
Path AppendElement(Path path, std::string_view element, const auto& token) {
  if (element.empty()) return Path();
  if (element.front() == '{') {
    std::string_view set, variant;
    if (!CrateTables::SplitSelection(element, &set, &variant)) return Path();
    return path.AppendVariantSelection(Token(set), Token(variant));
  }
  const auto target = [&](size_t open) {
    if (element.back() != ']') return Path();
    const auto parsed = Path::Parse(element.substr(open + 1, element.size() - open - 2));
    return parsed.ok() ? *parsed : Path();
  };
  if (element.front() == '[') return path.AppendTarget(target(0));
  if (element.front() != '.') return IsIdentifier(element) ? path.AppendChild(token()) : Path();
  if (element.starts_with(".mapper[")) return path.AppendMapper(target(7));
  if (element == ".expression") return path.AppendExpression();
  if (!IsNamespacedIdentifier(element.substr(1))) return Path();
  const Token name(element.substr(1));
  if (path.IsPrim() || path.IsVariantSelection()) return path.AppendProperty(name);
  return path.IsTarget() ? path.AppendRelationalAttribute(name) : path.AppendMapperArg(name);
}

}  // namespace

bool CrateTables::SplitSelection(std::string_view element, std::string_view* set,
                                 std::string_view* variant) {
  if (!element.starts_with('{') || !element.ends_with('}')) return false;
  const std::string_view inside = element.substr(1, element.size() - 2);
  const size_t equals = inside.find('=');
  if (equals == 0 || equals == std::string_view::npos) return false;
  *set = inside.substr(0, equals);
  *variant = inside.substr(equals + 1);
  return IsCrateVariantName(*set) && IsCrateVariantName(*variant);
}

Token CrateTables::TokenAt(uint32_t index) const {
  Token token = tokens_[index].load(std::memory_order_acquire);
  if (token.empty()) {
    token = Token(TokenText(index));
    tokens_[index].store(token, std::memory_order_release);
  }
  return token;
}

bool CrateTables::FindToken(uint32_t index, Token* token) const {
  if (index >= token_count()) return false;
  *token = TokenAt(index);
  return true;
}

bool CrateTables::FindString(uint32_t index, std::string_view* text) const {
  if (index >= strings_.size()) return false;
  *text = TokenText(strings_[index]);
  return true;
}

bool CrateTables::FindPath(uint32_t index, Path* path) const {
  if (index >= paths_.size()) return false;
  *path = MakePath(index);
  return true;
}

Path CrateTables::MakePath(uint32_t index) const {
  // The recursion is bounded: reading the table limits the depth of paths.
  const PathItem& item = paths_[index];
  if (item.element == kNoPath) return Path();
  if (item.parent == index) return Path::AbsoluteRoot();
  const Path parent = MakePath(item.parent);
  if (parent.empty()) return Path();
  const uint32_t token = static_cast<uint32_t>(std::abs(item.element));
  if (item.element < 0) {
    return IsNamespacedIdentifier(TokenText(token)) ? parent.AppendProperty(TokenAt(token))
                                                    : Path();
  }
  return AppendElement(parent, TokenText(token), [&] { return TokenAt(token); });
}

bool CrateTables::FindTimes(CrateValueRep rep, Array<double>* times) const {
  ReaderMutexLock lock(times_mutex_);
  const auto it = times_.find(rep.bits());
  if (it == times_.end()) return false;
  *times = it->second;
  return true;
}

void CrateTables::KeepTimes(CrateValueRep rep, const Array<double>& times) const {
  // In a well-formed file, distinct arrays of times do not overlap, so they fit its size.
  WriterMutexLock lock(times_mutex_);
  const size_t size = times.size() * sizeof(double);
  if (times_bytes_ + size > bytes().size()) return;
  if (times_.emplace(rep.bits(), times).second) times_bytes_ += size;
}

size_t CrateTables::byte_size() const {
  const size_t text = token_starts_.empty() ? 0 : token_starts_.back();
  const size_t tokens = text + token_starts_.capacity() * sizeof(uint32_t) +
                        token_count() * sizeof(Token) + strings_.capacity() * sizeof(uint32_t);
  const size_t fields = field_tokens_.capacity() * sizeof(uint32_t) +
                        field_reps_.capacity() * sizeof(CrateValueRep) +
                        field_sets_.capacity() * sizeof(uint32_t);
  ReaderMutexLock lock(times_mutex_);
  return sizeof(*this) + tokens + fields + paths_.capacity() * sizeof(PathItem) + times_bytes_ +
         bytes_->byte_size();
}

}  // namespace stagedoor
