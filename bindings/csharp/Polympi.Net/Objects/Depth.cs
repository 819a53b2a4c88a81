using System;
using System.Runtime.ExceptionServices;
using System.Threading;

namespace MPI
{
    /// <summary>How deep objects lie in objects. A long chain of them goes on in another thread before the stack ends.</summary>
    internal sealed class Depth
    {
        private const int OfAThread = 400, StackBytes = 16 << 20, OfALargeThread = 4000;

        private int depth;
        private int limit = OfAThread;

        internal bool IsAtLimit => depth == limit;

        internal void Enter() => depth++;

        internal void Leave() => depth--;

        /// <summary>Does something with its own stack.</summary>
        internal void Elsewhere(Action action)
        {
            int before = limit;
            ExceptionDispatchInfo failure = null;
            var thread = new Thread(() =>
            {
                try
                {
                    action();
                }
                catch (Exception exception)
                {
                    failure = ExceptionDispatchInfo.Capture(exception);
                }
            }, StackBytes);
            limit = depth + OfALargeThread;
            thread.Start();
            thread.Join();
            limit = before;
            failure?.Throw();
        }
    }
}
