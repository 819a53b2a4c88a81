using System;
using System.Buffers;
using System.Runtime.InteropServices;

namespace MPI
{
    /// <summary>Memory that the garbage collector leaves where it is until <see cref="Dispose"/>.</summary>
    internal unsafe struct Pinned : IDisposable
    {
        private MemoryHandle memory;
        private Scratch copy;

        /// <summary>A copy, which is freed with this.</summary>
        internal Pinned(Scratch copy, int count)
        {
            memory = default(MemoryHandle);
            this.copy = copy;
            Address = copy.Address;
            Count = count;
        }

        /// <summary>The memory of a caller.</summary>
        internal Pinned(MemoryHandle memory, int count)
        {
            this.memory = memory;
            copy = default(Scratch);
            Address = (byte*)memory.Pointer;
            Count = count;
        }

        internal byte* Address { get; }

        /// <summary>In units of the codec.</summary>
        internal int Count { get; }

        public void Dispose()
        {
            memory.Dispose();
            copy.Dispose();
        }
    }

    /// <summary>Memory for a message on its way to a value.</summary>
    internal unsafe struct Scratch : IDisposable
    {
        internal Scratch(long bytes)
        {
            Address = (byte*)Marshal.AllocHGlobal((IntPtr)Math.Max(bytes, 1));
        }

        internal byte* Address { get; }

        public void Dispose()
        {
            if (Address != null)
            {
                Marshal.FreeHGlobal((IntPtr)Address);
            }
        }
    }
}
