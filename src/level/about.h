/*
 * about: levels in words, and for each step from one level to the next a history
 * that the weaker one allows and the stronger one forbids.
 *
 * The levels stand in one line, from rc to sser; each has a weaker twin without
 * session order. The histories are those of examples/levels/, a line a transaction;
 * a test reads both and has them judged. From rc to ser they are what `alibi synth --min
 * --apart` finds, up to names: none is smaller.
 */
#ifndef ALIBI_LEVEL_ABOUT_H
#define ALIBI_LEVEL_ABOUT_H

#include "alibi.h"

/* Fills all but name and title, by the name. */
void about_level(alibi_level_info *info);

size_t about_step_count(void);
const alibi_level_step *about_step(size_t index);

#endif
