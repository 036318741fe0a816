#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/strings.h"
#include "benchmarks/bench_engine.h"
#include "benchmarks/groups.h"
#include "benchmarks/machine.h"
#include "benchmarks/require.h"
#include "benchmarks/scene_info.h"
#include "scene/usda/usda_writer.h"
#include "scene/usdc/usdc_writer.h"

namespace stagedoor::bench {
namespace {

// The time to encode and write a file.
double SecondsToWrite(const std::string& file,
                      const std::function<absl::StatusOr<std::string>()>& encode) {
  return Seconds([&] {
    const absl::StatusOr<std::string> content = encode();
    Require(content.ok(), "text: the layer cannot be written");
    std::ofstream(file, std::ios::binary) << *content;
  });
}

// Measures writing the layer as text and as a crate, each to a temporary file.
void MeasureWriting(const Layer& layer, Report& report) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / Concat("stagedoor_bench_", getpid());
  std::filesystem::create_directories(folder);
  const std::string text = folder / "x.usda", crate = folder / "x.usdc";
  const double seconds = SecondsToWrite(text, [&] { return WriteUsda(layer); });
  const double mib = static_cast<double>(std::filesystem::file_size(text)) / (1 << 20);
  report.Add("text.write.mib_per_s", "MiB/s", {mib / seconds});
  std::filesystem::remove(text);
  report.Add("text.write_usdc_s", "s", {SecondsToWrite(crate, [&] { return WriteUsdc(layer); })});
  std::filesystem::remove_all(folder);
}

}  // namespace

void MeasureText(const std::string& scenes, Report& report) {
  const SceneInfo info(scenes, "text");
  BenchEngine engine(report.options().one_thread);
  const double mib = info.number("bytes") / (1 << 20);
  report.Settle();
  const double before = ReadMemory().resident;
  std::vector<double> rates;
  for (int i = 0; i < report.few_runs(); ++i) {
    std::shared_ptr<const Layer> layer;
    rates.push_back(mib / Seconds([&] { layer = engine.OpenLayer(info.root()); }));
    Require(!layer->DefaultPrim().empty(), "text: the layer has no default prim");
    if (i == 0) {
      report.Add("text.rss_mib", "MiB", {ReadMemory().resident - before});
      MeasureWriting(*layer, report);
    }
    layer.reset();
    engine.DropLayers();
  }
  report.Add("text.parse.mib_per_s", "MiB/s", rates);
}

}  // namespace stagedoor::bench
