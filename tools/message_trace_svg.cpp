#include <algorithm>
#include <vector>

#include "tools/message_trace_parts.hpp"

namespace soma::tools {

namespace {

constexpr int left_margin = 110;
constexpr int top_margin = 34;
constexpr int row_height = 46;
constexpr int bar_height = 20;
constexpr int moment_width = 44;  // a message of two moments has room for its name

std::string escaped(const std::string& text) {
  std::string all;
  for (const char one : text) {
    all += one == '<' ? "&lt;" : one == '>' ? "&gt;" : one == '&' ? "&amp;" : std::string(1, one);
  }
  return all;
}

const char* color_of(const trace_step& step) {
  switch (step.what) {
  case trace_step::kind::call:
    return "#c9daf8";
  case trace_step::kind::work:
    return "#f9cb9c";
  case trace_step::kind::message:
    break;
  }
  return "#d9ead3";
}

// Moments stand one behind the other at equal distances: a call takes a thousandth of what a kernel takes,
// and both are to be seen.
class picture {
public:
  picture(const message_trace& trace, const chosen_calls& calls)
      : trace_(trace), shown_(caused_by(trace, calls)) {
    for (const auto* step : shown_.steps) {
      moments_.insert(moments_.end(), {step->start, step->end});
      if (step->what == trace_step::kind::message) {
        moments_.push_back(step->sent);
        row_of(step->from);
      }
      row_of(step->track);
    }
    for (const auto* answer : shown_.answers) {
      moments_.push_back(answer->time);
    }
    std::sort(moments_.begin(), moments_.end());
    moments_.erase(std::unique(moments_.begin(), moments_.end()), moments_.end());
  }

  std::string draw() {
    const auto width = left_margin + moment_width * static_cast<int>(moments_.size() + 2);
    const auto height = top_margin + row_height * static_cast<int>(rows_.size()) + 10;
    std::string all =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(width) + "\" height=\"" +
        std::to_string(height) + "\" font-family=\"sans-serif\" font-size=\"11\">\n" +
        "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"6\" "
        "markerHeight=\"6\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>\n"
        "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"10\" y=\"18\" "
        "fill=\"#555\">time goes from left to right, moment by moment; not to scale</text>\n";
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const auto y = std::to_string(middle(row));
      all += "<text x=\"10\" y=\"" + std::to_string(middle(row) + 4) + "\" font-weight=\"bold\">" +
             escaped(rows_[row]) + "</text>\n<line x1=\"" + std::to_string(left_margin) + "\" y1=\"" + y +
             "\" x2=\"" + std::to_string(width - 10) + "\" y2=\"" + y + "\" stroke=\"#ddd\"/>\n";
    }
    for (const auto* step : shown_.steps) {
      all += bar(*step);
    }
    for (const auto* step : shown_.steps) {
      if (step->what == trace_step::kind::message) {
        all += arrow(step->from, step->sent, step->track, step->start);
      }
    }
    for (const auto* answer : shown_.answers) {
      const auto* by = trace_.find(answer->cause);
      const auto* call = trace_.find(answer->call);
      if (by != nullptr && call != nullptr) {
        all += arrow(by->track, answer->time, call->track, answer->time, " stroke-dasharray=\"4 3\"");
      }
    }
    return all + "</svg>\n";
  }

private:
  std::size_t row_of(const std::string& track) {
    const auto found = std::find(rows_.begin(), rows_.end(), track);
    if (found == rows_.end()) {
      rows_.push_back(track);
      return rows_.size() - 1;
    }
    return static_cast<std::size_t>(found - rows_.begin());
  }

  static int middle(std::size_t row) {
    return top_margin + row_height * static_cast<int>(row) + row_height / 2;
  }

  [[nodiscard]] int x_of(double time) const {
    const auto found = std::lower_bound(moments_.begin(), moments_.end(), time);
    return left_margin + moment_width * static_cast<int>(found - moments_.begin() + 1);
  }

  std::string bar(const trace_step& step) {
    const auto x = x_of(step.start);
    const auto width = std::max(3, x_of(step.end) - x);
    const auto y = middle(row_of(step.track)) - bar_height / 2;
    const auto letters = static_cast<std::size_t>(std::max(0, width / 6));
    return "<g><title>" + escaped(describe_step(step) + ", " + print_time(step.end - step.start)) +
           "</title><rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
           std::to_string(width) + "\" height=\"" + std::to_string(bar_height) + "\" fill=\"" +
           color_of(step) + "\" stroke=\"#888\" stroke-width=\"0.5\"/><text x=\"" + std::to_string(x + 3) +
           "\" y=\"" + std::to_string(y + 14) + "\">" + escaped(step.name.substr(0, letters)) +
           "</text></g>\n";
  }

  std::string arrow(const std::string& from, double sent, const std::string& to, double arrived,
                    const std::string& style = {}) {
    const auto from_row = row_of(from);
    const auto to_row = row_of(to);
    const int toward = from_row < to_row ? 1 : -1;
    return "<line x1=\"" + std::to_string(x_of(sent)) + "\" y1=\"" +
           std::to_string(middle(from_row) + toward * bar_height / 2) + "\" x2=\"" +
           std::to_string(x_of(arrived)) + "\" y2=\"" +
           std::to_string(middle(to_row) - toward * bar_height / 2) + "\" stroke=\"#555\"" + style +
           " marker-end=\"url(#tip)\"/>\n";
  }

  const message_trace& trace_;
  steps_of_calls shown_;
  std::vector<std::string> rows_;
  std::vector<double> moments_;
};

}  // namespace

std::string draw_timeline(const message_trace& trace, const chosen_calls& calls) {
  return picture(trace, calls).draw();
}

}  // namespace soma::tools
