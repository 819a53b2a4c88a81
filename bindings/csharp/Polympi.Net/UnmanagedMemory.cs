using System;
using System.Buffers;

namespace MPI
{
    /// <summary>Memory outside of .NET as <see cref="Memory{T}"/>, for requests: it is never moved, so pinning is free.</summary>
    /// <typeparam name="T">A number or a struct.</typeparam>
    public sealed unsafe class UnmanagedMemory<T> : MemoryManager<T> where T : struct
    {
        private readonly void* address;
        private readonly int length;

        /// <summary>Describes memory, which lives as long as its owner says.</summary>
        /// <param name="address">Where it begins.</param>
        /// <param name="length">How many elements it has.</param>
        public UnmanagedMemory(IntPtr address, int length)
        {
            this.address = (void*)address;
            this.length = length;
        }

        /// <inheritdoc/>
        public override Span<T> GetSpan() => new Span<T>(address, length);

        /// <inheritdoc/>
        public override MemoryHandle Pin(int elementIndex = 0) =>
            new MemoryHandle((byte*)address + (long)elementIndex * Plain<T>.Size);

        /// <inheritdoc/>
        public override void Unpin()
        {
        }

        /// <inheritdoc/>
        protected override void Dispose(bool disposing)
        {
        }
    }
}
