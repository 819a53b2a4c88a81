#pragma once

/* Wait until the launcher has read what this process has written, before the job is aborted. Hydra ends at
 * once then, and drops the last output of the ranks that it has not read or not passed on. */
void wait_for_last_words(void);
