using System;
using System.Collections;
using System.Collections.Generic;
using System.Threading;

namespace MPI
{
    /// <summary>
    /// Requests that are waited for together. A request leaves the list when it is complete. One that has failed is
    /// complete, too: who waits for it gets the exception.
    /// </summary>
    public sealed unsafe class RequestList : IEnumerable<Request>
    {
        private readonly List<Request> requests = new List<Request>();
        private IntPtr[] handles = new IntPtr[0];
        private NativeStatus[] statuses = new NativeStatus[0];

        /// <summary>How many requests are not complete.</summary>
        public int Count => requests.Count;

        /// <summary>Adds a request.</summary>
        /// <param name="request">The request.</param>
        public void Add(Request request) => requests.Add(request ?? throw new ArgumentNullException(nameof(request)));

        /// <summary>Takes a request out of the list, which goes on by itself.</summary>
        /// <param name="request">The request.</param>
        public void Remove(Request request) => requests.Remove(request);

        /// <summary>Waits for all, also where one fails; the list is empty then.</summary>
        /// <returns>Their statuses, in the order in which they were added.</returns>
        public List<CompletedStatus> WaitAll()
        {
            if (!requests.TrueForAll(request => request.Waitable != null))
            {
                return WaitEach();
            }
            var completed = new List<CompletedStatus>(requests.Count);
            int code = WaitTogether();
            Exception first = code == 0 ? null : Errors.Exception(code);
            for (int i = 0; i < requests.Count; i++)
            {
                first = Finish(requests[i], statuses[i], completed) ?? first;
            }
            requests.Clear();
            if (first != null)
            {
                throw first;
            }
            return completed;
        }

        /// <summary>Ends a request that was waited for; gives what went wrong.</summary>
        private static Exception Finish(Request request, NativeStatus status, List<CompletedStatus> completed)
        {
            if (!request.IsListed) // it is in the list twice, and was ended before
            {
                completed.Add(request.Completed);
                return null;
            }
            request.IsListed = false;
            try
            {
                Errors.Check(status.Error);
                completed.Add(request.Finish(status));
                return null;
            }
            catch (Exception failure)
            {
                request.Fail(failure);
                return failure;
            }
        }

        /// <summary>One call of MPI for all.</summary>
        private int WaitTogether()
        {
            int count = requests.Count;
            if (handles.Length < count)
            {
                handles = new IntPtr[count];
                statuses = new NativeStatus[count];
            }
            for (int i = 0; i < count; i++)
            {
                handles[i] = requests[i].IsListed ? Constants.RequestNull : requests[i].Waitable.Value;
                requests[i].IsListed = true;
            }
            fixed (IntPtr* h = handles)
            fixed (NativeStatus* s = statuses)
            {
                return Native.Waitall(count, h, s);
            }
        }

        /// <summary>Some are complete or persistent: all are tested until all are complete.</summary>
        private List<CompletedStatus> WaitEach()
        {
            var completed = new List<CompletedStatus>(requests.Count);
            Exception first = null;
            for (bool all = false; !all;)
            {
                all = true;
                completed.Clear();
                foreach (Request request in requests)
                {
                    try
                    {
                        completed.Add(request.Test());
                        all &= completed[completed.Count - 1] != null;
                    }
                    catch (Exception failure)
                    {
                        first = first ?? failure;
                    }
                }
            }
            requests.Clear();
            if (first != null)
            {
                throw first;
            }
            return completed;
        }

        /// <summary>Looks whether all are complete; then the list is empty.</summary>
        /// <returns>Their statuses, or null if one is not complete.</returns>
        public List<CompletedStatus> TestAll() => requests.TrueForAll(request => request.IsOver) ? WaitEach() : null;

        /// <summary>Waits for one.</summary>
        /// <returns>The request that is complete or has failed, which is no longer in the list.</returns>
        public Request WaitAny()
        {
            if (requests.Count == 0)
            {
                throw new InvalidOperationException("There is no request to wait for.");
            }
            var wait = new SpinWait();
            Request request = TestAny();
            while (request == null)
            {
                wait.SpinOnce();
                request = TestAny();
            }
            return request;
        }

        /// <summary>Looks for one that is complete.</summary>
        /// <returns>The request, which is no longer in the list; null if none is complete.</returns>
        public Request TestAny()
        {
            int place = requests.FindIndex(request => request.IsOver);
            if (place < 0)
            {
                return null;
            }
            Request found = requests[place];
            requests.RemoveAt(place);
            return found;
        }

        /// <summary>Waits for at least one.</summary>
        /// <returns>All that are complete, which are no longer in the list.</returns>
        public List<Request> WaitSome()
        {
            var found = new List<Request> { WaitAny() };
            found.AddRange(TestSome());
            return found;
        }

        /// <summary>Looks for all that are complete.</summary>
        /// <returns>These, which are no longer in the list.</returns>
        public List<Request> TestSome()
        {
            List<Request> found = requests.FindAll(request => request.IsOver);
            requests.RemoveAll(found.Contains);
            return found;
        }

        /// <inheritdoc/>
        public IEnumerator<Request> GetEnumerator() => requests.GetEnumerator();

        IEnumerator IEnumerable.GetEnumerator() => requests.GetEnumerator();
    }
}
