#include "scene/usda/value_parts.h"

#include <utility>

namespace stagedoor::usda {

bool ValueParts::Read() {
  if (!ReadItem(/*in_list=*/true)) return false;
  if (wrong_at_) cursor_.Warn(wrong_at_, std::move(wrong_));
  return true;
}

size_t ValueParts::ElementCount() const {
  size_t count = 1;
  for (const size_t length : lengths_) {
    // More elements than parts cannot be read.
    if (__builtin_mul_overflow(count, length, &count)) count = ~size_t{0};
  }
  return count;
}

bool ValueParts::ReadItem(bool in_list) {
  if (cursor_.Peek() == '(') return ReadCompound('(');
  if (in_list && cursor_.Peek() == '[') return ReadCompound('[');
  return ReadPart();
}

bool ValueParts::ReadCompound(char open) {
  const NestingGuard nesting(context_);
  const char* const at = cursor_.position();
  if (!nesting.ok() || !cursor_.Take(open)) return false;
  const bool list = open == '[';
  list ? BeginList() : BeginTuple(at);
  const char close = list ? ']' : ')';
  if (!ParseList(cursor_, close, /*may_be_empty=*/false, [&] { return ReadItem(list); })) {
    return false;
  }
  list ? EndList(at) : EndTuple(at);
  return true;
}

bool ValueParts::ReadPart() {
  const TextCursor::Mark mark = cursor_.mark();
  Number number;
  if (!cursor_.TakeNumber(&number)) {
    std::string text;
    if (cursor_.failed()) return false;
    if (cursor_.AtQuote()) {
      if (!cursor_.TakeString(&text)) return false;
    } else if (cursor_.Peek() == '@') {
      if (!cursor_.TakeAsset(&text)) return false;
      cursor_.DropWarnings(mark);  // reported again if the part belongs to the value
    } else if (cursor_.TakePlainIdentifier().empty()) {
      return cursor_.Fail("expected a value");
    }
  }
  if (cursor_.failed()) return false;
  parts_.push_back(mark.at);
  CountPart(mark.at);
  return true;
}

void ValueParts::BeginList() {
  if (static_cast<size_t>(++depth_) <= lengths_.size()) return;
  lengths_.push_back(0);
  counts_.push_back(0);
}

void ValueParts::EndList(const char* at) {
  size_t& length = lengths_[depth_ - 1];
  size_t& count = counts_[depth_ - 1];
  // As in OpenUSD, a list that does not fit stays open: what follows belongs to it.
  if (count == 0 && length == 0) return Report(at, "the list has no valid elements");
  if (length != 0 && length != count) return Report(at, "nested lists have different lengths");
  length = std::exchange(count, 0);
  --depth_;
  CountElement();
}

void ValueParts::CountElement() {
  if (depth_ > 0) ++counts_[depth_ - 1];
}

void ValueParts::BeginTuple(const char* at) {
  if (tuple_depth_ == tuple_.depth) return Report(at, "tuples are nested too deeply for the type");
  ++tuple_depth_;
}

void ValueParts::EndTuple(const char* at) {
  if (tuple_depth_ == 0) return;  // reported where it begins
  const size_t count = std::exchange(tuple_counts_[--tuple_depth_], 0);
  if (count != tuple_.length) {
    return Report(at, "the tuple has length " + std::to_string(count) + " instead of " +
                          std::to_string(tuple_.length));
  }
  if (tuple_depth_ != 0) {
    ++tuple_counts_[tuple_depth_ - 1];
  } else {
    CountElement();
  }
}

void ValueParts::CountPart(const char* at) {
  if (element_depth_ < 0) element_depth_ = depth_;
  if (depth_ != element_depth_)
    return Report(at, "elements are nested in lists of different depth");
  if (tuple_depth_ == 0) {
    CountElement();
  } else if (tuple_depth_ == tuple_.depth) {
    ++tuple_counts_[tuple_depth_ - 1];
  }
}

void ValueParts::Report(const char* at, std::string message) {
  if (wrong_at_) return;
  wrong_at_ = at;
  wrong_ = std::move(message);
}

}  // namespace stagedoor::usda
