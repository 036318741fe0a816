#include <filesystem>

#include "benchmarks/attributes.h"
#include "benchmarks/bench_engine.h"
#include "benchmarks/flattening.h"
#include "benchmarks/groups.h"
#include "benchmarks/machine.h"
#include "benchmarks/require.h"
#include "benchmarks/scene_info.h"

namespace stagedoor::bench {
namespace {

// The number of attribute specs with a default value.
size_t CountAttributes(const Layer& layer) {
  size_t count = 0;
  const SpecTree& tree = layer.tree();
  for (SpecId spec = 0; spec < tree.size(); ++spec) {
    if (tree.type(spec) == SpecType::kAttribute) count += layer.Has(spec, Token("default"));
  }
  return count;
}

void MeasureLayer(const SceneInfo& info, const std::string& form, const std::string& file, int runs,
                  Report& report) {
  BenchEngine engine(report.options().one_thread);
  const double mib = static_cast<double>(std::filesystem::file_size(file)) / (1 << 20);
  std::vector<double> seconds, mib_rates, spec_rates;
  report.Settle();
  const double before = ReadMemory().resident;
  for (int i = 0; i < runs; ++i) {
    std::shared_ptr<const Layer> layer;
    seconds.push_back(Seconds([&] { layer = engine.OpenLayer(file); }));
    mib_rates.push_back(mib / seconds.back());
    spec_rates.push_back(info.number("specs") / seconds.back());
    if (i == 0) {
      report.Add("wide." + form + ".rss_mib", "MiB", {ReadMemory().resident - before});
      Require(CountAttributes(*layer) == info.number("specs"), "wide: specs are missing");
      report.Settle();
    }
    layer.reset();
    engine.DropLayers();
  }
  report.Add("wide." + form + ".layer_open_s", "s", seconds);
  report.Add("wide." + form + ".open_mib_per_s", "MiB/s", mib_rates);
  report.Add("wide." + form + ".specs_per_s", "1/s", spec_rates);
}

}  // namespace

void MeasureWide(const std::string& scenes, Report& report) {
  const SceneInfo info(scenes, "wide");
  MeasureLayer(info, "usdc", info.root(), report.runs(), report);
  MeasureLayer(info, "usda", info.folder() + "/" + info.text("text"), report.few_runs(), report);

  BenchEngine engine(report.options().one_thread);
  const std::shared_ptr<const Stage> stage = engine.Open(info.root());
  const std::vector<Prim> all = AllPrims(*stage, PrimFlagsPredicate::Default());
  const std::vector<Prim> prims = Subsample(all, report.brief() ? 1000 : 10000);
  std::vector<Token> names;
  for (const std::string& name : info.texts("attrs")) names.push_back(Token(name));
  size_t expected = 0;  // groups have no attributes
  for (const Prim& prim : prims) expected += prim.AuthoredPropertyNames().size();
  report.Rate("wide.get.values_per_s", "1/s", [&] {
    size_t found = 0;
    for (const Prim& prim : prims) {
      for (Token name : names) {
        const Attribute attribute = prim.GetAttribute(name);
        if (attribute.valid())
          found += !attribute.Get(engine.context(), TimeCode::Default()).empty();
      }
    }
    Require(found == expected, "wide: values are missing");
    return static_cast<double>(prims.size() * names.size());
  });
  MeasureFlatten("wide.flatten_s", engine.context(), *stage, report);
}

}  // namespace stagedoor::bench
