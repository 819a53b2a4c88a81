using System;

namespace MPI
{
    /// <summary>A send or receive that is prepared once and started many times.</summary>
    public sealed unsafe class PersistentRequest : Request, IDisposable
    {
        internal PersistentRequest(IntPtr handle, Pinned memory) : base(handle, memory)
        {
        }

        /// <summary>A list tests persistent requests one by one, which are not freed when they are complete.</summary>
        internal override IntPtr? Waitable => null;

        /// <summary>Starts the send or receive; then wait for it.</summary>
        public void Start()
        {
            Completed = null;
            fixed (IntPtr* request = &Underway.Handle)
            {
                Errors.Check(Native.Start(request));
            }
        }

        /// <summary>Waits like <see cref="Wait"/>, and asks for no status.</summary>
        public void Complete()
        {
            fixed (IntPtr* request = &Underway.Handle)
            {
                Errors.Check(Native.Wait(request, null));
            }
        }

        /// <inheritdoc/>
        public override CompletedStatus Wait()
        {
            if (Completed != null)
            {
                return Completed;
            }
            NativeStatus status = default(NativeStatus);
            fixed (IntPtr* request = &Underway.Handle)
            {
                Errors.Check(Native.Wait(request, &status));
            }
            return Completed = new CompletedStatus(status);
        }

        /// <inheritdoc/>
        public override CompletedStatus Test()
        {
            if (Completed != null)
            {
                return Completed;
            }
            NativeStatus status = default(NativeStatus);
            int flag;
            fixed (IntPtr* request = &Underway.Handle)
            {
                Errors.Check(Native.Test(request, &flag, &status));
            }
            return Completed = flag == 0 ? null : new CompletedStatus(status);
        }

        /// <inheritdoc/>
        public override void Cancel() => Errors.Check(Native.Cancel(Underway.Handle));

        /// <summary>Frees the request, which must be complete or not started.</summary>
        public void Dispose()
        {
            if (Underway.Handle != Constants.RequestNull)
            {
                fixed (IntPtr* request = &Underway.Handle)
                {
                    Errors.Check(Native.RequestFree(request));
                }
                Underway.Release();
            }
        }
    }
}
