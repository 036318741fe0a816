#include "scene/paths/token.h"

#include <cstring>

#include "base/interned_bytes.h"
#include "scene/paths/intern_arena.h"
#include "scene/paths/intern_shard.h"

namespace stagedoor {
namespace {

constexpr size_t kShards = 64;
// Upper bound for the memory of a token in its shard's table, in bytes.
constexpr size_t kSlotBytes = 16;

// As in OpenUSD, a token ends at its first zero byte.
std::string_view UpToZero(std::string_view text) { return text.substr(0, text.find('\0')); }

}  // namespace

// The process-wide intern table, split into shards by the upper bits of the hash.
class TokenTable {
 public:
  using Rep = Token::Rep;

  static TokenTable& Get() {
    static TokenTable* table = new TokenTable;
    return *table;
  }

  const Rep* Find(std::string_view text) const {
    const uint64_t hash = Token::HashOf(text);
    return shards_[hash >> 58].reps.Find(hash, Equals(text));
  }

  const Rep* Intern(std::string_view text) {
    const uint64_t hash = Token::HashOf(text);
    Shard& shard = shards_[hash >> 58];
    return shard.reps.FindOrMake(hash, Equals(text), [&] {
      const size_t bytes = offsetof(Rep, text) + text.size() + 1;
      InternedBytes::Add(bytes + kSlotBytes);
      void* memory = shard.arena.Allocate(bytes);
      Rep* rep = static_cast<Rep*>(memory);
      rep->hash = hash;
      rep->size = static_cast<uint32_t>(text.size());
      std::memcpy(rep->text, text.data(), text.size());
      rep->text[text.size()] = 0;
      return rep;
    });
  }

  static Token Make(const Rep* rep) { return Token(rep); }

  InternStats Stats() const {
    InternStats stats;
    for (const Shard& shard : shards_) {
      stats.count += shard.reps.count();
      stats.bytes += shard.reps.table_bytes() + shard.arena.total_bytes();
    }
    return stats;
  }

 private:
  struct Equals {
    explicit Equals(std::string_view t) : text(t) {}
    bool operator()(const Rep& rep) const {
      return rep.size == text.size() && std::memcmp(rep.text, text.data(), text.size()) == 0;
    }
    std::string_view text;
  };

  struct Shard {
    InternShard<Rep, /*kRemoves=*/false> reps;
    InternArena arena;  // holds the reps; used only under the lock of `reps`
  };
  Shard shards_[kShards];
};

Token::Token(std::string_view text)
    : rep_(UpToZero(text).empty() ? nullptr : TokenTable::Get().Intern(UpToZero(text))) {}

std::optional<Token> Token::Find(std::string_view text) {
  text = UpToZero(text);
  if (text.empty()) return Token();
  const Rep* rep = TokenTable::Get().Find(text);
  if (!rep) return std::nullopt;
  return TokenTable::Make(rep);
}

uint64_t Token::HashOf(std::string_view text) {
  if (text.empty()) return 0;
  uint64_t h = 0x9e3779b97f4a7c15ULL ^ text.size();
  const char* p = text.data();
  size_t n = text.size();
  for (; n >= 8; p += 8, n -= 8) {
    uint64_t word;
    std::memcpy(&word, p, 8);
    h = (h ^ word) * 0xff51afd7ed558ccdULL;
    h ^= h >> 32;
  }
  uint64_t tail = 0;
  std::memcpy(&tail, p, n);
  return MixHash(h ^ tail);
}

InternStats TokenStats() { return TokenTable::Get().Stats(); }

}  // namespace stagedoor
