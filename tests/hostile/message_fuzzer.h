#ifndef STAGEDOOR_TESTS_HOSTILE_MESSAGE_FUZZER_H_
#define STAGEDOOR_TESTS_HOSTILE_MESSAGE_FUZZER_H_

#include <google/protobuf/message.h>

#include <random>
#include <string>
#include <vector>

namespace stagedoor {

// Fills messages of any type with whatever a hostile client might send: extreme numbers, unknown
// enums, long lists, and strings that mean something to the daemon next to those that do not. Not
// thread-safe.
class MessageFuzzer {
 public:
  // `words` are tried for strings: paths, identifiers, times.
  MessageFuzzer(std::vector<std::string> words, unsigned seed)
      : words_(std::move(words)), random_(seed) {}

  // A stage handle that fields of that name shall have most of the time; empty: none yet.
  void SetHandle(std::string handle) { handle_ = std::move(handle); }

  void Fill(google::protobuf::Message* message, int depth = 0);

  // Cuts, flips or repeats some bytes.
  std::string Corrupt(std::string bytes);

  // One in `n`.
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
