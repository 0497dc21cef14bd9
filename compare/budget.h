// Divides the time of a comparison between its runs, the stories of what they show, and the pages.
// It keeps time back for stories and pages by what the first of them cost, so that the comparison
// ends when its time is over.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace picklock::compare {

using Seconds = std::chrono::duration<double>;

class Budget {
 public:
  Budget(Seconds length, unsigned jobs) : length_(length), jobs_(jobs) {}

  // Records work, in the time of one process. `file`: the part of a story once it was shrunk.
  void ran(Seconds took, std::uint64_t runs);
  void told(Seconds took, Seconds file);

  // The pages, with so many stories.
  Seconds pages(std::size_t stories) const;
  // Whether there is time for a further run, if so many stories are to be made then, and the pages
  // have so many.
  bool has_time_for_runs(Seconds passed, std::size_t untold, std::size_t stories) const;
  // Whether there is time for another turn of runs and their stories, once all stories are made.
  bool has_time_for_more(Seconds passed, std::size_t stories) const;
  // When the stories must be made.
  Seconds end_of_stories(std::size_t stories) const;
  // The fair share of one of so many stories that are to be made; 0: there is no time for it.
  Seconds share_of_a_story(Seconds passed, std::size_t untold, std::size_t stories) const;

 private:
  Seconds run() const;
  Seconds story() const;
  Seconds kept(std::size_t untold, std::size_t stories) const;

  const Seconds length_;
  const unsigned jobs_;
  Seconds runs_took_{};
  double runs_ = 0;
  Seconds stories_took_{};
  Seconds files_took_{};
  double stories_ = 0;
};

}  // namespace picklock::compare
