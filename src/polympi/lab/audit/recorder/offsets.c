#include "recorder.h"
void compare_clocks(int when) { (void)when; }
