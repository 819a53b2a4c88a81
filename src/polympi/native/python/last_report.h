/* What is said at the end, of the program or of a communicator: what it waits for, and what became of
 * messages and calls that it has given up. */
#ifndef POLYMPI_LAST_REPORT_H
#define POLYMPI_LAST_REPORT_H

#include "base/errors.h"
#include "transfer/undelivered.h"

/* ---- with Python: 0, or -1 with an exception ---- */

/* Have `say` say what is waited for, if there is anything. */
int say_what_is_waited_for(PyObject *say);
/* Sentences on collective calls that were left; and on all that is given up, of which `sent` is a send that a
 * thread waits for, or NULL. */
int report_left(PyObject *sentences);
int report_fates(PyObject *sentences, const Call *sent);

/* ---- without ---- */

/* Write a sentence to standard error, after the rank. */
void tell(const char *sentence);

/* The same on standard error. Whether there is anything. */
bool tell_what_is_waited_for(void);
void tell_fates(void);
/* Messages that were dropped with their communicator, which `freeing` frees, if there are any. */
void tell_undelivered(const Call *freeing, const Undelivered *dropped);
/* Those that were left when all ranks had reached their end, in at most UNDELIVERED_TEXT bytes. */
enum { UNDELIVERED_TEXT = 2 * RANK_TEXT + 128 };
void undelivered_text(char *text, const Call *call, const Undelivered *left);
/* The same on standard error. */
void tell_left(const Undelivered *left);

#endif
