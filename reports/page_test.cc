#include "reports/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "reports/story_json.h"
#include "scenarios/shipped.h"
#include "testing/sample_run.h"

namespace picklock::reports {
namespace {

using Json = nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr const char* kComparison = R"({"columns": ["pause"], "locks": []})";

// The content of the element with this id.
std::string element(const std::string& html, const std::string& id) {
  const std::size_t named = html.find("id=\"" + id + "\"");
  if (named == std::string::npos) return "no element " + id;
  const std::size_t begin = html.find('>', named) + 1;
  return html.substr(begin, html.find("</script>", begin) - begin);
}

std::string from_base64(const std::string& text) {
  static const std::string kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int held = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(kLetters.find(c));
    held += 6;
    if (held < 8) continue;
    held -= 8;
    out += static_cast<char>(bits >> held & 0xff);
  }
  return out;
}

Json stories(const std::string& html) {
  const std::string packed = from_base64(element(html, "stories"));
  std::string text(1 << 22, '\0');
  uLongf size = text.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(text.data()), &size,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  return Json::parse(text.substr(0, size));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

std::vector<Json> of_kind(const Json& story, const std::string& kind) {
  std::vector<Json> out;
  for (const Json& row : story.at("rows")) {
    if (row.at("kind") == kind) out.push_back(row);
  }
  return out;
}

TEST(Page, HoldsTheComparisonAndItsStories) {
  Page page;
  page.add("found/a.toml", {.run = testing::blind_delete(), .twins = {}});
  const std::string html = page.html(kComparison);
  EXPECT_THAT(html, StartsWith("<!DOCTYPE html>"));
  EXPECT_EQ(Json::parse(element(html, "comparison")), Json::parse(kComparison));
  const Json told = stories(html);
  EXPECT_THAT(told, SizeIs(1));
  EXPECT_EQ(told.at("found/a.toml"), Json(story_json(testing::blind_delete())));
}

TEST(Page, IsOneWithoutStories) { EXPECT_THAT(stories(Page().html(kComparison)), IsEmpty()); }

TEST(Page, LoadsNothing) {
  const std::string html = Page().html(kComparison);
  EXPECT_THAT(html, HasSubstr("default-src 'none'; script-src 'sha256-"));
  for (const char* loads : {"<script src", "<link rel=\"stylesheet", "@import", "<img", "<iframe"})
    EXPECT_THAT(html, Not(HasSubstr(loads)));
}

TEST(Page, NoTextBreaksOutOfItsElement) {
  const std::string hostile = "</script><script>alert(1)</script><!--\u2028\x01\xff";
  scenarios::Run run = testing::blind_delete();
  run.scenario.title = hostile;
  run.processes[0] = hostile;
  Page page;
  page.add(hostile, {.run = run, .twins = {}});
  const std::size_t elements = count(Page().html(kComparison), "<script");
  const std::string html =
      page.html(Json{{"command", "</script><script>alert(1)</script><!-- <SCRIPT>"}}.dump());
  EXPECT_EQ(count(html, "<script"), elements);
  EXPECT_EQ(count(html, "</script>"), elements);
  EXPECT_THAT(html, AllOf(Not(HasSubstr("alert(1)</script>")), Not(HasSubstr("<SCRIPT"))));
  EXPECT_EQ(Json::parse(element(html, "comparison")).at("command"),
            "</script><script>alert(1)</script><!-- <SCRIPT>");
  EXPECT_THAT(stories(html), SizeIs(1));
}

TEST(Page, RefusesWhatIsNotJson) { EXPECT_THROW(Page().html("{"), std::invalid_argument); }

TEST(Page, OfManyStoriesIsSmall) {
  Page page;
  for (int i = 0; i < 100; ++i) {
    scenarios::Run run = testing::blind_delete();
    run.seed = static_cast<std::uint64_t>(i);
    page.add("found/" + std::to_string(i) + ".toml", {.run = run, .twins = {}});
  }
  EXPECT_LT(page.html(kComparison).size(), std::size_t{1} << 19);
}

TEST(PageStory, TellsTheBlindDelete) {
  const Json story = Json(story_json(testing::blind_delete()));
  EXPECT_EQ(story.at("algorithm"), "set-px-blind-delete");
  std::vector<std::string> names;
  for (const Json& process : story.at("processes")) names.push_back(process.at("name"));
  EXPECT_THAT(names,
              ::testing::ElementsAre("client-1", "client-2", "client-3", "redis-1", "resource"));
  const Json& first = story.at("rows").at(0);
  EXPECT_EQ(first.at("kind"), "exchange");
  EXPECT_EQ(first.at("from"), 0);
  EXPECT_EQ(first.at("to"), 3);
  EXPECT_THAT(first.at("text").get<std::string>(), HasSubstr("SET lock:order-42"));
  EXPECT_EQ(first.at("answer"), "OK");
  ASSERT_THAT(of_kind(story, "fault"), Not(IsEmpty()));
  EXPECT_EQ(of_kind(story, "fault")[0].at("from"), 0);
  EXPECT_THAT(story.at("faults").at(0).at("text").get<std::string>(),
              HasSubstr("pause client-1 for 9s"));
  EXPECT_EQ(story.at("faults").at(0).at("at"), 3.0015);
}

TEST(PageStory, ExplainsWhatBroke) {
  const Json story = Json(story_json(testing::blind_delete()));
  std::vector<std::string> broken;
  for (const Json& one : story.at("broken")) {
    broken.push_back(one.at("property"));
    EXPECT_THAT(one.at("sentences"), Not(IsEmpty()));
  }
  EXPECT_THAT(broken, AllOf(Contains("own-release"), Contains("no-stale-write"), SizeIs(5)));
  const std::vector<Json> rows = of_kind(story, "violation");
  ASSERT_THAT(rows, Not(IsEmpty()));
  EXPECT_THAT(rows[0].at("text").get<std::string>(), StartsWith("mutual-exclusion: "));
  EXPECT_EQ(rows[0].at("concerned"), Json::array({1, 0}));
}

TEST(PageStory, SaysWhoBelievesAndWhoIsPaused) {
  std::vector<std::string> of_client_1;
  const Json story = Json(story_json(testing::blind_delete()));
  for (const Json& row : story.at("rows")) {
    for (const char* when : {"before", "within"}) {
      for (const Json& change : row.value(when, Json::array())) {
        if (change.at(0) == 0) of_client_1.push_back(change.at(1));
      }
    }
  }
  EXPECT_THAT(of_client_1, ::testing::ElementsAre("believes", "pauses", "resumes", "disbelieves"));
}

// Every story that is shipped: rows point at columns that are there.
TEST(PageStory, OfEveryShippedScenarioPointsAtItsProcesses) {
  scenarios::Runner runner;
  for (const auto& [name, path] : scenarios::documented(scenarios::shipped::kDirectory)) {
    SCOPED_TRACE(name);
    const auto outcome =
        runner.run_file(scenarios::Document::from_file(path), std::nullopt, false, true);
    const Json story = Json(story_json(outcome.run));
    const std::size_t columns = story.at("processes").size();
    ASSERT_THAT(story.at("rows"), Not(IsEmpty()));
    for (const Json& row : story.at("rows")) {
      EXPECT_LT(row.value("from", std::size_t{0}), columns);
      EXPECT_LT(row.value("to", std::size_t{0}), columns);
    }
  }
}

}  // namespace
}  // namespace picklock::reports
