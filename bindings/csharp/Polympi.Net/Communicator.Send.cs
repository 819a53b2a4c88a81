using System;
using System.Runtime.CompilerServices;

namespace MPI
{
    /// <content>Blocking sends.</content>
    public abstract unsafe partial class Communicator
    {
        /// <summary>Sends a value; returns when the memory of the message may be used again.</summary>
        /// <typeparam name="T">A number, a struct, an array of these, a string, or any type that the serializer knows.</typeparam>
        /// <param name="value">The value.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void Send<T>(T value, int dest, int tag) => Send(SendMode.Standard, value, dest, tag);

        /// <summary>Sends an array; returns when the memory of the message may be used again.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="values">The array; the receiver need not know its length.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void Send<T>(T[] values, int dest, int tag) => Send(SendMode.Standard, values, dest, tag);

        /// <summary>Sends the elements of memory; returns when the memory of the message may be used again.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">The memory.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void Send<T>(ReadOnlySpan<T> values, int dest, int tag) where T : struct =>
            SendElements(SendMode.Standard, values, dest, tag);

        /// <inheritdoc cref="Send{T}(ReadOnlySpan{T}, int, int)"/>
        public void Send<T>(Span<T> values, int dest, int tag) where T : struct =>
            SendElements<T>(SendMode.Standard, values, dest, tag);

        /// <summary>Sends a value; returns when the receiver has begun to receive.</summary>
        /// <inheritdoc cref="Send{T}(T, int, int)" path="/param|/typeparam"/>
        public void SynchronousSend<T>(T value, int dest, int tag) =>
            Send(SendMode.Synchronous, value, dest, tag);

        /// <summary>Sends an array; returns when the receiver has begun to receive.</summary>
        /// <inheritdoc cref="Send{T}(T[], int, int)" path="/param|/typeparam"/>
        public void SynchronousSend<T>(T[] values, int dest, int tag) =>
            Send(SendMode.Synchronous, values, dest, tag);

        /// <summary>Sends the elements of memory; returns when the receiver has begun to receive.</summary>
        /// <inheritdoc cref="Send{T}(ReadOnlySpan{T}, int, int)" path="/param|/typeparam"/>
        public void SynchronousSend<T>(ReadOnlySpan<T> values, int dest, int tag) where T : struct =>
            SendElements(SendMode.Synchronous, values, dest, tag);

        /// <inheritdoc cref="SynchronousSend{T}(ReadOnlySpan{T}, int, int)"/>
        public void SynchronousSend<T>(Span<T> values, int dest, int tag) where T : struct =>
            SendElements<T>(SendMode.Synchronous, values, dest, tag);

        /// <summary>Sends a value by way of the memory of <see cref="Buffer.Attach(int)"/>; returns at once.</summary>
        /// <inheritdoc cref="Send{T}(T, int, int)" path="/param|/typeparam"/>
        public void BufferedSend<T>(T value, int dest, int tag) =>
            Send(SendMode.Buffered, value, dest, tag);

        /// <summary>Sends an array by way of the memory of <see cref="Buffer.Attach(int)"/>; returns at once.</summary>
        /// <inheritdoc cref="Send{T}(T[], int, int)" path="/param|/typeparam"/>
        public void BufferedSend<T>(T[] values, int dest, int tag) =>
            Send(SendMode.Buffered, values, dest, tag);

        /// <summary>Sends the elements of memory by way of the memory of <see cref="Buffer.Attach(int)"/>; returns at once.</summary>
        /// <inheritdoc cref="Send{T}(ReadOnlySpan{T}, int, int)" path="/param|/typeparam"/>
        public void BufferedSend<T>(ReadOnlySpan<T> values, int dest, int tag) where T : struct =>
            SendElements(SendMode.Buffered, values, dest, tag);

        /// <inheritdoc cref="BufferedSend{T}(ReadOnlySpan{T}, int, int)"/>
        public void BufferedSend<T>(Span<T> values, int dest, int tag) where T : struct =>
            SendElements<T>(SendMode.Buffered, values, dest, tag);

        /// <summary>Sends a value to a rank that has posted the receive already.</summary>
        /// <inheritdoc cref="Send{T}(T, int, int)" path="/param|/typeparam"/>
        public void ReadySend<T>(T value, int dest, int tag) =>
            Send(SendMode.Ready, value, dest, tag);

        /// <summary>Sends an array to a rank that has posted the receive already.</summary>
        /// <inheritdoc cref="Send{T}(T[], int, int)" path="/param|/typeparam"/>
        public void ReadySend<T>(T[] values, int dest, int tag) =>
            Send(SendMode.Ready, values, dest, tag);

        /// <summary>Sends the elements of memory to a rank that has posted the receive already.</summary>
        /// <inheritdoc cref="Send{T}(ReadOnlySpan{T}, int, int)" path="/param|/typeparam"/>
        public void ReadySend<T>(ReadOnlySpan<T> values, int dest, int tag) where T : struct =>
            SendElements(SendMode.Ready, values, dest, tag);

        /// <inheritdoc cref="ReadySend{T}(ReadOnlySpan{T}, int, int)"/>
        public void ReadySend<T>(Span<T> values, int dest, int tag) where T : struct =>
            SendElements<T>(SendMode.Ready, values, dest, tag);

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private void Send<T>(SendMode mode, T value, int dest, int tag)
        {
            CheckDest(dest, tag);
            Errors.Check(Codec<T>.Default.Send(mode, value, dest, tag, Handle));
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private void SendElements<T>(SendMode mode, ReadOnlySpan<T> values, int dest, int tag) where T : struct
        {
            CheckDest(dest, tag);
            fixed (byte* bytes = &Plain<T>.Bytes(values))
            {
                Errors.Check(Calls.Send(mode, bytes, values.Length, Plain<T>.Datatype, dest, tag, Handle));
            }
        }
    }
}
