#include "benchmarks/bench_engine.h"
#include "benchmarks/groups.h"
#include "benchmarks/machine.h"
#include "benchmarks/scene_info.h"

namespace stagedoor::bench {

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
    if (i == 0) report.Add("text.rss_mib", "MiB", {ReadMemory().resident - before});
    layer.reset();
    engine.DropLayers();
  }
  report.Add("text.parse.mib_per_s", "MiB/s", rates);
}

}  // namespace stagedoor::bench
