#include "keys/key_kinds.h"
#include "models/locks/catalogue.h"
#include "scenarios/keys.h"

namespace picklock::scenarios {

using namespace keys;

const Keys<models::LockOptions>& option_keys() {
  static const Keys<models::LockOptions> all = [] {
    Keys<models::LockOptions> keys;
    for (const models::Algorithm* algorithm : models::locks::all()) {
      for (const Key<models::LockOptions>& key : algorithm->keys) {
        if (find(keys, key.name) == nullptr) keys.push_back(key);
      }
    }
    return keys;
  }();
  return all;
}

const Keys<LockSpec>& lock_keys() {
  static const Keys<LockSpec> all = [] {
    Keys<LockSpec> keys = {
        text<LockSpec>("algorithm", at<&LockSpec::algorithm>,
                       "the lock: a name of `picklock list algorithms`; must be given"),
        text<LockSpec>("key", at<&LockSpec::key>, "the key that every client wants"),
    };
    add_lifted(keys, option_keys(), at<&LockSpec::options>);
    return keys;
  }();
  return all;
}

}  // namespace picklock::scenarios
