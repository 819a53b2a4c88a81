using System;

namespace Benchmark
{
    /// <summary>The case that is running: its loops, and what is done before and after them.</summary>
    internal sealed unsafe class Prepared
    {
        public Loops Loops;
        public Action Begin = () => { };
        public Action End = () => { };
        public Action Show = () => { };
        public Action Release = () => { };

        /// <summary>Of an application: ns that this rank has spent in communication so far; else null.</summary>
        public Func<long> Communication;

        /// <summary>Buffered sends go by way of the memory that the harness has for them.</summary>
        public void AttachWhileRunning(Buffers* buffers)
        {
            IntPtr attached = buffers->Attached;
            int bytes = (int)buffers->AttachedBytes;
            Begin = () => MPI.Buffer.Attach(attached, bytes);
            End = () => MPI.Buffer.Detach();
        }
    }
}
