#include "server/testing/message_fuzzer.h"

#include <google/protobuf/descriptor.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>

namespace stagedoor::server {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr int kMaxDepth = 5;
constexpr int kLongTextBytes = 1 << 20;
constexpr int kMaxLongTexts = 80;  // in a message

MessageFuzzer::Source RandomNumbers(unsigned seed) {
  return [random = std::mt19937(seed)](uint32_t below) mutable {
    return static_cast<uint32_t>(random()) % below;
  };
}

}  // namespace

MessageFuzzer::MessageFuzzer(std::vector<std::string> words, unsigned seed)
    : MessageFuzzer(std::move(words), RandomNumbers(seed)) {}

double MessageFuzzer::Number() {
  static constexpr double kNumbers[] = {0,
                                        1,
                                        -1,
                                        12.5,
                                        1e300,
                                        -1e300,
                                        5e-324,
                                        1e18,
                                        std::numeric_limits<double>::infinity(),
                                        -std::numeric_limits<double>::infinity(),
                                        std::numeric_limits<double>::quiet_NaN()};
  if (Below(2) == 0) return static_cast<double>(Below(100));
  return kNumbers[Below(std::size(kNumbers))];
}

int64_t MessageFuzzer::Integer() {
  static constexpr int64_t kIntegers[] = {
      0, 1, 2, 100, -1, -2, 1 << 20, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, UINT32_MAX};
  if (Below(2) == 0) return Below(12);
  return kIntegers[Below(std::size(kIntegers))];
}

std::string MessageFuzzer::Text(const FieldDescriptor* field) {
  if (field->name() == "handle" && !handle_.empty() && !OneIn(10)) return handle_;
  const bool bytes = field->type() == FieldDescriptor::TYPE_BYTES;
  const auto known = words_of_field_.find(field->name());
  if (known != words_of_field_.end() && !OneIn(4)) {
    return known->second[Below(static_cast<uint32_t>(known->second.size()))];
  }
  if (bytes || OneIn(20)) {
    std::string text(Below(64), '\0');
    for (char& c : text) c = static_cast<char>(bytes ? Below(256) : 32 + Below(95));
    return text;
  }
  if (OneIn(256) && long_texts_left_-- > 0) return std::string(kLongTextBytes, '/');
  return words_[Below(static_cast<uint32_t>(words_.size()))];
}

void MessageFuzzer::Fill(Message* message, int depth) {
  if (depth == 0) long_texts_left_ = kMaxLongTexts;
  const auto* descriptor = message->GetDescriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* field = descriptor->field(i);
    const bool stage = field->name() == "stage" || field->name() == "handle";
    if (!stage && Below(2) == 0) continue;
    if (field->message_type() != nullptr && depth >= kMaxDepth) continue;
    const unsigned count = !field->is_repeated() ? 1 : OneIn(50) ? Below(5000) : Below(4);
    for (unsigned n = 0; n < count; ++n) FillField(message, field, depth);
  }
}

void MessageFuzzer::FillField(Message* message, const FieldDescriptor* field, int depth) {
  const Reflection* reflection = message->GetReflection();
  const bool many = field->is_repeated();
#define SET(Type, value)                               \
  (many ? reflection->Add##Type(message, field, value) \
        : reflection->Set##Type(message, field, value))
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return SET(Int32, static_cast<int32_t>(Integer()));
    case FieldDescriptor::CPPTYPE_INT64:
      return SET(Int64, Integer());
    case FieldDescriptor::CPPTYPE_UINT32:
      return SET(UInt32, static_cast<uint32_t>(Integer()));
    case FieldDescriptor::CPPTYPE_UINT64:
      return SET(UInt64, static_cast<uint64_t>(Integer()));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return SET(Double, Number());
    case FieldDescriptor::CPPTYPE_FLOAT:
      return SET(Float, static_cast<float>(Number()));
    case FieldDescriptor::CPPTYPE_BOOL:
      return SET(Bool, Below(2) == 1);
    case FieldDescriptor::CPPTYPE_ENUM:
      return SET(EnumValue, OneIn(8) ? static_cast<int>(Integer()) : static_cast<int>(Below(6)));
    case FieldDescriptor::CPPTYPE_STRING:
      return SET(String, Text(field));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return Fill(many ? reflection->AddMessage(message, field)
                       : reflection->MutableMessage(message, field),
                  depth + 1);
  }
#undef SET
}

void MessageFuzzer::Mutate(Message* message, int depth) {
  if (depth == 0) long_texts_left_ = kMaxLongTexts;
  const auto* descriptor = message->GetDescriptor();
  if (descriptor->field_count() == 0) return;
  const FieldDescriptor* field =
      descriptor->field(static_cast<int>(Below(static_cast<uint32_t>(descriptor->field_count()))));
  const Reflection* reflection = message->GetReflection();
  const bool is_message = field->message_type() != nullptr;
  const int size = field->is_repeated() ? reflection->FieldSize(*message, field) : 0;
  if (is_message && size > 0 && !OneIn(4)) {
    const int element = static_cast<int>(Below(static_cast<uint32_t>(size)));
    return Mutate(reflection->MutableRepeatedMessage(message, field, element), depth + 1);
  }
  if (is_message && size == 0 && !field->is_repeated() && reflection->HasField(*message, field) &&
      !OneIn(4)) {
    return Mutate(reflection->MutableMessage(message, field), depth + 1);
  }
  if (OneIn(4)) return reflection->ClearField(message, field);
  FillField(message, field, depth);
}

std::string MessageFuzzer::Corrupt(std::string bytes) {
  if (bytes.empty()) return bytes;
  const size_t at = Below(static_cast<uint32_t>(bytes.size()));
  switch (Below(3)) {
    case 0:
      bytes.resize(at);
      return bytes;
    case 1:
      bytes[at] = static_cast<char>(Below(256));
      return bytes;
    default:
      return bytes + bytes.substr(at);
  }
}

}  // namespace stagedoor::server
