#include "benchmarks/bench_engine.h"
#include "benchmarks/groups.h"
#include "benchmarks/machine.h"
#include "benchmarks/require.h"
#include "benchmarks/scene_info.h"

namespace stagedoor::bench {
namespace {

class OpenGroup {
 public:
  OpenGroup(const std::string& scenes, const std::string& scene, Report& report)
      : info_(scenes, scene),
        scene_(scene),
        report_(report),
        engine_(report.options().one_thread) {}

  void First() {
    report_.Settle();
    const Memory before = ReadMemory();
    const size_t files = OpenFileCount();
    const double seconds = Seconds([&] { stage_ = engine_.Open(info_.root()); });
    const Memory after = ReadMemory();
    Require(stage_->prim_count() > 0, scene_ + " has no prims");
    report_.Add(scene_ + ".open_rss_mib", "MiB", {after.resident - before.resident});
    report_.Add(scene_ + ".open_anon_mib", "MiB", {after.anonymous - before.anonymous});
    report_.Add(scene_ + ".open_fds", "count", {static_cast<double>(OpenFileCount() - files)});
    report_.Add(scene_ + ".open_first_s", "s", {seconds});
  }

  void Again() {
    std::vector<double> opens, closes;
    report_.Settle();
    for (int i = 0; i < report_.runs(); ++i) {
      closes.push_back(Seconds([&] { Close(); }));
      opens.push_back(Seconds([&] { stage_ = engine_.Open(info_.root()); }));
    }
    report_.Add(scene_ + ".open_s", "s", opens);
    report_.Add(scene_ + ".close_s", "s", closes);
  }

  void Reopen(const std::string& name, const std::string& root, LoadRules load, int runs) {
    std::vector<double> opens;
    Close();
    report_.Settle();
    for (int i = 0; i < runs; ++i) {
      opens.push_back(Seconds([&] { stage_ = engine_.Open(root, load); }));
      Close();
    }
    report_.Add(name, "s", opens);
  }

  const SceneInfo& info() const { return info_; }

 private:
  void Close() {
    stage_.reset();
    engine_.DropLayers();
  }

  const SceneInfo info_;
  const std::string scene_;
  Report& report_;
  BenchEngine engine_;
  std::shared_ptr<const Stage> stage_;
};

}  // namespace

void MeasureOpen(const std::string& scenes, const std::string& scene, Report& report) {
  OpenGroup group(scenes, scene, report);
  group.First();
  group.Again();
  if (report.options().one_thread) return;
  if (scene == "city") {
    group.Reopen("city.open_noload_s", group.info().root(), LoadRules::None(), report.runs());
  }
  if (scene == "wide") {
    group.Reopen("wide.usda.open_s", group.info().folder() + "/" + group.info().text("text"),
                 LoadRules::All(), report.few_runs());
  }
}

}  // namespace stagedoor::bench
