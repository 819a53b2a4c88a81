using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MPI
{
    /// <summary>Types whose values are their bytes: numbers, enumerations, and structs of these.</summary>
    internal static unsafe class Plain<T> where T : struct
    {
        internal static readonly int Size = MemoryMarshal.AsBytes(new Span<T>(new T[1])).Length;

        private static readonly List<FieldLayout.Field> Fields = FieldLayout.Find<T>();

        /// <summary>The size of a value in a message: without the gaps between its fields.</summary>
        internal static readonly int MessageSize = FieldLayout.MessageSize(Fields);

        /// <summary>MPI's own datatype, or one that was made of the fields.</summary>
        internal static readonly IntPtr Datatype = FieldLayout.MakeDatatype(typeof(T), Fields, Size);

        /// <summary>Whether the runtime pins arrays of this type: CoreCLR does not those of tuples, or of structs with a bool.</summary>
        internal static readonly bool CanPin = FindWhetherItCanPin();

        /// <summary>The first byte of a value. The value must lie on the stack or be pinned.</summary>
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal static ref byte Bytes(ref T value)
        {
#if NETSTANDARD2_0
            return ref Unsafe.As<T, byte>(ref value);
#else
            return ref MemoryMarshal.GetReference(MemoryMarshal.AsBytes(MemoryMarshal.CreateSpan(ref value, 1)));
#endif
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal static ref byte Bytes(ReadOnlySpan<T> values) =>
            ref MemoryMarshal.GetReference(MemoryMarshal.AsBytes(values));

        /// <summary>Keeps what is sent where it is, or copies it to where it can stay.</summary>
        internal static Pinned Pin(ReadOnlyMemory<T> values) =>
            CanPin ? new Pinned(values.Pin(), values.Length) : Copy(values.Span);

        /// <summary>A copy outside of the garbage collector's memory.</summary>
        internal static Pinned Copy(ReadOnlySpan<T> values)
        {
            var copy = new Scratch((long)values.Length * Size);
            values.CopyTo(new Span<T>(copy.Address, values.Length));
            return new Pinned(copy, values.Length);
        }

        /// <summary>Posts a receive, which keeps the memory.</summary>
        internal static IntPtr Post(int source, int tag, IntPtr comm, Pinned memory)
        {
            IntPtr request;
            int code = Native.Irecv(memory.Address, memory.Count, Datatype, source, tag, comm, &request);
            if (code != 0)
            {
                memory.Dispose();
                throw Errors.Exception(code);
            }
            return request;
        }

        private static bool FindWhetherItCanPin()
        {
            try
            {
                GCHandle.Alloc(new T[1], GCHandleType.Pinned).Free();
                return true;
            }
            catch (ArgumentException)
            {
                return false;
            }
        }
    }

    /// <summary>One value of such a type.</summary>
    internal sealed unsafe partial class PlainCodec<T> : Codec<T> where T : struct
    {
        internal override bool IsPlain => true;

        internal override int MessageSize => Plain<T>.MessageSize;

        internal override IntPtr Datatype => Plain<T>.Datatype;

        internal override int UnitSize => Plain<T>.Size;

        internal override int Send(SendMode mode, T value, int dest, int tag, IntPtr comm)
        {
            fixed (byte* bytes = &Plain<T>.Bytes(ref value))
            {
                return Calls.Send(mode, bytes, 1, Plain<T>.Datatype, dest, tag, comm);
            }
        }

        internal override T Receive(int source, int tag, IntPtr comm, out NativeStatus status)
        {
            T value = default(T);
            NativeStatus received = default(NativeStatus);
            fixed (byte* bytes = &Plain<T>.Bytes(ref value))
            {
                Errors.Check(Native.Recv(bytes, 1, Plain<T>.Datatype, source, tag, comm, &received));
            }
            status = received;
            CheckSize(received);
            return value;
        }

        internal override ReceiveRequest<T> Post(int source, int tag, IntPtr comm)
        {
            Pinned memory = Pin(default(T));
            return new ValueReceive<T>(Plain<T>.Post(source, tag, comm, memory), memory);
        }

        internal override Pinned Pin(T value)
        {
            var memory = new Scratch(Plain<T>.Size);
            new Span<T>(memory.Address, 1)[0] = value;
            return new Pinned(memory, 1);
        }

        internal override T Read(byte* units, int count) => new Span<T>(units, 1)[0];

        /// <summary>A shorter message would leave a part of the value as it was.</summary>
        internal static void CheckSize(NativeStatus received)
        {
            if (received.Bytes != Plain<T>.MessageSize && received.Source != Constants.ProcNull)
            {
                throw WrongSize(received);
            }
        }

        private static Exception WrongSize(NativeStatus received) =>
            new MessageTruncatedException(
                "A message of " + received.Bytes + " bytes from rank " + received.Source + " with tag " + received.Tag
                    + " is not one " + typeof(T).Name + " of " + Plain<T>.MessageSize + " bytes.",
                0);
    }

    /// <summary>Arrays of such a type, whose receiver need not know their length.</summary>
    internal sealed unsafe class ArrayCodec<T> : VariableCodec<T[]> where T : struct
    {
        internal override IntPtr Datatype => Plain<T>.Datatype;

        internal override int UnitSize => Plain<T>.Size;

        internal override int UnitMessageSize => Plain<T>.MessageSize;

        internal override int Send(SendMode mode, T[] value, int dest, int tag, IntPtr comm)
        {
            if (value == null)
            {
                throw new ArgumentNullException(nameof(value));
            }
            fixed (byte* bytes = &Plain<T>.Bytes(value))
            {
                return Calls.Send(mode, bytes, value.Length, Plain<T>.Datatype, dest, tag, comm);
            }
        }

        internal override Pinned Pin(T[] value) => Plain<T>.Pin(value ?? throw new ArgumentNullException(nameof(value)));

        internal override bool Fill(T[] value, int source, int tag, IntPtr comm, out NativeStatus status)
        {
            NativeStatus received = default(NativeStatus);
            fixed (byte* bytes = &Plain<T>.Bytes(value))
            {
                Errors.Check(Native.Recv(bytes, value.Length, Plain<T>.Datatype, source, tag, comm, &received));
            }
            status = received;
            return true;
        }

        internal override ReceiveRequest<T[]> Post(int source, int tag, IntPtr comm, T[] target)
        {
            if (Plain<T>.CanPin)
            {
                Pinned pinned = Plain<T>.Pin(target);
                return new PlaceReceive<T[]>(Plain<T>.Post(source, tag, comm, pinned), pinned, target);
            }
            Pinned copy = Plain<T>.Copy(target);
            return new CopyingReceive<T>(Plain<T>.Post(source, tag, comm, copy), copy, target);
        }

        internal override T[] Take(IntPtr message, NativeStatus found)
        {
            var values = new T[Units(found)];
            fixed (byte* bytes = &Plain<T>.Bytes(values))
            {
                Errors.Check(Native.Mrecv(bytes, values.Length, Plain<T>.Datatype, &message));
            }
            return values;
        }

        internal override T[] Read(byte* units, int count) => new Span<T>(units, count).ToArray();
    }
}
