/* The command line of the programs: words that stand alone, and words that a positive number follows. */
#ifndef APPLICATIONS_OPTIONS_HPP
#define APPLICATIONS_OPTIONS_HPP

#include <charconv>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>

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

#endif
