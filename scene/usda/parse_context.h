#ifndef STAGEDOOR_SCENE_USDA_PARSE_CONTEXT_H_
#define STAGEDOOR_SCENE_USDA_PARSE_CONTEXT_H_

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/usda/text_cursor.h"
#include "scene/values/value_type_name.h"

namespace stagedoor {
class PluginFields;
}

namespace stagedoor::usda {

// Caches tokens and type names by their text, which saves most look-ups in the process-wide table.
class TokenCache {
 public:
  struct TypeEntry {
    Token token;
    const ValueTypeName* type = nullptr;  // null for unknown types
  };

  Token Find(std::string_view text) {
    Slot& slot = slots_[SlotOf(text)];
    if (slot.token.text() != text || text.empty()) slot.token = Token(text);
    return slot.token;
  }
  // Finds a type name, which includes the brackets of an array type.
  TypeEntry FindType(std::string_view text) {
    Slot& slot = types_[SlotOf(text)];
    if (slot.token.text() != text || text.empty()) {
      slot.token = Token(text);
      slot.type = FindValueTypeName(slot.token);
    }
    return {slot.token, slot.type};
  }

 private:
  struct Slot {
    Token token;
    const ValueTypeName* type = nullptr;
  };
  static constexpr size_t kSlots = 4096;
  static size_t SlotOf(std::string_view text) {
    uint64_t h = text.size();
    if (text.size() >= 8) {
      h += SpreadBits(LoadWord(text.data())) + LoadWord(text.data() + text.size() - 8);
    } else {
      for (const char c : text) h = h * 131 + static_cast<unsigned char>(c);
    }
    return SpreadBits(h) >> 52;
  }

  std::vector<Slot> slots_ = std::vector<Slot>(kSlots);
  std::vector<Slot> types_ = std::vector<Slot>(kSlots);
};

// State that the parts of the text reader share during one parse, and the list productions of the
// Core Specification, 16.2.10 Lists and Statement Contents.
struct ParseContext {
  explicit ParseContext(std::string_view text) : cursor(text) {}

  TextCursor cursor;
  TokenCache words;
  int nesting = 0;
  const PluginFields* plugin_fields = nullptr;
};

// Counts one level of nesting for its lifetime. ok() is false, and an error is recorded, beyond
// kMaxNesting levels.
class NestingGuard {
 public:
  explicit NestingGuard(ParseContext* context) : context_(context) { ++context_->nesting; }
  ~NestingGuard() { --context_->nesting; }
  NestingGuard(const NestingGuard&) = delete;
  NestingGuard& operator=(const NestingGuard&) = delete;
  bool ok() const {
    return context_->nesting <= kMaxNesting || context_->cursor.Fail("nested too deeply");
  }

 private:
  ParseContext* const context_;
};

// Reads `item (separator item)* separator?`, possibly empty, through `close`. A separator is a line
// end or ';', surrounded by any blanks and comments.
template <typename Item>
bool ParseStatements(TextCursor& cursor, char close, Item item) {
  cursor.SkipMultiLine();
  while (!cursor.Take(close)) {
    if (cursor.AtEnd()) return cursor.Fail(std::string("expected '") + close + "'");
    if (!item()) return false;
    cursor.SkipSingleLine();
    const bool more = cursor.TakeStatementEnd();
    cursor.SkipMultiLine();
    if (!more) return cursor.Expect(close, "or a new line");
  }
  return true;
}

// Reads `item (',' item)* ','?` through `close`. Blanks may precede a comma, and blanks and line
// ends may follow it.
template <typename Item>
bool ParseList(TextCursor& cursor, char close, bool may_be_empty, Item item) {
  cursor.SkipMultiLine();
  if (may_be_empty && cursor.Take(close)) return true;
  while (true) {
    if (!item()) return false;
    cursor.SkipInline();
    if (!cursor.Take(',')) {
      cursor.SkipMultiLine();
      return cursor.Expect(close, "or ','");
    }
    cursor.SkipMultiLine();
    if (cursor.Take(close)) return true;
  }
}

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_PARSE_CONTEXT_H_
