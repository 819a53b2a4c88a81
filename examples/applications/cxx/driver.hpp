/* What the programs share: the command line, the start and the end of MPI, and the exit code. */
#ifndef APPLICATIONS_DRIVER_HPP
#define APPLICATIONS_DRIVER_HPP

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <mpi.h>
#include <new>
#include <stdexcept>
#include <string>

/* Words that stand alone, and words that a positive number follows. */
struct Options {
    std::map<std::string, std::int64_t> numbers; /* what is not given keeps its value */
    std::map<std::string, bool> flags;

    /* Whether all words have a meaning. */
    bool read(int words, char **word) {
        for (int i = 1; i < words; i++) {
            if (const auto flag = flags.find(word[i]); flag != flags.end()) {
                flag->second = true;
                continue;
            }
            const auto number = numbers.find(word[i]);
            if (number == numbers.end() || ++i == words)
                return false;
            const char *end = word[i] + std::strlen(word[i]);
            const auto read = std::from_chars(word[i], end, number->second);
            if (read.ec != std::errc() || read.ptr != end || number->second < 1)
                return false;
        }
        return true;
    }
};

/* Why a problem cannot be solved: thrown on all ranks. */
struct Refused : std::runtime_error {
    using runtime_error::runtime_error;
};

/* A whole program: solve gets the options, and returns whether the result is right; all ranks throw the same.
   Gives the exit code, which is 2 if there is no result. */
template <class Solve>
int driver_main(int words, char **word, const std::string &usage, Options options, Solve solve) {
    int rank, code = 2;
    std::string complaint = "usage: " + usage;
    MPI_Init(&words, &word);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    try {
        if (options.read(words, word)) {
            code = solve(options) ? 0 : 1;
            complaint = "The result is wrong.";
        }
    } catch (const Refused &refused) {
        complaint = refused.what();
    } catch (const std::bad_alloc &) {
        complaint = "A rank has no memory for its part of the problem.";
    }
    if (code != 0 && rank == 0)
        std::fprintf(stderr, "%s\n", complaint.c_str());
    MPI_Finalize();
    return code;
}

#endif
