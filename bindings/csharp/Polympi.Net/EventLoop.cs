using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace MPI
{
    /// <summary>
    /// Runs functions that await requests, all on one thread, which alone calls MPI. While one awaits, others go on.
    /// Outside of such a loop, <c>await</c> waits for its request as <see cref="Request.Wait"/> does.
    /// </summary>
    public sealed class EventLoop : SynchronizationContext
    {
        private readonly Queue<Action> ready = new Queue<Action>();
        private readonly List<KeyValuePair<Request, Action>> waiting = new List<KeyValuePair<Request, Action>>();

        private EventLoop()
        {
        }

        /// <summary>Runs a function to its end.</summary>
        /// <param name="program">An <c>async</c> function.</param>
        public static void Run(Func<Task> program)
        {
            SynchronizationContext before = Current;
            var loop = new EventLoop();
            SetSynchronizationContext(loop);
            try
            {
                Task task = program();
                while (!task.IsCompleted)
                {
                    loop.Turn();
                }
                task.GetAwaiter().GetResult();
            }
            finally
            {
                SetSynchronizationContext(before);
            }
        }

        /// <inheritdoc/>
        public override void Post(SendOrPostCallback d, object state)
        {
            lock (ready)
            {
                ready.Enqueue(() => d(state));
            }
        }

        internal static bool Waits(Request request, Action continuation)
        {
            if (!(Current is EventLoop loop))
            {
                return false;
            }
            loop.waiting.Add(new KeyValuePair<Request, Action>(request, continuation));
            return true;
        }

        /// <summary>Goes on with what can go on, or looks whether a request is complete.</summary>
        private void Turn()
        {
            Action next = null;
            lock (ready)
            {
                if (ready.Count > 0)
                {
                    next = ready.Dequeue();
                }
            }
            if (next != null)
            {
                next();
                return;
            }
            for (int i = 0; i < waiting.Count; i++)
            {
                if (waiting[i].Key.IsOver)
                {
                    Action continuation = waiting[i].Value;
                    waiting.RemoveAt(i);
                    continuation();
                    return;
                }
            }
            Thread.Yield();
        }
    }

    /// <summary>What <c>await</c> needs of a request.</summary>
    public struct RequestAwaiter : INotifyCompletion
    {
        private readonly Request request;

        internal RequestAwaiter(Request request)
        {
            this.request = request;
        }

        /// <summary>Whether the request is complete or has failed.</summary>
        public bool IsCompleted => request.IsOver;

        /// <summary>The status.</summary>
        public CompletedStatus GetResult() => request.Wait();

        /// <summary>Calls a function when the request is complete.</summary>
        /// <param name="continuation">The function.</param>
        public void OnCompleted(Action continuation)
        {
            if (!EventLoop.Waits(request, continuation))
            {
                request.Wait();
                continuation();
            }
        }
    }

    /// <summary>What <c>await</c> needs of a receive.</summary>
    /// <typeparam name="T">The type of the value.</typeparam>
    public struct ReceiveAwaiter<T> : INotifyCompletion
    {
        private readonly ReceiveRequest<T> request;

        internal ReceiveAwaiter(ReceiveRequest<T> request)
        {
            this.request = request;
        }

        /// <summary>Whether the request is complete or has failed.</summary>
        public bool IsCompleted => request.IsOver;

        /// <summary>The value.</summary>
        public T GetResult() => request.GetValue();

        /// <summary>Calls a function when the request is complete.</summary>
        /// <param name="continuation">The function.</param>
        public void OnCompleted(Action continuation) => new RequestAwaiter(request).OnCompleted(continuation);
    }
}
