#include "client/cli/command_table.h"

#include <algorithm>
#include <cstdint>

#include "base/help_columns.h"
#include "base/strings.h"

namespace stagedoor {
namespace {

using Names = std::vector<std::string_view>;

// True for "/A/B", "/A{set=v}B" and "/"; false for a file with an extension and for "/A.attr".
bool LooksLikePrimPath(std::string_view word) {
  if (word.empty() || word.front() != '/') return false;
  for (const char c : word) {
    const bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '/' || c == '_' || c == '{' || c == '}' || c == '=' ||
                    static_cast<unsigned char>(c) >= 0x80;
    if (!ok) return false;
  }
  return true;
}

constexpr OptionSpec kOptions[] = {
    // Flags of all commands.
    {"address", "HOST:PORT|unix:PATH", "address of the daemon (default: $STAGEDOOR_ADDRESS)"},
    {"embedded", "", "run the server inside the command, without a daemon"},
    {"schema-path", "DIR", "with --embedded: directory of schema plug-ins; repeatable"},
    {"allow-url", "PREFIX", "with --embedded: URLs that may be read; repeatable"},
    {"allow-network", "CIDR", "with --embedded: network to connect to; repeatable"},
    {"cache-dir", "DIR", "with --embedded: directory for parts of remote assets"},
    {"tls", "", "encrypt the connection, and trust the certificates of the system"},
    {"tls-ca", "FILE", "certificates to trust instead (default: $STAGEDOOR_TLS_CA)"},
    {"tls-certificate", "FILE", "client certificate (default: $STAGEDOOR_TLS_CERTIFICATE)"},
    {"tls-key", "FILE", "key of that certificate (default: $STAGEDOOR_TLS_KEY)"},
    {"tls-server-name", "NAME", "name in the daemon's certificate, if not its host"},
    {"token-file", "FILE", "file with a bearer token (default: $STAGEDOOR_TOKEN_FILE)"},
    {"proxy", "URL|environment",
     "HTTP proxy to connect through (default: $STAGEDOOR_PROXY or none)"},
    {"timeout", "SECONDS", "deadline of each call (default 60)"},
    {"connect-timeout", "SECONDS", "how long to wait for a daemon at first (default 10)"},
    {"help", "", "print this help", "h"},
    {"version", "", "print the version"},
    // Flags for opening a stage.
    {"session", "FILE", "session layer"},
    {"join", "NAME", "share the session of this name and its edits"},
    {"load", "all|none", "which payloads to load (default all)"},
    {"mask", "PATH…", "population mask: compose only these prims; takes several paths", "",
     LooksLikePrimPath},
    {"variant-fallback", "SET=V1,V2…", "variants to try where none is selected; repeatable"},
    {"interpolation", "linear|held", "interpolation between time samples (default linear)"},
    {"on-change", "fixed|on-open|follow", "when to use changed files (default on-open)"},
    {"search-path", "DIR", "look here for search paths, before the daemon's; repeatable"},
    {"pin", "PATH=TARGET", "resolve TARGET instead of an asset path; repeatable"},
    {"pin-file", "FILE", "JSON file with pins, read by the daemon; repeatable"},
    {"layer", "NAME=FILE", "send FILE as the layer that is named NAME; repeatable"},
    // Flags of single commands.
    {"format", "table|json|csv", "print records: a table, JSON lines, or CSV"},
    {"color", "auto|always|never", "colours (default auto: on terminals without $NO_COLOR)"},
    {"long", "", "with types, values and where they come from", "l"},
    {"type", "TYPE", "schema type, or one that derives from it; repeatable: any"},
    {"name", "GLOB", "pattern of the prim's name; repeatable: any"},
    {"kind", "GLOB", "pattern of the prim's kind; repeatable: any"},
    {"applied", "API", "applied API schema; repeatable: all"},
    {"property", "GLOB", "properties whose names match; repeatable: any"},
    {"authored", "", "only properties that a layer has an opinion about"},
    {"value", "EXPR", "values: =1 !=1 <1 <=1 >1 >=1 ~GLOB; repeatable: all"},
    {"all", "", "also inactive, unloaded, abstract and undefined prims"},
    {"clients", "N", "clients that call at the same time (default 1)"},
    {"mix", "CALL=WEIGHT,…", "values, prim, samples, explain, traverse, open (default values)"},
    {"rate", "N", "calls per second of all clients (default: as fast as possible)"},
    {"duration", "SECONDS", "how long to call (default 10)"},
    {"batch", "N", "attributes in a call (default 1)"},
    {"with-arrays", "", "ask for arrays too"},
    {"space", "SPACE", "space of the bounds: world, local or untransformed (default world)"},
    {"relative-to", "PATH", "prim in whose space the bounds are, usually an ancestor"},
    {"purposes", "P,…", "purposes to include (bounds: default,render,proxy)"},
    {"instances", "N,…", "instances of point instancers to bound, by their indices"},
    {"ignore-visibility", "", "include what is invisible"},
    {"use-extents-hint", "", "use the authored extentsHint of models"},
    {"aspect-ratio", "W:H|N", "width and height of the image (default: those of the aperture)"},
    {"conform", "POLICY",
     "fit, crop, match-vertically, match-horizontally or dont-conform (default fit)"},
    {"shutter", "OPEN:CLOSE", "when the shutter is open around a time (motion: -0.25:0.25)"},
    {"segments", "N", "sample at the ends of N equal parts of the shutter"},
    {"max-samples", "N", "the most authored samples (default 64)"},
    {"at-ends", "", "samples at the ends of the shutter instead of before and after it"},
    {"height", "ROWS", "rows of the plot (default 16, or what fits)"},
    {"ascii", "", "draw with ASCII characters, whatever the locale"},
    {"strict", "", "fail with status 1 if something is missing"},
    {"stage", "", "the composed stage: its layers, its composition and its dependencies"},
    {"uncomposed", "", "the layer itself, without composition"},
    {"flatten", "", "print the composed stage (the default)", "f"},
    {"loadOnly", "", "only report whether the files can be loaded"},
    {"usdFormat", "usda|usdc", "format of a FILE with the extension .usd (default usdc)"},
    {"times", "T,…", "times: 1,2.5 · 1:48 · 1:48x12 · default · earliest · pre:3"},
    {"watch", "", "print the values again whenever they may have changed"},
    {"time", "T", "time, or several in the form of --times"},
    {"interval", "START:END", "interval of stage times; with --values repeatable; of top: seconds"},
    {"values", "", "print the values at the samples, also at those around the interval"},
    {"purpose", "full|preview|…", "purpose of materials (material: bindings for all purposes)"},
    {"camera", "PATH", "camera from which prims are seen"},
    {"viewpoint", "X,Y,Z", "point from which prims are seen, in world space"},
    {"domain", "NAME", "domain of the heuristics that count (default imaging)"},
    {"taxonomy", "NAME", "taxonomy to print the labels of; repeatable (default all)"},
    {"context", "NAME", "render context to look for before the one for all; repeatable"},
    {"namespace", "NAME", "namespace of the settings to print (default: all); repeatable"},
    {"passes", "", "list the render passes instead"},
    {"root", "PATH", "prim whose subtree is drawn, instead of all; repeatable"},
    {"exclude", "PATH", "prim whose subtree is not drawn; repeatable"},
    {"settings", "PATH", "render settings (default: those of the stage)"},
    {"pass", "PATH", "render pass, for its members"},
    {"primvar", "NAME", "primvar to send (default: all); repeatable"},
    {"flatten-primvars", "", "replace the indices of primvars by elements"},
    {"without-skinning", "", "points at rest, without skeletons and blend shapes"},
    {"without-invisible", "", "without prims that are invisible"},
    {"fingerprint", "", "print a name for all of the frame: equal ones are equal frames"},
    {"write-token", "FILE", "write the token of the frame, for --since"},
    {"since", "FILE", "print what has changed since the frame with this token"},
    {"consult-cache", "", "look at models only, and use their lists of lights"},
    {"link", "light|shadow|filter", "which links of lights or light filters (default light)"},
    {"light", "PATH", "light to consider, instead of all of the stage; repeatable"},
    {"explain", "PATH", "light: why the prims are linked to it, or are not"},
    {"element-type", "TYPE", "only subsets of face, point, edge, segment or tetrahedron"},
    {"family", "NAME", "only subsets of this family, such as materialBind"},
    {"check", "", "report what is wrong with the indices"},
    {"colliders", "", "print what each collider contributes instead"},
    {"graph", "", "keep node graphs and materials, connected as authored"},
    {"depth", "N", "levels below the prim (default: all)"},
    {"arrays", "full|summary", "long arrays in full, or as length, digest and ends (default full)"},
    {"instance-proxies", "", "descend into instances"},
    {"skin", "", "include skinned points"},
    {"geom", "", "include transforms, bounds and primvars"},
    {"stack", "", "include all opinions"},
    {"collections", "", "include collections"},
    {"out", "FILE", "output file; - is standard output", "o"},
    {"layer-stack", "", "flatten only the stage's own layer stack"},
    {"clipPath", "PATH", "path of the prim in the clips"},
    {"clipSet", "NAME", "name of the clip set (default: default)"},
    {"startTimeCode", "T", "start time of the result"},
    {"endTimeCode", "T", "end time of the result"},
    {"interpolateMissingClipValues", "", "author this metadata in the clip set"},
    {"templateMetadata", "", "author a template clip set"},
    {"templatePath", "PATTERN", "asset path of the template, such as ./clip.#.usd"},
    {"stride", "N", "stride of the template"},
    {"activeOffset", "N", "active offset of the template"},
    {"prim", "PATH", "prim that has the clip set"},
    {"writeBlocks", "", "author value blocks for attributes that some clips lack"},
    {"layers", "", "list each clip layer"},
    {"progress", "", "print the progress as well"},
    {"reload", "", "with config: read the configuration file again"},
    {"limit", "N", "with calls: how many calls in flight to list (default 100)"},
    {"json", "", "print all as JSON: replies, as --format json does, or objects of a frame"},
    {"once", "", "print one view and exit"},
    {"port", "N", "port of the page; 0 for a free one (default 8390, or the next)"},
    {"no-browser", "", "print the URL of the page only"},
    {"listen", "IP", "address to listen on, for a proxy on another machine (default 127.0.0.1)"},
    {"url", "URL", "where browsers find the page behind a proxy"},
    {"no-token", "", "ask for no token, because the proxy of --url lets only known users in"},
    {"allow-origin", "ORIGIN", "page elsewhere that may call the daemon; repeatable"},
    {"max-bytes", "N", "how many bytes may remain (default 0)"},
    {"scheme", "SCHEME", "scheme of the URIs that the service resolves, such as asset"},
    {"path", "URI", "an asset of the service that exists; repeatable"},
    {"writable-dir", "DIR=URI",
     "directory that the service serves as URI; a file is written there"},
};

const Names kEverywhere = {
    "address", "embedded", "schema-path",     "allow-url", "allow-network",   "cache-dir",
    "tls",     "tls-ca",   "tls-certificate", "tls-key",   "tls-server-name", "token-file",
    "proxy",   "timeout",  "connect-timeout", "help",      "version"};

Names OptionsOfStages(const Names& more) {
  Names all = {"session",       "join",      "load",        "mask", "variant-fallback",
               "interpolation", "on-change", "search-path", "pin",  "pin-file",
               "layer"};
  all.insert(all.begin(), more.begin(), more.end());
  return all;
}

const std::vector<CommandSpec>& Table() {
  static const auto* table = new std::vector<CommandSpec>{
      {"open", "ROOT", "open a stage and print its metadata and layers", 1, 1,
       OptionsOfStages({"strict"})},
      {"ls", "ROOT [PATH]", "list the children and properties of a prim", 1, 2,
       OptionsOfStages({"long", "time", "arrays", "format"})},
      {"tree", "ROOT [PATH]", "print a subtree: names, types and kinds", 1, 2,
       OptionsOfStages({"depth", "instance-proxies", "format"})},
      {"find", "ROOT [PATH…]", "find prims, properties and values", 1, SIZE_MAX,
       OptionsOfStages({"type", "name", "kind", "applied", "property", "authored", "value", "time",
                        "all", "depth", "instance-proxies", "format"})},
      {"get", "ROOT PATH.attr", "print the values of an attribute", 2, 2,
       OptionsOfStages({"times", "watch", "arrays", "format"})},
      {"samples", "ROOT PATH.attr", "print the sample times of an attribute", 2, 2,
       OptionsOfStages({"interval", "values", "arrays", "format"})},
      {"plot", "ROOT PATH.attr", "draw the values of an attribute over time", 2, 2,
       OptionsOfStages({"times", "height", "ascii", "color"})},
      {"bounds", "ROOT PATH…", "print the bounds of prims, or of instances", 2, SIZE_MAX,
       OptionsOfStages({"times", "space", "relative-to", "purposes", "instances",
                        "ignore-visibility", "use-extents-hint", "format"})},
      {"camera", "ROOT PATH…", "print what cameras see: lens, frustum and matrices", 2, SIZE_MAX,
       OptionsOfStages({"times", "aspect-ratio", "conform", "format"})},
      {"motion", "ROOT PATH…", "print when prims move within a shutter, and why", 2, SIZE_MAX,
       OptionsOfStages({"times", "shutter", "segments", "max-samples", "at-ends", "format"})},
      {"skinning", "ROOT [PATH…]", "print what deforms skinned prims", 1, SIZE_MAX,
       OptionsOfStages({"times", "format"})},
      {"lod", "ROOT [PATH…]", "print which levels of detail a camera sees, and why", 1, SIZE_MAX,
       OptionsOfStages(
           {"times", "camera", "viewpoint", "aspect-ratio", "conform", "domain", "format"})},
      {"labels", "ROOT PATH…", "print the labels of prims in taxonomies", 2, SIZE_MAX,
       OptionsOfStages({"times", "interval", "taxonomy", "format"})},
      {"collision-groups", "ROOT [PATH…]", "print which collision groups collide, or are of prims",
       1, SIZE_MAX, OptionsOfStages({"format"})},
      {"mass", "ROOT [PATH…]", "print mass, center of mass and inertia of rigid bodies", 1,
       SIZE_MAX, OptionsOfStages({"colliders", "format"})},
      {"subsets", "ROOT PATH…", "print the subsets of prims, and their families", 2, SIZE_MAX,
       OptionsOfStages({"times", "element-type", "family", "check", "format"})},
      {"topology", "ROOT PATH…", "count the elements and points of geometry", 2, SIZE_MAX,
       OptionsOfStages({"times", "check", "with-arrays", "format"})},
      {"models", "ROOT PATH…", "print how models are drawn, and their constraint targets", 2,
       SIZE_MAX, OptionsOfStages({"times", "format"})},
      {"explain", "ROOT PATH.attr", "explain where a value comes from", 2, 2,
       OptionsOfStages({"time", "times", "arrays", "format"})},
      {"material", "ROOT PATH", "explain a prim's material, or print the shaders of a material", 2,
       2, OptionsOfStages({"purpose", "context", "graph", "time", "format"})},
      {"lights", "ROOT [PATH]", "list the lights and light filters", 1, 2,
       OptionsOfStages({"context", "consult-cache", "format"})},
      {"light-sets", "ROOT PATH…", "print which lights prims are linked to, or why", 2, SIZE_MAX,
       OptionsOfStages({"link", "light", "explain", "format"})},
      {"render", "ROOT [PATH]", "print what to render: settings, products and passes", 1, 2,
       OptionsOfStages({"namespace", "passes", "arrays", "format"})},
      {"frame", "ROOT", "print what a renderer needs for a frame, or write it as a layer", 1, 1,
       OptionsOfStages({"time",
                        "shutter",
                        "segments",
                        "max-samples",
                        "at-ends",
                        "camera",
                        "settings",
                        "pass",
                        "root",
                        "exclude",
                        "type",
                        "purposes",
                        "context",
                        "purpose",
                        "primvar",
                        "flatten-primvars",
                        "without-skinning",
                        "without-invisible",
                        "fingerprint",
                        "since",
                        "write-token",
                        "json",
                        "arrays",
                        "format",
                        "out",
                        "usdFormat"})},
      {"statistics", "ROOT [PATH…]", "count prims by type, models, assets and layers", 1, SIZE_MAX,
       OptionsOfStages({"format"})},
      {"diff", "A B", "compare two stages, or two layers", 2, 2,
       OptionsOfStages({"times", "uncomposed", "color"})},
      {"dump", "ROOT", "print all records of a stage as JSON lines", 1, 1,
       OptionsOfStages(
           {"times", "arrays", "instance-proxies", "skin", "geom", "stack", "collections"})},
      {"layer", "FILE", "print the records of a layer as JSON lines", 1, 1, {"arrays"}},
      {"cat", "ROOT…", "print a stage, or a layer, as text", 1, SIZE_MAX,
       OptionsOfStages({"out", "uncomposed", "flatten", "layer-stack", "loadOnly", "usdFormat"})},
      {"convert", "IN OUT", "convert a layer to another format", 2, 2, {"usdFormat"}},
      {"fetch", "ASSET OUT", "copy an asset, such as a texture, as it is stored", 2, 2, {}},
      {"validate", "FILE", "report what is wrong with a layer, or a stage", 1, 1,
       OptionsOfStages({"stage", "format"})},
      {"flatten", "ROOT", "write a stage as one layer", 1, 1,
       OptionsOfStages({"out", "layer-stack", "usdFormat"})},
      {"stitch-clips",
       "CLIP…",
       "make a value clip set from layers",
       1,
       SIZE_MAX,
       {"out", "clipPath", "startTimeCode", "endTimeCode", "clipSet",
        "interpolateMissingClipValues", "templateMetadata", "templatePath", "stride",
        "activeOffset"}},
      {"clip-manifest", "ROOT | CLIP…", "make the manifest of a clip set, or of clips", 1, SIZE_MAX,
       OptionsOfStages({"out", "prim", "clipSet", "writeBlocks", "clipPath"})},
      {"deps", "ROOT", "list all layers, clips and assets of a stage", 1, 1,
       OptionsOfStages({"strict", "format"})},
      {"localize", "ROOT", "copy a stage with its dependencies to a directory or package", 1, 1,
       OptionsOfStages({"out", "strict"})},
      {"stages", "", "list the stages that the daemon holds", 0, 0, {"format"}},
      {"prefetch", "ROOT PATH…", "open value clips ahead of use", 2, SIZE_MAX,
       OptionsOfStages({"interval"})},
      {"warm", "ROOT [PATH…]", "prepare a stage for later clients", 1, SIZE_MAX,
       OptionsOfStages({"interval", "progress"})},
      {"stats", "", "print the daemon's cache statistics", 0, 0, {"layers", "format"}},
      {"health", "[SERVICE]", "check that the daemon serves", 0, 1, {}},
      {"admin",
       "evict|drain|log-level|config|calls [ARGUMENT]",
       "look at, steer and stop a daemon",
       1,
       2,
       {"reload", "limit", "json", "format"}},
      {"daemon",
       "status|stop|log",
       "show, stop, or print the log of your private daemon",
       1,
       1,
       {}},
      {"top", "", "watch what a daemon does", 0, 0, {"interval", "once", "json", "format"}},
      {"inspect",
       "[ROOT]",
       "show stages in a browser, and why they are as they are",
       0,
       1,
       {"join", "load", "port", "no-browser", "listen", "url", "no-token", "allow-origin"}},
      {"cache",
       "ls|verify|evict DIR",
       "examine the disk cache of remote assets",
       2,
       2,
       {"max-bytes"}},
      {"perf", "ROOT [PATH…]", "load a daemon, and print latencies and throughput", 1, SIZE_MAX,
       OptionsOfStages(
           {"clients", "mix", "rate", "duration", "batch", "property", "with-arrays", "format"})},
      {"completion",
       "bash|zsh|fish",
       "print the script that completes commands in a shell",
       1,
       1,
       {}},
      {"man", "", "print the manual page, for man -l -", 0, 0, {}},
      {"check-resolver",
       "ADDRESS",
       "check that a resolver service keeps the rules",
       1,
       1,
       {"scheme", "path", "writable-dir"}},
  };
  return *table;
}

bool Has(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string OptionText(const OptionSpec& option) {
  const std::string name = option.letter.empty() ? Concat("--", option.name)
                                                 : Concat("-", option.letter, ", --", option.name);
  return option.value.empty() ? name : Concat(name, " ", option.value);
}

void AppendOptions(const Names& names, std::string* text) {
  for (const OptionSpec& option : kOptions) {
    if (!Has(names, option.name)) continue;
    text->append(Concat(LeftColumn(Concat("  ", OptionText(option)), 34), option.help, "\n"));
  }
}

}  // namespace

std::span<const CommandSpec> AllCommands() { return Table(); }

const CommandSpec* FindCommand(std::string_view name) {
  for (const CommandSpec& command : Table()) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

std::span<const OptionSpec> AllOptions() { return kOptions; }

const OptionSpec* FindOption(std::string_view name) {
  for (const OptionSpec& option : kOptions) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

bool TakesOption(const CommandSpec& command, std::string_view name) {
  return Has(kEverywhere, name) || Has(command.options, name);
}

std::string HelpOverview() {
  std::string text = "usage: stagedoor [--address HOST:PORT|unix:PATH | --embedded] COMMAND …\n\n";
  for (const CommandSpec& command : Table()) {
    const std::string left = Concat("  ", command.name, " ", command.arguments);
    text.append(Concat(LeftColumn(left, 32), command.summary, "\n"));
  }
  text.append("\nFlags of all commands:\n");
  AppendOptions(kEverywhere, &text);
  text.append("\nRun stagedoor help COMMAND for the flags of a command.\n");
  return text;
}

std::string CommandHelp(const CommandSpec& command) {
  std::string text = Concat("usage: stagedoor ", command.name, " ", command.arguments,
                            command.options.empty() ? "" : " [FLAGS]", "\n\n", command.name, ": ",
                            command.summary, "\n");
  if (!command.options.empty()) text.append("\nFlags:\n");
  AppendOptions(command.options, &text);
  text.append("\nFlags of all commands:\n");
  AppendOptions(kEverywhere, &text);
  return text;
}

}  // namespace stagedoor
