using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.Serialization;

namespace MPI
{
    /// <summary>
    /// Collections as their elements: they are made again, because hash codes differ from process to process. A class
    /// derived from one has its own fields, too.
    /// </summary>
    internal abstract class CollectionShape : Shape
    {
        private Type type;
        private FieldsShape own;

        /// <summary>What compares keys; null if nothing does.</summary>
        internal Type ComparerType { get; private set; }

        /// <summary>Whether keys are compared, which must be complete then.</summary>
        private bool Compares => ComparerType != null;

        internal CollectionShape Describe(Type made, Type collection, Type comparer)
        {
            type = made;
            ComparerType = comparer;
            if (made != collection)
            {
                own = new FieldsShape(made, collection);
                if (Constructor() == null)
                {
                    throw Shapes.Refusal(made, "it derives from " + collection.Name + " and has no constructor without arguments");
                }
            }
            return this;
        }

        internal override void Write(ObjectWriter writer, object value)
        {
            if (Compares)
            {
                object comparer = Comparers.Find(value, ComparerType);
                Slot<object>.Default.Write(writer, comparer == null ? null : new Comparers.Chosen(comparer));
            }
            own?.Write(writer, value);
            WriteElements(writer, value);
        }

        internal override object Create(ObjectReader reader)
        {
            object comparer = Compares ? ((Comparers.Chosen)Slot<object>.Default.Read(reader))?.Comparer : null;
            if (own == null)
            {
                return comparer == null ? Activator.CreateInstance(type) : Activator.CreateInstance(type, comparer);
            }
            object value = Constructor().Invoke(null);
            if (Compares && !Equals(Comparers.Find(value, ComparerType), comparer))
            {
                throw new SerializationException(
                    "The constructor of " + type + " without arguments chooses another comparer than the object has.");
            }
            return value;
        }

        internal override void Fill(ObjectReader reader, object value)
        {
            own?.Fill(reader, value);
            Action add = ReadElements(reader, value);
            if (Compares)
            {
                reader.AtTheEnd(add);
            }
            else
            {
                add();
            }
        }

        /// <summary>Writes the elements in the order in which they are added again.</summary>
        protected abstract void WriteElements(ObjectWriter writer, object value);

        /// <summary>Reads the elements; what it gives adds them.</summary>
        protected abstract Action ReadElements(ObjectReader reader, object value);

        private ConstructorInfo Constructor() => type.GetConstructor(
            BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic, null, Type.EmptyTypes, null);
    }

    /// <summary>Lists, queues, stacks and sets.</summary>
    internal sealed class SequenceShape<T> : CollectionShape
    {
        private readonly bool isReversed;
        private readonly string add;

        internal SequenceShape(string add, bool isReversed)
        {
            this.add = add;
            this.isReversed = isReversed;
        }

        protected override void WriteElements(ObjectWriter writer, object value)
        {
            T[] elements = ((IEnumerable<T>)value).ToArray();
            if (isReversed)
            {
                Array.Reverse(elements);
            }
            writer.Int(elements.Length);
            Slot<T>.Default.WriteAll(writer, elements);
        }

        protected override Action ReadElements(ObjectReader reader, object value)
        {
            var elements = new T[reader.Length(Slot<T>.Default.Least)];
            Slot<T>.Default.ReadAll(reader, elements);
            return () => AddAll(value, elements);
        }

        private void AddAll(object value, T[] elements)
        {
            (value as ICollection<T>)?.Clear(); // what a constructor may have added
            if (value is List<T> list)
            {
                list.AddRange(elements);
                return;
            }
            Action<T> one = value is ICollection<T> collection
                ? collection.Add
                : (Action<T>)Delegate.CreateDelegate(typeof(Action<T>), value, add);
            Array.ForEach(elements, one);
        }
    }

    /// <summary>Dictionaries.</summary>
    internal sealed class MapShape<K, V> : CollectionShape
    {
        protected override void WriteElements(ObjectWriter writer, object value)
        {
            var map = (IDictionary<K, V>)value;
            writer.Int(map.Count);
            Slot<K>.Default.WriteAll(writer, map.Keys.ToArray());
            Slot<V>.Default.WriteAll(writer, map.Values.ToArray());
        }

        protected override Action ReadElements(ObjectReader reader, object value)
        {
            var keys = new K[reader.Length(Slot<K>.Default.Least)];
            var values = new V[keys.Length];
            Slot<K>.Default.ReadAll(reader, keys);
            Slot<V>.Default.ReadAll(reader, values);
            return () =>
            {
                var map = (IDictionary<K, V>)value;
                map.Clear();
                for (int i = 0; i < keys.Length; i++)
                {
                    map.Add(keys[i], values[i]);
                }
            };
        }
    }

    /// <summary>Collections of before there were type parameters.</summary>
    internal sealed class UntypedShape : CollectionShape
    {
        private readonly string add;
        private readonly bool isReversed;

        internal UntypedShape(string add, bool isReversed)
        {
            this.add = add;
            this.isReversed = isReversed;
        }

        protected override void WriteElements(ObjectWriter writer, object value)
        {
            object[] elements = value is IDictionary map
                ? map.Keys.Cast<object>().Concat(map.Values.Cast<object>()).ToArray()
                : ((IEnumerable)value).Cast<object>().ToArray();
            if (isReversed)
            {
                Array.Reverse(elements);
            }
            writer.Int(elements.Length);
            Slot<object>.Default.WriteAll(writer, elements);
        }

        protected override Action ReadElements(ObjectReader reader, object value)
        {
            var elements = new object[reader.Length(1)];
            Slot<object>.Default.ReadAll(reader, elements);
            return () =>
            {
                if (value is IDictionary map)
                {
                    map.Clear();
                    for (int i = 0; i < elements.Length / 2; i++)
                    {
                        map.Add(elements[i], elements[elements.Length / 2 + i]);
                    }
                    return;
                }
                (value as IList)?.Clear();
                MethodInfo method = value.GetType().GetMethod(add, new[] { typeof(object) });
                Array.ForEach(elements, element => method.Invoke(value, new[] { element }));
            };
        }
    }
}
