#include "client/cli/value_text.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "base/strings.h"
#include "client/cli/value_json.h"

namespace stagedoor {

std::string ValueText(const v1::Value& value, JsonWriter& json) {
  if (value.kind_case() == v1::Value::KIND_NOT_SET) return "none";
  if (value.has_block()) return "blocked";
  WriteValue(value, json);
  return json.Take();
}

Cell ValueCell(const v1::Value& value, const std::string& text) {
  return StateWord(value) == "value" ? Cell::Json(text) : Cell();
}

std::string_view StateWord(const v1::Value& value) {
  if (value.kind_case() == v1::Value::KIND_NOT_SET) return "none";
  return value.has_block() ? "blocked" : "value";
}

std::string TimeText(const v1::TimeCode& time) {
  switch (time.kind_case()) {
    case v1::TimeCode::kDefaultTime:
      return "default";
    case v1::TimeCode::kEarliest:
      return "earliest";
    case v1::TimeCode::kPreTime:
      return Concat("pre:", FormatNumber(time.pre_time()));
    case v1::TimeCode::kNumeric:
      return FormatNumber(time.numeric());
    case v1::TimeCode::KIND_NOT_SET:
      break;
  }
  return "unknown time";
}

Cell TimeCell(const v1::TimeCode& time) {
  return time.has_numeric() ? Cell(time.numeric()) : Cell(TimeText(time));
}

std::string_view SourceWord(v1::ValueSource source) {
  switch (source) {
    case v1::VALUE_SOURCE_FALLBACK:
      return "fallback";
    case v1::VALUE_SOURCE_DEFAULT:
      return "default";
    case v1::VALUE_SOURCE_TIME_SAMPLES:
      return "time samples";
    case v1::VALUE_SOURCE_VALUE_CLIPS:
      return "value clips";
    case v1::VALUE_SOURCE_SPLINE:
      return "spline";
    default:
      return "nothing";
  }
}

std::string JoinFirst(std::vector<std::string> texts, size_t most) {
  const size_t more = texts.size() - std::min(texts.size(), most);
  texts.resize(texts.size() - more);
  return Concat(Join(texts, ", "), more == 0 ? "" : Concat(" and ", more, " more"));
}

std::string PrimFlagWords(const v1::Prim& prim) {
  const std::pair<bool, const char*> flags[] = {{prim.inactive(), "inactive"},
                                                {prim.unloaded(), "unloaded"},
                                                {prim.instance(), "instance"},
                                                {prim.abstract(), "class"},
                                                {prim.undefined(), "over"}};
  std::string words;
  for (const auto& [set, word] : flags) {
    if (set) words.append(words.empty() ? "" : " ").append(word);
  }
  return words;
}

void PrintWarnings(const google::protobuf::RepeatedPtrField<v1::Warning>& warnings,
                   Output& output) {
  output.problems().warnings += static_cast<size_t>(warnings.size());
  for (const v1::Warning& warning : warnings) {
    std::fprintf(stderr, "stagedoor: warning: %s\n", Quoted(warning.message(), 2000).c_str());
  }
}

}  // namespace stagedoor
