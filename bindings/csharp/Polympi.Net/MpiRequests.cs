using System;

namespace MPI
{
    /// <summary>
    /// What a request that MPI knows is made of: its handle and the memory of the message, which is kept until Release.
    /// </summary>
    internal unsafe struct Underway
    {
        internal IntPtr Handle;
        private Pinned memory;
        private Exception failure;

        internal Underway(IntPtr handle, Pinned memory)
        {
            Handle = handle;
            this.memory = memory;
            failure = null;
        }

        internal bool HasFailed => failure != null;

        internal byte* Address => memory.Address;

        internal NativeStatus Wait()
        {
            Rethrow();
            NativeStatus status = default(NativeStatus);
            int code;
            fixed (IntPtr* request = &Handle)
            {
                code = Native.Wait(request, &status);
            }
            Check(code);
            return status;
        }

        internal bool Test(out NativeStatus status)
        {
            Rethrow();
            NativeStatus found = default(NativeStatus);
            int flag = 0, code;
            fixed (IntPtr* request = &Handle)
            {
                code = Native.Test(request, &flag, &found);
            }
            Check(code);
            status = found;
            return flag != 0;
        }

        internal void Cancel() => Errors.Check(Native.Cancel(Handle));

        /// <summary>The request is complete, and what came was read.</summary>
        internal void Release()
        {
            Handle = Constants.RequestNull;
            memory.Dispose();
            memory = default(Pinned);
        }

        /// <summary>The request has failed, which is reported again whenever it is waited for.</summary>
        internal void Fail(Exception exception)
        {
            failure = exception;
            Release();
        }

        private void Check(int code)
        {
            if (code != 0)
            {
                Fail(Errors.Exception(code));
                throw failure;
            }
        }

        private void Rethrow()
        {
            if (failure != null)
            {
                throw failure;
            }
        }
    }

    /// <summary>A send.</summary>
    internal sealed class SendRequest : Request
    {
        internal SendRequest(IntPtr handle, Pinned memory) : base(handle, memory)
        {
        }
    }

    /// <summary>A posted receive.</summary>
    internal abstract unsafe class PostedReceive<T> : ReceiveRequest<T>
    {
        internal PostedReceive(IntPtr handle, Pinned memory) : base(handle, memory)
        {
        }

        internal override CompletedStatus Finish(NativeStatus status)
        {
            try
            {
                Read(Underway.Address, status);
            }
            catch (Exception exception)
            {
                Underway.Fail(exception);
                throw;
            }
            base.Finish(status);
            if (status.Cancelled == 0)
            {
                Arrived?.Invoke(Value);
            }
            return Completed;
        }

        /// <summary>Makes the value of the message.</summary>
        internal abstract void Read(byte* message, NativeStatus status);
    }

    /// <summary>A receive into memory of the caller, which is the value.</summary>
    internal sealed class PlaceReceive<T> : PostedReceive<T>
    {
        internal PlaceReceive(IntPtr handle, Pinned memory, T place) : base(handle, memory)
        {
            Value = place;
        }

        internal override unsafe void Read(byte* message, NativeStatus status)
        {
        }
    }

    /// <summary>A receive into an array that cannot be pinned: what came is copied there.</summary>
    internal sealed class CopyingReceive<T> : PostedReceive<T[]> where T : struct
    {
        internal CopyingReceive(IntPtr handle, Pinned memory, T[] place) : base(handle, memory)
        {
            Value = place;
        }

        internal override unsafe void Read(byte* message, NativeStatus status) =>
            new Span<T>(message, Value.Length).CopyTo(Value);
    }

    /// <summary>A receive of a value whose size is not known, into room for the largest.</summary>
    internal sealed class UnsizedReceive<T> : PostedReceive<T>
    {
        private readonly Reservation room;
        private readonly VariableCodec<T> codec;

        internal UnsizedReceive(IntPtr handle, Pinned memory, Reservation room, VariableCodec<T> codec)
            : base(handle, memory)
        {
            this.room = room;
            this.codec = codec;
        }

        /// <summary>An array to which the elements are copied, and which is the value then.</summary>
        internal Array Target { get; set; }

        internal override unsafe void Read(byte* message, NativeStatus status)
        {
            room.Used = status.Bytes;
            if (status.Cancelled == 0)
            {
                Value = codec.ReadWhole(message, status);
            }
            if (status.Cancelled == 0 && Target != null)
            {
                Value = CopyToTarget((Array)(object)Value, status);
            }
        }

        private T CopyToTarget(Array elements, NativeStatus status)
        {
            if (elements.Length > Target.Length)
            {
                throw new MessageTruncatedException(
                    "A message of " + elements.Length + " elements from rank " + status.Source + " with tag " + status.Tag
                        + " has arrived for an array of " + Target.Length + ".",
                    0);
            }
            Array.Copy(elements, Target, elements.Length);
            return (T)(object)Target;
        }
    }

    /// <summary>A receive of one number or struct.</summary>
    internal sealed class ValueReceive<T> : PostedReceive<T> where T : struct
    {
        internal ValueReceive(IntPtr handle, Pinned memory) : base(handle, memory)
        {
        }

        internal override unsafe void Read(byte* message, NativeStatus status)
        {
            if (status.Cancelled == 0)
            {
                PlainCodec<T>.CheckSize(status);
                Value = new Span<T>(message, 1)[0];
            }
        }
    }
}
