#!/usr/bin/env bash
# What the architecture forbids and no compiler sees: includes against the order of the layers, a second owner of time,
# chance or order, fibers outside their file, paths of one machine.
set -u
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
layers=(sim history keys models guests outside properties scenarios reports explore compare conform serve cli testing)

# FILE WORD, as extended regular expressions: the exceptions.
allowed() {
  case "$1 $2" in
    # The signature of Boost.Fiber's own interface names it; nothing reads it.
    sim/fiber*\ steady_clock) return 0 ;;
    # How long a search goes on, and how long it took; never what a run does.
    explore/campaign.cc\ steady_clock) return 0 ;;
    explore/run_memory.cc\ steady_clock) return 0 ;;
    # When a part was written, for people.
    explore/store.cc\ system_clock) return 0 ;;
    explore/workers/crew.*\ steady_clock) return 0 ;;
    compare/make.cc\ steady_clock) return 0 ;;
    compare/part.cc\ steady_clock) return 0 ;;
    compare/shared_cells.cc\ steady_clock) return 0 ;;
    # The progress line and the time limit of `run`, and how long runs took; never what a run does.
    cli/watch.*\ steady_clock) return 0 ;;
    cli/watch.*\ *thread*) return 0 ;;
    # Stands in for these functions in a real server.
    conform/redis/steered_clock.cc\ clock_gettime) return 0 ;;
    conform/redis/steered_clock.cc\ gettimeofday) return 0 ;;
    # Where real servers stand in for simulated ones, their clients live by real clocks (architecture "Locks on real servers").
    conform/real/real_time.*\ *_clock) return 0 ;;
    serve/clock.h\ *_clock) return 0 ;;
    # Answers these calls of programs, and asks how long one has computed; never what a run does.
    guests/*\ clock_gettime | guests/*\ gettimeofday) return 0 ;;
    outside/true_time.h\ system_clock) return 0 ;;
    # What nobody may foresee: how a client proves its password; never what a run does.
    serve/deployment.cc\ getentropy) return 0 ;;
    # Real servers take real time, on ports that are drawn.
    conform/redis/outcomes/real_*\ *) return 0 ;;
    conform/zookeeper/outcomes/real_*\ *) return 0 ;;
    conform/mysql/real_side.*\ *) return 0 ;;
    # Cases are compared several at a time; what is drawn follows from the seed.
    conform/campaign.h\ *thread*) return 0 ;;
  esac
  return 1
}

sources() {  # sources FOLDER...: what is compiled into the product, tests left out
  local folder
  for folder in "$@"; do
    [[ -d $folder ]] &&
      find "$folder" -name '*_test.cc' -prune -o \( -name '*.h' -o -name '*.cc' \) -print
  done | LC_ALL=C sort
}

without_comments() { sed -E 's@//.*@@' "$1"; }

complain() {
  echo "$1"
  complaints=$((complaints + 1))
}

check_layers() {
  local i file layer later
  for ((i = 0; i + 1 < ${#layers[@]}; ++i)); do
    later=$(IFS='|' && echo "${layers[*]:i+1}")
    while IFS=: read -r file layer; do
      complain "$file: ${layers[i]} may not include $layer"
    done < <(sources "${layers[i]}" | xargs -r grep -HoE "^#include \"($later)/" | sed -E 's@#include "(.*)/$@\1@')
  done
  while read -r file; do
    complain "$file: a lock sees interfaces only and may not include sim"
  done < <(sources models/locks | xargs -r grep -lE '^#include "sim/')
  while read -r file; do
    complain "$file: a public header includes public headers only"
  done < <(sources include | xargs -r grep -HE '^#include "' | grep -v '"picklock/' | cut -d: -f1)
  while read -r file; do
    complain "$file: the folder of the models has folders only"
  done < <(find models -maxdepth 1 -name '*.h' -o -maxdepth 1 -name '*.cc')
}

# Not in comments either: who reads the simulator need not know what runs in it.
check_sim_words() {
  local line
  while read -r line; do
    complain "$line: sim says no word of locks"
  done < <(find sim -type f -print0 2>/dev/null |
    xargs -0r grep -inwE 'locks?|acquires?|leases?|tenures?|evict(s|ed)?|fail[-_]?over|kill[-_]session' /dev/null)
}

check_words() {
  local file word
  local words=('steady_clock' 'system_clock' 'high_resolution_clock' 'clock_gettime' 'gettimeofday'
    'random_device' 'getentropy' '\bs?rand\(' 'std::uniform_' 'std::(normal|exponential|poisson)_distribution'
    'unordered_(map|set)' '<random>' '<cmath>' '<math.h>' '<thread>'
    'std::(pow|exp|exp2|log|log2|log10|sin|cos)\(')
  local any
  any=$(IFS='|' && echo "${words[*]}")
  while read -r file; do
    for word in "${words[@]}"; do
      without_comments "$file" | grep -qE "$word" && ! allowed "$file" "$word" &&
        complain "$file: '$word' is forbidden: it lets something but the seed decide a run"
    done
  done < <(sources include "${layers[@]}" | xargs -r grep -lE "$any")
}

check_fibers() {
  local file
  while read -r file; do
    [[ $file == sim/fiber* ]] || complain "$file: only sim/fiber* touches Boost.Fiber"
  done < <(sources "${layers[@]}" | xargs -r grep -lE '^#include [<"]boost/fiber')
}

# The examples of the public headers, indented by three blanks, are lines of what is compiled and run.
check_examples() {
  local file line
  for file in include/picklock/*.h; do
    [[ -e $file ]] || continue
    while read -r line; do
      grep -qF -- "$line" explore/header_examples_test.cc ||
        complain "$file: a line of its example is not in explore/header_examples_test.cc: $line"
    done < <(sed -nE 's@^//    *@@p' "$file")
  done
}

check_paths() {
  local line
  while read -r line; do
    complain "$line: a path of one machine"
  done < <(find . \( -name .git -o -path ./build -o -path ./picklock-out -o -path ./bench-out \) \
    -prune -o -type f -print0 |
    xargs -0 grep -IoHnE '(^|[^[:alnum:]._~/$}-])/(home|root|work|Users)/[[:alnum:]]+')
}

# A stranger who reads a folder of the product is to meet the product alone.
check_test_helpers() {
  local header
  while read -r header; do
    complain "$header: only tests include it, so it belongs in testing"
  done < <(grep -rHoE --include='*.cc' --include='*.h' '^#include "[^"]+"' "${layers[@]}" bench 2>/dev/null |
    awk -F'[:"]' '
      { included[$3] = 1 }
      $1 !~ /_test\.cc$|^testing\// { used[$3] = 1 }
      END { for (header in included) if (!used[header]) print header }' |
    grep -vE '^(testing|picklock)/' | LC_ALL=C sort)
}

# A folder that ./picklock does not know is not built anew when it changes; one that ./check lacks is not formatted.
check_lists_of_layers() {
  local file
  for file in picklock check CONTRIBUTING.md; do
    [[ -e $file ]] || continue
    sed 's/ <-//g' "$file" | grep -qF "${layers[*]}" || complain "$file: its layers are not: ${layers[*]}"
  done
}

complaints_in() {  # complaints_in FOLDER
  cd "$1" || exit
  complaints=0
  check_layers
  check_lists_of_layers
  check_words
  check_sim_words
  check_test_helpers
  check_fibers
  check_paths
  check_examples
  ((complaints == 0))
}

# The checks themselves: each must find what is planted for it, and a clean tree must pass.
plant=$(mktemp -d)
trap 'rm -rf "$plant"' EXIT
mkdir -p "$plant"/{sim,models/{client,locks},explore,compare,cli,include/picklock}
planted() {  # planted FILE TEXT EXPECTED
  echo "$2" >"$plant/$1"
  local found
  found=$(complaints_in "$plant")
  rm "$plant/$1"
  [[ $found == *"$3"* ]] && return
  echo "planted in $1: $2, and not found; found: $found"
  exit 1
}
planted sim/a.h '#include "models/client/keys.h"' 'sim may not include models'
planted sim/a.h '#include "history/history.h"' 'sim may not include history'
planted sim/a.h 'void kill_session();' 'sim says no word of locks'
planted sim/a.h '// Who holds the lock.' 'sim says no word of locks'
planted models/locks/a.cc '#include "sim/time.h"' 'may not include sim'
planted include/picklock/a.h '#include "sim/time.h"' 'public headers only'
touch "$plant/explore/header_examples_test.cc"
planted include/picklock/a.h '//   my.example();' 'a line of its example is not in'
planted models/a.h '// A helper.' 'has folders only'
planted models/client/a.cc 'std::unordered_map<int, int> m;' 'unordered_'
planted cli/a.cc 'auto t = std::chrono::steady_clock::now();' 'steady_clock'
planted sim/a.cc 'int x = rand();' 'rand'
planted sim/clock.cc '#include <boost/fiber/all.hpp>' 'only sim/fiber*'
planted sim/a_test.cc '#include "sim/helper.h"' 'sim/helper.h: only tests include it'
planted a.md "see /""home/me/x" 'a path of one machine'
echo '#include <boost/fiber/all.hpp>  // steady_clock' >"$plant/sim/fiber_scheduler.cc"
complaints_in "$plant" || { echo "a clean tree does not pass"; exit 1; }

complaints_in "$root"
