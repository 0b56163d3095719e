#include "tools/report_page.hpp"

#include <nlohmann/json.hpp>

#include "tools/html_text.hpp"
#include "tools/report_sections.hpp"
#include "tools/report_style.hpp"

namespace soma::tools {

namespace {

constexpr const char* head_begin =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
    "'unsafe-inline'\">\n";

std::string print_navigation(const std::vector<std::string>& files) {
  if (files.size() < 2) {
    return {};
  }
  std::string items;
  for (std::size_t index = 0; index < files.size(); ++index) {
    items += element(
        "li", element("a href=\"#trace-" + std::to_string(index + 1) + "\"", escape_html(files[index])));
  }
  return element("nav aria-label=\"Traces\"", element("ul", items)) + "\n";
}

}  // namespace

void report_page::add(const file_outcome& outcome, const replay_settings& settings,
                      const replay_history& history) {
  files_.push_back(outcome.file);
  const std::string number = std::to_string(files_.size());
  std::string content = element("h1", "Replay of " + escape_html(outcome.file)) + "\n";
  if (!outcome.result) {
    content +=
        element("p class=\"error\"", escape_html(print_error(outcome.file, outcome.result.error()))) + "\n";
  } else {
    const reported_replay replay{.result = *outcome.result,
                                 .settings = settings,
                                 .history = history,
                                 .prefix = "trace-" + number + "-"};
    content += print_summary_section(replay);
    if (!history.blocks.empty()) {
      content += print_memory_section(replay) + print_address_section(replay) + print_reuse_section(replay) +
                 print_size_section(replay) + print_fragmentation_section(replay) +
                 print_pressure_section(replay);
    }
  }
  articles_.push_back(element("article id=\"trace-" + number + "\"", "\n" + content) + "\n");
}

std::string report_page::print(const nlohmann::ordered_json& figures) const {
  const std::string title =
      files_.size() == 1 ? escape_html(files_.front()) : std::to_string(files_.size()) + " traces";
  std::string page = head_begin + element("title", "soma replay: " + title) + "\n" +
                     element("style", report_style()) + "\n</head>\n<body>\n" + print_navigation(files_) +
                     "<main>\n";
  for (const std::string& article : articles_) {
    page += article;
  }
  page += "</main>\n<footer>Written by soma replay. Sizes are in powers of 1024.</footer>\n";
  page += "<script type=\"application/json\" id=\"figures\">\n" +
          escape_json_in_html(figures.dump(1, ' ', false, nlohmann::json::error_handler_t::replace)) +
          "\n</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace soma::tools
