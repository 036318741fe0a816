#ifndef STAGEDOOR_CLIENT_CLI_JSON_WRITER_H_
#define STAGEDOOR_CLIENT_CLI_JSON_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stagedoor {

// The decimal form of a number: the shortest that reads back as the same double (or float), whole
// numbers below 1e15 without a fraction, infinities and nan as "inf", "-inf", "nan" (without
// quotes).
std::string FormatNumber(double value);
std::string FormatNumber(float value);

// Builds JSON text piece by piece; commas come by themselves. The caller keeps brackets balanced.
class JsonWriter {
 public:
  void BeginObject() { Open('{'); }
  void EndObject() { Close('}'); }
  void BeginArray() { Open('['); }
  void EndArray() { Close(']'); }
  void Key(std::string_view key);

  void String(std::string_view text);
  void Bool(bool value) { Raw(value ? "true" : "false"); }
  void Null() { Raw("null"); }
  void Int(int64_t value);
  void UInt(uint64_t value);
  // Infinities and nan become strings.
  void Number(double value);
  void Number(float value);
  // An array of numbers (float, double, integers) that lie one behind the other, at any address.
  template <typename T>
  void Numbers(const char* data, size_t count);

  // Whether of long arrays only the length, a digest and the ends are written; WriteValue heeds it.
  bool summarizes_arrays() const { return summarizes_arrays_; }
  void set_summarizes_arrays(bool summarizes) { summarizes_arrays_ = summarizes; }

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  // The text so far, after which the writer is as new, but for set_summarizes_arrays.
  std::string Take();

 private:
  void Open(char bracket);
  void Close(char bracket);
  void Raw(std::string_view text);
  void Separate();
  template <typename T>
  void Put(T value);

  std::string text_;
  bool comma_ = false;  // a value precedes at this level
  bool summarizes_arrays_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_JSON_WRITER_H_
