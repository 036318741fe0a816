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

// A ZIP archive with stored, empty members, in which various irregularities can be set.
struct Zip {
  struct Member {
    std::string name;
    std::string extra, comment;  // of the entry in the central directory
  };
  std::vector<Member> members;
  std::string comment;  // at the end of the file
  // Added to the number of members, the size and the offset that the end record states.
  int count_more = 0;
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

// The error of a package; empty if it is valid.
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
  EXPECT_EQ(Error(zip.Bytes()), "the daemon sent an invalid package: it has no central directory");
}

TEST(PackageNamesTest, RefusesTwoMembersOfTheSameName) {
  EXPECT_EQ(Error(Zip{{{"a"}, {"b"}, {"a"}}}.Bytes()),
            "refusing a package with two members named 'a'");
}

TEST(PackageNamesTest, EachMemberIsChecked) {
  EXPECT_EQ(Error(Zip{{{"a"}, {"../b"}}}.Bytes()),
            "refusing to write '../b', a name sent by the daemon: "
            "the name has a '.' or '..' component");
}

TEST(PackageNamesTest, ErrorsStateWhatIsMalformed) {
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
  const std::string begin = "the daemon sent an invalid package: ";
  EXPECT_EQ(Error(""), begin + "it is too short");
  EXPECT_EQ(Error(Zip{}.Bytes().substr(0, 21)), begin + "it is too short");
  EXPECT_EQ(Error(std::string(22, '\0')), begin + "it has no central directory");
  EXPECT_EQ(with(&Zip::count_more, 1), begin + "its central directory is malformed");
  EXPECT_EQ(with(&Zip::count_more, -1),
            begin + "its central directory has more entries than it declares");
  EXPECT_EQ(with(&Zip::size_more, -1), begin + "its central directory is malformed") << "truncated";
  EXPECT_EQ(with(&Zip::offset_more, 1), begin + "its central directory is malformed");
  EXPECT_EQ(with(&Zip::offset_more, 1000), begin + "its central directory is truncated");
  EXPECT_EQ(changed("PK\x03\x04", "PK\x03\x05"),
            begin + "a member is not where the central directory places it");
  EXPECT_EQ(changed("first", "f1rst"), begin + "a member has another name in its local header");
  EXPECT_EQ(changed("second", "s2cond"), begin + "a member has another name in its local header");
}

// The name in the central directory begins with that in the local header, but is longer.
TEST(PackageNamesTest, ALongerNameIsADifferentName) {
  std::string bytes = Zip{{{"ab"}}}.Bytes();
  bytes[26] = 1;
  EXPECT_EQ(Error(bytes),
            "the daemon sent an invalid package: a member has another name in its local header");
}

// The central directory may extend to the last byte of the file, but no further.
TEST(PackageNamesTest, TheCentralDirectoryEndsWithinTheFile) {
  const std::string bytes = Zip{}.Bytes();
  const auto with_length = [&](size_t length) {
    return Error(bytes.substr(0, 12) + Number(length, 4) + bytes.substr(16));
  };
  EXPECT_EQ(with_length(22),
            "the daemon sent an invalid package: "
            "its central directory has more entries than it declares");
  EXPECT_EQ(with_length(23),
            "the daemon sent an invalid package: its central directory is truncated");
}

}  // namespace
}  // namespace stagedoor
