// Metrics: all counters are there, and both texts are what they claim, by parsers of this test's own.

#include "soma/metrics.hpp"

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "support/cpp_fixture.hpp"

namespace {

using namespace support;

// A sample by its name and labels, as it was written but without escapes.
using sample = std::pair<std::string, std::map<std::string, std::string>>;

// Reads Prometheus' text format, version 0.0.4, as far as there are counters and gauges in it; throws at
// anything that is not allowed.
class prometheus_parser {
public:
  explicit prometheus_parser(const std::string& text) : text_(text) {
    if (text.empty() || text.back() != '\n') {
      throw std::runtime_error("the last line does not end");
    }
    while (at_ < text_.size()) {
      line();
    }
  }

  std::map<sample, double> samples;
  std::map<std::string, std::string> types;
  std::map<std::string, std::string> helps;

private:
  void line() {
    if (take("# HELP ")) {
      const auto name = word();
      need(" ");
      if (!helps.emplace(name, rest()).second) {
        throw std::runtime_error("a second HELP of " + name);
      }
    } else if (take("# TYPE ")) {
      const auto name = word();
      need(" ");
      const auto type = rest();
      if ((type != "counter" && type != "gauge") || !types.emplace(name, type).second ||
          finished_.contains(name)) {
        throw std::runtime_error("the TYPE of " + name + " is wrong, or comes late or again");
      }
    } else {
      one_sample();
    }
  }

  void one_sample() {
    const auto name = word();
    if (name != family_) {
      if (!finished_.insert(name).second) {
        throw std::runtime_error("samples of " + name + " are not together");
      }
      family_ = name;
    }
    std::map<std::string, std::string> labels;
    if (take("{")) {
      do {
        const auto label = word();
        need("=\"");
        if (!labels.emplace(label, quoted()).second) {
          throw std::runtime_error("a label that is there twice: " + label);
        }
      } while (take(","));
      need("}");
    }
    need(" ");
    const auto value = rest();
    std::size_t read = 0;
    const auto number = std::stod(value, &read);
    if (read != value.size() || !samples.emplace(sample{name, labels}, number).second) {
      throw std::runtime_error("the value of " + name + " is no number or comes again: " + value);
    }
  }

  bool take(const std::string& sign) {
    if (text_.compare(at_, sign.size(), sign) != 0) {
      return false;
    }
    at_ += sign.size();
    return true;
  }

  void need(const std::string& sign) {
    if (!take(sign)) {
      throw std::runtime_error("expected " + sign + " at " + text_.substr(at_, 40));
    }
  }

  std::string word() {
    std::string found;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      found += text_[at_++];
    }
    if (found.empty() || std::isdigit(static_cast<unsigned char>(found[0])) != 0) {
      throw std::runtime_error("no name at " + text_.substr(at_, 40));
    }
    return found;
  }

  char escape() {
    const char one = text_.at(at_++);
    if (one != '\\' && one != 'n' && one != '"') {
      throw std::runtime_error("a wrong escape");
    }
    return one == 'n' ? '\n' : one;
  }

  std::string quoted() {
    std::string found;
    while (text_.at(at_) != '"') {
      const char one = text_[at_++];
      if (one == '\n') {
        throw std::runtime_error("a label's value that does not end");
      }
      found += one == '\\' ? escape() : one;
    }
    ++at_;
    return found;
  }

  std::string rest() {
    std::string found;
    while (text_.at(at_) != '\n') {
      const char one = text_[at_++];
      found += one == '\\' ? escape() : one;
    }
    ++at_;
    return found;
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::string family_;
  std::set<std::string> finished_;
};

class Metrics : public cpp_fixture {};

TEST_F(Metrics, HaveTheFiguresOfPoolsAndDevices) {
  auto pool =
      make_pool({.limit = 64_M, .minimum_block = 512, .reuse = {.event = true}, .release_threshold = 7});
  auto* const block = must(pool.malloc_async(1000, s1_));
  const auto text = must(runtime_.metrics()).to_prometheus();
  const prometheus_parser parsed(text);
  const auto statistics = must(pool.statistics());

  std::string number;
  for (const auto& [key, value] : parsed.samples) {
    if (key.first == "soma_pool_limit_bytes") {
      number = key.second.at("pool");
    }
  }
  const auto of_pool = [&](const std::string& name,
                           std::optional<std::pair<std::string, std::string>> more = {}) {
    std::map<std::string, std::string> labels{{"device", "0"}, {"pool", number}};
    if (more) {
      labels.insert(*more);
    }
    return parsed.samples.at({name, labels});
  };
  EXPECT_EQ(of_pool("soma_pool_limit_bytes"), 64_M);
  EXPECT_EQ(of_pool("soma_pool_used_bytes"), statistics.used);
  EXPECT_EQ(of_pool("soma_pool_reserved_bytes"), statistics.reserved);
  EXPECT_EQ(of_pool("soma_pool_idle_bytes"), statistics.idle);
  EXPECT_EQ(of_pool("soma_pool_requested_bytes"), 1000);
  EXPECT_EQ(of_pool("soma_pool_live_blocks"), 1);
  EXPECT_EQ(of_pool("soma_pool_release_threshold_bytes"), 7);
  EXPECT_EQ(of_pool("soma_pool_reuse_enabled", {{"kind", "event"}}), 1);
  EXPECT_EQ(of_pool("soma_pool_reuse_enabled", {{"kind", "internal"}}), 0);
  EXPECT_EQ(of_pool("soma_pool_allocations_total", {{"served", "new_memory"}}), 1);
  EXPECT_EQ(of_pool("soma_pool_backing_requests_total"), statistics.backing_requests);
  const std::map<std::string, std::string> device{{"device", "0"}};
  EXPECT_EQ(parsed.samples.at({"soma_device_memory_bytes", device}), must(device_.memory()).total);
  EXPECT_EQ(parsed.samples.at({"soma_device_free_bytes", device}), must(device_.memory()).free);
  EXPECT_EQ(parsed.samples.at({"soma_device_streams", device}), 4);
  must(pool.free_async(block, s1_));
}

TEST_F(Metrics, AreTypedAndDescribed) {
  const auto pool = make_pool({});
  const auto text = must(runtime_.metrics()).to_prometheus();
  const prometheus_parser parsed(text);
  EXPECT_GT(parsed.samples.size(), 25U);
  for (const auto& [key, value] : parsed.samples) {
    ASSERT_TRUE(parsed.types.contains(key.first)) << key.first;
    EXPECT_FALSE(parsed.helps.at(key.first).empty());
    EXPECT_EQ(parsed.types.at(key.first) == "counter", key.first.ends_with("_total")) << key.first;
  }
}

TEST_F(Metrics, AreTheSameAsJson) {
  const auto pool = make_pool({});
  const auto taken = must(runtime_.metrics());
  const auto json = nlohmann::json::parse(taken.to_json());
  ASSERT_EQ(json["metrics"].size(), taken.all.size());
  for (std::size_t at = 0; at < taken.all.size(); ++at) {
    EXPECT_EQ(json["metrics"][at]["name"], taken.all[at].name);
    EXPECT_EQ(json["metrics"][at]["value"], taken.all[at].value);
    EXPECT_EQ(json["metrics"][at]["labels"].size(), taken.all[at].labels.size());
  }
}

TEST(MetricsText, EscapesWhatMustBeEscaped) {
  soma::metrics odd;
  odd.all.push_back({"soma_odd", "a \\ and\na line", false, {{"name", "quote \" back \\ line \n end"}}, 5});
  const auto text = odd.to_prometheus();
  const prometheus_parser parsed(text);
  EXPECT_EQ(parsed.helps.at("soma_odd"), "a \\ and\na line");
  EXPECT_EQ(parsed.samples.at({"soma_odd", {{"name", "quote \" back \\ line \n end"}}}), 5);
  const auto json = nlohmann::json::parse(odd.to_json());
  EXPECT_EQ(json["metrics"][0]["labels"]["name"], "quote \" back \\ line \n end");
}

TEST(MetricsText, OfNothingIsEmpty) {
  EXPECT_EQ(soma::metrics{}.to_prometheus(), "");
  EXPECT_TRUE(nlohmann::json::parse(soma::metrics{}.to_json())["metrics"].empty());
}

}  // namespace
