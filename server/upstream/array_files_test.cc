#include "server/upstream/array_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

#include "base/testing/temp_dir.h"

namespace stagedoor::server {
namespace {

class ArrayFilesTest : public ::testing::Test {
 protected:
  ArrayFilesTest() { Open(); }

  void Open() {
    files_ = nullptr;
    auto files = ArrayFiles::Open(folder_.path(), 1 << 20);
    ASSERT_TRUE(files.ok()) << files.status();
    files_ = *std::move(files);
  }
  static std::string Name(char c) { return std::string(32, c); }
  static ArrayStore::Array Array(const std::string& bytes) {
    return std::make_shared<const ArrayStore::KeptArray>(
        ArrayStore::KeptArray{bytes, Reservation()});
  }

  TempDir folder_;
  std::unique_ptr<ArrayFiles> files_;
};

TEST_F(ArrayFilesTest, ArraysAreThereAfterARestart) {
  ASSERT_TRUE(files_->Write(Name('k'), {{Name('a'), Array("one")}, {Name('b'), Array("")}}).ok());
  Open();
  ASSERT_TRUE(files_->Has(Name('k')));
  auto arrays = files_->Read(Name('k'));
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  std::sort(arrays->begin(), arrays->end());
  EXPECT_EQ(*arrays, (ArrayFiles::Arrays{{Name('a'), "one"}, {Name('b'), ""}}));
  EXPECT_EQ(files_->Read(Name('x')).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ArrayFilesTest, TheArraysOfAKindAreReplaced) {
  ASSERT_TRUE(files_->Write(Name('k'), {{Name('a'), Array("one")}}).ok());
  ASSERT_TRUE(files_->Write(Name('k'), {{Name('b'), Array("two")}}).ok());
  const auto arrays = files_->Read(Name('k'));
  ASSERT_TRUE(arrays.ok()) << arrays.status();
  EXPECT_EQ(*arrays, (ArrayFiles::Arrays{{Name('b'), "two"}}));
  EXPECT_EQ(files_->size(), 1u);
  ASSERT_TRUE(files_->Write(Name('k'), {}).ok());
  EXPECT_FALSE(files_->Has(Name('k')));
}

TEST_F(ArrayFilesTest, ADamagedFileIsRemoved) {
  ASSERT_TRUE(files_->Write(Name('k'), {{Name('a'), Array("one")}}).ok());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
    if (entry.is_regular_file() && entry.file_size() > 0) {
      std::filesystem::resize_file(entry.path(), entry.file_size() - 1);
    }
  }
  EXPECT_EQ(files_->Read(Name('k')).status().code(), absl::StatusCode::kDataLoss);
  EXPECT_FALSE(files_->Has(Name('k')));
}

}  // namespace
}  // namespace stagedoor::server
