using System;
using System.Collections.Generic;
using System.Reflection;

namespace MPI
{
    /// <summary>How the keys of a collection are compared.</summary>
    internal static class Comparers
    {
        private const BindingFlags Instance = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

        /// <summary>Those of the runtime that have a name.</summary>
        private static readonly object[] Named =
        {
            StringComparer.Ordinal, StringComparer.OrdinalIgnoreCase, StringComparer.InvariantCulture,
            StringComparer.InvariantCultureIgnoreCase,
        };

        /// <summary>A comparer in a message.</summary>
        internal sealed class Chosen
        {
            internal Chosen(object comparer)
            {
                Comparer = comparer;
            }

            internal object Comparer { get; }
        }

        internal static Shape Shape { get; } = new ValueShape<Chosen>(Write, Read);

        /// <summary>The comparer of a collection; null if it is what the type of the keys has.</summary>
        internal static object Find(object collection, Type comparerType)
        {
            object comparer = collection.GetType().GetProperty("Comparer", comparerType)?.GetValue(collection, null)
                ?? InField(collection, comparerType);
            return comparer == null || Equals(comparer, Usual(comparerType)) ? null : comparer;
        }

        private static object InField(object collection, Type comparerType)
        {
            for (Type one = collection.GetType(); one != null; one = one.BaseType)
            {
                foreach (FieldInfo field in one.GetFields(Instance))
                {
                    object found = comparerType.IsAssignableFrom(field.FieldType) ? field.GetValue(collection) : null;
                    if (found != null)
                    {
                        return found;
                    }
                }
            }
            return null;
        }

        private static object Usual(Type comparerType)
        {
            if (!comparerType.IsGenericType)
            {
                return null;
            }
            Type usual = comparerType.GetGenericTypeDefinition() == typeof(IComparer<>)
                ? typeof(Comparer<>)
                : typeof(EqualityComparer<>);
            return usual.MakeGenericType(comparerType.GetGenericArguments()).GetProperty("Default").GetValue(null, null);
        }

        private static void Write(ObjectWriter writer, Chosen chosen)
        {
            int number = Array.IndexOf(Named, chosen.Comparer);
            writer.Int(number + 1);
            if (number < 0)
            {
                Slot<object>.Default.Write(writer, chosen.Comparer);
            }
        }

        private static Chosen Read(ObjectReader reader)
        {
            int number = reader.Int();
            return new Chosen(number > 0 ? Named[number - 1] : Slot<object>.Default.Read(reader));
        }
    }
}
