#include "server/upstream/reply_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "base/testing/temp_dir.h"

namespace stagedoor::server {
namespace {

namespace fs = std::filesystem;

grpc::ByteBuffer Message(const std::string& text) {
  const grpc::Slice slice(text);
  return {&slice, 1};
}

std::string TextOf(const grpc::ByteBuffer& message) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(message.Dump(&slices).ok());
  std::string text;
  for (const grpc::Slice& slice : slices) {
    text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return text;
}

std::string Key(char c) { return std::string(32, c); }

class ReplyFilesTest : public ::testing::Test {
 protected:
  void Open(size_t max_bytes = 1 << 20) {
    files_ = nullptr;
    auto files = ReplyFiles::Open(folder_.path(), max_bytes);
    ASSERT_TRUE(files.ok()) << files.status();
    files_ = *std::move(files);
  }
  std::string PathOf(const std::string& key) const {
    const std::string name = absl::BytesToHexString(key);
    return folder_.path() + "/" + name.substr(0, 2) + "/" + name;
  }

  TempDir folder_;
  std::unique_ptr<ReplyFiles> files_;
};

TEST_F(ReplyFilesTest, RepliesAreThereAfterARestart) {
  Open();
  EXPECT_TRUE(files_->Write(Key('a'), {Message("one"), Message(""), Message("three")}).ok());
  EXPECT_FALSE(files_->Has(Key('b')));
  Open();
  ASSERT_TRUE(files_->Has(Key('a')));
  const auto messages = files_->Read(Key('a'));
  ASSERT_TRUE(messages.ok()) << messages.status();
  ASSERT_EQ(messages->size(), 3u);
  EXPECT_EQ(TextOf((*messages)[0]), "one");
  EXPECT_EQ(TextOf((*messages)[1]), "");
  EXPECT_EQ(TextOf((*messages)[2]), "three");
  EXPECT_EQ(files_->Read(Key('b')).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ReplyFilesTest, OtherDirectoriesAreLeftAlone) {
  const std::string other = folder_.path() + "/arrays/aa";
  fs::create_directories(other);
  std::ofstream(other + "/" + absl::BytesToHexString(Key('a'))) << "not a reply";
  std::ofstream(other + "/x.new") << "not of a reply";
  Open();
  EXPECT_EQ(files_->size(), 0u);
  EXPECT_TRUE(fs::exists(other + "/x.new"));
}

TEST_F(ReplyFilesTest, EachDamageIsFound) {
  Open();
  ASSERT_TRUE(files_->Write(Key('a'), {Message("one"), Message("two")}).ok());
  std::string content;
  {
    std::ifstream in(PathOf(Key('a')), std::ios::binary);
    content.assign(std::istreambuf_iterator<char>(in), {});
  }
  for (size_t i = 0; i < content.size(); ++i) {
    std::string damaged = content;
    damaged[i] ^= 1;
    std::ofstream(PathOf(Key('a')), std::ios::binary) << damaged;
    Open();
    EXPECT_EQ(files_->Read(Key('a')).status().code(), absl::StatusCode::kDataLoss) << i;
    EXPECT_FALSE(files_->Has(Key('a'))) << i;
    EXPECT_FALSE(fs::exists(PathOf(Key('a')))) << i;
  }
  for (size_t size = 0; size < content.size(); ++size) {
    std::ofstream(PathOf(Key('a')), std::ios::binary) << content.substr(0, size);
    Open();
    EXPECT_FALSE(files_->Read(Key('a')).ok()) << size;
  }
}

TEST_F(ReplyFilesTest, TheLeastRecentlyUsedAreEvicted) {
  Open(1000);
  for (const char c : {'a', 'b', 'c'}) {
    ASSERT_TRUE(files_->Write(Key(c), {Message(std::string(240, c))}).ok());
  }
  EXPECT_TRUE(files_->Read(Key('a')).ok());
  ASSERT_TRUE(files_->Write(Key('d'), {Message(std::string(240, 'd'))}).ok());
  EXPECT_FALSE(files_->Has(Key('b')));
  EXPECT_FALSE(fs::exists(PathOf(Key('b'))));
  EXPECT_TRUE(files_->Has(Key('a')));
  EXPECT_LE(files_->bytes(), 1000u);
  EXPECT_TRUE(files_->Write(Key('e'), {Message(std::string(251, 'e'))}).ok());
  EXPECT_FALSE(files_->Has(Key('e'))) << "more than a quarter of the budget";
}

TEST_F(ReplyFilesTest, WhatWasNotCompletedIsRemoved) {
  Open();
  ASSERT_TRUE(files_->Write(Key('a'), {Message("one")}).ok());
  const std::string left = PathOf(Key('a')) + "-7.new";
  std::ofstream(left) << "half";
  Open();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(files_->size(), 1u);
}

TEST_F(ReplyFilesTest, ADirectoryBelongsToOneDaemon) {
  Open();
  EXPECT_EQ(ReplyFiles::Open(folder_.path(), 1000).status().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace stagedoor::server
