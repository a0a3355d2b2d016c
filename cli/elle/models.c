/* models: see models.h. */
#include "models.h"

#include "txns.h"

const struct elle_model elle_models[] = {
        {"list-append", "transactions that read and append to lists", judge_list_append},
        {"rw-register", "transactions that read and write registers", judge_rw_register},
        {0},
};
