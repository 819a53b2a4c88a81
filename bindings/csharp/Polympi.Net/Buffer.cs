using System;
using System.Runtime.InteropServices;

namespace MPI
{
    /// <summary>The memory that buffered sends copy their messages to: one for each process.</summary>
    public static unsafe class Buffer
    {
        private static IntPtr attached;

        /// <summary>Bytes that each message takes in addition to its own.</summary>
        public static int Overhead => Constants.BsendOverhead;

        /// <summary>Attaches memory for buffered sends; nothing else may be attached.</summary>
        /// <param name="bytes">The size of all messages that are on their way at once, and <see cref="Overhead"/> for each.</param>
        public static void Attach(int bytes)
        {
            if (bytes < 0)
            {
                throw new ArgumentOutOfRangeException(nameof(bytes), bytes, "A buffer has no negative size.");
            }
            IntPtr memory = Marshal.AllocHGlobal(bytes);
            int code = Native.BufferAttach((void*)memory, bytes);
            if (code != 0)
            {
                Marshal.FreeHGlobal(memory);
                throw Errors.Exception(code);
            }
            attached = memory;
        }

        /// <summary>Attaches memory of the caller's, which stays where it is until <see cref="Detach"/>.</summary>
        /// <param name="memory">Memory that the garbage collector does not move.</param>
        /// <param name="bytes">Its size.</param>
        public static void Attach(IntPtr memory, int bytes) =>
            Errors.Check(Native.BufferAttach((void*)memory, bytes));

        /// <summary>Waits until all buffered messages have left, and takes the memory back.</summary>
        /// <returns>The size of the memory in bytes.</returns>
        public static int Detach()
        {
            void* memory;
            int bytes;
            Errors.Check(Native.BufferDetach(&memory, &bytes));
            if (attached != IntPtr.Zero)
            {
                Marshal.FreeHGlobal(attached);
                attached = IntPtr.Zero;
            }
            return bytes;
        }
    }
}
