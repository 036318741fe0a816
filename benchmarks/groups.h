#ifndef STAGEDOOR_BENCHMARKS_GROUPS_H_
#define STAGEDOOR_BENCHMARKS_GROUPS_H_

#include <string>

#include "benchmarks/report.h"

namespace stagedoor::bench {

// The groups of in-process measurements. Each runs in its own fresh process.

// Measures opening and closing the stage of one scene.
void MeasureOpen(const std::string& scenes, const std::string& scene, Report& report);
void MeasureCity(const std::string& scenes, Report& report);
void MeasureAnim(const std::string& scenes, Report& report);
void MeasureClips(const std::string& scenes, Report& report);
void MeasureCrowd(const std::string& scenes, Report& report);
void MeasureText(const std::string& scenes, Report& report);
void MeasureWide(const std::string& scenes, Report& report);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_GROUPS_H_
