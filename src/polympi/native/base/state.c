#include "base/state.h"

struct state state = {.turn = PTHREAD_MUTEX_INITIALIZER};
