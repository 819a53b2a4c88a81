using System;

namespace MPI
{
    /// <summary>Ranks that send messages to each other, and make collective calls together.</summary>
    public unsafe partial class Intracommunicator : Communicator
    {
        internal Intracommunicator(IntPtr handle, bool predefined = false) : base(handle, predefined)
        {
        }

        /// <summary>Makes a communicator of the same ranks, whose messages do not meet those of this one.</summary>
        public Intracommunicator Clone()
        {
            IntPtr made;
            Errors.Check(Native.CommDup(Handle, &made));
            var clone = new Intracommunicator(made);
            Attributes.CopyTo(clone.Attributes);
            return clone;
        }

        /// <summary>Makes a communicator of the ranks that give the same color; null for a negative color.</summary>
        /// <param name="color">Which communicator this rank goes to; negative: none.</param>
        /// <param name="key">Ranks are in the order of their keys.</param>
        public Intracommunicator Split(int color, int key = 0)
        {
            IntPtr made;
            Errors.Check(Native.CommSplit(Handle, color < 0 ? Constants.Undefined : color, key, &made));
            return OrNull(made);
        }

        /// <summary>Makes a communicator of the ranks on this machine.</summary>
        public Intracommunicator SplitByMachine()
        {
            IntPtr made;
            Errors.Check(Native.CommSplitShared(Handle, Rank, &made));
            return OrNull(made);
        }

        /// <summary>Makes a communicator of the ranks of a group; null on other ranks.</summary>
        /// <param name="group">The same group on all ranks.</param>
        public Intracommunicator Create(Group group)
        {
            IntPtr made;
            Errors.Check(Native.CommCreate(Handle, group.MpiHandle, &made));
            return OrNull(made);
        }

        private static Intracommunicator OrNull(IntPtr made) =>
            made == Constants.CommNull ? null : new Intracommunicator(made);

        private void CheckRoot(int root)
        {
            if ((uint)root >= (uint)Size)
            {
                throw Errors.WrongPeer("root", root, Size, false);
            }
        }
    }
}
