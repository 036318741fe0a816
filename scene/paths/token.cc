#include "scene/paths/token.h"

#include <cstring>

#include "base/hash.h"
#include "base/interned_bytes.h"
#include "base/up_to_zero.h"
#include "scene/paths/intern_arena.h"
#include "scene/paths/intern_shard.h"

namespace stagedoor {
namespace {

constexpr size_t kShards = 64;
// Upper bound for the memory of a token in its shard's table, in bytes.
constexpr size_t kSlotBytes = 16;

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
    const uint64_t hash = HashBytes(text);
    return shards_[hash >> 58].reps.Find(hash, Equals(text));
  }

  const Rep* Intern(std::string_view text) {
    const uint64_t hash = HashBytes(text);
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

InternStats TokenStats() { return TokenTable::Get().Stats(); }

}  // namespace stagedoor
