// The values of crate layers while another program overwrites, truncates or replaces their files.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/testing/temp_dir.h"
#include "gtest/gtest.h"
#include "resolver/file/file_resolver.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/layer/layer_registry.h"
#include "scene/usdc/usdc_format.h"
#include "scene/usdc/usdc_writer.h"
#include "scene/values/dictionary.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/source_bytes.h"
#include "scene/values/time_samples.h"
#include "scene/values/vec.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

constexpr int kPrims = 40;

// Every number in a version of the file is this one, so that torn values can be detected.
double NumberOf(int version) { return version + 1 / 3.0; }

template <typename T>
Array<T> Filled(size_t size, const T& item) {
  return Array<T>::FromVector(std::vector<T>(size, item));
}

Vec3f VecOf(int version) {
  const auto number = static_cast<float>(NumberOf(version));
  return Vec3f{{number, number, number}};
}

// Values stored in each of the ways that crates have; inlined values change with the tables.
std::shared_ptr<const Layer> MakeLayer(int version) {
  LayerBuilder builder;
  const double number = NumberOf(version);
  for (int i = 0; i < kPrims; ++i) {
    const std::string prim = "/P" + std::to_string(i);
    const auto add = [&](std::string_view name, std::string_view type, Token field, Value value) {
      const SpecId spec = builder.EnsureProperty(*Path::Parse(prim + "." + std::string(name)),
                                                 SpecType::kAttribute);
      builder.Set(spec, Fields().typeName, Value(Token(type)));
      builder.Set(spec, field, std::move(value));
    };
    const Token at_default = Fields().default_;
    add("scalar", "double", at_default, Value(number + i));
    add("points", "point3f[]", at_default,
        Value(Filled(1000 + static_cast<size_t>(i), VecOf(version))));
    add("few", "double[]", at_default, Value(Filled(12, number + i)));
    std::vector<int> ints(3000, version);
    ints[1] = 7 * i;
    add("ints", "int[]", at_default, Value(Array<int>::FromVector(std::move(ints))));
    std::vector<std::pair<double, Value>> samples, moving;
    for (int t = 0; t < 30; ++t) samples.emplace_back(t + i / 100.0, Value(number + t));
    for (int t = 0; t < 4; ++t)
      moving.emplace_back(t, Value(Filled(400 + static_cast<size_t>(t % 2), VecOf(version))));
    add("anim", "double", Fields().timeSamples, Value::FromSamples(MakeTimeSamples(samples)));
    add("moving", "point3f[]", Fields().timeSamples,
        Value::FromSamples(MakeTimeSamples(std::move(moving))));
    Dictionary data;
    data.Set("number", Value(number + i));
    builder.Set(builder.EnsurePrim(*Path::Parse(prim)), Fields().customData, Value(data));
  }
  return std::move(builder).Build({.identifier = "made"});
}

class UsdcOverwriteTest : public testing::Test {
 protected:
  UsdcOverwriteTest() {
    for (int version = 1; version <= 2; ++version) {
      contents_[version] = *WriteUsdc(*MakeLayer(version));
    }
    EXPECT_GT(contents_[1].size(), 256u << 10) << "files must be large enough to be mapped";
  }

  std::string path() const { return folder_ / "a.usdc"; }

  void Publish(std::string_view content) { folder_.Write("a.usdc", content); }

  std::shared_ptr<const Layer> Open() {
    RequestContext context;
    auto layer = registry_.Open(context, {}, path());
    EXPECT_TRUE(layer.ok()) << layer.status();
    return layer.ok() ? *layer : nullptr;
  }

  // Overwrites the file in place, `step` bytes at a time.
  void Overwrite(
      std::string_view content, size_t step, const std::function<void()>& between = [] {}) {
    const int fd = open(path().c_str(), O_WRONLY);
    for (size_t at = 0; at < content.size(); at += step) {
      const std::string_view piece = content.substr(at, step);
      EXPECT_EQ(pwrite(fd, piece.data(), piece.size(), static_cast<off_t>(at)),
                static_cast<ssize_t>(piece.size()));
      between();
    }
    close(fd);
  }

  struct Seen {
    size_t good = 0, lost = 0, wrong = 0;
  };

  // Reads like a request does: copies the value first and then checks that the file is unchanged.
  void See(const std::function<Value()>& read, const Value& wanted, Seen* seen) {
    const uint64_t moment = watch_.Now();
    const Value value = read();
    if (value.is_invalid()) {
      EXPECT_NE(value.invalid_reason().find("while in use"), std::string_view::npos)
          << value.invalid_reason();
      ++seen->lost;
      return;
    }
    const bool same = value == wanted;
    const bool checked = CheckUnchanged(value).ok() && watch_.CheckUsed(moment).ok();
    ++(checked ? (same ? seen->good : seen->wrong) : seen->lost);
  }

  Seen SeeEverything(const Layer& layer, const Layer& wanted) {
    Seen seen;
    for (SpecId spec = 0; spec < layer.tree().size(); ++spec) {
      const SpecId other = wanted.tree().Find(layer.tree().path(spec));
      for (const Token field : layer.FieldNames(spec)) {
        const uint64_t moment = watch_.Now();
        const Value value = layer.Get(spec, field);
        const Value right = wanted.Get(other, field);
        const TimeSamples* samples = value.samples();
        if (samples == nullptr) {
          See([&] { return layer.Get(spec, field); }, right, &seen);
          continue;
        }
        const bool same_times = samples->times_array() == right.samples()->times_array();
        if (!watch_.CheckUsed(moment).ok()) {
          ++seen.lost;
          continue;
        }
        ++(same_times ? seen.good : seen.wrong);
        for (size_t i = 0; i < samples->size(); ++i) {
          See([&] { return samples->At(i); }, right.samples()->At(i), &seen);
          if (i + 1 == samples->size()) continue;
          See([&] { return samples->Between(i, 0.25); }, right.samples()->Between(i, 0.25), &seen);
        }
      }
    }
    return seen;
  }

  const TempDir folder_;
  std::string contents_[3];
  SourceWatch watch_;
  LayerRegistry registry_{*FileResolver::Create({}), {UsdcFormat(&watch_)}, {}};
  const std::shared_ptr<const Layer> first_ = MakeLayer(1);
};

TEST_F(UsdcOverwriteTest, UnchangedFilesGiveTheirValues) {
  Publish(contents_[1]);
  const Seen seen = SeeEverything(*Open(), *first_);
  EXPECT_EQ(seen.wrong, 0u);
  EXPECT_EQ(seen.lost, 0u);
  EXPECT_GT(seen.good, 1000u);
}

TEST_F(UsdcOverwriteTest, ValuesNotReadBeforeAnOverwriteAreLost) {
  Publish(contents_[1]);
  const auto layer = Open();
  Overwrite(contents_[2], contents_[2].size());
  const Seen seen = SeeEverything(*layer, *first_);
  EXPECT_EQ(seen.wrong, 0u);
  EXPECT_GT(seen.lost, 100u);
  EXPECT_EQ(watch_.changes(), 1u);
}

TEST_F(UsdcOverwriteTest, AReloadReadsTheNewFile) {
  Publish(contents_[1]);
  const auto layer = Open();
  Overwrite(contents_[2], contents_[2].size());
  const Seen seen = SeeEverything(*Open(), *MakeLayer(2));
  EXPECT_EQ(seen.wrong, 0u);
  EXPECT_EQ(seen.lost, 0u);
}

TEST_F(UsdcOverwriteTest, RestoringTheFileTimeHidesNothing) {
  Publish(contents_[1]);
  const auto layer = Open();
  const auto time = fs::last_write_time(path());
  Overwrite(contents_[2], 4096);
  fs::last_write_time(path(), time);
  const Seen seen = SeeEverything(*layer, *first_);
  EXPECT_EQ(seen.wrong, 0u);
  EXPECT_GT(seen.lost, 100u);
  EXPECT_EQ(SeeEverything(*Open(), *MakeLayer(2)).wrong, 0u) << "the new version is read";
}

TEST_F(UsdcOverwriteTest, ReplacedLinkedOrMovedFilesStayReadable) {
  const std::pair<const char*, std::function<void()>> cases[] = {
      {"replaced", [&] { Publish(contents_[2]); }},
      {"removed", [&] { fs::remove(path()); }},
      {"linked", [&] { fs::create_hard_link(path(), folder_ / "link"); }},
      {"moved", [&] { fs::rename(path(), folder_ / "moved"); }},
      {"made read-only", [&] { fs::permissions(path(), fs::perms::owner_read); }}};
  for (const auto& [what, change] : cases) {
    SCOPED_TRACE(what);
    Publish(contents_[1]);
    const auto layer = Open();
    change();
    const Seen seen = SeeEverything(*layer, *first_);
    EXPECT_EQ(seen.wrong, 0u);
    EXPECT_EQ(seen.lost, 0u);
  }
}

TEST_F(UsdcOverwriteTest, TruncatedAndExtendedFilesAreLost) {
  Publish(contents_[1]);
  const auto layer = Open();
  fs::resize_file(path(), 5000);
  fs::resize_file(path(), contents_[1].size());
  const Seen seen = SeeEverything(*layer, *first_);
  EXPECT_EQ(seen.wrong, 0u);
  EXPECT_GT(seen.lost, 100u);
}

// Readers that run concurrently with a writer, which overwrites the file in large or small steps.
TEST_F(UsdcOverwriteTest, NoValueIsTornWhileTheFileIsWritten) {
  for (const size_t step : {size_t{1} << 20, size_t{4096}, size_t{300}}) {
    SCOPED_TRACE(step);
    Publish(contents_[1]);
    const auto layer = Open();
    std::atomic<bool> stop{false};
    std::atomic<int> rounds{0};
    std::thread writer([&] {
      for (int version = 2; !stop; version = 3 - version) {
        Overwrite(contents_[version], step, [] { std::this_thread::yield(); });
        ++rounds;
      }
    });
    std::vector<Seen> seen(2);
    std::vector<std::thread> readers;
    for (Seen& mine : seen) {
      readers.emplace_back([&layer, &mine, &rounds, this] {
        do {
          const Seen more = SeeEverything(*layer, *first_);
          mine.good += more.good;
          mine.lost += more.lost;
          mine.wrong += more.wrong;
        } while (rounds == 0);
      });
    }
    for (std::thread& reader : readers) reader.join();
    stop = true;
    writer.join();
    for (const Seen& mine : seen) EXPECT_EQ(mine.wrong, 0u) << mine.good << " good";
    EXPECT_GT(SeeEverything(*layer, *first_).lost, 0u) << "the file has been overwritten by now";
  }
}

}  // namespace
}  // namespace stagedoor
