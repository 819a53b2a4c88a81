using System;

namespace MPI
{
    /// <content>Sends and receives that return at once.</content>
    public abstract unsafe partial class Communicator
    {
        /// <summary>Begins to send a value.</summary>
        /// <typeparam name="T">A number, a struct, an array of these, a string, or any type that the serializer knows.</typeparam>
        /// <param name="value">The value; an array may not change until the request is complete.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public Request ImmediateSend<T>(T value, int dest, int tag) =>
            Start(SendMode.Standard, Codec<T>.Default.Pin(value), Codec<T>.Default.Datatype, dest, tag);

        /// <summary>Begins to send the elements of memory.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">The memory, which may not change until the request is complete.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public Request ImmediateSend<T>(ReadOnlyMemory<T> values, int dest, int tag) where T : struct =>
            Start(SendMode.Standard, Plain<T>.Pin(values), Plain<T>.Datatype, dest, tag);

        /// <inheritdoc cref="ImmediateSend{T}(ReadOnlyMemory{T}, int, int)"/>
        public Request ImmediateSend<T>(Memory<T> values, int dest, int tag) where T : struct =>
            ImmediateSend((ReadOnlyMemory<T>)values, dest, tag);

        /// <summary>Begins to send a value; complete when the receiver has begun to receive.</summary>
        /// <inheritdoc cref="ImmediateSend{T}(T, int, int)" path="/param|/typeparam"/>
        public Request ImmediateSynchronousSend<T>(T value, int dest, int tag) =>
            Start(SendMode.Synchronous, Codec<T>.Default.Pin(value), Codec<T>.Default.Datatype, dest, tag);

        /// <summary>Begins to send the elements of memory; complete when the receiver has begun to receive.</summary>
        /// <inheritdoc cref="ImmediateSend{T}(ReadOnlyMemory{T}, int, int)" path="/param|/typeparam"/>
        public Request ImmediateSynchronousSend<T>(ReadOnlyMemory<T> values, int dest, int tag) where T : struct =>
            Start(SendMode.Synchronous, Plain<T>.Pin(values), Plain<T>.Datatype, dest, tag);

        /// <inheritdoc cref="ImmediateSynchronousSend{T}(ReadOnlyMemory{T}, int, int)"/>
        public Request ImmediateSynchronousSend<T>(Memory<T> values, int dest, int tag) where T : struct =>
            ImmediateSynchronousSend((ReadOnlyMemory<T>)values, dest, tag);

        /// <summary>Begins to send a value by way of the memory of <see cref="Buffer.Attach(int)"/>.</summary>
        /// <inheritdoc cref="ImmediateSend{T}(T, int, int)" path="/param|/typeparam"/>
        public Request ImmediateBufferedSend<T>(T value, int dest, int tag) =>
            Start(SendMode.Buffered, Codec<T>.Default.Pin(value), Codec<T>.Default.Datatype, dest, tag);

        /// <summary>Begins to send the elements of memory by way of the memory of <see cref="Buffer.Attach(int)"/>.</summary>
        /// <inheritdoc cref="ImmediateSend{T}(ReadOnlyMemory{T}, int, int)" path="/param|/typeparam"/>
        public Request ImmediateBufferedSend<T>(ReadOnlyMemory<T> values, int dest, int tag) where T : struct =>
            Start(SendMode.Buffered, Plain<T>.Pin(values), Plain<T>.Datatype, dest, tag);

        /// <inheritdoc cref="ImmediateBufferedSend{T}(ReadOnlyMemory{T}, int, int)"/>
        public Request ImmediateBufferedSend<T>(Memory<T> values, int dest, int tag) where T : struct =>
            ImmediateBufferedSend((ReadOnlyMemory<T>)values, dest, tag);

        /// <summary>Begins to send a value to a rank that has posted the receive already.</summary>
        /// <inheritdoc cref="ImmediateSend{T}(T, int, int)" path="/param|/typeparam"/>
        public Request ImmediateReadySend<T>(T value, int dest, int tag) =>
            Start(SendMode.Ready, Codec<T>.Default.Pin(value), Codec<T>.Default.Datatype, dest, tag);

        /// <summary>Begins to send the elements of memory to a rank that has posted the receive already.</summary>
        /// <inheritdoc cref="ImmediateSend{T}(ReadOnlyMemory{T}, int, int)" path="/param|/typeparam"/>
        public Request ImmediateReadySend<T>(ReadOnlyMemory<T> values, int dest, int tag) where T : struct =>
            Start(SendMode.Ready, Plain<T>.Pin(values), Plain<T>.Datatype, dest, tag);

        /// <inheritdoc cref="ImmediateReadySend{T}(ReadOnlyMemory{T}, int, int)"/>
        public Request ImmediateReadySend<T>(Memory<T> values, int dest, int tag) where T : struct =>
            ImmediateReadySend((ReadOnlyMemory<T>)values, dest, tag);

        /// <summary>Begins to receive a value; of arrays, strings and objects the size need not be known.</summary>
        /// <typeparam name="T">The type of the value, as it is sent.</typeparam>
        /// <param name="source">The rank that sends it, or <see cref="AnySource"/>.</param>
        /// <param name="tag">The tag that it is sent with, or <see cref="AnyTag"/>.</param>
        /// <remarks>
        /// The receive is posted, also where the size is not known: MPI can receive the message at any time, and keeps
        /// the order of messages and receives.
        /// </remarks>
        public ReceiveRequest<T> ImmediateReceive<T>(int source, int tag)
        {
            CheckSource(source, tag);
            return Codec<T>.Default.Post(source, tag, Handle);
        }

        /// <summary>Begins to receive into an array, which is the value of the request.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="source">The rank that sends it, or <see cref="AnySource"/>.</param>
        /// <param name="tag">The tag that it is sent with, or <see cref="AnyTag"/>.</param>
        /// <param name="values">An array that is long enough; nobody may use it until the request is complete.</param>
        public ReceiveRequest<T[]> ImmediateReceive<T>(int source, int tag, T[] values)
        {
            CheckSource(source, tag);
            return ((VariableCodec<T[]>)Codec<T[]>.Default).Post(source, tag, Handle, values);
        }

        /// <summary>Begins to receive a value, and does something with it when the request is complete.</summary>
        /// <inheritdoc cref="ImmediateReceive{T}(int, int)" path="/param|/typeparam"/>
        /// <param name="action">Called by the call that finds the request complete.</param>
        public ReceiveRequest<T> ImmediateReceive<T>(int source, int tag, Action<T> action)
        {
            ReceiveRequest<T> request = ImmediateReceive<T>(source, tag);
            request.Arrived = action;
            return request;
        }

        /// <summary>Begins to receive into memory, which is the value of the request.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="source">The rank that sends it, or <see cref="AnySource"/>.</param>
        /// <param name="tag">The tag that it is sent with, or <see cref="AnyTag"/>.</param>
        /// <param name="values">Memory that is long enough; nobody may use it until the request is complete.</param>
        public ReceiveRequest<Memory<T>> ImmediateReceive<T>(int source, int tag, Memory<T> values) where T : struct
        {
            CheckSource(source, tag);
            var memory = new Pinned(values.Pin(), values.Length);
            return new PlaceReceive<Memory<T>>(Plain<T>.Post(source, tag, Handle, memory), memory, values);
        }

        private Request Start(SendMode mode, Pinned memory, IntPtr datatype, int dest, int tag)
        {
            try
            {
                CheckDest(dest, tag);
                return new SendRequest(
                    Calls.Start(mode, memory.Address, memory.Count, datatype, dest, tag, Handle), memory);
            }
            catch
            {
                memory.Dispose();
                throw;
            }
        }
    }
}
