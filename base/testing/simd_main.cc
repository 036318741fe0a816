// The main() for tests of Highway kernels. Runs all tests once for each instruction set for which
// the kernels are compiled and which this processor supports. All of them must give the same
// results.
#include <gtest/gtest.h>
#include <hwy/highway.h>
#include <hwy/targets.h>

#include <cstdint>
#include <cstdio>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int status = 0;
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    std::printf("Instruction set: %s\n", hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(target);
    status |= RUN_ALL_TESTS();
  }
  return status;
}
