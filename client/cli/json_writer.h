#ifndef STAGEDOOR_CLIENT_CLI_JSON_WRITER_H_
#define STAGEDOOR_CLIENT_CLI_JSON_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace stagedoor {

// The decimal form of a number: the shortest one that reads back as the same double (or float).
// Whole numbers below 1e15 have no fraction; infinities and nan are "inf", "-inf" and "nan"
// (without quotes).
std::string FormatNumber(double value);
std::string FormatNumber(float value);

// Builds JSON text piece by piece and inserts the commas. The caller must balance the brackets. Not
// thread-safe.
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
  // Writes a value that is JSON text already.
  void Json(std::string_view json) { Raw(json); }
  // Writes `count` contiguous numbers (float, double or integers) as an array; `data` need not be
  // aligned.
  template <typename T>
  void Numbers(const char* data, size_t count);

  // Whether WriteValue reduces long arrays to their length, a digest and the elements at both ends.
  bool summarizes_arrays() const { return summarizes_arrays_; }
  void set_summarizes_arrays(bool summarizes) { summarizes_arrays_ = summarizes; }

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  // Returns the text so far and resets the writer, except for summarizes_arrays().
  std::string Take();

 private:
  void Open(char bracket);
  void Close(char bracket);
  void Raw(std::string_view text);
  void Separate();
  template <typename T>
  void Put(T value);

  std::string text_;
  bool comma_ = false;  // whether the next value needs a comma before it
  bool summarizes_arrays_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_JSON_WRITER_H_
