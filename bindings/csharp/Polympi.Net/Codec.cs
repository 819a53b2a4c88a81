using System;
using System.Collections.Concurrent;

namespace MPI
{
    /// <summary>Which call sends; C knows them by number.</summary>
    internal enum SendMode
    {
        Standard,
        Synchronous,
        Buffered,
        Ready,
    }

    /// <summary>How values of a type become messages: chosen once for each type.</summary>
    internal abstract class Codec
    {
        private static readonly ConcurrentDictionary<Type, Codec> Known = new ConcurrentDictionary<Type, Codec>();

        /// <summary>The size of a value in a message; 0 if it differs from value to value.</summary>
        internal virtual int MessageSize => 0;

        /// <summary>MPI's name for a unit of the message: a value, an element of an array, or a byte.</summary>
        internal abstract IntPtr Datatype { get; }

        /// <summary>The size of a unit in memory.</summary>
        internal abstract int UnitSize { get; }

        /// <summary>The size of a unit in a message: less where a struct has gaps.</summary>
        internal virtual int UnitMessageSize => UnitSize;

        internal static Codec Of(Type type) => Known.GetOrAdd(type, Make);

        private static Codec Make(Type type)
        {
            if (FieldLayout.IsPlain(type))
            {
                return Create(typeof(PlainCodec<>), type);
            }
            if (type == typeof(string))
            {
                return new StringCodec();
            }
            if (type.IsArray && type.GetArrayRank() == 1 && FieldLayout.IsPlain(type.GetElementType()))
            {
                return Create(typeof(ArrayCodec<>), type.GetElementType());
            }
            return Create(typeof(ObjectCodec<>), type);
        }

        private static Codec Create(Type definition, Type argument) =>
            (Codec)Activator.CreateInstance(definition.MakeGenericType(argument), true);
    }

    /// <summary>The same for one type.</summary>
    internal abstract partial class Codec<T> : Codec
    {
        internal static readonly Codec<T> Default = (Codec<T>)Of(typeof(T));

        /// <summary>Some of the values, which have to be there; all as they are.</summary>
        protected static T[] Part(T[] values, int place, int count)
        {
            Counts.CheckLength(values.Length, (long)place + count, nameof(values));
            if (count == values.Length)
            {
                return values;
            }
            var part = new T[count];
            Array.Copy(values, place, part, 0, count);
            return part;
        }

        /// <summary>Whether all values have one size, so that a receive can be posted for one.</summary>
        internal abstract bool IsPlain { get; }

        internal abstract int Send(SendMode mode, T value, int dest, int tag, IntPtr comm);

        /// <summary>Receives a value whose size the receiver need not know.</summary>
        internal abstract T Receive(int source, int tag, IntPtr comm, out NativeStatus status);

        /// <summary>Begins to receive a value.</summary>
        internal abstract ReceiveRequest<T> Post(int source, int tag, IntPtr comm);

        /// <summary>Keeps the value of a message in one place, as long as a call or a request needs it.</summary>
        internal abstract Pinned Pin(T value);

        /// <summary>Makes a value of the units that lie at an address.</summary>
        internal abstract unsafe T Read(byte* units, int count);
    }

    /// <summary>Codecs whose values differ in size: the receiver asks for the size of a message first.</summary>
    internal abstract unsafe partial class VariableCodec<T> : Codec<T>
    {
        internal override bool IsPlain => false;

        /// <summary>Receives into a value that is there already; false where such values cannot be filled.</summary>
        internal virtual bool Fill(T value, int source, int tag, IntPtr comm, out NativeStatus status)
        {
            status = default(NativeStatus);
            return false;
        }

        internal override int Send(SendMode mode, T value, int dest, int tag, IntPtr comm)
        {
            using (Pinned pinned = Pin(value))
            {
                return Calls.Send(mode, pinned.Address, pinned.Count, Datatype, dest, tag, comm);
            }
        }

        internal override T Receive(int source, int tag, IntPtr comm, out NativeStatus status)
        {
            IntPtr message;
            NativeStatus found = default(NativeStatus);
            Errors.Check(Native.Mprobe(source, tag, comm, &message, &found));
            status = found;
            return TakeWhole(message, found);
        }

        /// <summary>Receives a message that a probe has found, or throws it away if it holds a part of a unit.</summary>
        internal T TakeWhole(IntPtr message, NativeStatus found)
        {
            if (found.Bytes % UnitMessageSize == 0)
            {
                return Take(message, found);
            }
            using (Scratch scratch = new Scratch(found.Bytes))
            {
                Errors.Check(Native.Mrecv(scratch.Address, checked((int)found.Bytes), Constants.Byte, &message));
            }
            throw NotWhole(found);
        }

        /// <summary>The value of a message that has arrived as it was on its way, without the gaps of structs.</summary>
        internal T ReadWhole(byte* message, NativeStatus received)
        {
            if (received.Bytes % UnitMessageSize != 0)
            {
                throw NotWhole(received);
            }
            int count = Units(received);
            if (UnitMessageSize == UnitSize)
            {
                return Read(message, count);
            }
            using (Scratch scratch = new Scratch((long)count * UnitSize))
            {
                Errors.Check(Native.Unpack(message, scratch.Address, count, Datatype, Constants.CommWorld));
                return Read(scratch.Address, count);
            }
        }

        private Exception NotWhole(NativeStatus received) =>
            new MessageTruncatedException(
                "A message of " + received.Bytes + " bytes from rank " + received.Source + " with tag " + received.Tag
                    + " is not a whole number of elements of " + UnitMessageSize + " bytes (" + typeof(T).Name + ").",
                0);

        /// <summary>Receives a message that a probe has taken out of the queue.</summary>
        internal virtual T Take(IntPtr message, NativeStatus found)
        {
            int count = Units(found);
            using (Scratch scratch = new Scratch((long)count * UnitSize))
            {
                Errors.Check(Native.Mrecv(scratch.Address, count, Datatype, &message));
                return Read(scratch.Address, count);
            }
        }

        /// <summary>Begins to receive into an array that is there already.</summary>
        internal virtual ReceiveRequest<T> Post(int source, int tag, IntPtr comm, T target)
        {
            var request = (UnsizedReceive<T>)Post(source, tag, comm);
            request.Target = (Array)(object)target;
            return request;
        }

        internal override ReceiveRequest<T> Post(int source, int tag, IntPtr comm)
        {
            Reservation room = Reservation.Borrow(UnitSize);
            Pinned memory = room.Lend();
            IntPtr request;
            int code = Native.Irecv(memory.Address, memory.Count, Reservation.Block, source, tag, comm, &request);
            if (code != 0)
            {
                memory.Dispose();
                throw Errors.Exception(code);
            }
            return new UnsizedReceive<T>(request, memory, room, this);
        }

        /// <summary>How many units a message has.</summary>
        internal int Units(NativeStatus found) => checked((int)(found.Bytes / UnitMessageSize));
    }
}
