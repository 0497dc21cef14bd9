# shellcheck shell=bash disable=SC2034  # the lists are for those who source this
# Sourced by ./picklock, ./check and bench/run: the Debian packages that they need, and the installation of missing ones.
# All output goes to standard error.

build_packages=(g++ cmake ninja-build ccache pkg-config libboost-fiber1.81-dev
  libboost-context1.81-dev liblua5.1-0-dev lua-bitop-dev lua-cjson-dev libtomlplusplus-dev nlohmann-json3-dev libcli11-dev
  libfmt-dev libmariadb-dev libpugixml-dev libssl-dev zlib1g-dev)
test_packages=(clang libclang-rt-14-dev clang-format clang-tidy libgtest-dev libgmock-dev
  librapidcheck-dev libbenchmark-dev curl redis-server zookeeper
  mariadb-server chromium default-jdk-headless libcurator-recipes-java golang-go golang-github-gomodule-redigo-dev
  libhiredis-dev
  dpkg-dev file git lintian man-db procps valgrind zsh
  python3-jsonschema python3-kazoo python3-pymysql python3-redis python3-yaml)
# Only the page's tests take npm; a system with an npm of its own keeps it.
command -v npm >/dev/null || test_packages+=(nodejs npm)

# install_missing PACKAGE...: succeeds if all of them are installed at the end. A system without dpkg is assumed to
# have all of them: the build reports missing ones.
install_missing() {
  command -v dpkg-query >/dev/null || return 0
  local package missing=() log status=0
  for package in "$@"; do
    # A package that another one has only mentioned is "not-installed".
    [[ " $(dpkg-query -W -f '${db:Status-Status} ' "$package" 2>/dev/null)" == *" installed "* ]] ||
      missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  local as_root=()
  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null || { [[ ! -t 0 ]] && ! sudo -n true 2>/dev/null; }; then
      echo "${0##*/}: cannot install packages as this user; run: apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  echo "installing ${missing[*]}…" >&2
  log=$(mktemp)
  local get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600)
  # The lists of a machine may be absent or old, and fetching them is slow: only when it did not go without.
  { "${get[@]}" install -y --no-install-recommends "${missing[@]}" ||
    { "${get[@]}" update &&
      "${get[@]}" install -y --no-install-recommends "${missing[@]}"; }; } >"$log" 2>&1 </dev/null ||
    status=1
  if ((status)); then
    cat "$log" >&2
    echo "${0##*/}: could not install ${missing[*]}" >&2
  fi
  rm -f "$log"
  return "$status"
}
