using System;

namespace MPI
{
    /// <summary>What a request that MPI knows is made of: its handle and the memory of the message.</summary>
    internal unsafe struct Underway
    {
        private IntPtr handle;
        private Pinned memory;

        internal Underway(IntPtr handle, Pinned memory)
        {
            this.handle = handle;
            this.memory = memory;
        }

        internal IntPtr Handle => handle;

        internal byte* Address => memory.Address;

        internal NativeStatus Wait()
        {
            NativeStatus status = default(NativeStatus);
            int code;
            fixed (IntPtr* request = &handle)
            {
                code = Native.Wait(request, &status);
            }
            memory.Dispose();
            Errors.Check(code);
            return status;
        }

        internal bool Test(out NativeStatus status)
        {
            NativeStatus found = default(NativeStatus);
            int flag = 0, code;
            fixed (IntPtr* request = &handle)
            {
                code = Native.Test(request, &flag, &found);
            }
            if (flag != 0 || code != 0)
            {
                memory.Dispose();
            }
            Errors.Check(code);
            status = found;
            return flag != 0;
        }

        internal void Cancel() => Errors.Check(Native.Cancel(handle));

        /// <summary>Somebody else has waited for the handle.</summary>
        internal void Release()
        {
            handle = Constants.RequestNull;
            memory.Dispose();
        }
    }

    /// <summary>A send.</summary>
    internal sealed class SendRequest : Request
    {
        private Underway underway;

        internal SendRequest(IntPtr handle, Pinned memory)
        {
            underway = new Underway(handle, memory);
        }

        internal override IntPtr? Waitable => Completed == null ? underway.Handle : (IntPtr?)null;

        public override CompletedStatus Wait() => Completed ?? (Completed = new CompletedStatus(underway.Wait()));

        public override CompletedStatus Test()
        {
            if (Completed == null && underway.Test(out NativeStatus status))
            {
                Completed = new CompletedStatus(status);
            }
            return Completed;
        }

        public override void Cancel() => underway.Cancel();

        internal override CompletedStatus Finish(NativeStatus status)
        {
            underway.Release();
            return Completed = new CompletedStatus(status);
        }
    }

    /// <summary>A posted receive into the memory of the caller; its value is that memory.</summary>
    internal sealed class PostedReceive<T> : ReceiveRequest<T>
    {
        private Underway underway;

        internal PostedReceive(IntPtr handle, Pinned memory, T values)
        {
            underway = new Underway(handle, memory);
            Value = values;
        }

        internal override IntPtr? Waitable => Completed == null ? underway.Handle : (IntPtr?)null;

        public override CompletedStatus Wait() => Completed ?? (Completed = new CompletedStatus(underway.Wait()));

        public override CompletedStatus Test()
        {
            if (Completed == null && underway.Test(out NativeStatus status))
            {
                Completed = new CompletedStatus(status);
            }
            return Completed;
        }

        public override void Cancel() => underway.Cancel();

        internal override CompletedStatus Finish(NativeStatus status)
        {
            underway.Release();
            return Completed = new CompletedStatus(status);
        }
    }

    /// <summary>A posted receive of one number or struct.</summary>
    internal sealed class ValueReceive<T> : ReceiveRequest<T> where T : struct
    {
        private readonly T[] place;
        private Underway underway;

        internal ValueReceive(IntPtr handle, Pinned memory, T[] place)
        {
            underway = new Underway(handle, memory);
            this.place = place;
        }

        internal override IntPtr? Waitable => Completed == null ? underway.Handle : (IntPtr?)null;

        public override CompletedStatus Wait() => Completed ?? Keep(underway.Wait());

        public override CompletedStatus Test() =>
            Completed == null && underway.Test(out NativeStatus status) ? Keep(status) : Completed;

        public override void Cancel() => underway.Cancel();

        internal override CompletedStatus Finish(NativeStatus status)
        {
            underway.Release();
            return Keep(status);
        }

        private CompletedStatus Keep(NativeStatus status)
        {
            Completed = new CompletedStatus(status);
            if (status.Cancelled == 0)
            {
                PlainCodec<T>.CheckSize(status);
            }
            Value = place[0];
            return Completed;
        }
    }

    /// <summary>A receive of a value whose size is not known: it takes the message when it comes.</summary>
    internal sealed unsafe class ProbingReceive<T> : ReceiveRequest<T>
    {
        private readonly int source;
        private readonly int tag;
        private readonly IntPtr comm;
        private readonly VariableCodec<T> codec;

        internal ProbingReceive(VariableCodec<T> codec, int source, int tag, IntPtr comm)
        {
            this.codec = codec;
            this.source = source;
            this.tag = tag;
            this.comm = comm;
        }

        public override CompletedStatus Wait()
        {
            if (Completed == null)
            {
                Value = codec.Receive(source, tag, comm, out NativeStatus status);
                Completed = new CompletedStatus(status);
            }
            return Completed;
        }

        public override CompletedStatus Test()
        {
            if (Completed == null)
            {
                IntPtr message;
                int flag;
                NativeStatus status = default(NativeStatus);
                Errors.Check(Native.Improbe(source, tag, comm, &flag, &message, &status));
                if (flag != 0)
                {
                    Value = codec.Take(message, status);
                    Completed = new CompletedStatus(status);
                }
            }
            return Completed;
        }

        public override void Cancel()
        {
            if (Completed == null)
            {
                Completed = new CompletedStatus(new NativeStatus { Source = source, Tag = tag, Cancelled = 1 });
            }
        }
    }
}
