using System;

namespace Benchmark
{
    /// <summary>The managed heap as it is in a program that has run for a while.</summary>
    internal static class Heap
    {
        private const int Chunk = 1 << 12;
        private const long Most = 1L << 30;

        private static bool used;

        /// <summary>Allocates until the youngest generation has been collected twice, once in a program: the system
        /// gives a process each page at its first use, which takes longer than a message.</summary>
        public static void Use()
        {
            int before = GC.CollectionCount(0);
            for (long bytes = 0; !used && bytes < Most && GC.CollectionCount(0) < before + 2; bytes += Chunk)
            {
                GC.KeepAlive(new byte[Chunk]);
            }
            used = true;
        }
    }
}
