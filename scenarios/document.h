// The text of a scenario file and the changes made to it on the command line. A change edits the
// parsed text and the whole scenario is read again, so that nothing can be set that a file could
// not say.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.h"
#include "scenarios/vocabulary.h"

namespace picklock::scenarios {

// Reads "KEY=VALUE" as `--set` takes it: a dotted path, in which elements of arrays count from 1
// (`fault.1.for=3s`), and a TOML value; a value that is not TOML is text. Throws BadInput if there
// is no key or no value.
Change change_from(std::string_view assignment);

// Every member that reads may throw BadInput.
class Document {
 public:
  // `name` stands for the file in messages.
  Document(std::string text, std::string name);
  static Document from_file(const std::string& path) { return from_file(path, path); }
  static Document from_file(const std::string& path, const std::string& name);
  // Reads a stream, such as standard input. Paths in it are relative to the working directory.
  static Document from_stream(std::istream& in, const std::string& name);

  void set(Change change) { changes_.push_back(std::move(change)); }

  // For callers that do not run the neighbors: a changed lock need not have their steps.
  void forget_neighbours() { neighbours_ = false; }

  // The name of the algorithm in the file, known or not; empty: none is given.
  std::string algorithm() const;

  // Twins are read as well, so that a mistake in one shows at once.
  Scenario scenario(const Vocabulary& vocabulary) const;

  // Twin or neighbour number `index`, from 0, as a scenario of its own: changed, with its own
  // expectations, without twins and neighbours. Requires: scenario() has that many.
  Scenario twin(std::size_t index, const Vocabulary& vocabulary) const;
  Scenario neighbour(std::size_t index, const Vocabulary& vocabulary) const;

 private:
  Scenario read(const Twin* twin, const Vocabulary& vocabulary) const;
  Scenario as_twin(const Twin& twin, const Vocabulary& vocabulary) const;

  std::string text_;
  std::string label_;  // for messages
  std::string file_;   // empty: not from a file
  std::vector<Change> changes_;
  bool neighbours_ = true;
};

}  // namespace picklock::scenarios
