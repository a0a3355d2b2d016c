/* models: see models.h. */
#include "models.h"

#include "objects.h"
#include "txns.h"

/* One table for both lists. */
#define MODELS(X)                                                                                  \
	X("list-append", "transactions that read and append to lists", judge_list_append)          \
	X("rw-register", "transactions that read and write registers", judge_rw_register)          \
	X("register", "a register that is read and written: linearizable", judge_object)           \
	X("cas-register", "the same, with compare-and-set", judge_object)                          \
	X("mutex", "a lock that is acquired and released: linearizable", judge_object)             \
	X("set", "elements that are added, and read at the end", judge_object)                     \
	X("set-full", "elements that are added, and read at any time", judge_object)               \
	X("counter", "a counter that is added to", judge_object)                                   \
	X("bank", "transfers between accounts whose total stays the same", judge_object)           \
	X("long-fork", "writes of one key, and reads of several", judge_object)                    \
	X("comments", "comments that are written, and all read at once", judge_object)             \
	X("sequential", "keys written part by part, and read in the opposite order", judge_object)

#define ROW(name, title, judge) {name, title, judge},
#define NAME(name, title, judge) name,

const struct elle_model elle_models[] = {MODELS(ROW){0}};
const char *const elle_model_choices[] = {MODELS(NAME) NULL};
