#include "base/state.h"

static uint32_t own_asleep; /* without shared memory: the threads of this process */

struct state state = {.turn = PTHREAD_MUTEX_INITIALIZER, .any_asleep = &own_asleep};
