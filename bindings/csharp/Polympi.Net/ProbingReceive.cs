using System;
using System.Collections.Generic;

namespace MPI
{
    /// <summary>A receive of a value whose size is not known: it takes the message when it is tested or waited for.</summary>
    internal abstract class Probing
    {
        internal abstract bool IsComplete { get; }

        /// <summary>Takes the message if it is there.</summary>
        internal abstract bool TryTake();

        /// <summary>Waits for the message and takes it.</summary>
        internal abstract void Take();
    }

    /// <summary>
    /// Such receives of one source and tag, in the order in which they began. MPI does not know of them, so that they
    /// have to see to it themselves that the first message goes to the first one.
    /// </summary>
    internal static class ProbingQueue
    {
        private static readonly Dictionary<ValueTuple<IntPtr, int, int>, List<Probing>> Queues =
            new Dictionary<ValueTuple<IntPtr, int, int>, List<Probing>>();

        internal static List<Probing> Enter(Probing receive, IntPtr comm, int source, int tag)
        {
            lock (Queues)
            {
                var key = ValueTuple.Create(comm, source, tag);
                if (!Queues.TryGetValue(key, out List<Probing> queue))
                {
                    queue = new List<Probing>();
                    Queues.Add(key, queue);
                }
                queue.Add(receive);
                return queue;
            }
        }

        /// <summary>A blocking receive comes after those that began before.</summary>
        internal static void WaitForAll(IntPtr comm, int source, int tag)
        {
            List<Probing> queue;
            lock (Queues)
            {
                if (Queues.Count == 0 || !Queues.TryGetValue(ValueTuple.Create(comm, source, tag), out queue))
                {
                    return;
                }
            }
            while (queue.Count > 0)
            {
                queue[0].Take();
                queue.RemoveAt(0);
            }
            Leave(comm, source, tag);
        }

        /// <summary>Forgets a queue that is empty.</summary>
        internal static void Leave(IntPtr comm, int source, int tag)
        {
            lock (Queues)
            {
                var key = ValueTuple.Create(comm, source, tag);
                if (Queues.TryGetValue(key, out List<Probing> queue) && queue.Count == 0)
                {
                    Queues.Remove(key);
                }
            }
        }
    }

    /// <summary>The same with its value.</summary>
    internal sealed unsafe class ProbingReceive<T> : ReceiveRequest<T>
    {
        private readonly Message message;
        private readonly List<Probing> queue;

        internal ProbingReceive(VariableCodec<T> codec, int source, int tag, IntPtr comm)
        {
            message = new Message(codec, source, tag, comm);
            queue = ProbingQueue.Enter(message, comm, source, tag);
        }

        public override CompletedStatus Wait()
        {
            while (!message.IsComplete)
            {
                Probing first = queue[0];
                first.Take();
                Remove(first);
            }
            return Keep();
        }

        public override CompletedStatus Test()
        {
            while (!message.IsComplete && queue[0].TryTake())
            {
                Remove(queue[0]);
            }
            return message.IsComplete ? Keep() : null;
        }

        public override void Cancel()
        {
            if (!message.IsComplete)
            {
                message.Cancel();
                Remove(message);
            }
        }

        private void Remove(Probing done)
        {
            queue.Remove(done);
            message.Forget(queue);
        }

        private CompletedStatus Keep()
        {
            if (Completed == null)
            {
                Value = message.GetValue();
                Completed = new CompletedStatus(message.Status);
            }
            return Completed;
        }

        private sealed class Message : Probing
        {
            private readonly VariableCodec<T> codec;
            private readonly int source;
            private readonly int tag;
            private readonly IntPtr comm;
            private bool isComplete;
            private T value;
            private Exception failure;

            internal Message(VariableCodec<T> codec, int source, int tag, IntPtr comm)
            {
                this.codec = codec;
                this.source = source;
                this.tag = tag;
                this.comm = comm;
            }

            internal NativeStatus Status { get; private set; }

            internal override bool IsComplete => isComplete;

            internal T GetValue()
            {
                if (failure != null)
                {
                    throw failure;
                }
                return value;
            }

            internal override bool TryTake()
            {
                IntPtr found;
                int flag;
                NativeStatus status = default(NativeStatus);
                Errors.Check(Native.Improbe(source, tag, comm, &flag, &found, &status));
                if (flag != 0)
                {
                    Receive(found, status);
                }
                return flag != 0;
            }

            internal override void Take()
            {
                IntPtr found;
                NativeStatus status = default(NativeStatus);
                Errors.Check(Native.Mprobe(source, tag, comm, &found, &status));
                Receive(found, status);
            }

            internal void Cancel()
            {
                Status = new NativeStatus { Source = source, Tag = tag, Cancelled = 1 };
                isComplete = true;
            }

            internal void Forget(List<Probing> queue)
            {
                if (queue.Count == 0)
                {
                    ProbingQueue.Leave(comm, source, tag);
                }
            }

            /// <summary>What goes wrong is told to who waits for this message, not to who has found it.</summary>
            private void Receive(IntPtr found, NativeStatus status)
            {
                isComplete = true;
                Status = status;
                try
                {
                    value = codec.TakeWhole(found, status);
                }
                catch (Exception exception)
                {
                    failure = exception;
                }
            }
        }
    }
}
