#include "tools/manual.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/finished_command.hpp"
#include "tools/manual_command.hpp"

namespace soma::tools {

namespace {

using testing::HasSubstr;

class Manual : public testing::Test {
protected:
  Manual() {
    auto* const subcommand = program_.add_subcommand("paint", "Paints\n.a dot, a back\\slash and a-dash.");
    subcommand->add_option("-c,--colour", colour_, "Which one")->type_name("COLOUR")->capture_default_str();
    subcommand->add_option("FILE", file_, "What is painted")->required();
    subcommand->add_flag("--dry", dry_, "Without paint");
    subcommand->footer("'quoted at the begin");
  }

  CLI::App program_{"A program.", "brush"};
  std::string colour_ = "red";
  std::string file_;
  bool dry_ = false;
};

TEST_F(Manual, ThePageHasEverySubcommandWithItsOptions) {
  const auto page = manual_page(program_, "1.2");
  EXPECT_THAT(page, HasSubstr(".TH BRUSH 1 \"\" \"brush 1.2\""));
  EXPECT_THAT(page, HasSubstr(".SS brush paint\n"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-c, \\-\\-colour\\fR \\fICOLOUR\\fR\nWhich one (by default red)\n"));
  EXPECT_THAT(page, HasSubstr("\\fBFILE\\fR"));
  EXPECT_THAT(page, HasSubstr("\\fB\\-\\-dry\\fR\nWithout paint\n")) << "a flag takes no value";
}

TEST_F(Manual, WhatRoffWouldTakeForARequestIsText) {
  const auto page = manual_page(program_, "1.2");
  EXPECT_THAT(page, HasSubstr("Paints\n\\&.a dot, a back\\eslash and a\\-dash.\n"));
  EXPECT_THAT(page, HasSubstr(".nf\n\\&'quoted at the begin\n.fi\n"));
}

TEST_F(Manual, TheCompletionHasEverySubcommandWithItsLongOptions) {
  const auto script = bash_completion(program_);
  EXPECT_THAT(script, HasSubstr("compgen -W \"paint --help\""));
  EXPECT_THAT(script, HasSubstr("paint) words=\"--help --colour --dry\" ;;"));
  EXPECT_THAT(script, HasSubstr("complete -F _brush_complete brush\n"));
}

void add_manual(CLI::App& program, command& chosen) { add_manual_command(program, chosen, "1.2"); }

TEST(ManualCommand, PrintsWhatIsAskedFor) {
  const auto page = run_command(add_manual, "manual", {});
  EXPECT_EQ(page.status, exit_done);
  EXPECT_THAT(page.out, HasSubstr(".SS soma manual"));
  const auto script = run_command(add_manual, "manual", {"--as", "bash"});
  EXPECT_EQ(script.status, exit_done);
  EXPECT_THAT(script.out, HasSubstr("# bash completion for soma\n"));
}

TEST(ManualCommand, OfOtherKindsItKnowsNone) {
  const auto done = run_command(add_manual, "manual", {"--as", "fish"});
  EXPECT_EQ(done.status, exit_usage);
  EXPECT_THAT(done.err, HasSubstr("--as: fish not in {man,bash}"));
  EXPECT_EQ(done.out, "");
}

}  // namespace

}  // namespace soma::tools
