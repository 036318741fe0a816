#include "resolver/file/content_hash.h"

#include <fcntl.h>

#include <cerrno>
#include <string>

#include "base/status.h"
#include "base/testing/system_call_hook.h"
#include "base/testing/temp_dir.h"
#include "base/unique_fd.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

class ContentHashTest : public testing::Test {
 protected:
  std::string Hash(const std::string& text, HashExtent extent) {
    folder_.Write("a.bin", text);
    const UniqueFd fd(open(path_.c_str(), O_RDONLY));
    return HashFile(context_, fd.get(), path_, text.size(), extent).value();
  }

  const TempDir folder_;
  const std::string path_ = folder_ / "a.bin";
  RequestContext context_;
};

TEST_F(ContentHashTest, EachByteOfASmallFileCounts) {
  for (const size_t size : {1u, 4096u, 100'000u, 300'001u}) {
    std::string text(size, 'x');
    const std::string hash = Hash(text, ExtentFor(size));
    EXPECT_EQ(hash.size(), 32u);
    EXPECT_EQ(hash, HashOfBytes(std::as_bytes(std::span(text)), HashExtent::kWhole));
    for (const size_t at : {size_t{0}, size / 3, size / 2, size - 1}) {
      text[at] = 'y';
      EXPECT_NE(Hash(text, ExtentFor(size)), hash) << size << " at " << at;
      text[at] = 'x';
    }
  }
  EXPECT_NE(Hash("", HashExtent::kWhole), Hash("x", HashExtent::kWhole));
  EXPECT_EQ(ExtentFor(kWholeHashBytes), HashExtent::kWhole);
  EXPECT_EQ(ExtentFor(kWholeHashBytes + 1), HashExtent::kSample);
}

TEST_F(ContentHashTest, ASampleHasTheBeginningTheEndAndSomeBetween) {
  std::string text(3'000'000, 'x');
  const std::string sample = Hash(text, HashExtent::kSample);
  const std::string whole = Hash(text, HashExtent::kWhole);
  EXPECT_EQ(HashOfBytes(std::as_bytes(std::span(text)), HashExtent::kSample), sample);
  const struct {
    size_t at;
    bool sampled;
  } kCases[] = {{0, true},        {4095, true},       {5000, false},
                {97'000, true},   {2'930'000, false}, {3'000'000 - 65'536, true},
                {2'999'999, true}};
  for (const auto& c : kCases) {
    text[c.at] = 'y';
    EXPECT_EQ(Hash(text, HashExtent::kSample) != sample, c.sampled) << c.at;
    EXPECT_NE(Hash(text, HashExtent::kWhole), whole) << c.at;
    text[c.at] = 'x';
  }
}

TEST_F(ContentHashTest, NamesTheErrorAndObservesTheRequest) {
  folder_.Write("a.bin", "text");
  const UniqueFd fd(open(path_.c_str(), O_RDONLY));
  {
    const SystemCallHook interrupted("pread", Fail(EINTR, 2));
    EXPECT_TRUE(HashFile(context_, fd.get(), path_, 4, HashExtent::kWhole).ok());
  }
  {
    const SystemCallHook broken("pread", Fail(EIO));
    const auto hash = HashFile(context_, fd.get(), path_, 4, HashExtent::kWhole);
    EXPECT_EQ(Message(hash.status()),
              Concat("cannot read '", path_, "': EIO (Input/output error)"));
  }
  EXPECT_TRUE(HashFile(context_, fd.get(), path_, 400, HashExtent::kWhole).ok()) << "cut off";
  context_.Cancel();
  EXPECT_EQ(HashFile(context_, fd.get(), path_, 4, HashExtent::kWhole).status().code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace stagedoor
