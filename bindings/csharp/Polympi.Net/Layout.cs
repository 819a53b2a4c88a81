using System;

namespace MPI
{
    /// <summary>Which elements of memory a message has: for faces, rows and columns of arrays, without packing.</summary>
    /// <typeparam name="T">The type of the elements: a number or a struct.</typeparam>
    public sealed class Layout<T> : IDisposable where T : struct
    {
        private IntPtr handle;

        private Layout(IntPtr made, long span)
        {
            Errors.Check(Native.TypeCommit(ref made));
            handle = made;
            Span = span;
        }

        /// <summary>Elements from the beginning of the memory to the last one of the layout.</summary>
        public long Span { get; }

        internal IntPtr Datatype => handle;

        /// <summary>A box in an array of several dimensions, whose last index runs fastest.</summary>
        /// <param name="sizes">The size of the array in each dimension.</param>
        /// <param name="parts">The size of the box.</param>
        /// <param name="starts">Where the box begins.</param>
        public static Layout<T> Subarray(int[] sizes, int[] parts, int[] starts)
        {
            if (parts.Length != sizes.Length || starts.Length != sizes.Length)
            {
                throw new ArgumentException("Array and box have the same number of dimensions.", nameof(parts));
            }
            long last = 0;
            for (int i = 0; i < sizes.Length; i++)
            {
                last = last * sizes[i] + starts[i] + parts[i] - 1;
            }
            Errors.Check(Native.TypeSubarray(sizes.Length, sizes, parts, starts, Plain<T>.Datatype, out IntPtr made));
            return new Layout<T>(made, last + 1);
        }

        /// <summary>Blocks of elements at equal distances.</summary>
        /// <param name="count">How many blocks there are.</param>
        /// <param name="length">How many elements a block has.</param>
        /// <param name="stride">Elements from the beginning of a block to that of the next.</param>
        public static Layout<T> Vector(int count, int length, int stride)
        {
            if (count < 1 || length < 0 || stride < length)
            {
                throw new ArgumentException("Blocks follow each other and do not overlap.", nameof(stride));
            }
            Errors.Check(Native.TypeVector(count, length, stride, Plain<T>.Datatype, out IntPtr made));
            return new Layout<T>(made, (long)(count - 1) * stride + length);
        }

        /// <summary>Blocks of elements anywhere.</summary>
        /// <param name="lengths">How many elements each block has.</param>
        /// <param name="places">Where each block begins, in elements.</param>
        public static Layout<T> Indexed(int[] lengths, int[] places)
        {
            if (lengths.Length != places.Length)
            {
                throw new ArgumentException("Each block has a length and a place.", nameof(places));
            }
            long span = 0;
            for (int i = 0; i < lengths.Length; i++)
            {
                if (lengths[i] < 0 || places[i] < 0)
                {
                    throw new ArgumentException("Lengths and places are not negative.", nameof(places));
                }
                span = Math.Max(span, (long)places[i] + lengths[i]);
            }
            Errors.Check(Native.TypeIndexed(lengths.Length, lengths, places, Plain<T>.Datatype, out IntPtr made));
            return new Layout<T>(made, span);
        }

        /// <summary>Gives the layout up.</summary>
        public void Dispose()
        {
            if (handle != IntPtr.Zero && !Environment.Finalized)
            {
                Errors.Check(Native.TypeFree(ref handle));
                handle = IntPtr.Zero;
            }
        }
    }
}
