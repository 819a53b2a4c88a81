using System;

namespace MPI
{
    /// <content>Blocking receives, exchanges and probes.</content>
    public abstract unsafe partial class Communicator
    {
        /// <summary>Receives a value; of arrays, strings and objects the size need not be known.</summary>
        /// <typeparam name="T">The type of the value, as it was sent.</typeparam>
        /// <param name="source">The rank that sends it, or <see cref="AnySource"/>.</param>
        /// <param name="tag">The tag that it is sent with, or <see cref="AnyTag"/>.</param>
        public T Receive<T>(int source, int tag)
        {
            CheckSource(source, tag);
            return Codec<T>.Default.Receive(source, tag, Handle, out NativeStatus _);
        }

        /// <summary>Receives a value.</summary>
        /// <inheritdoc cref="Receive{T}(int, int)" path="/param|/typeparam"/>
        /// <param name="value">The value.</param>
        public void Receive<T>(int source, int tag, out T value) => value = Receive<T>(source, tag);

        /// <summary>Receives a value, and tells who sent it.</summary>
        /// <inheritdoc cref="Receive{T}(int, int)" path="/param|/typeparam"/>
        /// <param name="value">The value.</param>
        /// <param name="status">Who sent it, and with which tag.</param>
        public void Receive<T>(int source, int tag, out T value, out CompletedStatus status)
        {
            CheckSource(source, tag);
            value = Codec<T>.Default.Receive(source, tag, Handle, out NativeStatus received);
            status = new CompletedStatus(received);
        }

        /// <summary>Receives an array: into the one that is given, or into a new one of the right length.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="source">The rank that sends it, or <see cref="AnySource"/>.</param>
        /// <param name="tag">The tag that it is sent with, or <see cref="AnyTag"/>.</param>
        /// <param name="values">An array that is long enough, or null.</param>
        public void Receive<T>(int source, int tag, ref T[] values) =>
            Receive(source, tag, ref values, out CompletedStatus _);

        /// <summary>Receives an array, and tells who sent it.</summary>
        /// <inheritdoc cref="Receive{T}(int, int, ref T[])" path="/param|/typeparam"/>
        /// <param name="status">Who sent it, with which tag, and how many elements came.</param>
        public void Receive<T>(int source, int tag, ref T[] values, out CompletedStatus status)
        {
            CheckSource(source, tag);
            var codec = (VariableCodec<T[]>)Codec<T[]>.Default;
            NativeStatus received;
            if (values == null || !codec.Fill(values, source, tag, Handle, out received))
            {
                values = codec.Receive(source, tag, Handle, out received);
            }
            status = new CompletedStatus(received);
        }

        /// <summary>Receives elements into memory, which may be longer than the message.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="source">The rank that sends them, or <see cref="AnySource"/>.</param>
        /// <param name="tag">The tag that they are sent with, or <see cref="AnyTag"/>.</param>
        /// <param name="values">The memory.</param>
        public void Receive<T>(int source, int tag, Span<T> values) where T : struct
        {
            CheckSource(source, tag);
            fixed (byte* bytes = &Plain<T>.Bytes(values))
            {
                Errors.Check(Native.Recv(bytes, values.Length, Plain<T>.Datatype, source, tag, Handle, null));
            }
        }

        /// <summary>Receives elements into memory, and tells who sent them.</summary>
        /// <inheritdoc cref="Receive{T}(int, int, Span{T})" path="/param|/typeparam"/>
        /// <param name="status">Who sent them, with which tag, and how many came.</param>
        public void Receive<T>(int source, int tag, Span<T> values, out CompletedStatus status) where T : struct
        {
            CheckSource(source, tag);
            NativeStatus received = default(NativeStatus);
            fixed (byte* bytes = &Plain<T>.Bytes(values))
            {
                Errors.Check(Native.Recv(bytes, values.Length, Plain<T>.Datatype, source, tag, Handle, &received));
            }
            status = new CompletedStatus(received);
        }

        /// <summary>Sends a value to a rank and receives one from the same, without deadlock.</summary>
        /// <typeparam name="T">The type of both values.</typeparam>
        /// <param name="value">The value to send.</param>
        /// <param name="dest">The rank to exchange with.</param>
        /// <param name="tag">The tag of both messages.</param>
        /// <param name="received">The value that came.</param>
        public void SendReceive<T>(T value, int dest, int tag, out T received) =>
            SendReceive(value, dest, tag, dest, tag, out received, out CompletedStatus _);

        /// <summary>Sends a value to one rank and receives one from another, without deadlock.</summary>
        /// <typeparam name="T">The type of both values.</typeparam>
        /// <param name="value">The value to send.</param>
        /// <param name="dest">The rank that it goes to.</param>
        /// <param name="sendTag">Its tag.</param>
        /// <param name="source">The rank that the other comes from.</param>
        /// <param name="receiveTag">The tag of the other.</param>
        /// <param name="received">The value that came.</param>
        public void SendReceive<T>(T value, int dest, int sendTag, int source, int receiveTag, out T received) =>
            SendReceive(value, dest, sendTag, source, receiveTag, out received, out CompletedStatus _);

        /// <summary>Sends a value to one rank and receives one from another, and tells who sent it.</summary>
        /// <inheritdoc cref="SendReceive{T}(T, int, int, int, int, out T)" path="/param|/typeparam"/>
        /// <param name="status">Who sent it, and with which tag.</param>
        public void SendReceive<T>(T value, int dest, int sendTag, int source, int receiveTag, out T received,
            out CompletedStatus status)
        {
            CheckDest(dest, sendTag);
            CheckSource(source, receiveTag);
            Codec<T> codec = Codec<T>.Default;
            NativeStatus got;
            using (Pinned pinned = codec.Pin(value))
            {
                IntPtr request = Calls.Start(
                    SendMode.Standard, pinned.Address, pinned.Count, codec.Datatype, dest, sendTag, Handle);
                received = codec.Receive(source, receiveTag, Handle, out got);
                Errors.Check(Native.Wait(&request, null));
            }
            status = new CompletedStatus(got);
        }

        /// <summary>Exchanges arrays with a rank; the other one goes into what is given, or is a new one.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="values">The array to send.</param>
        /// <param name="dest">The rank to exchange with.</param>
        /// <param name="tag">The tag of both messages.</param>
        /// <param name="received">An array that is long enough, or null.</param>
        public void SendReceive<T>(T[] values, int dest, int tag, ref T[] received) =>
            SendReceive(values, dest, tag, dest, tag, ref received, out CompletedStatus _);

        /// <summary>Sends an array to one rank and receives one from another.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="values">The array to send.</param>
        /// <param name="dest">The rank that it goes to.</param>
        /// <param name="sendTag">Its tag.</param>
        /// <param name="source">The rank that the other comes from.</param>
        /// <param name="receiveTag">The tag of the other.</param>
        /// <param name="received">An array that is long enough, or null.</param>
        public void SendReceive<T>(T[] values, int dest, int sendTag, int source, int receiveTag, ref T[] received) =>
            SendReceive(values, dest, sendTag, source, receiveTag, ref received, out CompletedStatus _);

        /// <summary>Sends an array to one rank and receives one from another, and tells who sent it.</summary>
        /// <inheritdoc cref="SendReceive{T}(T[], int, int, int, int, ref T[])" path="/param|/typeparam"/>
        /// <param name="status">Who sent it, and with which tag.</param>
        public void SendReceive<T>(T[] values, int dest, int sendTag, int source, int receiveTag, ref T[] received,
            out CompletedStatus status)
        {
            Request sending = ImmediateSend(values, dest, sendTag);
            Receive(source, receiveTag, ref received, out status);
            sending.Wait();
        }

        /// <summary>Exchanges the elements of memory by one call of MPI.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">What to send.</param>
        /// <param name="dest">The rank that it goes to.</param>
        /// <param name="sendTag">Its tag.</param>
        /// <param name="source">The rank that the other message comes from.</param>
        /// <param name="receiveTag">The tag of the other.</param>
        /// <param name="received">Where the other message goes: other memory than that of <paramref name="values"/>.</param>
        public void SendReceive<T>(ReadOnlySpan<T> values, int dest, int sendTag, int source, int receiveTag,
            Span<T> received) where T : struct
        {
            CheckDest(dest, sendTag);
            CheckSource(source, receiveTag);
            fixed (byte* outgoing = &Plain<T>.Bytes(values))
            fixed (byte* incoming = &Plain<T>.Bytes(received))
            {
                Errors.Check(Native.Sendrecv(
                    outgoing, values.Length, Plain<T>.Datatype, dest, sendTag,
                    incoming, received.Length, Plain<T>.Datatype, source, receiveTag, Handle, null));
            }
        }

        /// <summary>Waits for a message and does not receive it.</summary>
        /// <param name="source">The rank that sends it, or <see cref="AnySource"/>.</param>
        /// <param name="tag">The tag that it is sent with, or <see cref="AnyTag"/>.</param>
        public Status Probe(int source, int tag)
        {
            CheckSource(source, tag);
            NativeStatus found = default(NativeStatus);
            Errors.Check(Native.Probe(source, tag, Handle, &found));
            return new Status(found);
        }

        /// <summary>Looks for a message and does not receive it; null if there is none.</summary>
        /// <param name="source">The rank that sends it, or <see cref="AnySource"/>.</param>
        /// <param name="tag">The tag that it is sent with, or <see cref="AnyTag"/>.</param>
        public Status ImmediateProbe(int source, int tag)
        {
            CheckSource(source, tag);
            NativeStatus found = default(NativeStatus);
            Errors.Check(Native.Iprobe(source, tag, Handle, out int flag, &found));
            return flag == 0 ? null : new Status(found);
        }
    }
}
