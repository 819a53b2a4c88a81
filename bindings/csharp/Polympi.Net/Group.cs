using System;

namespace MPI
{
    /// <summary>A set of processes in an order.</summary>
    public sealed partial class Group : IDisposable
    {
        private IntPtr handle;

        internal Group(IntPtr handle)
        {
            this.handle = handle;
        }

        /// <summary>The rank of a process that is not in a group.</summary>
        public static readonly int NoProcess = Constants.Undefined;

        internal IntPtr MpiHandle => handle;

        /// <summary>How many processes there are.</summary>
        public int Size
        {
            get
            {
                Errors.Check(Native.GroupSize(handle, out int size));
                return size;
            }
        }

        /// <summary>The number of this process, or <see cref="NoProcess"/>.</summary>
        public int Rank
        {
            get
            {
                Errors.Check(Native.GroupRank(handle, out int rank));
                return rank;
            }
        }

        /// <summary>The processes of either group.</summary>
        /// <param name="a">A group.</param>
        /// <param name="b">Another.</param>
        public static Group operator |(Group a, Group b)
        {
            Errors.Check(Native.GroupUnion(a.handle, b.handle, out IntPtr made));
            return new Group(made);
        }

        /// <summary>The processes of both groups.</summary>
        /// <param name="a">A group.</param>
        /// <param name="b">Another.</param>
        public static Group operator &(Group a, Group b)
        {
            Errors.Check(Native.GroupIntersection(a.handle, b.handle, out IntPtr made));
            return new Group(made);
        }

        /// <summary>The processes of the first group that are not in the second.</summary>
        /// <param name="a">A group.</param>
        /// <param name="b">Another.</param>
        public static Group operator -(Group a, Group b)
        {
            Errors.Check(Native.GroupDifference(a.handle, b.handle, out IntPtr made));
            return new Group(made);
        }

        /// <summary>A group of some processes of this one.</summary>
        /// <param name="ranks">Their ranks here, in the order that they get.</param>
        public Group IncludeOnly(params int[] ranks)
        {
            Errors.Check(Native.GroupIncl(handle, ranks.Length, ranks, out IntPtr made));
            return new Group(made);
        }

        /// <summary>A group of all processes of this one but some.</summary>
        /// <param name="ranks">The ranks of those that are left out.</param>
        public Group Exclude(params int[] ranks)
        {
            Errors.Check(Native.GroupExcl(handle, ranks.Length, ranks, out IntPtr made));
            return new Group(made);
        }

        /// <summary>The ranks that processes of this group have in another, or <see cref="NoProcess"/>.</summary>
        /// <param name="ranks">Ranks of this group.</param>
        /// <param name="other">The other group.</param>
        public int[] TranslateRanks(int[] ranks, Group other)
        {
            var translated = new int[ranks.Length];
            Errors.Check(Native.GroupTranslate(handle, ranks.Length, ranks, other.handle, translated));
            return translated;
        }

        /// <summary>Compares two groups.</summary>
        /// <param name="other">The other.</param>
        public Comparison Compare(Group other)
        {
            Errors.Check(Native.GroupCompare(handle, other.handle, out int result));
            return (Comparison)Array.IndexOf(Constants.Comparisons, result);
        }

        /// <summary>Gives the group up.</summary>
        public void Dispose()
        {
            if (handle != Constants.GroupNull && handle != Constants.GroupEmpty && !Environment.Finalized)
            {
                Errors.Check(Native.GroupFree(ref handle));
            }
        }
    }
}
