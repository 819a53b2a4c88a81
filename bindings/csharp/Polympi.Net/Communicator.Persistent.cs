using System;

namespace MPI
{
    /// <content>Persistent requests: prepared once, started many times.</content>
    public abstract unsafe partial class Communicator
    {
        /// <summary>Prepares a send of memory, which is pinned until the request is disposed of.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">The memory.</param>
        /// <param name="dest">The rank that receives.</param>
        /// <param name="tag">The tag.</param>
        public PersistentRequest SendInit<T>(ReadOnlyMemory<T> values, int dest, int tag) where T : struct =>
            Prepare(SendMode.Standard, values, dest, tag);

        /// <summary>Prepares a synchronous send of memory, which is pinned until the request is disposed of.</summary>
        /// <inheritdoc cref="SendInit{T}(ReadOnlyMemory{T}, int, int)" path="/param|/typeparam"/>
        public PersistentRequest SynchronousSendInit<T>(ReadOnlyMemory<T> values, int dest, int tag) where T : struct =>
            Prepare(SendMode.Synchronous, values, dest, tag);

        /// <summary>Prepares a buffered send of memory, which is pinned until the request is disposed of.</summary>
        /// <inheritdoc cref="SendInit{T}(ReadOnlyMemory{T}, int, int)" path="/param|/typeparam"/>
        public PersistentRequest BufferedSendInit<T>(ReadOnlyMemory<T> values, int dest, int tag) where T : struct =>
            Prepare(SendMode.Buffered, values, dest, tag);

        /// <summary>Prepares a ready send of memory, which is pinned until the request is disposed of.</summary>
        /// <inheritdoc cref="SendInit{T}(ReadOnlyMemory{T}, int, int)" path="/param|/typeparam"/>
        public PersistentRequest ReadySendInit<T>(ReadOnlyMemory<T> values, int dest, int tag) where T : struct =>
            Prepare(SendMode.Ready, values, dest, tag);

        /// <summary>Prepares a receive into memory, which is pinned until the request is disposed of.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="source">The rank that sends, or <see cref="AnySource"/>.</param>
        /// <param name="tag">The tag, or <see cref="AnyTag"/>.</param>
        /// <param name="values">Memory that is long enough.</param>
        public PersistentRequest ReceiveInit<T>(int source, int tag, Memory<T> values) where T : struct
        {
            CheckSource(source, tag);
            var memory = new Pinned(values.Pin(), values.Length);
            IntPtr request;
            Errors.Check(
                Native.RecvInit(memory.Address, memory.Count, Plain<T>.Datatype, source, tag, Handle, &request));
            return new PersistentRequest(request, memory);
        }

        private PersistentRequest Prepare<T>(SendMode mode, ReadOnlyMemory<T> values, int dest, int tag)
            where T : struct
        {
            CheckDest(dest, tag);
            var memory = new Pinned(values.Pin(), values.Length);
            IntPtr request = Calls.Prepare(mode, memory.Address, memory.Count, Plain<T>.Datatype, dest, tag, Handle);
            return new PersistentRequest(request, memory);
        }
    }
}
