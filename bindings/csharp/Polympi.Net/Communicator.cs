using System;
using System.Runtime.CompilerServices;
using System.Threading;

namespace MPI
{
    /// <summary>How two communicators or groups compare.</summary>
    public enum Comparison
    {
        /// <summary>They are the same.</summary>
        Identical,
        /// <summary>They have the same ranks in the same order.</summary>
        Congruent,
        /// <summary>They have the same ranks in another order.</summary>
        Similar,
        /// <summary>They have other ranks.</summary>
        Unequal,
    }

    /// <summary>A set of ranks that send messages to each other.</summary>
    public abstract unsafe partial class Communicator : IDisposable
    {
        private readonly bool predefined;
        private int ranks = -1;
        private int rank;
        private int peers;
        private int rootHere;

        internal IntPtr Handle;

        internal Communicator(IntPtr handle, bool predefined)
        {
            Handle = handle;
            this.predefined = predefined;
            if (!predefined)
            {
                ReturnErrors();
            }
        }

        /// <summary>Receives from any rank.</summary>
        public static readonly int AnySource = Constants.AnySource;

        /// <summary>Receives messages with any tag.</summary>
        public static readonly int AnyTag = Constants.AnyTag;

        /// <summary>A rank that does not exist: messages to it go nowhere, and those from it are empty.</summary>
        public static readonly int NullRank = Constants.ProcNull;

        /// <summary>All ranks.</summary>
        public static Intracommunicator World { get; } = new Intracommunicator(Constants.CommWorld, true);

        /// <summary>This rank alone.</summary>
        public static Intracommunicator Self { get; } = new Intracommunicator(Constants.CommSelf, true);

        /// <summary>The number of this process, from 0 on.</summary>
        public int Rank
        {
            get
            {
                Know();
                return rank;
            }
        }

        /// <summary>How many ranks there are.</summary>
        public int Size
        {
            get
            {
                Know();
                return ranks;
            }
        }

        /// <summary>Values of the program's that belong to this communicator, and to clones of it.</summary>
        public AttributeSet Attributes { get; } = new AttributeSet();

        /// <summary>The ranks of this communicator.</summary>
        public Group Group
        {
            get
            {
                Errors.Check(Native.CommGroup(Handle, out IntPtr group));
                return new Group(group);
            }
        }

        /// <summary>The ranks that messages go to: the remote ones of an intercommunicator.</summary>
        internal virtual int CountPeers()
        {
            Errors.Check(Native.CommSize(Handle, out int size));
            return size;
        }

        internal int Peers
        {
            get
            {
                Know();
                return peers;
            }
        }

        /// <summary>What the root itself gives as the root of a collective call.</summary>
        internal virtual int FindRootHere(int rank) => rank;

        internal int RootHere
        {
            get
            {
                Know();
                return rootHere;
            }
        }

        internal bool IsRoot(int root)
        {
            Know();
            return root == rootHere;
        }

        /// <summary>How many elements this rank gives if `counts` are those of the ranks that give, perhaps of the other side.</summary>
        internal virtual int CountHere(Array values, int[] counts)
        {
            if (counts == null)
            {
                return values.Length;
            }
            Counts.CheckRanks(counts, Size, nameof(counts));
            Counts.CheckLength(values.Length, counts[Rank], nameof(values));
            return counts[Rank];
        }

        internal void ReturnErrors() => Errors.Check(Native.CommReturnErrors(Handle));

        private void Know()
        {
            if (ranks < 0)
            {
                Errors.Check(Native.CommRank(Handle, out rank));
                rootHere = FindRootHere(rank);
                peers = CountPeers();
                Errors.Check(Native.CommSize(Handle, out int found));
                Volatile.Write(ref ranks, found); // last: other threads may look
            }
        }

        /// <summary>Compares two communicators.</summary>
        /// <param name="other">The other.</param>
        public Comparison Compare(Communicator other)
        {
            Errors.Check(Native.CommCompare(Handle, other.Handle, out int result));
            return (Comparison)Array.IndexOf(Constants.Comparisons, result);
        }

        /// <summary>Ends all ranks of the job at once.</summary>
        /// <param name="code">The exit code of the job.</param>
        public void Abort(int code) => Native.Abort(Handle, code);

        /// <summary>Waits until all ranks have arrived here.</summary>
        public void Barrier() => Errors.Check(Native.Barrier(Handle));

        /// <summary>Gives the communicator up; the others do the same. World and Self stay.</summary>
        public void Dispose()
        {
            if (!predefined && Handle != Constants.CommNull && !Environment.Finalized)
            {
                IntPtr freed = Handle;
                Handle = Constants.CommNull;
                Errors.Check(Native.CommFree(ref freed));
            }
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private void CheckDest(int dest, int tag)
        {
            if ((uint)dest >= (uint)peers)
            {
                CheckUnusualPeer(dest, "dest", false);
            }
            if ((uint)tag > (uint)Environment.MaxTag)
            {
                throw Errors.WrongTag(tag, false);
            }
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        private void CheckSource(int source, int tag)
        {
            if ((uint)source >= (uint)peers)
            {
                CheckUnusualPeer(source, "source", true);
            }
            if ((uint)tag > (uint)Environment.MaxTag && tag != Constants.AnyTag)
            {
                throw Errors.WrongTag(tag, true);
            }
        }

        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        internal void CheckRoot(int root)
        {
            if ((uint)root >= (uint)peers)
            {
                CheckUnusualRoot(root);
            }
        }

        internal virtual void CheckUnusualRoot(int root)
        {
            if ((uint)root >= (uint)Peers)
            {
                throw Errors.WrongPeer("root", root, Peers, false);
            }
        }

        private void CheckUnusualPeer(int peer, string name, bool receives)
        {
            if ((uint)peer < (uint)Peers || peer == Constants.ProcNull || receives && peer == Constants.AnySource)
            {
                return;
            }
            throw Errors.WrongPeer(name, peer, Peers, receives);
        }
    }
}
