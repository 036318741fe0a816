#ifndef STAGEDOOR_BASE_VERSION_H_
#define STAGEDOOR_BASE_VERSION_H_

namespace stagedoor {

// The version that --version of both programs and GetServerStatistics report.
inline constexpr char kVersion[] = "0.6.0";

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_VERSION_H_
