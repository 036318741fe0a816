#include "client/cli/top_view.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "client/cli/call_tables.h"
#include "client/cli/safe_text.h"
#include "client/cli/shown_units.h"
#include "client/cli/text_table.h"

namespace stagedoor {
namespace {

using Align = TextTable::Align;

// The most entries of a section, however large the screen is.
constexpr size_t kMaxEntries = 40;

// Counters of a method, or of all, and what they grew by in a time.
struct Growth {
  double seconds = 0;
  uint64_t calls = 0;
  uint64_t errors = 0;
  uint64_t bytes_in = 0;
  uint64_t bytes_out = 0;
  double handling_seconds = 0;

  double PerSecond(uint64_t count) const {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0;
  }
  double mean_seconds() const {
    return calls == 0 ? 0 : handling_seconds / static_cast<double>(calls);
  }
};

// Counters start again if the daemon was restarted in between.
uint64_t Difference(uint64_t now, uint64_t before) { return now >= before ? now - before : now; }

Growth GrowthOf(const v1::MethodStatistics& now, const v1::MethodStatistics& before,
                double seconds) {
  Growth growth;
  growth.seconds = seconds;
  growth.calls = Difference(now.calls(), before.calls());
  growth.errors = Difference(now.errors(), before.errors());
  growth.bytes_in = Difference(now.bytes_in(), before.bytes_in());
  growth.bytes_out = Difference(now.bytes_out(), before.bytes_out());
  growth.handling_seconds =
      std::max(0.0, SecondsOf(now.handling_time()) - SecondsOf(before.handling_time()));
  return growth;
}

// The growth of each method that was called, the one with the most calls first.
std::vector<std::pair<std::string, Growth>> MethodGrowths(const TopSample& now,
                                                          const TopSample* before) {
  double seconds = SecondsOf(now.server->uptime());
  std::map<std::string, v1::MethodStatistics> old;
  if (before != nullptr && before->server.has_value()) {
    seconds = std::min(seconds, std::chrono::duration<double>(now.time - before->time).count());
    for (const auto& method : before->server->methods()) old[method.method()] = method;
  }
  std::vector<std::pair<std::string, Growth>> all;
  for (const auto& method : now.server->methods()) {
    const Growth growth = GrowthOf(method, old[method.method()], seconds);
    if (growth.calls > 0) all.emplace_back(method.method(), growth);
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.second.calls > b.second.calls; });
  return all;
}

std::string RatesText(const TopSample& now, const TopSample* before) {
  Growth all;
  for (const auto& [name, growth] : MethodGrowths(now, before)) {
    all.seconds = growth.seconds;
    all.calls += growth.calls;
    all.bytes_in += growth.bytes_in;
    all.bytes_out += growth.bytes_out;
  }
  const bool since_start = before == nullptr || !before->server.has_value();
  return Concat(ShownNumber(all.PerSecond(all.calls)), " calls/s, ",
                ShownBytes(all.PerSecond(all.bytes_in)), "/s in, ",
                ShownBytes(all.PerSecond(all.bytes_out)), "/s out",
                since_start ? " (since the start)" : "");
}

std::vector<std::string> Header(const TopSample& now, const TopSample* before) {
  std::string first = Concat("stagedoord ", SafeText(now.version));
  std::string second;
  if (now.server.has_value()) {
    first += Concat(", up ", ShownTime(SecondsOf(now.server->uptime())), ", ",
                    ShownBytes(static_cast<double>(now.server->resident_bytes())), " resident, ",
                    now.server->open_stages(), " stages, ", now.server->leases(), " leases");
    second = RatesText(now, before);
  }
  if (now.calls.has_value()) {
    second = Concat(now.calls->calls_in_flight(), " calls in flight, ", now.calls->waiting_calls(),
                    " of them waiting", second.empty() ? "" : ", ", second);
  }
  std::vector<std::string> lines = {std::move(first)};
  if (!second.empty()) lines.push_back(std::move(second));
  for (const std::string& what : now.missing) {
    lines.push_back(Concat("not shown: ", SafeText(what)));
  }
  return lines;
}

TextTable MethodTable(const TopSample& now, const TopSample* before) {
  TextTable table({{"CALLS/S", Align::kRight},
                   {"MEAN", Align::kRight},
                   {"ERRORS", Align::kRight},
                   {"IN/S", Align::kRight},
                   {"OUT/S", Align::kRight},
                   {"METHOD"}});
  for (const auto& [name, growth] : MethodGrowths(now, before)) {
    table.Add({ShownNumber(growth.PerSecond(growth.calls)), ShownTime(growth.mean_seconds()),
               Concat(growth.errors), ShownBytes(growth.PerSecond(growth.bytes_in)),
               ShownBytes(growth.PerSecond(growth.bytes_out)), ShownMethod(name)});
  }
  return table;
}

TextTable StageTable(const v1::ListStagesResponse& stages) {
  TextTable table({{"LEASES", Align::kRight}, {"STAGE"}});
  std::vector<const v1::Stage*> sorted;
  for (const v1::Stage& stage : stages.stages()) sorted.push_back(&stage);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
    return a->lease_count() > b->lease_count();
  });
  for (const v1::Stage* stage : sorted) {
    table.Add({Concat(stage->lease_count()), SafeText(stage->root_layer())});
  }
  return table;
}

TextTable CacheTable(const v1::GetCacheStatisticsResponse& caches) {
  TextTable table({{"CACHE"},
                   {"ENTRIES", Align::kRight},
                   {"BYTES", Align::kRight},
                   {"BUDGET", Align::kRight},
                   {"HITS", Align::kRight},
                   {"EVICTIONS", Align::kRight}});
  for (const v1::CacheStatistics& cache : caches.caches()) {
    const double looked_up =
        static_cast<double>(cache.hits()) + static_cast<double>(cache.misses());
    const double hits = looked_up > 0 ? 100 * static_cast<double>(cache.hits()) / looked_up : 0;
    table.Add(
        {SafeText(cache.name()), Concat(cache.entries()),
         ShownBytes(static_cast<double>(cache.bytes())),
         cache.has_budget_bytes() ? ShownBytes(static_cast<double>(cache.budget_bytes())) : "-",
         looked_up > 0 ? Concat(ShownNumber(hits), " %") : "-", Concat(cache.evictions())});
  }
  return table;
}

// The lines of each section: the titles of its table, then its entries. Empty sections are left
// out.
std::vector<std::vector<std::string>> Sections(const TopSample& now, const TopSample* before) {
  std::vector<std::vector<std::string>> sections;
  const auto add = [&](const TextTable& table) {
    if (table.empty()) return;
    sections.push_back(table.Lines());
    if (sections.back().size() > 1 + kMaxEntries) sections.back().resize(1 + kMaxEntries);
  };
  if (now.calls.has_value()) add(CallsInFlightTable(*now.calls));
  if (now.server.has_value()) add(MethodTable(now, before));
  if (now.stages.has_value()) add(StageTable(*now.stages));
  if (now.caches.has_value()) add(CacheTable(*now.caches));
  if (now.calls.has_value()) add(SlowestCallsTable(*now.calls));
  return sections;
}

// How many lines of each section fit into `rows`, together with an empty line before each. Sections
// get one entry after the other in turn, so that none takes the place of all others.
std::vector<size_t> Shares(const std::vector<std::vector<std::string>>& sections, size_t rows) {
  constexpr size_t kLeast = 3;  // the empty line, the titles and one entry
  std::vector<size_t> shares(sections.size(), 0);
  for (size_t i = 0; i < sections.size() && rows >= kLeast; ++i) {
    shares[i] = 2;
    rows -= kLeast;
  }
  bool grows = true;
  while (grows) {
    grows = false;
    for (size_t i = 0; i < sections.size() && rows > 0; ++i) {
      if (shares[i] == 0 || shares[i] >= sections[i].size()) continue;
      ++shares[i];
      --rows;
      grows = true;
    }
  }
  return shares;
}

}  // namespace

std::vector<std::string> TopLines(const TopSample& now, const TopSample* before, TopSize size) {
  std::vector<std::string> lines = Header(now, before);
  if (lines.size() > size.rows) lines.resize(size.rows);
  const auto sections = Sections(now, before);
  const std::vector<size_t> shares = Shares(sections, size.rows - lines.size());
  for (size_t i = 0; i < sections.size(); ++i) {
    if (shares[i] == 0) continue;
    lines.emplace_back();
    const auto end = sections[i].begin() + static_cast<std::ptrdiff_t>(shares[i]);
    lines.insert(lines.end(), sections[i].begin(), end);
  }
  for (std::string& line : lines) line = CutText(line, size.columns);
  return lines;
}

}  // namespace stagedoor
