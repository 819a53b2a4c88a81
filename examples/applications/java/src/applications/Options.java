package applications;

import java.util.HashMap;
import java.util.Map;

/** The command line of the programs: words that stand alone, and words that a positive number follows. */
final class Options {
    private final Map<String, Long> numbers = new HashMap<>();
    private final Map<String, Boolean> flags = new HashMap<>();

    /** A word that a number follows; it has this one where it is not given. */
    Options number(String word, long unless) {
        numbers.put(word, unless);
        return this;
    }

    /** A word that stands alone. */
    Options flag(String word) {
        flags.put(word, false);
        return this;
    }

    /** Whether all words have a meaning. */
    boolean read(String[] words) {
        for (int i = 0; i < words.length; i++) {
            if (flags.containsKey(words[i])) {
                flags.put(words[i], true);
            } else if (!numbers.containsKey(words[i]) || i + 1 == words.length || !readNumber(words[i], words[++i])) {
                return false;
            }
        }
        return true;
    }

    private boolean readNumber(String word, String text) {
        try {
            numbers.put(word, Long.parseLong(text));
        } catch (NumberFormatException wrong) {
            return false;
        }
        return numbers.get(word) > 0;
    }

    long get(String word) {
        return numbers.get(word);
    }

    boolean has(String flag) {
        return flags.get(flag);
    }
}
