/* The class of files. */
#pragma once

#include "base/state.h"

extern PyTypeObject File_Type;
