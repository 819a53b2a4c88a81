using System;
using System.Collections.Concurrent;

namespace MPI
{
    /// <summary>How the objects of a class become part of a message: chosen once for each class.</summary>
    internal abstract class Shape
    {
        private static readonly ConcurrentDictionary<Type, Shape> Known = new ConcurrentDictionary<Type, Shape>();

        /// <summary>Whether it can be seen that two references lead to one object, or that an object refers to itself.</summary>
        internal virtual bool HasIdentity => true;

        internal abstract void Write(ObjectWriter writer, object value);

        /// <summary>Makes the object, without what is in it.</summary>
        internal abstract object Create(ObjectReader reader);

        /// <summary>Reads what is in it.</summary>
        internal abstract void Fill(ObjectReader reader, object value);

        /// <summary>The shape of a class; throws if its objects would not arrive as they are.</summary>
        internal static Shape Of(Type type) => Known.GetOrAdd(type, Shapes.Make);

        internal static Shape Create(Type definition, params Type[] arguments) =>
            (Shape)Activator.CreateInstance(definition.MakeGenericType(arguments), true);
    }

    /// <summary>A shape of objects of one class.</summary>
    internal abstract class Shape<T> : Shape
    {
        internal abstract void Write(ObjectWriter writer, T value);

        internal override void Write(ObjectWriter writer, object value) => Write(writer, (T)value);
    }

    /// <summary>Objects that are made of their content at once.</summary>
    internal sealed class ValueShape<T> : Shape<T>
    {
        private readonly Action<ObjectWriter, T> write;
        private readonly Func<ObjectReader, T> read;

        internal ValueShape(Action<ObjectWriter, T> write, Func<ObjectReader, T> read, bool hasIdentity = false)
        {
            HasIdentity = hasIdentity;
            this.write = write;
            this.read = read;
        }

        internal override bool HasIdentity { get; }

        internal override void Write(ObjectWriter writer, T value) => write(writer, value);

        internal override object Create(ObjectReader reader) => read(reader);

        internal override void Fill(ObjectReader reader, object value)
        {
        }
    }

    /// <summary>Numbers and structs where any object may be.</summary>
    internal sealed class BoxedShape<T> : Shape<T> where T : struct
    {
        internal override bool HasIdentity => false;

        internal override void Write(ObjectWriter writer, T value) => Slot<T>.Default.Write(writer, value);

        internal override object Create(ObjectReader reader) => Slot<T>.Default.Read(reader);

        internal override void Fill(ObjectReader reader, object value)
        {
        }
    }

    internal sealed class ArrayShape<T> : Shape<T[]>
    {
        internal override void Write(ObjectWriter writer, T[] value)
        {
            writer.Int(value.Length);
            Slot<T>.Default.WriteAll(writer, value);
        }

        internal override object Create(ObjectReader reader) => new T[reader.Length(Slot<T>.Default.Least)];

        internal override void Fill(ObjectReader reader, object value) =>
            Slot<T>.Default.ReadAll(reader, (T[])value);
    }

    /// <summary>Arrays of several dimensions, or that do not begin at 0.</summary>
    internal sealed class GridShape<T> : Shape<Array>
    {
        internal override void Write(ObjectWriter writer, Array value)
        {
            writer.Int(value.Rank);
            for (int i = 0; i < value.Rank; i++)
            {
                writer.Int(value.GetLength(i));
                writer.Int(value.GetLowerBound(i));
            }
            foreach (T element in value)
            {
                Slot<T>.Default.Write(writer, element);
            }
        }

        internal override object Create(ObjectReader reader)
        {
            var lengths = new int[reader.Length()];
            var bounds = new int[lengths.Length];
            for (int i = 0; i < lengths.Length; i++)
            {
                lengths[i] = reader.Int();
                bounds[i] = reader.Int();
            }
            return Array.CreateInstance(typeof(T), lengths, bounds);
        }

        internal override void Fill(ObjectReader reader, object value)
        {
            var array = (Array)value;
            var place = new int[array.Rank];
            for (int i = 0; i < place.Length; i++)
            {
                place[i] = array.GetLowerBound(i);
            }
            for (int left = array.Length; left > 0; left--)
            {
                array.SetValue(Slot<T>.Default.Read(reader), place);
                for (int i = place.Length - 1; i >= 0 && ++place[i] > array.GetUpperBound(i); i--)
                {
                    place[i] = array.GetLowerBound(i);
                }
            }
        }
    }
}
