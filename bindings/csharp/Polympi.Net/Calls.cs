using System;
using System.Runtime.CompilerServices;

namespace MPI
{
    /// <summary>The call of MPI for each mode of sending.</summary>
    internal static unsafe class Calls
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal static int Send(
            SendMode mode, void* message, int count, IntPtr type, int dest, int tag, IntPtr comm)
        {
            return mode == SendMode.Standard
                ? Native.Send(message, count, type, dest, tag, comm)
                : SendOtherwise(mode, message, count, type, dest, tag, comm);
        }

        private static int SendOtherwise(
            SendMode mode, void* message, int count, IntPtr type, int dest, int tag, IntPtr comm)
        {
            switch (mode)
            {
                case SendMode.Synchronous:
                    return Native.Ssend(message, count, type, dest, tag, comm);
                case SendMode.Buffered:
                    return Native.Bsend(message, count, type, dest, tag, comm);
                default:
                    return Native.Rsend(message, count, type, dest, tag, comm);
            }
        }

        internal static IntPtr Start(
            SendMode mode, void* message, int count, IntPtr type, int dest, int tag, IntPtr comm)
        {
            IntPtr request;
            int code;
            switch (mode)
            {
                case SendMode.Standard:
                    code = Native.Isend(message, count, type, dest, tag, comm, &request);
                    break;
                case SendMode.Synchronous:
                    code = Native.Issend(message, count, type, dest, tag, comm, &request);
                    break;
                case SendMode.Buffered:
                    code = Native.Ibsend(message, count, type, dest, tag, comm, &request);
                    break;
                default:
                    code = Native.Irsend(message, count, type, dest, tag, comm, &request);
                    break;
            }
            Errors.Check(code);
            return request;
        }

        internal static IntPtr Prepare(
            SendMode mode, void* message, int count, IntPtr type, int dest, int tag, IntPtr comm)
        {
            IntPtr request;
            int code;
            switch (mode)
            {
                case SendMode.Standard:
                    code = Native.SendInit(message, count, type, dest, tag, comm, &request);
                    break;
                case SendMode.Synchronous:
                    code = Native.SsendInit(message, count, type, dest, tag, comm, &request);
                    break;
                case SendMode.Buffered:
                    code = Native.BsendInit(message, count, type, dest, tag, comm, &request);
                    break;
                default:
                    code = Native.RsendInit(message, count, type, dest, tag, comm, &request);
                    break;
            }
            Errors.Check(code);
            return request;
        }
    }
}
