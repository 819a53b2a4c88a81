using System;

namespace MPI
{
    /// <summary>A set of processes in an order.</summary>
    public sealed unsafe partial class Group : IDisposable
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
                int size;
                Errors.Check(Native.GroupSize(handle, &size));
                return size;
            }
        }

        /// <summary>The number of this process, or <see cref="NoProcess"/>.</summary>
        public int Rank
        {
            get
            {
                int rank;
                Errors.Check(Native.GroupRank(handle, &rank));
                return rank;
            }
        }

        /// <summary>The processes of either group.</summary>
        /// <param name="a">A group.</param>
        /// <param name="b">Another.</param>
        public static Group operator |(Group a, Group b)
        {
            IntPtr made;
            Errors.Check(Native.GroupUnion(a.handle, b.handle, &made));
            return new Group(made);
        }

        /// <summary>The processes of both groups.</summary>
        /// <param name="a">A group.</param>
        /// <param name="b">Another.</param>
        public static Group operator &(Group a, Group b)
        {
            IntPtr made;
            Errors.Check(Native.GroupIntersection(a.handle, b.handle, &made));
            return new Group(made);
        }

        /// <summary>The processes of the first group that are not in the second.</summary>
        /// <param name="a">A group.</param>
        /// <param name="b">Another.</param>
        public static Group operator -(Group a, Group b)
        {
            IntPtr made;
            Errors.Check(Native.GroupDifference(a.handle, b.handle, &made));
            return new Group(made);
        }

        /// <summary>A group of some processes of this one.</summary>
        /// <param name="ranks">Their ranks here, in the order that they get.</param>
        public Group IncludeOnly(params int[] ranks)
        {
            IntPtr made;
            fixed (int* r = ranks)
            {
                Errors.Check(Native.GroupIncl(handle, ranks.Length, r, &made));
            }
            return new Group(made);
        }

        /// <summary>A group of all processes of this one but some.</summary>
        /// <param name="ranks">The ranks of those that are left out.</param>
        public Group Exclude(params int[] ranks)
        {
            IntPtr made;
            fixed (int* r = ranks)
            {
                Errors.Check(Native.GroupExcl(handle, ranks.Length, r, &made));
            }
            return new Group(made);
        }

        /// <summary>The ranks that processes of this group have in another, or <see cref="NoProcess"/>.</summary>
        /// <param name="ranks">Ranks of this group.</param>
        /// <param name="other">The other group.</param>
        public int[] TranslateRanks(int[] ranks, Group other)
        {
            var translated = new int[ranks.Length];
            fixed (int* r = ranks)
            fixed (int* t = translated)
            {
                Errors.Check(Native.GroupTranslate(handle, ranks.Length, r, other.handle, t));
            }
            return translated;
        }

        /// <summary>Compares two groups.</summary>
        /// <param name="other">The other.</param>
        public Comparison Compare(Group other)
        {
            int result;
            Errors.Check(Native.GroupCompare(handle, other.handle, &result));
            return (Comparison)Array.IndexOf(Constants.Comparisons, result);
        }

        /// <summary>Gives the group up.</summary>
        public void Dispose()
        {
            if (handle != Constants.GroupNull && handle != Constants.GroupEmpty && !Environment.Finalized)
            {
                fixed (IntPtr* group = &handle)
                {
                    Errors.Check(Native.GroupFree(group));
                }
            }
        }
    }
}
