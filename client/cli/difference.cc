#include "client/cli/difference.h"

#include <tuple>
#include <utility>

#include "absl/hash/hash.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cli/safe_text.h"

namespace stagedoor {
namespace {

constexpr size_t kMostText = 400;

// Seeded differently in each process, so that no file can be made to collide.
uint64_t HashOf(std::string_view text) { return absl::Hash<std::string>()(std::string(text)); }

uint64_t HashOf(const std::vector<DiffFact>& facts) {
  uint64_t hash = 0;
  for (const DiffFact& fact : facts) {
    hash =
        absl::Hash<std::tuple<uint64_t, std::string, uint64_t>>()({hash, fact.subject, fact.hash});
  }
  return hash;
}

size_t BytesOf(const DiffEntry& entry) {
  size_t bytes = sizeof(entry);
  for (const DiffFact& fact : entry.facts) {
    bytes += sizeof(fact) + fact.subject.size() + fact.text.size();
  }
  return bytes;
}

// Whether `path` is below `root`: "/A/B", "/A.x" and "/A{v=a}B" are below "/A".
bool IsBelow(std::string_view path, std::string_view root) {
  if (root.empty() || !path.starts_with(root) || path.size() == root.size()) return false;
  const char next = path[root.size()];
  return next == '/' || next == '.' || next == '{' || root.back() == '}';
}

}  // namespace

DiffFact::DiffFact(std::string subject, std::string_view text, bool implied)
    : subject(std::move(subject)),
      text(text.size() <= kMostText
               ? std::string(text)
               : Concat(CutText(SafeText(text.substr(0, kMostText)), kMostText), "… (", text.size(),
                        " bytes)")),
      hash(HashOf(text)),
      implied(implied) {}

bool Difference::Missing::Begins(const std::string& path) {
  if (IsBelow(path, path_)) return false;
  path_ = path;
  return true;
}

Difference::Difference(DiffSource left, DiffSource right, Print print, size_t max_held_bytes)
    : left_(std::move(left)),
      right_(std::move(right)),
      print_(std::move(print)),
      max_held_bytes_(max_held_bytes) {}

absl::Status Difference::Run() {
  SD_RETURN_IF_ERROR(ReadRight());
  SD_RETURN_IF_ERROR(CompareLeft());
  if (right_facts_.empty()) return absl::OkStatus();
  SD_RETURN_IF_ERROR(PrintRight(/*first_round=*/true));
  while (!differing_.empty()) {
    SD_RETURN_IF_ERROR(HoldLeft());
    // Nothing is held if the side has changed meanwhile.
    if (held_.empty()) break;
    SD_RETURN_IF_ERROR(PrintRight(/*first_round=*/false));
  }
  return absl::OkStatus();
}

absl::Status Difference::ReadRight() {
  return right_([&](const DiffEntry& entry) {
    right_facts_[HashOf(entry.path)] = HashOf(entry.facts);
    return absl::OkStatus();
  });
}

absl::Status Difference::CompareLeft() {
  Missing missing;
  return left_([&](DiffEntry entry) {
    const uint64_t key = HashOf(entry.path);
    const auto found = right_facts_.find(key);
    if (found == right_facts_.end()) {
      return missing.Begins(entry.path) ? PrintWhole('-', entry) : absl::OkStatus();
    }
    if (found->second == HashOf(entry.facts)) {
      right_facts_.erase(found);
    } else {
      differing_.insert(key);
      Hold(key, std::move(entry));
    }
    return absl::OkStatus();
  });
}

absl::Status Difference::HoldLeft() {
  return left_([&](DiffEntry entry) {
    const uint64_t key = HashOf(entry.path);
    if (differing_.contains(key)) Hold(key, std::move(entry));
    return absl::OkStatus();
  });
}

void Difference::Hold(uint64_t key, DiffEntry entry) {
  const size_t bytes = BytesOf(entry);
  // One entry is held in any case.
  if (!held_.empty() && held_bytes_ + bytes > max_held_bytes_) return;
  held_bytes_ += bytes;
  held_[key] = std::move(entry.facts);
}

absl::Status Difference::PrintRight(bool first_round) {
  Missing missing;
  const absl::Status status = right_([&](const DiffEntry& entry) {
    const uint64_t key = HashOf(entry.path);
    if (!right_facts_.contains(key)) return absl::OkStatus();
    if (const auto held = held_.find(key); held != held_.end()) {
      differing_.erase(key);
      return PrintFacts(held->second, entry.facts);
    }
    if (!first_round || differing_.contains(key) || !missing.Begins(entry.path)) {
      return absl::OkStatus();
    }
    return PrintWhole('+', entry);
  });
  for (const auto& [key, facts] : held_) differing_.erase(key);
  held_.clear();
  held_bytes_ = 0;
  return status;
}

absl::Status Difference::PrintWhole(char sign, const DiffEntry& entry) {
  SD_RETURN_IF_ERROR(
      Line(sign, entry.title.empty() ? entry.path : Concat(entry.path, " (", entry.title, ")"),
           entry.path));
  if (!entry.shows_facts) return absl::OkStatus();
  for (const DiffFact& fact : entry.facts) SD_RETURN_IF_ERROR(FactLine(sign, fact));
  return absl::OkStatus();
}

absl::Status Difference::PrintFacts(const std::vector<DiffFact>& left,
                                    const std::vector<DiffFact>& right) {
  absl::flat_hash_map<std::string, const DiffFact*> others;
  for (const DiffFact& fact : right) others[fact.subject] = &fact;
  for (const DiffFact& fact : left) {
    const auto other = others.find(fact.subject);
    if (other == others.end()) {
      if (!fact.implied) SD_RETURN_IF_ERROR(FactLine('-', fact));
      continue;
    }
    if (other->second->hash != fact.hash) {
      SD_RETURN_IF_ERROR(FactLine('-', fact));
      SD_RETURN_IF_ERROR(FactLine('+', *other->second));
    }
    others.erase(other);
  }
  for (const DiffFact& fact : right) {
    if (!fact.implied && others.contains(fact.subject)) SD_RETURN_IF_ERROR(FactLine('+', fact));
  }
  return absl::OkStatus();
}

absl::Status Difference::Line(char sign, const std::string& text, std::string_view subject) {
  found_ = true;
  return print_(sign, SafeText(text), subject);
}

absl::Status Difference::FactLine(char sign, const DiffFact& fact) {
  return Line(sign, Concat(fact.subject, ": ", fact.text), fact.subject);
}

}  // namespace stagedoor
