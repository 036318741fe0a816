#include "tests/hostile/message_fuzzer.h"

#include <google/protobuf/descriptor.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace stagedoor {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr int kMaxDepth = 5;

}  // namespace

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
  if (OneIn(2)) return static_cast<double>(Below(100));
  return kNumbers[Below(std::size(kNumbers))];
}

int64_t MessageFuzzer::Integer() {
  static constexpr int64_t kIntegers[] = {
      0, 1, 2, 100, -1, -2, 1 << 20, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, UINT32_MAX};
  if (OneIn(2)) return Below(12);
  return kIntegers[Below(std::size(kIntegers))];
}

std::string MessageFuzzer::Text(const FieldDescriptor* field) {
  if (field->name() == "handle" && !handle_.empty() && !OneIn(10)) return handle_;
  if (field->type() == FieldDescriptor::TYPE_BYTES || OneIn(20)) {
    std::string text(Below(64), '\0');
    for (char& c : text)
      c = static_cast<char>(field->type() == FieldDescriptor::TYPE_BYTES ? random_()
                                                                         : 32 + Below(95));
    return text;
  }
  if (OneIn(500)) return std::string(1 << 20, '/');
  return words_[Below(static_cast<unsigned>(words_.size()))];
}

void MessageFuzzer::Fill(Message* message, int depth) {
  const auto* descriptor = message->GetDescriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor* field = descriptor->field(i);
    const bool stage = field->name() == "stage" || field->name() == "handle";
    if (!stage && OneIn(2)) continue;
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
      return SET(Bool, OneIn(2));
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

std::string MessageFuzzer::Corrupt(std::string bytes) {
  if (bytes.empty()) return bytes;
  const size_t at = random_() % bytes.size();
  switch (Below(3)) {
    case 0:
      bytes.resize(at);
      return bytes;
    case 1:
      bytes[at] = static_cast<char>(random_());
      return bytes;
    default:
      return bytes + bytes.substr(at);
  }
}

}  // namespace stagedoor
