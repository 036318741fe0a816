#include "scene/usda/array_edit_reader.h"

#include <limits>
#include <string_view>

#include "scene/usda/element_reader.h"
#include "scene/usda/parse_context.h"

namespace stagedoor::usda {
namespace {

using Kind = ArrayEditStep::Kind;

class StepReader {
 public:
  StepReader(TextCursor& cursor, const std::function<bool(Value*)>& read_element)
      : cursor_(cursor), read_element_(read_element) {}

  bool Read(ArrayEditStep* step) {
    if (Word("write")) return Place(Kind::kWrite, "to", step);
    if (Word("insert")) return Place(Kind::kInsert, "at", step);
    if (Word("prepend")) return Item(Kind::kPrepend, step);
    if (Word("append")) return Item(Kind::kAppend, step);
    if (Word("erase")) {
      step->kind = Kind::kErase;
      return Index(&step->index);
    }
    if (Word("minsize")) return Size(Kind::kMinSize, step);
    if (Word("maxsize")) return Size(Kind::kMaxSize, step);
    if (Word("resize")) return Size(Kind::kResize, step);
    return cursor_.Fail(
        "expected 'write', 'insert', 'prepend', 'append', 'erase', 'minsize', 'maxsize' or "
        "'resize'");
  }

 private:
  bool Word(std::string_view word) {
    if (!cursor_.TakeWord(word)) return false;
    cursor_.SkipInline();
    return true;
  }
  bool Integer(int64_t* out) {
    Number number;
    const char* at = cursor_.position();
    if (!cursor_.TakeNumber(&number)) return cursor_.Fail("expected an integer");
    const std::string_view text(at, static_cast<size_t>(cursor_.position() - at));
    const bool integer = text.find_first_not_of("-0123456789") == text.npos;
    return (integer && ConvertNumber(number, out)) || cursor_.Fail("expected an integer");
  }
  bool Index(int64_t* out) {
    if (!cursor_.Expect('[', "before an index")) return false;
    cursor_.SkipInline();
    if (!Integer(out)) return false;
    cursor_.SkipInline();
    return cursor_.Expect(']', "after an index");
  }
  // A literal, or the index of an existing element in brackets.
  bool Item(Kind kind, ArrayEditStep* step) {
    step->kind = kind;
    if (cursor_.Peek() != '[') return read_element_(&step->literal);
    return Index(&step->source.emplace());
  }
  bool Place(Kind kind, const char* preposition, ArrayEditStep* step) {
    if (!Item(kind, step)) return false;
    cursor_.SkipInline();
    if (!Word(preposition)) return cursor_.Fail(std::string("expected the keyword ") + preposition);
    if (!Index(&step->index)) return false;
    if (kind == Kind::kInsert && step->index == 0) step->kind = Kind::kPrepend;
    return true;
  }
  bool Size(Kind kind, ArrayEditStep* step) {
    step->kind = kind;
    const char* at = cursor_.position();
    if (!Integer(&step->size)) return false;
    if (step->size < 0) cursor_.Warn(at, "the size is negative; the step is ignored");
    if (kind == Kind::kMaxSize) return true;
    const char* behind = cursor_.position();
    cursor_.SkipInline();
    if (Word("fill")) return read_element_(&step->literal);
    cursor_.MoveTo(behind);
    return true;
  }

  TextCursor& cursor_;
  const std::function<bool(Value*)>& read_element_;
};

}  // namespace

bool ReadArrayEditSteps(TextCursor& cursor, const std::function<bool(Value*)>& read_element,
                        std::vector<ArrayEditStep>* steps) {
  if (!cursor.Expect('[', "to open an array edit")) return false;
  StepReader reader(cursor, read_element);
  return ParseStatements(cursor, ']', [&] {
    if (!reader.Read(&steps->emplace_back())) return false;
    if (steps->back().size < 0) steps->pop_back();
    return true;
  });
}

}  // namespace stagedoor::usda
