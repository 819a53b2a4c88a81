using System;
using System.Runtime.CompilerServices;
using System.Text;

namespace MPI
{
    /// <summary>Error codes of MPI become exceptions.</summary>
    internal static unsafe class Errors
    {
        /// <summary>The test of every call; what follows from a failure is elsewhere, so that this is inlined.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal static void Check(int code)
        {
            if (code != 0)
            {
                throw Exception(code);
            }
        }

        internal static MpiException Exception(int code)
        {
            string message = Text(text => Native.ErrorString(code, (byte*)text));
            var errorClass = (ErrorClass)Native.ErrorClass(code);
            switch (errorClass)
            {
                case ErrorClass.Truncate:
                    return new MessageTruncatedException(message, code);
                case ErrorClass.Comm:
                case ErrorClass.Group:
                case ErrorClass.Op:
                case ErrorClass.Request:
                case ErrorClass.Type:
                    return new InvalidHandleException(message, code, errorClass);
                case ErrorClass.Count:
                case ErrorClass.Tag:
                case ErrorClass.Rank:
                case ErrorClass.Root:
                case ErrorClass.Topology:
                case ErrorClass.Dims:
                case ErrorClass.Arg:
                    return new MpiArgumentException(message, code, errorClass);
                case ErrorClass.Buffer:
                case ErrorClass.NoMem:
                    return new MpiBufferException(message, code, errorClass);
                default:
                    return new MpiException(message, code, errorClass);
            }
        }

        /// <summary>The string that a function of MPI writes.</summary>
        internal static string Text(Func<IntPtr, int> write)
        {
            var bytes = new byte[Native.TextBytes];
            fixed (byte* text = bytes)
            {
                write((IntPtr)text);
            }
            int length = Array.IndexOf(bytes, (byte)0);
            return Encoding.UTF8.GetString(bytes, 0, length < 0 ? bytes.Length : length);
        }

        internal static Exception WrongPeer(string name, int rank, int size, bool any) =>
            new ArgumentOutOfRangeException(
                name,
                rank,
                "There is no rank " + rank + " here: ranks are 0 to " + (size - 1)
                    + (any ? ", or Communicator.AnySource" : "") + ".");

        internal static Exception WrongTag(int tag, bool any) =>
            new ArgumentOutOfRangeException(
                "tag",
                tag,
                "A tag is 0 to " + Environment.MaxTag + (any ? ", or Communicator.AnyTag" : "") + ", not " + tag + ".");
    }
}
