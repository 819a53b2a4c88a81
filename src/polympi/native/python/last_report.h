/* Reports at the end of the program or a communicator: what it waits for, and what it has given up. */
#pragma once

#include "base/errors.h"
#include "transfer/undelivered.h"

/* ---- with Python: 0, or -1 with an exception ---- */

/* Call `say` with what is waited for, if anything. */
int say_what_is_waited_for(PyObject *say);
/* Append sentences on offloaded calls that were left; on everything given up, including `sent`, a send that a
 * thread waits for, or NULL. */
int report_left(PyObject *sentences);
int report_fates(PyObject *sentences, const Call *sent);

/* ---- without ---- */

/* As say_what_is_waited_for and report_fates, on standard error. Whether there is anything. */
bool write_what_is_waited_for(void);
void write_fates(void);
/* Report messages that were dropped with their communicator, which `freeing` frees. */
void write_undelivered(const Call *freeing, const Undelivered *dropped);
/* Describe those left when all ranks had reached their end, in at most UNDELIVERED_TEXT bytes; report them.
 */
enum { UNDELIVERED_TEXT = 2 * RANK_TEXT + 128 };
void undelivered_text(char *text, const Call *call, const Undelivered *left);
void write_left(const Undelivered *left);
