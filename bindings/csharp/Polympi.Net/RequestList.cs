using System;
using System.Collections;
using System.Collections.Generic;
using System.Threading;

namespace MPI
{
    /// <summary>Requests that are waited for together. A request leaves the list when it is complete.</summary>
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

        /// <summary>Waits for all; the list is empty then.</summary>
        /// <returns>Their statuses, in the order in which they were added.</returns>
        public List<CompletedStatus> WaitAll()
        {
            var completed = new List<CompletedStatus>(requests.Count);
            if (!requests.TrueForAll(request => request.Waitable != null))
            {
                WaitEach(completed);
                return completed;
            }
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
            try
            {
                Errors.Check(status.Error);
                completed.Add(request.Finish(status));
                return null;
            }
            catch (MpiException failure)
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
                handles[i] = requests[i].Waitable.Value;
            }
            fixed (IntPtr* h = handles)
            fixed (NativeStatus* s = statuses)
            {
                return Native.Waitall(count, h, s);
            }
        }

        /// <summary>Some receives take their message themselves: all are tested until all are complete.</summary>
        private void WaitEach(List<CompletedStatus> completed)
        {
            for (bool all = false; !all;)
            {
                all = true;
                foreach (Request request in requests)
                {
                    all &= request.Test() != null;
                }
            }
            foreach (Request request in requests)
            {
                completed.Add(request.Test());
            }
            requests.Clear();
        }

        /// <summary>Waits for all if all are complete already.</summary>
        /// <returns>Their statuses, or null if one is not complete.</returns>
        public List<CompletedStatus> TestAll()
        {
            foreach (Request request in requests)
            {
                if (request.Test() == null)
                {
                    return null;
                }
            }
            return WaitEachOf();
        }

        private List<CompletedStatus> WaitEachOf()
        {
            var completed = new List<CompletedStatus>(requests.Count);
            WaitEach(completed);
            return completed;
        }

        /// <summary>Waits for one.</summary>
        /// <returns>The request that is complete, which is no longer in the list.</returns>
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
            int place = requests.FindIndex(request => request.Test() != null);
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
            List<Request> found = requests.FindAll(request => request.Test() != null);
            requests.RemoveAll(found.Contains);
            return found;
        }

        /// <inheritdoc/>
        public IEnumerator<Request> GetEnumerator() => requests.GetEnumerator();

        IEnumerator IEnumerable.GetEnumerator() => requests.GetEnumerator();
    }
}
