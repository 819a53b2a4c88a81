using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Text;

namespace Tests
{
    /// <summary>Whether two objects are the same in all that can be seen of them, by reflection.</summary>
    internal static class Likeness
    {
        public static bool Of(object a, object b) => Of(a, b, new List<KeyValuePair<object, object>>());

        private static bool Of(object a, object b, List<KeyValuePair<object, object>> seen)
        {
            if (a == null || b == null)
            {
                return a == null && b == null;
            }
            Type type = a.GetType();
            if (type != b.GetType())
            {
                return false;
            }
            if (type.IsPrimitive || type.IsEnum || a is string || a is decimal || a is Version || a is Uri)
            {
                return a.Equals(b);
            }
            if (a is StringBuilder)
            {
                return a.ToString() == b.ToString();
            }
            if (seen.Any(pair => ReferenceEquals(pair.Key, a) && ReferenceEquals(pair.Value, b)))
            {
                return true;
            }
            seen.Add(new KeyValuePair<object, object>(a, b));
            if (a is Exception error)
            {
                var other = (Exception)b;
                return error.Message == other.Message && error.HResult == other.HResult
                    && Of(error.InnerException, other.InnerException, seen);
            }
            if (a is Array array)
            {
                return Bounds(array).SequenceEqual(Bounds((Array)b)) && Elements(array, (Array)b, seen);
            }
            return a is IEnumerable many && !type.IsValueType && Base(type) != typeof(object)
                ? Collections(many, (IEnumerable)b, seen) && Fields(a, b, type, Base(type), seen)
                : Fields(a, b, type, null, seen);
        }

        /// <summary>The first base class that belongs to the runtime.</summary>
        private static Type Base(Type type) =>
            type.Assembly == typeof(Likeness).Assembly ? Base(type.BaseType) : type;

        private static int[] Bounds(Array array) =>
            Enumerable.Range(0, array.Rank).SelectMany(i => new[] { array.GetLowerBound(i), array.GetLength(i) }).ToArray();

        private static bool Collections(IEnumerable a, IEnumerable b, List<KeyValuePair<object, object>> seen)
        {
            object comparer = a.GetType().GetProperty("Comparer")?.GetValue(a, null);
            if (!Equals(comparer, a.GetType().GetProperty("Comparer")?.GetValue(b, null))
                && !Of(comparer, a.GetType().GetProperty("Comparer").GetValue(b, null), seen))
            {
                return false;
            }
            if (a is IDictionary map)
            {
                var other = (IDictionary)b;
                return map.Count == other.Count
                    && map.Keys.Cast<object>().All(key => other.Contains(key) && Of(map[key], other[key], seen));
            }
            return Elements(a, b, seen);
        }

        private static bool Elements(IEnumerable a, IEnumerable b, List<KeyValuePair<object, object>> seen)
        {
            object[] first = a.Cast<object>().ToArray(), second = b.Cast<object>().ToArray();
            return first.Length == second.Length && first.Zip(second, (x, y) => Of(x, y, seen)).All(same => same);
        }

        private static bool Fields(object a, object b, Type type, Type end, List<KeyValuePair<object, object>> seen)
        {
            const BindingFlags Own =
                BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
            for (Type one = type; one != null && one != end; one = one.BaseType)
            {
                foreach (FieldInfo field in one.GetFields(Own))
                {
                    if (!field.FieldType.IsPointer && !Of(field.GetValue(a), field.GetValue(b), seen))
                    {
                        return false;
                    }
                }
            }
            return true;
        }
    }
}
