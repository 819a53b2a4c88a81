/* The procedures that a program calls instead of MPI's. Their public names are aliases: by them, another
   tool's procedures could be meant. */
#include "recorder.h"

/* Parameters, and arguments as they were passed and as `enter` has changed them, by their number. */
#define A0 void
#define A1 intptr_t a
#define A2 A1, intptr_t b
#define A3 A2, intptr_t c
#define A4 A3, intptr_t d
#define A5 A4, intptr_t e
#define A6 A5, intptr_t f
#define A7 A6, intptr_t g
#define A8 A7, intptr_t h
#define A9 A8, intptr_t i
#define A10 A9, intptr_t j
#define A11 A10, intptr_t k
#define A12 A11, intptr_t l
#define A13 A12, intptr_t m
#define A14 A13, intptr_t n
#define V0
#define V1 a
#define V2 V1, b
#define V3 V2, c
#define V4 V3, d
#define V5 V4, e
#define V6 V5, f
#define V7 V6, g
#define V8 V7, h
#define V9 V8, i
#define V10 V9, j
#define V11 V10, k
#define V12 V11, l
#define V13 V12, m
#define V14 V13, n
#define X0
#define X1 arguments[0]
#define X2 X1, arguments[1]
#define X3 X2, arguments[2]
#define X4 X3, arguments[3]
#define X5 X4, arguments[4]
#define X6 X5, arguments[5]
#define X7 X6, arguments[6]
#define X8 X7, arguments[7]
#define X9 X8, arguments[8]
#define X10 X9, arguments[9]
#define X11 X10, arguments[10]
#define X12 X11, arguments[11]
#define X13 X12, arguments[12]
#define X14 X13, arguments[13]
#define NONEMPTY0 0
#define NONEMPTY1 V1
#define NONEMPTY2 V2
#define NONEMPTY3 V3
#define NONEMPTY4 V4
#define NONEMPTY5 V5
#define NONEMPTY6 V6
#define NONEMPTY7 V7
#define NONEMPTY8 V8
#define NONEMPTY9 V9
#define NONEMPTY10 V10
#define NONEMPTY11 V11
#define NONEMPTY12 V12
#define NONEMPTY13 V13
#define NONEMPTY14 V14

#define BEGINS(KIND) ((KIND) == INIT || (KIND) == SESSION_BEGIN)

#define P(NAME, KIND, COUNT, SIGNATURE)                                                                      \
    static intptr_t wrapper_##NAME(A##COUNT) {                                                               \
        intptr_t arguments[] = {NONEMPTY##COUNT};                                                            \
        intptr_t (*real)(A##COUNT) = (intptr_t(*)(A##COUNT))real_of(NUMBER_##NAME);                          \
        struct call call;                                                                                    \
        if (BEGINS(KIND)) {                                                                                  \
            intptr_t code = real(V##COUNT);                                                                  \
            begun(KIND, arguments, code);                                                                    \
            return code;                                                                                     \
        }                                                                                                    \
        if (!enter(&call, NUMBER_##NAME, arguments, __builtin_return_address(0), false))                     \
            return real(V##COUNT);                                                                           \
        return leave(&call, real(X##COUNT));                                                                 \
    }                                                                                                        \
    EXPORT intptr_t NAME(A##COUNT) __attribute__((alias("wrapper_" #NAME)));
#include "procedures.h"

static void *const wrappers[PROCEDURES] = {
#define P(NAME, KIND, COUNT, SIGNATURE) (void *)wrapper_##NAME,
#include "procedures.h"
};

void *wrapper_of(int number) { return wrappers[number]; }
