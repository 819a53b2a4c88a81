using System;
using System.Runtime.CompilerServices;

namespace MPI
{
    /// <summary>The calls of MPI that send.</summary>
    internal static unsafe class Calls
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal static int Send(
            SendMode mode, void* message, int count, IntPtr type, int dest, int tag, IntPtr comm) =>
            mode == SendMode.Standard
                ? Native.Send(message, count, type, dest, tag, comm)
                : Native.Send(mode, message, count, type, dest, tag, comm);

        internal static IntPtr Start(
            SendMode mode, void* message, int count, IntPtr type, int dest, int tag, IntPtr comm)
        {
            IntPtr request;
            Errors.Check(Native.StartSend(mode, message, count, type, dest, tag, comm, &request));
            return request;
        }

        internal static IntPtr Prepare(
            SendMode mode, void* message, int count, IntPtr type, int dest, int tag, IntPtr comm)
        {
            IntPtr request;
            Errors.Check(Native.PrepareSend(mode, message, count, type, dest, tag, comm, &request));
            return request;
        }
    }
}
