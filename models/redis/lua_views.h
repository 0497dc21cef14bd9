// Read-only tables of Lua: a view stands for its table, reading goes through, writing is refused.
// Redis patches its interpreter for them; library functions that would see a view's inside are
// given the table, or a copy.
#pragma once

struct lua_State;

namespace picklock::redis::views {

// Prepares a new interpreter.
void prepare(lua_State* lua);
// Replaces the table on top by a view.
void protect(lua_State* lua);
// Replaces a view by its table. False: the value is no view.
bool see_through(lua_State* lua, int index);
// Replaces tables among the arguments that hold views by copies that hold none.
void strip_arguments(lua_State* lua);
// Raises the error of a write, without a position, as the interpreter of Redis does.
int refuse(lua_State* lua);

}  // namespace picklock::redis::views
