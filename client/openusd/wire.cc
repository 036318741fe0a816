#include "wire.h"

#include <cstring>

namespace stagedoor::openusd {
namespace {

// The wire types of protobuf.
enum : uint32_t { kVarint = 0, kFixed64 = 1, kLength = 2, kFixed32 = 5 };

}  // namespace

bool WireReader::Varint(uint64_t* value) {
  *value = 0;
  for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    const uint8_t byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

bool WireReader::Fixed(size_t size) {
  if (rest_.size() < size) return false;
  std::memcpy(&number_, rest_.data(), size);
  rest_.remove_prefix(size);
  return true;
}

bool WireReader::Next() {
  uint64_t tag = 0;
  number_ = 0;
  bytes_ = {};
  if (rest_.empty() || !Varint(&tag)) return false;
  field_ = static_cast<uint32_t>(tag >> 3);
  switch (tag & 7) {
    case kVarint:
      return Varint(&number_);
    case kFixed64:
      return Fixed(8);
    case kFixed32:
      return Fixed(4);
    case kLength: {
      uint64_t size = 0;
      if (!Varint(&size) || size > rest_.size()) return false;
      bytes_ = rest_.substr(0, size);
      rest_.remove_prefix(size);
      return true;
    }
    default:
      return false;
  }
}

double WireReader::Double() const {
  double value;
  std::memcpy(&value, &number_, sizeof(value));
  return value;
}

float WireReader::Float() const {
  float value;
  std::memcpy(&value, &number_, sizeof(value));
  return value;
}

void WireWriter::Varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
  bytes_.push_back(static_cast<char>(value));
}

void WireWriter::Number(uint32_t field, uint64_t value) {
  Varint(uint64_t{field} << 3 | kVarint);
  Varint(value);
}

void WireWriter::Double(uint32_t field, double value) {
  Varint(uint64_t{field} << 3 | kFixed64);
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  bytes_.append(bytes, sizeof(value));
}

void WireWriter::Bytes(uint32_t field, std::string_view bytes) {
  Varint(uint64_t{field} << 3 | kLength);
  Varint(bytes.size());
  bytes_.append(bytes);
}

}  // namespace stagedoor::openusd
