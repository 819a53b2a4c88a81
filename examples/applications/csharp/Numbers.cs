using System;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace Applications
{
    /// <summary>
    /// Numbers outside of the garbage collector's memory: they stay where they are, and may be more than an array
    /// holds.
    /// </summary>
    internal sealed unsafe class Numbers : SafeHandleZeroOrMinusOneIsInvalid
    {
        private const int CacheLine = 64;
        private const int HugePage = 2 << 20;
        private const int AdviseHugePages = 14;

        private Numbers(long bytes, int alignment) : base(true)
        {
            SetHandle(Marshal.AllocHGlobal((IntPtr)(bytes + alignment)));
            First = (double*)RoundUp((long)handle, alignment);
        }

        /// <summary>The first one.</summary>
        public double* First { get; }

        /// <summary>Memory for this many numbers, which have no values yet; null where there is none.</summary>
        /// <param name="count">How many.</param>
        /// <param name="onHugePages">Whether Linux is asked for huge pages, so that the processor knows where all of
        /// them are.</param>
        public static Numbers Allocate(long count, bool onHugePages = false)
        {
            int alignment = onHugePages ? HugePage : CacheLine;
            if (count > long.MaxValue / sizeof(double) - 2 * HugePage)
            {
                return null;
            }
            try
            {
                long bytes = RoundUp(count * sizeof(double), alignment);
                var made = new Numbers(bytes, alignment);
                if (onHugePages)
                {
                    madvise(made.First, (UIntPtr)(ulong)bytes, AdviseHugePages);
                }
                return made;
            }
            catch (OutOfMemoryException)
            {
                return null;
            }
        }

        protected override bool ReleaseHandle()
        {
            Marshal.FreeHGlobal(handle);
            return true;
        }

        private static long RoundUp(long value, long multiple) => (value + multiple - 1) / multiple * multiple;

        [DllImport("libc")]
        private static extern int madvise(void* address, UIntPtr bytes, int advice);
    }
}
