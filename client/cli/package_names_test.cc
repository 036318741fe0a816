#include "client/cli/package_names.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "base/status.h"

namespace stagedoor {
namespace {

std::string Number(size_t n, int size) {
  std::string bytes;
  for (int i = 0; i < size; ++i) bytes += static_cast<char>(n >> (8 * i));
  return bytes;
}

// A zip archive with stored, empty members; what is odd about it can be set.
struct Zip {
  struct Member {
    std::string name;
    std::string extra, comment;  // of the directory's entry
  };
  std::vector<Member> members;
  std::string comment;  // behind everything
  int count_more = 0;   // what the directory says beyond the number of members
  int size_more = 0;
  int offset_more = 0;

  std::string Bytes() const {
    std::string locals, directory;
    for (const Member& member : members) {
      directory += "PK\x01\x02" + std::string(24, '\0') + Number(member.name.size(), 2) +
                   Number(member.extra.size(), 2) + Number(member.comment.size(), 2) +
                   std::string(8, '\0') + Number(locals.size(), 4) + member.name + member.extra +
                   member.comment;
      locals += "PK\x03\x04" + std::string(22, '\0') + Number(member.name.size(), 2) +
                Number(0, 2) + member.name;
    }
    const size_t count = members.size() + static_cast<size_t>(count_more);
    return locals + directory + "PK\x05\x06" + std::string(4, '\0') + Number(count, 2) +
           Number(count, 2) + Number(directory.size() + static_cast<size_t>(size_more), 4) +
           Number(locals.size() + static_cast<size_t>(offset_more), 4) + Number(comment.size(), 2) +
           comment;
  }
};

// What is wrong with a package; empty: nothing.
std::string Error(const std::string& bytes) {
  const std::string path = ::testing::TempDir() + "/package_names.usdz";
  std::ofstream(path, std::ios::binary) << bytes;
  const int fd = ::open(path.c_str(), O_RDONLY);
  const absl::Status status = CheckPackageNames(fd);
  ::close(fd);
  return status.ok() ? "" : std::string(Message(status));
}

TEST(PackageNamesTest, TakesPackagesOfAnyNumberOfMembers) {
  EXPECT_EQ(Error(Zip{}.Bytes()), "");
  EXPECT_EQ(Error(Zip{{{"a.usda"}}}.Bytes()), "");
  EXPECT_EQ(Error(Zip{{{"a.usda"}, {"b/c.png"}, {"b/d.png"}}}.Bytes()), "");
}

TEST(PackageNamesTest, EntriesMayHaveExtraFieldsAndComments) {
  EXPECT_EQ(
      Error(Zip{{{"a", std::string(300, 'e')}, {"b", "", std::string(513, 'c')}, {"c"}}}.Bytes()),
      "");
}

TEST(PackageNamesTest, FindsTheDirectoryBeforeTheLongestComment) {
  Zip zip{{{"a"}}};
  for (const size_t size : {1, 300, 65535}) {
    zip.comment = std::string(size, 'c');
    EXPECT_EQ(Error(zip.Bytes()), "") << size;
  }
  zip.comment = std::string(65536, 'c');
  EXPECT_EQ(Error(zip.Bytes()), "what the daemon sent is no package: it has no directory");
}

TEST(PackageNamesTest, RefusesTwoMembersOfOneName) {
  EXPECT_EQ(Error(Zip{{{"a"}, {"b"}, {"a"}}}.Bytes()), "refusing a package with two members 'a'");
}

TEST(PackageNamesTest, EachMemberIsChecked) {
  EXPECT_EQ(Error(Zip{{{"a"}, {"../b"}}}.Bytes()),
            "refusing to write '../b', as the daemon calls it: it leads out of its folder");
}

TEST(PackageNamesTest, SaysWhatIsDamaged) {
  const std::string two = Zip{{{"first"}, {"second"}}}.Bytes();
  const auto changed = [&](const std::string& what, const std::string& by) {
    std::string bytes = two;
    bytes.replace(bytes.find(what), what.size(), by);
    return Error(bytes);
  };
  Zip zip{{{"a"}, {"b"}}};
  const auto with = [&](int Zip::*member, int value) {
    Zip odd = zip;
    odd.*member = value;
    return Error(odd.Bytes());
  };
  const std::string begin = "what the daemon sent is no package: ";
  EXPECT_EQ(Error(""), begin + "it is too short");
  EXPECT_EQ(Error(Zip{}.Bytes().substr(0, 21)), begin + "it is too short");
  EXPECT_EQ(Error(std::string(22, '\0')), begin + "it has no directory");
  EXPECT_EQ(with(&Zip::count_more, 1), begin + "its directory is damaged");
  EXPECT_EQ(with(&Zip::count_more, -1), begin + "its directory has more members than it says");
  EXPECT_EQ(with(&Zip::size_more, -1), begin + "its directory is damaged") << "the last is cut";
  EXPECT_EQ(with(&Zip::offset_more, 1), begin + "its directory is damaged");
  EXPECT_EQ(with(&Zip::offset_more, 1000), begin + "its directory is cut off");
  EXPECT_EQ(changed("PK\x03\x04", "PK\x03\x05"),
            begin + "a member is not where the directory says");
  EXPECT_EQ(changed("first", "f1rst"), begin + "a member has two names");
  EXPECT_EQ(changed("second", "s2cond"), begin + "a member has two names");
}

// The name in the directory begins with the name at the member, but is longer.
TEST(PackageNamesTest, ALongerNameIsAnother) {
  std::string bytes = Zip{{{"ab"}}}.Bytes();
  bytes[26] = 1;
  EXPECT_EQ(Error(bytes), "what the daemon sent is no package: a member has two names");
}

// A directory may reach up to the last byte of the file, but no further.
TEST(PackageNamesTest, ADirectoryEndsWithinTheFile) {
  const std::string bytes = Zip{}.Bytes();
  const auto with_length = [&](size_t length) {
    return Error(bytes.substr(0, 12) + Number(length, 4) + bytes.substr(16));
  };
  EXPECT_EQ(with_length(22),
            "what the daemon sent is no package: its directory has more members than it says");
  EXPECT_EQ(with_length(23), "what the daemon sent is no package: its directory is cut off");
}

}  // namespace
}  // namespace stagedoor
