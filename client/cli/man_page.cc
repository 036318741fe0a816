#include "client/cli/man_page.h"

#include <cstdio>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "base/version.h"
#include "client/cli/command_table.h"
#include "client/cli/completion_words.h"

namespace stagedoor {
namespace {

// The code point at the beginning of UTF-8 text, which is one of our own texts. Removes it.
char32_t TakeCharacter(std::string_view* text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>((*text)[i]); };
  const size_t length = byte(0) < 0x80 ? 1 : byte(0) < 0xe0 ? 2 : byte(0) < 0xf0 ? 3 : 4;
  char32_t code = length == 1 ? byte(0) : byte(0) & (0x7f >> length);
  for (size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3f);
  text->remove_prefix(length);
  return code;
}

// Text without a meaning for roff, in ASCII.
std::string Roff(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char32_t code = TakeCharacter(&text);
    if (code == '\\') {
      out += "\\e";
    } else if (code == '-') {
      out += "\\-";
    } else if (code == '~') {
      out += "\\(ti";
    } else if (code == '^') {
      out += "\\(ha";
    } else if (code == '\'') {
      out += "\\(aq";
    } else if (code < 0x80) {
      // A point begins a request only at the start of a line.
      if (code == '.' && out.empty()) out += "\\&";
      out += static_cast<char>(code);
    } else {
      char escape[16];
      std::snprintf(escape, sizeof(escape), "\\[u%04X]", static_cast<unsigned>(code));
      out += escape;
    }
  }
  return out;
}

std::string Item(std::string_view term, std::string_view text) {
  return Concat(".TP\n", term, "\n", Roff(text), "\n");
}

std::string FlagTerm(const OptionSpec& option) {
  std::string term = option.letter.empty() ? "" : Concat("\\fB\\-", option.letter, "\\fR, ");
  term += Concat("\\fB", Roff(Concat("--", option.name)), "\\fR");
  if (!option.value.empty()) term += Concat(" \\fI", Roff(option.value), "\\fR");
  return term;
}

std::string CommandSection(const CommandSpec& command) {
  const std::string arguments =
      command.arguments.empty() ? "" : Concat(" \\fI", Roff(command.arguments), "\\fR");
  std::string text = Concat(".SS \"\\fB", Roff(command.name), "\\fR", arguments, "\"\n",
                            Roff(command.summary), "\n");
  for (const std::string_view name : command.options) {
    const OptionSpec* option = FindOption(name);
    if (option != nullptr) text += Item(FlagTerm(*option), option->help);
  }
  return text;
}

constexpr std::pair<std::string_view, std::string_view> kVariables[] = {
    {"STAGEDOOR_ADDRESS", "address of the daemon, if --address is not given"},
    {"STAGEDOOR_EMBEDDED", "1: run the server inside the command"},
    {"STAGEDOOR_SCHEMA_PATH", "directories of schema plug-ins, with --embedded"},
    {"STAGEDOOR_TLS_CA", "certificates to trust"},
    {"STAGEDOOR_TLS_CERTIFICATE", "client certificate"},
    {"STAGEDOOR_TLS_KEY", "key of the client certificate"},
    {"STAGEDOOR_TOKEN_FILE", "file with a bearer token"},
    {"STAGEDOOR_PROXY", "URL of an HTTP proxy to connect through, or 'environment'"},
    {"NO_COLOR", "if set and not empty, nothing is printed in colours unless --color=always"},
};

constexpr std::pair<std::string_view, std::string_view> kStatuses[] = {
    {"0", "success; of diff: no differences"},
    {"1", "any other failure; of diff: there are differences"},
    {"2", "the command line, or a path or time in it, is wrong; of diff: any failure"},
    {"3", "no daemon, or no resolver service, answers"},
    {"4", "a layer, prim or attribute does not exist"},
    {"5", "a file is broken"},
    {"6", "the deadline (--timeout) expired"},
};

template <typename Table>
std::string Section(std::string_view title, const Table& table) {
  std::string text = Concat(".SH ", title, "\n");
  for (const auto& [term, about] : table) text += Item(Concat("\\fB", term, "\\fR"), about);
  return text;
}

}  // namespace

std::string ManPage() {
  std::string text = Concat(
      ".TH STAGEDOOR 1 \"\" \"stagedoor ", kVersion,
      "\" \"User Commands\"\n.SH NAME\nstagedoor \\- query composed USD scenes\n.SH SYNOPSIS\n"
      "\\fBstagedoor\\fR [\\fIFLAGS\\fR] \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n.SH DESCRIPTION\n",
      Roff("Queries a running daemon, stagedoord, which holds composed scenes; with --embedded the "
           "server runs inside the command. Flags may be anywhere, as --name value or "
           "--name=value; after -- nothing is a flag."),
      "\n.SH COMMANDS\n");
  for (const CommandSpec& command : AllCommands()) text += CommandSection(command);
  text += ".SH \"FLAGS OF ALL COMMANDS\"\n";
  for (const OptionSpec* option : OptionsOf(nullptr)) text += Item(FlagTerm(*option), option->help);
  text += Section("ENVIRONMENT", kVariables);
  text += Section("\"EXIT STATUS\"", kStatuses);
  return text;
}

}  // namespace stagedoor
