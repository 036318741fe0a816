#include <string>

#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cli/commands.h"
#include "client/cli/record_printer.h"

namespace stagedoor {
namespace {

// " of 64", or an empty string if there is no budget.
std::string OfBudget(bool has_budget, uint64_t budget) {
  return has_budget ? Concat(" of ", budget) : "";
}

std::string CacheText(const v1::CacheStatistics& c) {
  std::string text =
      Concat(c.name(), ": ", c.entries(), OfBudget(c.has_budget_entries(), c.budget_entries()),
             " entries, ", c.bytes(), OfBudget(c.has_budget_bytes(), c.budget_bytes()), " bytes, ",
             c.hits(), " hits, ", c.misses(), " misses, ", c.evictions(), " evictions, ", c.opens(),
             " opens, ", c.failures(), " failures");
  if (!c.has_open_files()) return text;
  return Concat(text, ", ", c.open_files(), " open files, ", c.pinned(), " pinned, ",
                c.prefetches(), " prefetches, ", c.missing(), " missing");
}

std::string ClipLayerText(const v1::ClipLayerStatistics& l) {
  return Concat(l.identifier(), ": ", l.bytes(), " bytes, ", l.opens(), " opens, ", l.hits(),
                " hits", l.pinned() ? ", pinned" : "", l.missing() ? ", missing" : "");
}

// "87 %" for parts of a sum.
std::string Percentage(uint64_t part, uint64_t all) {
  return Concat(all == 0 ? 0 : part * 100 / all, " %");
}

void PrintUpstream(const v1::UpstreamStatistics& u, Output& output) {
  const uint64_t found = u.hits() + u.file_hits() + u.shared();
  output.Line(Concat("upstream: ", u.calls(), " calls, ", u.retries(), " retries, ", u.failures(),
                     " failures, ", u.reopens(), " reopens, ", u.received_bytes(),
                     " bytes received, ", u.saved_bytes(), " saved (",
                     Percentage(u.saved_bytes(), u.sent_bytes()), ")"));
  output.Line(Concat("replies: ", u.replies(), " entries, ", u.reply_bytes(), " of ",
                     u.reply_budget_bytes(), " bytes, ", u.hits(), " hits, ", u.file_hits(),
                     " from disk, ", u.shared(), " shared, ", u.misses(), " misses (",
                     Percentage(found, found + u.misses()), " hits), ", u.passed(), " passed on, ",
                     u.evictions(), " evictions"));
  if (u.file_budget_bytes() == 0) return;
  output.Line(Concat("replies on disk: ", u.files(), " files, ", u.file_bytes(), " of ",
                     u.file_budget_bytes(), " bytes"));
}

void PrintCacheRecords(const v1::GetCacheStatisticsResponse& caches, RecordFormat format,
                       Output& output) {
  RecordPrinter records(format,
                        {{"cache"},
                         {"entries", true},
                         {"budget_entries", true},
                         {"bytes", true},
                         {"budget_bytes", true},
                         {"hits", true},
                         {"misses", true},
                         {"evictions", true},
                         {"opens", true},
                         {"failures", true}},
                        output);
  for (const v1::CacheStatistics& c : caches.caches()) {
    records.Add("",
                {c.name(), c.entries(), c.has_budget_entries() ? Cell(c.budget_entries()) : Cell(),
                 c.bytes(), c.has_budget_bytes() ? Cell(c.budget_bytes()) : Cell(), c.hits(),
                 c.misses(), c.evictions(), c.opens(), c.failures()});
  }
  records.Finish();
}

void PrintLayerRecords(const v1::GetCacheStatisticsResponse& caches, RecordFormat format,
                       Output& output) {
  RecordPrinter records(format,
                        {{"layer"},
                         {"bytes", true},
                         {"opens", true},
                         {"hits", true},
                         {"failures", true},
                         {"pinned"},
                         {"missing"}},
                        output);
  for (const v1::ClipLayerStatistics& l : caches.clip_layers()) {
    records.Add("", {l.identifier(), l.bytes(), l.opens(), l.hits(), l.failures(), l.pinned(),
                     l.missing()});
  }
  records.Finish();
}

}  // namespace

absl::Status RunStats(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  v1::GetCacheStatisticsRequest request;
  request.set_with_layers(line.Flag("layers"));
  if (format != RecordFormat::kText) {
    SD_ASSIGN_OR_RETURN(const v1::GetCacheStatisticsResponse caches,
                        client.GetCacheStatistics(request));
    line.Flag("layers") ? PrintLayerRecords(caches, format, output)
                        : PrintCacheRecords(caches, format, output);
    return absl::OkStatus();
  }
  SD_ASSIGN_OR_RETURN(const v1::GetServerStatisticsResponse server,
                      client.GetServerStatistics(v1::GetServerStatisticsRequest()));
  output.Line(Concat("stages ", server.open_stages(), ", leases ", server.leases(), ", resident ",
                     server.resident_bytes() >> 20, " MiB"));
  if (const v1::FollowStatistics& follow = server.follow();
      follow.stages() > 0 || follow.changes() > 0) {
    output.Line(Concat("followed stages ", follow.stages(), ", watched assets ",
                       follow.watched_assets(), ", polled assets ", follow.polled_assets(),
                       ", changes ", follow.changes(), ", reopens ", follow.reopens(),
                       ", failures ", follow.failures()));
  }
  if (server.has_upstream()) {  // its own caches are empty
    PrintUpstream(server.upstream(), output);
    return absl::OkStatus();
  }
  SD_ASSIGN_OR_RETURN(const v1::GetCacheStatisticsResponse caches,
                      client.GetCacheStatistics(request));
  for (const v1::CacheStatistics& c : caches.caches()) output.Line(CacheText(c));
  for (const v1::ClipLayerStatistics& l : caches.clip_layers()) output.Line(ClipLayerText(l));
  return absl::OkStatus();
}

}  // namespace stagedoor
