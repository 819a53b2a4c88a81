using System;

namespace MPI
{
    /// <summary>Two groups of ranks: messages go from one to the other, and ranks are those of the other.</summary>
    /// <remarks>
    /// In collective calls with a root, the root gives <see cref="Root"/>, the other ranks of its side <see cref="Null"/>, and
    /// those of the other side its rank: they give to a gather or reduction, and get from a broadcast or scatter. In
    /// calls without a root each side gets what the other gives.
    /// </remarks>
    public sealed partial class Intercommunicator : Communicator
    {
        /// <summary>What the root of a collective call gives as the root.</summary>
        public static readonly int Root = Constants.Root;

        /// <summary>What the other ranks on the side of the root give as the root.</summary>
        public static readonly int Null = Constants.ProcNull;

        /// <summary>Joins two communicators that have no rank in common.</summary>
        /// <param name="local">The ranks of this side.</param>
        /// <param name="localLeader">One of them.</param>
        /// <param name="peers">A communicator in which both leaders are.</param>
        /// <param name="remoteLeader">The leader of the other side, by its rank there.</param>
        /// <param name="tag">A tag for the messages of the leaders.</param>
        public Intercommunicator(
            Intracommunicator local, int localLeader, Intracommunicator peers, int remoteLeader, int tag)
            : base(Create(local, localLeader, peers, remoteLeader, tag), false)
        {
        }

        internal Intercommunicator(IntPtr handle) : base(handle, false)
        {
        }

        /// <summary>How many ranks the other side has.</summary>
        public int RemoteSize => Peers;

        /// <summary>The ranks of the other side.</summary>
        public Group RemoteGroup
        {
            get
            {
                Errors.Check(Native.CommRemoteGroup(Handle, out IntPtr group));
                return new Group(group);
            }
        }

        /// <summary>Makes one communicator of both sides.</summary>
        /// <param name="upper">Whether the ranks of this side come after those of the other.</param>
        public Intracommunicator Merge(bool upper)
        {
            Errors.Check(Native.IntercommMerge(Handle, upper ? 1 : 0, out IntPtr made));
            return new Intracommunicator(made);
        }

        internal override int CountPeers()
        {
            Errors.Check(Native.CommRemoteSize(Handle, out int size));
            return size;
        }

        internal override int FindRootHere(int rank) => Root;

        internal override int CountHere(Array values, int[] counts) => values == null ? 0 : values.Length;

        internal override void CheckUnusualRoot(int root)
        {
            if (root != Root && root != Null)
            {
                base.CheckUnusualRoot(root);
            }
        }

        private static IntPtr Create(
            Intracommunicator local, int localLeader, Intracommunicator peers, int remoteLeader, int tag)
        {
            Errors.Check(Native.IntercommCreate(
                local.Handle, localLeader, peers.Handle, remoteLeader, tag, out IntPtr made));
            return made;
        }
    }
}
