#include <algorithm>
#include <cstring>
#include <span>

#include "benchmarks/attributes.h"
#include "benchmarks/bench_engine.h"
#include "benchmarks/flattening.h"
#include "benchmarks/groups.h"
#include "benchmarks/machine.h"
#include "benchmarks/require.h"
#include "benchmarks/scene_info.h"

namespace stagedoor::bench {
namespace {

constexpr double kGib = 1 << 30;

// Whether to copy the bytes of each array out.
enum class Touch { kNo, kYes };

struct Swept {
  double values = 0;
  double bytes = 0;
};

class ClipsGroup {
 public:
  ClipsGroup(const std::string& scenes, Report& report)
      : info_(scenes, "clips"), report_(report), engine_(report.one_thread()) {
    const int frames =
        report.brief() ? std::min(24, info_.integer("frames")) : info_.integer("frames");
    for (int t = 1; t <= frames; ++t) times_.push_back(t);
    some_times_ = Subsample(times_, 48);
    const std::vector<int> points = info_.integers("meshPoints");
    buffer_bytes_ = static_cast<size_t>(*std::max_element(points.begin(), points.end())) * 12;
  }

  void Cold() {
    std::vector<double> rates, gib_rates;
    report_.Settle();
    for (int i = 0; i < report_.few_runs(); ++i) rates.push_back(ColdRun(i == 0));
    for (int i = 0; i < report_.few_runs(); ++i) {
      Open();
      Swept swept;
      const double seconds = Seconds([&] { swept = Sweep(points_, times_, Touch::kYes); });
      gib_rates.push_back(swept.bytes / seconds / kGib);
    }
    report_.Add("clips.cold.values_per_s", "1/s", rates,
                "points of all meshes at all frames on a fresh stage; array data not read");
    report_.Add("clips.cold.gib_per_s", "GiB/s", gib_rates, "the same, each array copied out");
    AddMemory();
  }

  void Warm() {
    Open();
    CheckAnswers();
    report_.Rate("clips.warm.values_per_s", "1/s",
                 [&] { return Sweep(points_, times_, Touch::kNo).values; });
    report_.Rate("clips.warm.gib_per_s.t1", "GiB/s",
                 [&] { return Sweep(points_, times_, Touch::kYes).bytes / kGib; });
    const auto middle = points_.begin() + static_cast<ptrdiff_t>(points_.size() / 2);
    const std::vector<Attribute> halves[] = {{points_.begin(), middle}, {middle, points_.end()}};
    report_.MeasureTwoThreadRate("clips.warm.values_per_s.t2", "1/s", [&](int i) {
      return Sweep(halves[i], times_, Touch::kNo, i).values;
    });
    report_.MeasureTwoThreadRate("clips.warm.gib_per_s.t2", "GiB/s", [&](int i) {
      return Sweep(halves[i], times_, Touch::kYes, i).bytes / kGib;
    });
    std::vector<double> between;
    for (size_t i = 0; i + 1 < times_.size(); ++i) between.push_back(times_[i] + 0.5);
    between = Subsample(between, 48);
    report_.Rate("clips.interp.values_per_s", "1/s",
                 [&] { return Sweep(points_, between, Touch::kYes).values; });
    report_.Rate("clips.interp.gib_per_s.t1", "GiB/s",
                 [&] { return Sweep(points_, between, Touch::kYes).bytes / kGib; });
  }

  void OtherSets() {
    RequestContext& context = engine_.context();
    std::vector<Attribute> scalars;
    for (const std::string& name : info_.texts("scalars")) Append("template", name, &scalars);
    report_.Rate("clips.scalar.values_per_s.t1", "1/s",
                 [&] { return GetAll(context, scalars, some_times_); });
    std::vector<Attribute> channels;
    for (int i = 0; i < info_.integer("fxChannels"); ++i) {
      Append("multi", "fx:ch" + std::to_string(i), &channels);
    }
    report_.Rate("clips.multi.scalar.values_per_s", "1/s", [&] {
      GetAll(context, channels, some_times_);  // there are no values in gaps
      return static_cast<double>(channels.size() * some_times_.size());
    });
    std::vector<double> loop_times;
    for (int i = 0; i < 2 * info_.integer("loopLength") * info_.integer("loopTurns"); i += 7) {
      loop_times.push_back(1 + 0.5 * i);
    }
    RateOfPoints("clips.loop.values_per_s", "loop", loop_times);
    RateOfPoints("clips.jump.values_per_s", "jump", some_times_);
    std::vector<double> offset_times;
    for (double t : some_times_) offset_times.push_back(10 + 2 * t);
    RateOfPoints("clips.offset.values_per_s", "offset", offset_times);
  }

  void Samples() {
    RequestContext& context = engine_.context();
    report_.Rate("clips.timesamples.lists_per_s", "1/s", [&] {
      size_t samples = 0;
      for (size_t i = 0; i < 5; ++i) {
        samples += points_[i].SampleTimes(context).size();
      }
      Require(samples >= 5 * info_.number("frames"), "clips: samples are missing");
      return 5;
    });
    report_.Rate("clips.bracketing.calls_per_s", "1/s", [&] {
      size_t found = 0;
      for (double t : some_times_) {
        for (const Attribute& a : points_) {
          found += a.Bracketing(context, t).has_value();
        }
      }
      return static_cast<double>(found);
    });
    report_.Rate("clips.resolveinfo.calls_per_s", "1/s", [&] {
      size_t found = 0;
      for (size_t i = 0; i < some_times_.size(); ++i) {
        for (const Attribute& a : points_) {
          found += a.SourceKind(context) == ResolveInfoSource::kValueClips;
        }
      }
      Require(found == some_times_.size() * points_.size(), "clips: an attribute without clips");
      return static_cast<double>(found);
    });
    if (times_.size() <= 48) {
      MeasureFlatten("clips.flatten_s", context, *stage_, report_);
    }
  }

 private:
  void Open() {
    Close();
    stage_ = engine_.Open(info_.root());
    points_.clear();
    Append("template", "points", &points_);
  }

  void Close() {
    points_.clear();
    stage_.reset();
    engine_.DropLayers();
  }

  // Attribute `name` of all meshes of a clip prim.
  void Append(const char* key, const std::string& name, std::vector<Attribute>* out) const {
    for (int i = 0; i < info_.integer("meshes"); ++i) {
      const std::string number = (i < 10 ? "0" : "") + std::to_string(i);
      const Prim prim = stage_->FindPrim(info_.text(key) + "/mesh_" + number);
      Require(prim.valid(), "clips: a mesh is missing");
      out->push_back(prim.GetAttribute(Token(name)));
      Require(out->back().valid(), "clips: " + name + " is missing");
    }
  }

  // Reads all attributes at each time. Thread-safe.
  Swept Sweep(const std::vector<Attribute>& attributes, const std::vector<double>& times,
              Touch touch, int half = 0) {
    RequestContext& context = engine_.context(half);
    std::vector<char> buffer(buffer_bytes_);
    Swept swept;
    for (double time : times) {
      for (const Attribute& attribute : attributes) {
        const Value value = attribute.Get(context, TimeCode::At(time));
        const ArrayBase* array = value.array();
        Require(array != nullptr && !array->empty(), "clips: points are missing");
        const size_t bytes = array->size() * 12;
        if (touch == Touch::kYes) std::memcpy(buffer.data(), array->raw_data(), bytes);
        swept.bytes += static_cast<double>(bytes);
        ++swept.values;
      }
    }
    return swept;
  }

  double ColdRun(bool first) {
    Close();
    const Memory memory = ReadMemory();
    const size_t files = OpenFileCount(), maps = SceneFileMappingCount();
    Open();
    Swept swept;
    const double seconds = Seconds([&] { swept = Sweep(points_, times_, Touch::kNo); });
    if (first) {
      const Memory after = ReadMemory();
      fds_ = static_cast<double>(OpenFileCount()) - static_cast<double>(files);
      maps_ = static_cast<double>(SceneFileMappingCount()) - static_cast<double>(maps);
      growth_ = after.resident - memory.resident;
      anonymous_growth_ = after.anonymous - memory.anonymous;
      Sweep(points_, times_, Touch::kYes);
      touched_growth_ = ReadMemory().resident - memory.resident;
      Close();
      fds_left_ = static_cast<double>(OpenFileCount()) - static_cast<double>(files);
      growth_left_ = ReadMemory().resident - memory.resident;
    }
    return swept.values / seconds;
  }

  void AddMemory() {
    report_.Add("clips.fds_after_all", "count", {fds_});
    report_.Add("clips.maps_after_all", "count", {maps_});
    report_.Add("clips.rss_growth_mib", "MiB", {growth_});
    report_.Add("clips.anon_growth_mib", "MiB", {anonymous_growth_});
    report_.Add("clips.rss_growth_touched_mib", "MiB", {touched_growth_});
    report_.Add("clips.fds_after_close", "count", {fds_left_});
    report_.Add("clips.rss_after_close_mib", "MiB", {growth_left_});
  }

  // Checks the recorded number of points, and interpolation at half frames.
  void CheckAnswers() {
    const std::vector<int> points = info_.integers("meshPoints");
    for (size_t i = 0; i < points_.size(); ++i) {
      const Array<Vec3f> a = Points(i, times_[2]), b = Points(i, times_[3]);
      const Array<Vec3f> middle = Points(i, times_[2] + 0.5);
      Require(a.size() == static_cast<size_t>(points[i]), "clips: wrong number of points");
      for (size_t k = 0; k < a.size(); k += 101) {
        const float expected = (a[k][1] + b[k][1]) / 2;
        Require(std::abs(middle[k][1] - expected) < 1e-4f, "clips: wrong interpolation");
      }
    }
  }

  Array<Vec3f> Points(size_t mesh, double time) {
    const Value value = points_[mesh].Get(engine_.context(), TimeCode::At(time));
    const Array<Vec3f>* array = value.Get<Array<Vec3f>>();
    if (array == nullptr) {
      const ArrayBase* base = value.array();
      Require(base != nullptr, "clips: points are missing");
      return Array<Vec3f>::View(static_cast<const Vec3f*>(base->raw_data()), base->size(),
                                base->owner());
    }
    return *array;
  }

  void RateOfPoints(const char* name, const char* key, const std::vector<double>& times) {
    std::vector<Attribute> points;
    Append(key, "points", &points);
    report_.Rate(name, "1/s", [&] { return Sweep(points, times, Touch::kNo).values; });
  }

  const SceneInfo info_;
  Report& report_;
  BenchEngine engine_;
  std::vector<double> times_, some_times_;
  size_t buffer_bytes_ = 0;
  std::shared_ptr<const Stage> stage_;
  std::vector<Attribute> points_;  // of the meshes with template clips
  double fds_ = 0, maps_ = 0, fds_left_ = 0;
  double growth_ = 0, anonymous_growth_ = 0, touched_growth_ = 0, growth_left_ = 0;
};

}  // namespace

void MeasureClips(const std::string& scenes, Report& report) {
  ClipsGroup group(scenes, report);
  group.Cold();
  group.Warm();
  group.OtherSets();
  group.Samples();
}

}  // namespace stagedoor::bench
