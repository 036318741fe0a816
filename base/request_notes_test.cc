#include "base/request_notes.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>

namespace stagedoor {
namespace {

TEST(RequestNotesTest, KeepsTheEndOfALongSubject) {
  RequestNotes notes;
  EXPECT_EQ(notes.subject(), "");
  notes.SetSubject(std::string(100, 'x') + std::string(200, 'y'));
  EXPECT_EQ(notes.subject(), "…" + std::string(200, 'y'));
  notes.SetSubject(std::string(200, 'z'));
  EXPECT_EQ(notes.subject(), std::string(200, 'z'));
}

TEST(RequestNotesTest, RecordsThatClipsWereReadForTheCurrentRequest) {
  RequestNotes::NoteClipsOfCurrent();
  RequestNotes notes;
  EXPECT_FALSE(notes.reads_clips());
  const RequestScope::Guard guard(RequestScope::Current().WithNotes(&notes));
  RequestNotes::NoteClipsOfCurrent();
  EXPECT_TRUE(notes.reads_clips());
}

TEST(RequestNotesTest, OtherThreadsReadTheSubject) {
  RequestNotes notes;
  std::thread writer([&] {
    for (int i = 0; i < 10000; ++i) notes.SetSubject(std::string(i % 2 == 0 ? 100 : 50, 'x'));
  });
  for (int i = 0; i < 10000; ++i) {
    const std::string subject = notes.subject();
    EXPECT_TRUE(subject.empty() || subject.size() == 100 || subject.size() == 50);
  }
  writer.join();
}

}  // namespace
}  // namespace stagedoor
