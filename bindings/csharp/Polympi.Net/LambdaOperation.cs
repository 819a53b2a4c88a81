using System;
using System.Collections.Generic;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;

namespace MPI
{
    /// <summary>An operation of MPI that calls a function of C#.</summary>
    internal abstract class LambdaOperation
    {
        /// <summary>The type of MPI_User_function.</summary>
        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        protected unsafe delegate void UserFunction(void* incoming, void* inout, int* count, void* datatype);
    }

    /// <summary>
    /// The operation for values of type T: made once, and lent to one reduction after the other, each with its function.
    /// MPI combines in the order of the ranks, because a function may not commute.
    /// </summary>
    internal sealed unsafe class LambdaOperation<T> : LambdaOperation
    {
        private static readonly Stack<LambdaOperation<T>> Idle = new Stack<LambdaOperation<T>>();

        private readonly UserFunction callback; // lives as long as MPI may call it
        private ReductionOperation<T> operation;
        private Exception failure;

        private LambdaOperation()
        {
            callback = Combine;
            Errors.Check(Native.OpCreate(Marshal.GetFunctionPointerForDelegate(callback), 0, out IntPtr op));
            Op = op;
        }

        internal IntPtr Op { get; }

        internal static LambdaOperation<T> Borrow(ReductionOperation<T> operation)
        {
            LambdaOperation<T> lent = null;
            lock (Idle)
            {
                if (Idle.Count > 0)
                {
                    lent = Idle.Pop();
                }
            }
            lent = lent ?? new LambdaOperation<T>();
            lent.operation = operation;
            return lent;
        }

        /// <summary>Ends the loan. An exception of the function, which may not pass through MPI, comes out here.</summary>
        internal void GiveBack()
        {
            Exception thrown = failure;
            operation = null;
            failure = null;
            lock (Idle)
            {
                Idle.Push(this);
            }
            if (thrown != null)
            {
                ExceptionDispatchInfo.Capture(thrown).Throw();
            }
        }

        private void Combine(void* incoming, void* inout, int* count, void* datatype)
        {
            try
            {
                var before = new Span<T>(incoming, *count);
                var after = new Span<T>(inout, *count);
                for (int i = 0; i < after.Length; i++)
                {
                    after[i] = operation(before[i], after[i]);
                }
            }
            catch (Exception exception)
            {
                failure = exception;
            }
        }
    }

    /// <summary>What MPI calls for a function: its own operation if the function is one of <see cref="Operation{T}"/>.</summary>
    internal struct Combining<T> : IDisposable
    {
        private readonly LambdaOperation<T> lent;

        internal Combining(ReductionOperation<T> operation)
        {
            IntPtr op;
            lent = null;
            if (operation == null)
            {
                throw new ArgumentNullException(nameof(operation));
            }
            if (!Operation<T>.TryGetPredefined(operation, out op))
            {
                lent = LambdaOperation<T>.Borrow(operation);
                op = lent.Op;
            }
            Op = op;
        }

        internal IntPtr Op { get; }

        public void Dispose() => lent?.GiveBack();
    }
}
