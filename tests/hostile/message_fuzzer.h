#ifndef STAGEDOOR_TESTS_HOSTILE_MESSAGE_FUZZER_H_
#define STAGEDOOR_TESTS_HOSTILE_MESSAGE_FUZZER_H_

#include <google/protobuf/message.h>

#include <random>
#include <string>
#include <vector>

namespace stagedoor {

// Fills messages of any type with what a hostile client might send: extreme numbers, unknown enum
// values, long lists, and both meaningful and meaningless strings. Not thread-safe.
class MessageFuzzer {
 public:
  // `words` are used for most strings: paths, identifiers, times.
  MessageFuzzer(std::vector<std::string> words, unsigned seed)
      : words_(std::move(words)), random_(seed) {}

  // The stage handle to put into most fields of that name; empty if there is none yet.
  void SetHandle(std::string handle) { handle_ = std::move(handle); }

  void Fill(google::protobuf::Message* message, int depth = 0);

  // Truncates the message, changes a byte or repeats some bytes.
  std::string Corrupt(std::string bytes);

  // True with a probability of one in `n`.
  bool OneIn(unsigned n) { return random_() % n == 0; }
  unsigned Below(unsigned n) { return random_() % n; }

 private:
  void FillField(google::protobuf::Message* message, const google::protobuf::FieldDescriptor* field,
                 int depth);
  std::string Text(const google::protobuf::FieldDescriptor* field);
  double Number();
  int64_t Integer();

  const std::vector<std::string> words_;
  std::mt19937 random_;
  std::string handle_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_TESTS_HOSTILE_MESSAGE_FUZZER_H_
