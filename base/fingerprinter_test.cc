#include "base/fingerprinter.h"

#include <initializer_list>
#include <string>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

std::string Fingerprint(std::initializer_list<std::string_view> texts) {
  Fingerprinter fingerprinter;
  for (const std::string_view text : texts) fingerprinter.Add(text);
  return fingerprinter.Finish();
}

// Computed by another implementation of SHA-256: fingerprints are stored and must never change.
TEST(FingerprinterTest, IsTheSameForever) {
  EXPECT_EQ(Fingerprint({}), "e3b0c44298fc1c149afbf4c8996fb924");
  EXPECT_EQ(Fingerprint({""}), "af5570f5a1810b7af78caf4bc70a660f");
  EXPECT_EQ(Fingerprint({"shot.usda", "file:7:3"}), "d6087a5bc0bdce74c1c6afb0fcb210e5");
  EXPECT_EQ(FingerprintOf(std::string(300, 'x')), "ef14726c73a1a906e4313238a29409fa");
}

TEST(FingerprinterTest, BeginsAllOfItsBytes) {
  Fingerprinter fingerprinter;
  EXPECT_EQ(absl::BytesToHexString(fingerprinter.FinishBytes()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(FingerprinterTest, TextsDoNotRunIntoEachOther) {
  EXPECT_NE(Fingerprint({"ab", "c"}), Fingerprint({"a", "bc"}));
  EXPECT_NE(Fingerprint({"ab"}), Fingerprint({"ab", ""}));
}

}  // namespace
}  // namespace stagedoor
