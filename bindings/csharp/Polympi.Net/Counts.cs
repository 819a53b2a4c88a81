using System;

namespace MPI
{
    /// <summary>Numbers of elements of pieces that lie side by side.</summary>
    internal static class Counts
    {
        /// <summary>Where each piece begins. MPI counts with 32 bits, and this many elements is the most for all.</summary>
        internal static int[] Places(int[] counts, out int total)
        {
            var places = new int[counts.Length];
            total = 0;
            for (int i = 0; i < counts.Length; i++)
            {
                places[i] = total;
                total = checked(total + counts[i]);
            }
            return places;
        }

        internal static int[] Equal(int ranks, int count)
        {
            var counts = new int[ranks];
            for (int i = 0; i < ranks; i++)
            {
                counts[i] = count;
            }
            return counts;
        }

        internal static void CheckRanks(Array values, int ranks, string name)
        {
            if (values == null || values.Length != ranks)
            {
                throw new ArgumentException(
                    "There has to be one for each of the " + ranks + " ranks, not "
                        + (values == null ? "none" : values.Length + "") + ".",
                    name);
            }
        }

        internal static void CheckLength(int length, long needed, string name)
        {
            if (length < needed)
            {
                throw new ArgumentException("There has to be room for " + needed + " elements, not " + length + ".", name);
            }
        }
    }
}
