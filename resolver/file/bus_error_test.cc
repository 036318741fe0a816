// Tests what the SIGBUS handler of mapped regions does with faults outside of them. The handler is
// installed once per process, so each test runs in its own process.
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "resolver/file/mapped_region.h"

namespace stagedoor {
namespace {

constexpr size_t kSize = 4096;

int EmptyFile() {
  std::string name = testing::TempDir() + "/buserrorXXXXXX";
  const int fd = mkstemp(name.data());
  unlink(name.c_str());
  return fd;
}

int FileOf(size_t size) {
  const int fd = EmptyFile();
  EXPECT_EQ(ftruncate(fd, static_cast<off_t>(size)), 0);
  return fd;
}

volatile char* foreign = nullptr;

// Maps a page that faults and belongs to no region.
void MapOutside() {
  foreign = static_cast<volatile char*>(
      mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, EmptyFile(), 0));
}
void FaultOutside() {
  MapOutside();
  (void)foreign[0];
}

// Puts a page at the address of the fault, as the handler of another library may do.
void Repair(char with) {
  (void)mmap(const_cast<char*>(foreign), kSize, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  foreign[0] = with;
}

void OnSignal(int signal) { Repair(signal == SIGBUS ? 's' : '?'); }
void OnSignalWithInfo(int signal, siginfo_t* info, void* context) {
  Repair(signal == SIGBUS && info->si_addr == foreign && context != nullptr ? 'i' : '?');
}

void InstallBefore(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigaction(SIGBUS, &action, nullptr);
}

std::shared_ptr<const MappedRegion> SomeRegion() {
  return MappedRegion::Map(FileOf(kSize), kSize).value();
}

class BusErrorTest : public testing::Test {
 protected:
  BusErrorTest() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(BusErrorTest, GoesToThePreviousHandler) {
  const auto run = [] {
    InstallBefore(OnSignal);
    const auto region = SomeRegion();
    FaultOutside();
    exit(foreign[0] == 's' && !region->damaged() ? 7 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(7), "");
}

// The kernel places a new mapping below the previous one, so the page follows the region.
TEST_F(BusErrorTest, APageAfterARegionIsOutside) {
  const auto run = [] {
    InstallBefore(OnSignal);
    MapOutside();
    const auto region = SomeRegion();
    const char read = foreign[0];
    exit(read == 's' && !region->damaged() ? 7 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(7), "");
}

TEST_F(BusErrorTest, AHandlerWithSiginfoReceivesIt) {
  const auto run = [] {
    struct sigaction action = {};
    action.sa_sigaction = OnSignalWithInfo;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGBUS, &action, nullptr);
    const auto region = SomeRegion();
    FaultOutside();
    exit(foreign[0] == 'i' && !region->damaged() ? 7 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(7), "");
}

TEST_F(BusErrorTest, InARegionDoesNotReachThePreviousHandler) {
  const auto run = [] {
    InstallBefore([](int) { _exit(1); });
    const int fd = FileOf(kSize);
    const auto region = MappedRegion::Map(fd, kSize).value();
    EXPECT_EQ(ftruncate(fd, 0), 0);
    exit(region->bytes()[0] == std::byte{0} && region->damaged() ? 7 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(7), "");
}

TEST_F(BusErrorTest, EndsTheProcessWithoutAPreviousHandler) {
  for (const auto& handler : {SIG_DFL, SIG_IGN}) {
    const auto run = [handler] {
      InstallBefore(handler);
      const auto region = SomeRegion();
      FaultOutside();
      exit(1);
    };
    EXPECT_EXIT(run(), testing::KilledBySignal(SIGBUS), "");
  }
}

TEST_F(BusErrorTest, TheAddressOfAnUnmappedRegionIsOutside) {
  const auto run = [] {
    InstallBefore(OnSignal);
    const int fd = FileOf(kSize);
    auto region = MappedRegion::Map(fd, kSize).value();
    void* place = const_cast<std::byte*>(region->bytes().data());
    region.reset();
    foreign = static_cast<volatile char*>(
        mmap(place, kSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, EmptyFile(), 0));
    exit(foreign[0] == 's' ? 7 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(7), "");
}

// The fault may occur in the middle of anything.
TEST_F(BusErrorTest, ErrnoIsPreserved) {
  const auto run = [] {
    InstallBefore([](int) {
      Repair('s');
      errno = EIO;
    });
    const auto region = SomeRegion();
    MapOutside();
    errno = EAGAIN;
    // The compiler must not assume that a read leaves errno unchanged.
    std::atomic_signal_fence(std::memory_order_seq_cst);
    const char read = foreign[0];
    std::atomic_signal_fence(std::memory_order_seq_cst);
    exit(errno == EAGAIN && read == 's' ? 7 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace stagedoor
