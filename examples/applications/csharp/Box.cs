using System.Collections.Generic;

namespace Applications
{
    /// <summary>Points of a rank's block from first to last, both included, along each axis.</summary>
    internal sealed class Box
    {
        /// <summary>All points.</summary>
        public Box(Mesh mesh) : this(new long[] { 1, 1, 1 }, mesh.Points)
        {
        }

        private Box(long[] first, long[] last)
        {
            First = (long[])first.Clone();
            Last = (long[])last.Clone();
        }

        public long[] First { get; }

        public long[] Last { get; }

        /// <summary>The points that are not next to a ghost layer of a neighbour.</summary>
        public Box Inside(Mesh mesh)
        {
            var inside = new Box(First, Last);
            for (int axis = 0; axis < 3; axis++)
            {
                inside.First[axis] += mesh.IsBoundary(2 * axis) ? 0 : 1;
                inside.Last[axis] -= mesh.IsBoundary(2 * axis + 1) ? 0 : 1;
            }
            return inside;
        }

        /// <summary>The points outside of a box, axis by axis, each of them once.</summary>
        public List<Box> Beside(Box inside)
        {
            var found = new List<Box>();
            var rest = new Box(inside.First, inside.Last);
            for (int axis = 2; axis >= 0; axis--)
            {
                foreach (long layer in new[] { First[axis], Last[axis] })
                {
                    if (layer < inside.First[axis] || layer > inside.Last[axis])
                    {
                        rest.First[axis] = rest.Last[axis] = layer;
                        found.Add(new Box(rest.First, rest.Last));
                    }
                }
                rest.First[axis] = First[axis];
                rest.Last[axis] = Last[axis];
            }
            return found;
        }
    }
}
