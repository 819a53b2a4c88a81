using System;

namespace MPI
{
    /// <summary>A send or receive that is pending. It can be awaited: see <see cref="EventLoop"/>.</summary>
    public abstract class Request
    {
        /// <summary>The status of a request that is complete, else null.</summary>
        internal CompletedStatus Completed;

        /// <summary>Whether a list has given the handle to MPI, which takes none twice.</summary>
        internal bool IsListed;

        /// <summary>What MPI has of it.</summary>
        internal Underway Underway;

        internal Request(IntPtr handle, Pinned memory)
        {
            Underway = new Underway(handle, memory);
        }

        /// <summary>Waits until the send or receive is complete.</summary>
        public virtual CompletedStatus Wait() => Completed ?? Finish(Underway.Wait());

        /// <summary>Looks whether the send or receive is complete; null if it is not.</summary>
        public virtual CompletedStatus Test() =>
            Completed == null && Underway.Test(out NativeStatus status) ? Finish(status) : Completed;

        /// <summary>Takes the send or receive back if its message has not been matched yet; then wait for it.</summary>
        public virtual void Cancel()
        {
            if (Waitable != null) // what is complete cannot be taken back
            {
                Underway.Cancel();
            }
        }

        /// <summary>For <c>await</c>: gives the status.</summary>
        public RequestAwaiter GetAwaiter() => new RequestAwaiter(this);

        /// <summary>Whether the request is complete or has failed, which <see cref="Wait"/> then tells.</summary>
        internal bool IsOver
        {
            get
            {
                try
                {
                    return Test() != null;
                }
                catch (Exception)
                {
                    return true;
                }
            }
        }

        /// <summary>The handle that MPI can wait for; null if there is none.</summary>
        internal virtual IntPtr? Waitable => Completed == null && !Underway.HasFailed ? Underway.Handle : (IntPtr?)null;

        /// <summary>Called by a list, which has waited for the handle.</summary>
        internal virtual CompletedStatus Finish(NativeStatus status)
        {
            Underway.Release();
            return Completed = new CompletedStatus(status);
        }

        /// <summary>Called by a list, which has waited for the handle in vain.</summary>
        internal void Fail(Exception exception) => Underway.Fail(exception);
    }

    /// <summary>A receive that is pending.</summary>
    public abstract class ReceiveRequest : Request
    {
        internal ReceiveRequest(IntPtr handle, Pinned memory) : base(handle, memory)
        {
        }

        /// <summary>Waits for the message and gives what was received.</summary>
        public object GetValue() => BoxedValue();

        internal abstract object BoxedValue();
    }

    /// <summary>A receive of a value of type T that is pending.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    public abstract class ReceiveRequest<T> : ReceiveRequest
    {
        internal T Value;

        internal ReceiveRequest(IntPtr handle, Pinned memory) : base(handle, memory)
        {
        }

        /// <summary>Called with the value when the request is complete.</summary>
        internal Action<T> Arrived;

        /// <summary>Waits for the message and gives the value.</summary>
        public new T GetValue()
        {
            Wait();
            return Value;
        }

        internal override object BoxedValue() => GetValue();

        /// <summary>For <c>await</c>: gives the value.</summary>
        public new ReceiveAwaiter<T> GetAwaiter() => new ReceiveAwaiter<T>(this);
    }
}
