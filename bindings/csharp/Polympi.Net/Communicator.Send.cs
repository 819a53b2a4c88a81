using System;

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
        public void Send<T>(T value, int dest, int tag)
        {
            CheckDest(dest, tag);
            Errors.Check(Codec<T>.Default.Send(SendMode.Standard, value, dest, tag, Handle));
        }

        /// <summary>Sends an array; returns when the memory of the message may be used again.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="values">The array; the receiver need not know its length.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void Send<T>(T[] values, int dest, int tag)
        {
            CheckDest(dest, tag);
            Errors.Check(Codec<T[]>.Default.Send(SendMode.Standard, values, dest, tag, Handle));
        }

        /// <summary>Sends the elements of memory; returns when the memory of the message may be used again.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">The memory.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void Send<T>(ReadOnlySpan<T> values, int dest, int tag) where T : struct
        {
            CheckDest(dest, tag);
            fixed (byte* bytes = &Plain<T>.Bytes(values))
            {
                Errors.Check(Native.Send(bytes, values.Length, Plain<T>.Datatype, dest, tag, Handle));
            }
        }

        /// <summary>Sends the elements of memory; returns when the memory of the message may be used again.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">The memory.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void Send<T>(Span<T> values, int dest, int tag) where T : struct =>
            Send((ReadOnlySpan<T>)values, dest, tag);

        /// <summary>Sends a value; returns when the receiver has begun to receive.</summary>
        /// <typeparam name="T">A number, a struct, an array of these, a string, or any type that the serializer knows.</typeparam>
        /// <param name="value">The value.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void SynchronousSend<T>(T value, int dest, int tag)
        {
            CheckDest(dest, tag);
            Errors.Check(Codec<T>.Default.Send(SendMode.Synchronous, value, dest, tag, Handle));
        }

        /// <summary>Sends an array; returns when the receiver has begun to receive.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="values">The array; the receiver need not know its length.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void SynchronousSend<T>(T[] values, int dest, int tag)
        {
            CheckDest(dest, tag);
            Errors.Check(Codec<T[]>.Default.Send(SendMode.Synchronous, values, dest, tag, Handle));
        }

        /// <summary>Sends the elements of memory; returns when the receiver has begun to receive.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">The memory.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void SynchronousSend<T>(ReadOnlySpan<T> values, int dest, int tag) where T : struct
        {
            CheckDest(dest, tag);
            fixed (byte* bytes = &Plain<T>.Bytes(values))
            {
                Errors.Check(Native.Ssend(bytes, values.Length, Plain<T>.Datatype, dest, tag, Handle));
            }
        }

        /// <summary>Sends the elements of memory; returns when the receiver has begun to receive.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">The memory.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void SynchronousSend<T>(Span<T> values, int dest, int tag) where T : struct =>
            SynchronousSend((ReadOnlySpan<T>)values, dest, tag);

        /// <summary>Sends a value by way of the memory of <see cref="Buffer.Attach(int)"/>; returns at once.</summary>
        /// <typeparam name="T">A number, a struct, an array of these, a string, or any type that the serializer knows.</typeparam>
        /// <param name="value">The value.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void BufferedSend<T>(T value, int dest, int tag)
        {
            CheckDest(dest, tag);
            Errors.Check(Codec<T>.Default.Send(SendMode.Buffered, value, dest, tag, Handle));
        }

        /// <summary>Sends an array by way of the memory of <see cref="Buffer.Attach(int)"/>; returns at once.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="values">The array; the receiver need not know its length.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void BufferedSend<T>(T[] values, int dest, int tag)
        {
            CheckDest(dest, tag);
            Errors.Check(Codec<T[]>.Default.Send(SendMode.Buffered, values, dest, tag, Handle));
        }

        /// <summary>Sends the elements of memory by way of the memory of <see cref="Buffer.Attach(int)"/>; returns at once.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">The memory.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void BufferedSend<T>(ReadOnlySpan<T> values, int dest, int tag) where T : struct
        {
            CheckDest(dest, tag);
            fixed (byte* bytes = &Plain<T>.Bytes(values))
            {
                Errors.Check(Native.Bsend(bytes, values.Length, Plain<T>.Datatype, dest, tag, Handle));
            }
        }

        /// <summary>Sends the elements of memory by way of the memory of <see cref="Buffer.Attach(int)"/>; returns at once.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">The memory.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void BufferedSend<T>(Span<T> values, int dest, int tag) where T : struct =>
            BufferedSend((ReadOnlySpan<T>)values, dest, tag);

        /// <summary>Sends a value to a rank that has posted the receive already.</summary>
        /// <typeparam name="T">A number, a struct, an array of these, a string, or any type that the serializer knows.</typeparam>
        /// <param name="value">The value.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void ReadySend<T>(T value, int dest, int tag)
        {
            CheckDest(dest, tag);
            Errors.Check(Codec<T>.Default.Send(SendMode.Ready, value, dest, tag, Handle));
        }

        /// <summary>Sends an array to a rank that has posted the receive already.</summary>
        /// <typeparam name="T">The type of the elements.</typeparam>
        /// <param name="values">The array; the receiver need not know its length.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void ReadySend<T>(T[] values, int dest, int tag)
        {
            CheckDest(dest, tag);
            Errors.Check(Codec<T[]>.Default.Send(SendMode.Ready, values, dest, tag, Handle));
        }

        /// <summary>Sends the elements of memory to a rank that has posted the receive already.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">The memory.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void ReadySend<T>(ReadOnlySpan<T> values, int dest, int tag) where T : struct
        {
            CheckDest(dest, tag);
            fixed (byte* bytes = &Plain<T>.Bytes(values))
            {
                Errors.Check(Native.Rsend(bytes, values.Length, Plain<T>.Datatype, dest, tag, Handle));
            }
        }

        /// <summary>Sends the elements of memory to a rank that has posted the receive already.</summary>
        /// <typeparam name="T">A number or a struct.</typeparam>
        /// <param name="values">The memory.</param>
        /// <param name="dest">The rank that receives it.</param>
        /// <param name="tag">A number by which the receiver chooses messages.</param>
        public void ReadySend<T>(Span<T> values, int dest, int tag) where T : struct =>
            ReadySend((ReadOnlySpan<T>)values, dest, tag);
    }
}
