#include "server/query_socket/testing/frame_receiver.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace stagedoor::server {

std::vector<v1::Answer> FrameReceiver::ReceiveAnswers(size_t count) {
  std::vector<v1::Answer> answers;
  while (answers.size() < count) {
    const auto frame = Receive();
    if (!frame.has_value()) break;
    if (frame->has_answer()) answers.push_back(frame->answer());
  }
  EXPECT_EQ(answers.size(), count);
  std::sort(answers.begin(), answers.end(), [](const v1::Answer& a, const v1::Answer& b) {
    return a.request_id() < b.request_id();
  });
  return answers;
}

std::string FrameReceiver::Farewell() {
  std::string reason = "no Goodbye";
  while (const auto frame = Receive()) {
    if (frame->has_goodbye()) reason = frame->goodbye().reason().message();
  }
  return reason;
}

}  // namespace stagedoor::server
