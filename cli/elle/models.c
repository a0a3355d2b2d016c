/* models: see models.h. */
#include "models.h"

#include "objects.h"
#include "txns.h"

const struct elle_model elle_models[] = {
        {"list-append", "transactions that read and append to lists", judge_list_append},
        {"rw-register", "transactions that read and write registers", judge_rw_register},
        {"register", "a register that is read and written: linearizable", judge_object},
        {"cas-register", "the same, with compare-and-set", judge_object},
        {"mutex", "a lock that is acquired and released: linearizable", judge_object},
        {"set", "elements that are added, and read at the end", judge_object},
        {"set-full", "elements that are added, and read at any time", judge_object},
        {"counter", "a counter that is added to", judge_object},
        {"bank", "transfers between accounts whose total stays the same", judge_object},
        {"long-fork", "writes of one key, and reads of several", judge_object},
        {"comments", "comments that are written, and all read at once", judge_object},
        {"sequential", "keys written part by part, and read in the opposite order", judge_object},
        {0},
};
