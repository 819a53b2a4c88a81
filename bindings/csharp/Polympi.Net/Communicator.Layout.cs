using System;

namespace MPI
{
    /// <content>Messages of elements that do not lie side by side.</content>
    public abstract unsafe partial class Communicator
    {
        /// <summary>Sends the elements of memory that a layout tells.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="values">Memory from the first to the last element of the layout.</param>
        /// <param name="layout">Which elements.</param>
        /// <param name="dest">The rank that receives them.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void Send<T>(ReadOnlySpan<T> values, Layout<T> layout, int dest, int tag) where T : struct
        {
            CheckDest(dest, tag);
            Counts.CheckLength(values.Length, layout.Span, nameof(values));
            fixed (byte* bytes = &Plain<T>.Bytes(values))
            {
                Errors.Check(Native.Send(bytes, 1, layout.Datatype, dest, tag, Handle));
            }
        }

        /// <summary>Receives into the elements of memory that a layout tells.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="source">The rank that sends, or <see cref="AnySource"/>.</param>
        /// <param name="tag">The tag, or <see cref="AnyTag"/>.</param>
        /// <param name="values">Memory from the first to the last element of the layout.</param>
        /// <param name="layout">Which elements.</param>
        public void Receive<T>(int source, int tag, Span<T> values, Layout<T> layout) where T : struct
        {
            CheckSource(source, tag);
            Counts.CheckLength(values.Length, layout.Span, nameof(values));
            fixed (byte* bytes = &Plain<T>.Bytes(values))
            {
                Errors.Check(Native.Recv(bytes, 1, layout.Datatype, source, tag, Handle, null));
            }
        }
    }
}
