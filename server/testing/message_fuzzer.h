#ifndef STAGEDOOR_SERVER_TESTING_MESSAGE_FUZZER_H_
#define STAGEDOOR_SERVER_TESTING_MESSAGE_FUZZER_H_

#include <google/protobuf/message.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace stagedoor::server {

// Fills messages of any type with what a hostile client might send: extreme numbers, unknown enum
// values, long lists, and both meaningful and meaningless strings. Not thread-safe.
class MessageFuzzer {
 public:
  // Returns a number below its argument, which is positive: random, or from a fuzzer's input. Zero
  // leads to the least work.
  using Source = std::function<uint32_t(uint32_t)>;

  // `words` are used for most strings: paths, identifiers, times.
  MessageFuzzer(std::vector<std::string> words, Source source)
      : words_(std::move(words)), source_(std::move(source)) {}
  // Uses random numbers.
  MessageFuzzer(std::vector<std::string> words, unsigned seed);

  // The stage handle to put into most fields of that name; empty if there is none yet.
  void SetHandle(std::string handle) { handle_ = std::move(handle); }
  // The words for most fields of this name.
  void SetWords(const std::string& field, std::vector<std::string> words) {
    words_of_field_[field] = std::move(words);
  }

  // The result has at most 80 long texts of 1 MiB, which is more than a daemon accepts but not more
  // than the machine of the test can hold.
  void Fill(google::protobuf::Message* message, int depth = 0);

  // Changes, adds or clears a field of the message or of a message in it.
  void Mutate(google::protobuf::Message* message, int depth = 0);

  // Truncates the message, changes a byte or repeats some bytes.
  std::string Corrupt(std::string bytes);

  // True with a probability of one in `n`.
  bool OneIn(uint32_t n) { return Below(n) == n - 1; }
  uint32_t Below(uint32_t n) { return source_(n); }

 private:
  using Field = google::protobuf::FieldDescriptor;

  // Sets the field, or adds an element to it.
  void FillField(google::protobuf::Message* message, const Field* field, int depth);
  std::string Text(const Field* field);
  double Number();
  int64_t Integer();

  const std::vector<std::string> words_;
  const Source source_;
  std::map<std::string, std::vector<std::string>> words_of_field_;
  std::string handle_;
  int long_texts_left_ = 0;  // for the current message
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_MESSAGE_FUZZER_H_
