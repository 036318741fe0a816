#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "benchmarks/attributes.h"
#include "benchmarks/bench_engine.h"
#include "benchmarks/groups.h"
#include "benchmarks/machine.h"
#include "benchmarks/require.h"
#include "benchmarks/scene_info.h"
#include "benchmarks/transforms.h"

namespace stagedoor::bench {
namespace {

// Random times, half of them between samples.
std::vector<double> RandomTimes(double end, int count) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> between(1, end);
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    const double time = between(random);
    times.push_back(i % 2 ? time : std::floor(time));
  }
  return times;
}

class AnimGroup {
 public:
  AnimGroup(const std::string& scenes, Report& report)
      : info_(scenes, "anim"),
        report_(report),
        engine_(report.one_thread()),
        times_(RandomTimes(info_.number("end"), report.brief() ? 10 : 30)) {}

  void FirstFrame() {
    report_.Settle();
    const double start = Now();
    stage_ = engine_.Open(info_.root());
    std::set<Token> wanted;
    for (const std::string& name : info_.texts("attrs")) wanted.insert(Token(name));
    for (const Attribute& a :
         AuthoredAttributes(AllPrims(*stage_, PrimFlagsPredicate::Default()))) {
      if (wanted.contains(a.name())) attributes_.push_back(a);
    }
    const double found = GetAll(engine_.context(), attributes_, {1.0});
    report_.Add("anim.first_frame_s", "s", {Now() - start});
    const size_t expected = info_.integer("prims") * wanted.size();
    Require(attributes_.size() == expected, "anim: attributes are missing");
    Require(found == static_cast<double>(expected), "anim: values are missing at time 1");
    scalars_ = Subsample(Named("scalars"), report_.brief() ? 2000 : 10000);
    vectors_ = Subsample(Named("vectors"), report_.brief() ? 1000 : 5000);
    queries_ = Queries(engine_.context(), scalars_);
  }

  // Checks the content of the scene: 1000 samples at integer times (through offset and scale on
  // every other set), interpolated linearly. Also checks that attribute and query agree.
  void CheckAnswers() {
    RequestContext& context = engine_.context();
    for (size_t i = 0; i < queries_.size(); i += 97) {
      const AttributeQuery& q = queries_[i];
      const Array<double> samples = q.numeric().SampleTimes(context);
      Require(samples.size() == info_.number("samples"), "anim: wrong number of samples");
      const double a = samples[5], b = samples[6];
      const double low = Number(q, a), high = Number(q, b), middle = Number(q, (a + b) / 2);
      Require(std::abs(middle - (low + high) / 2) < 1e-5, "anim: wrong interpolation");
      Require(q.attribute().Get(context, TimeCode::At(a)) == q.Get(context, TimeCode::At(a)),
              "anim: attribute and query disagree");
    }
  }

  void Values() {
    RequestContext& context = engine_.context();
    report_.Rate("anim.get.scalar.values_per_s.t1", "1/s",
                 [&] { return GetAll(context, scalars_, times_); });
    report_.Rate("anim.query.scalar.values_per_s.t1", "1/s",
                 [&] { return GetAll(context, queries_, times_); });
    report_.Rate("anim.get.vec3.values_per_s.t1", "1/s",
                 [&] { return GetAll(context, vectors_, times_); });
    const auto halves = Halves(scalars_);
    report_.MeasureTwoThreadRate("anim.get.scalar.values_per_s.t2", "1/s", [&](int i) {
      return GetAll(engine_.context(i), halves[i], times_);
    });
    const auto query_halves = Halves(queries_);
    report_.MeasureTwoThreadRate("anim.query.scalar.values_per_s.t2", "1/s", [&](int i) {
      return GetAll(engine_.context(i), query_halves[i], times_);
    });
    report_.Rate("anim.get.overtime.values_per_s.t1", "1/s", [&] { return OverTime(); });
  }

  void Samples() {
    RequestContext& context = engine_.context();
    const std::vector<Attribute> some = Subsample(scalars_, report_.brief() ? 200 : 1000);
    report_.Rate("anim.timesamples.lists_per_s", "1/s", [&] {
      size_t samples = 0;
      for (const Attribute& a : some) samples += a.SampleTimes(context).size();
      Require(samples == some.size() * info_.number("samples"), "anim: samples are missing");
      return static_cast<double>(some.size());
    });
    report_.Rate("anim.timesamples.counts_per_s", "1/s", [&] {
      size_t samples = 0;
      for (const Attribute& a : some) samples += a.SampleCount(context);
      Require(samples == some.size() * info_.number("samples"), "anim: samples are missing");
      return static_cast<double>(some.size());
    });
    report_.Rate("anim.bracketing.calls_per_s", "1/s", [&] {
      size_t found = 0;
      for (size_t t = 0; t < 10; ++t) {
        for (const Attribute& a : some) {
          found += a.Bracketing(context, times_[t]).has_value();
        }
      }
      return static_cast<double>(found);
    });
    report_.Rate("anim.resolveinfo.calls_per_s", "1/s", [&] {
      size_t found = 0;
      for (const Attribute& a : scalars_) {
        found += a.SourceKind(context) == ResolveInfoSource::kTimeSamples;
      }
      Require(found == scalars_.size(), "anim: an attribute without samples");
      return static_cast<double>(found);
    });
  }

  void Transforms() {
    const std::vector<Prim> prims =
        FilterXformable(AllPrims(*stage_, PrimFlagsPredicate::Default()));
    const std::vector<double> times(times_.begin(), times_.begin() + 10);
    MeasureTransforms("anim.xform", engine_.context(), prims, times, &engine_.executor(), report_);
  }

 private:
  std::vector<Attribute> Named(const char* key) const {
    std::set<Token> names;
    for (const std::string& name : info_.texts(key)) names.insert(Token(name));
    std::vector<Attribute> some;
    for (const Attribute& a : attributes_) {
      if (names.contains(a.name())) some.push_back(a);
    }
    return some;
  }

  template <typename T>
  static std::vector<std::vector<T>> Halves(const std::vector<T>& items) {
    const auto middle = items.begin() + static_cast<ptrdiff_t>(items.size() / 2);
    return {std::vector<T>(items.begin(), middle), std::vector<T>(middle, items.end())};
  }

  double Number(const AttributeQuery& q, double time) {
    const Value value = q.Get(engine_.context(), TimeCode::At(time));
    if (const double* number = value.Get<double>()) return *number;
    const float* number = value.Get<float>();
    Require(number != nullptr, "anim: a scalar without value");
    return *number;
  }

  // Reads one attribute after another at all of its times, as an exporter does.
  double OverTime() {
    const size_t count = std::min<size_t>(scalars_.size(), report_.brief() ? 20 : 200);
    size_t found = 0;
    for (size_t i = 0; i < count; ++i) {
      for (int time = 1; time <= info_.integer("end"); time += 2) {
        found += !scalars_[i].Get(engine_.context(), TimeCode::At(time)).empty();
      }
    }
    return static_cast<double>(found);
  }

  const SceneInfo info_;
  Report& report_;
  BenchEngine engine_;
  const std::vector<double> times_;
  std::shared_ptr<const Stage> stage_;
  std::vector<Attribute> attributes_, scalars_, vectors_;
  std::vector<AttributeQuery> queries_;
};

}  // namespace

void MeasureAnim(const std::string& scenes, Report& report) {
  AnimGroup group(scenes, report);
  const double before = ReadMemory().resident;
  group.FirstFrame();
  group.CheckAnswers();
  group.Values();
  group.Samples();
  group.Transforms();
  report.Add("anim.rss_mib", "MiB", {ReadMemory().resident - before});
}

}  // namespace stagedoor::bench
