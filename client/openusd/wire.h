#ifndef STAGEDOOR_CLIENT_OPENUSD_WIRE_H_
#define STAGEDOOR_CLIENT_OPENUSD_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stagedoor::openusd {

// Reads the fields of a serialized protobuf message, one after another:
//
//   for (WireReader prim(bytes); prim.Next();) {
//     if (prim.field() == wire::Prim::kPath) path = prim.Bytes();
//   }
//
// Refers to the bytes that it reads. Malformed bytes end the message. Not thread-safe.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  // Advances to the next field; false at the end.
  bool Next();
  uint32_t field() const { return field_; }
  // The value of the field as what it is declared to be; 0 or "" if it was written as another.
  uint64_t Number() const { return number_; }
  int64_t Signed() const { return static_cast<int64_t>(number_); }
  bool Bool() const { return number_ != 0; }
  double Double() const;
  float Float() const;
  std::string_view Bytes() const { return bytes_; }
  std::string Text() const { return std::string(bytes_); }
  // A message.
  WireReader Message() const { return WireReader(bytes_); }

 private:
  bool Varint(uint64_t* value);
  bool Fixed(size_t size);

  std::string_view rest_;
  uint32_t field_ = 0;
  uint64_t number_ = 0;
  std::string_view bytes_;
};

// Writes a protobuf message. Not thread-safe.
class WireWriter {
 public:
  void Number(uint32_t field, uint64_t value);
  void Double(uint32_t field, double value);
  void Bytes(uint32_t field, std::string_view bytes);
  void Message(uint32_t field, const WireWriter& message) { Bytes(field, message.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void Varint(uint64_t value);

  std::string bytes_;
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_WIRE_H_
