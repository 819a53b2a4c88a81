using System.Collections.Generic;
using System.Globalization;

namespace Applications
{
    /// <summary>The command line: words that stand alone, and words that a positive number follows.</summary>
    internal sealed class Options
    {
        /// <summary>The words that a number follows, each with what holds where it is not given.</summary>
        public Dictionary<string, long> Numbers { get; } = new Dictionary<string, long>();

        /// <summary>The words that stand alone, and whether they are given.</summary>
        public Dictionary<string, bool> Flags { get; } = new Dictionary<string, bool>();

        /// <summary>Whether all words have a meaning.</summary>
        /// <param name="words">The command line.</param>
        public bool Read(string[] words)
        {
            for (int i = 0; i < words.Length; i++)
            {
                string word = words[i];
                if (Flags.ContainsKey(word))
                {
                    Flags[word] = true;
                }
                else if (Numbers.ContainsKey(word) && ++i < words.Length && TryParse(words[i], out long number))
                {
                    Numbers[word] = number;
                }
                else
                {
                    return false;
                }
            }
            return true;
        }

        private static bool TryParse(string word, out long number) =>
            long.TryParse(word, NumberStyles.None, CultureInfo.InvariantCulture, out number) && number > 0;
    }
}
