using System;
using System.Buffers;
using System.Runtime.InteropServices;

namespace MPI
{
    /// <summary>Memory that the garbage collector leaves where it is until <see cref="Dispose"/>.</summary>
    internal unsafe struct Pinned : IDisposable
    {
        private GCHandle handle;
        private MemoryHandle memory;

        /// <summary>An array; null is one of no elements.</summary>
        internal Pinned(Array array, int count)
        {
            memory = default(MemoryHandle);
            handle = GCHandle.Alloc(array, GCHandleType.Pinned);
            Address = count == 0 ? null : (byte*)handle.AddrOfPinnedObject();
            Count = count;
        }

        /// <summary>The memory of a caller.</summary>
        internal Pinned(MemoryHandle memory, int count)
        {
            handle = default(GCHandle);
            this.memory = memory;
            Address = (byte*)memory.Pointer;
            Count = count;
        }

        internal byte* Address { get; }

        /// <summary>In units of the codec.</summary>
        internal int Count { get; }

        public void Dispose()
        {
            if (handle.IsAllocated)
            {
                handle.Free();
            }
            memory.Dispose();
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

        public void Dispose() => Marshal.FreeHGlobal((IntPtr)Address);
    }
}
