using System;
using System.Runtime.InteropServices;
using System.Runtime.Serialization;

namespace MPI
{
    /// <summary>Where a value of a declared type is: a field, or an element of an array or a collection.</summary>
    internal abstract class Slot<T>
    {
        internal static readonly Slot<T> Default = (Slot<T>)Make();

        internal abstract void Write(ObjectWriter writer, T value);

        internal abstract T Read(ObjectReader reader);

        internal virtual void WriteAll(ObjectWriter writer, T[] values)
        {
            foreach (T value in values)
            {
                Write(writer, value);
            }
        }

        internal virtual void ReadAll(ObjectReader reader, T[] values)
        {
            for (int i = 0; i < values.Length; i++)
            {
                values[i] = Read(reader);
            }
        }

        /// <summary>The least number of bytes of a value in a message.</summary>
        internal virtual int Least => 1;

        private static object Make()
        {
            Type type = typeof(T);
            Type definition = FieldLayout.IsPlain(type) ? typeof(PlainSlot<>)
                : Nullable.GetUnderlyingType(type) != null ? typeof(NullableSlot<>)
                : type.IsValueType ? typeof(StructSlot<>)
                : typeof(ReferenceSlot<>);
            Type argument = Nullable.GetUnderlyingType(type) ?? type;
            return Activator.CreateInstance(definition.MakeGenericType(argument), true);
        }
    }

    /// <summary>Numbers and structs of these: their bytes.</summary>
    internal sealed class PlainSlot<T> : Slot<T> where T : struct
    {
        private static readonly int Size = MemoryMarshal.AsBytes(new Span<T>(new T[1])).Length;

        internal override int Least => Size;

        internal override void Write(ObjectWriter writer, T value) => MemoryMarshal.Write(writer.Room(Size), ref value);

        internal override T Read(ObjectReader reader) => MemoryMarshal.Read<T>(reader.Raw(Size));

        internal override void WriteAll(ObjectWriter writer, T[] values) =>
            writer.Raw(MemoryMarshal.AsBytes(new Span<T>(values)));

        internal override void ReadAll(ObjectReader reader, T[] values) =>
            reader.Raw(checked(values.Length * Size)).CopyTo(MemoryMarshal.AsBytes(new Span<T>(values)));
    }

    internal sealed class NullableSlot<T> : Slot<T?> where T : struct
    {
        internal override void Write(ObjectWriter writer, T? value)
        {
            writer.Byte(value.HasValue ? (byte)1 : (byte)0);
            if (value.HasValue)
            {
                Slot<T>.Default.Write(writer, value.Value);
            }
        }

        internal override T? Read(ObjectReader reader) =>
            reader.Byte() == 0 ? (T?)null : Slot<T>.Default.Read(reader);
    }

    /// <summary>Structs that refer to objects: field by field.</summary>
    internal sealed class StructSlot<T> : Slot<T> where T : struct
    {
        private readonly Shape shape;

        internal StructSlot()
        {
            Shapes.CheckStruct(typeof(T));
            shape = new FieldsShape(typeof(T));
        }

        internal override int Least => 0;

        internal override void Write(ObjectWriter writer, T value) => shape.Write(writer, value);

        internal override T Read(ObjectReader reader)
        {
            object value = default(T);
            shape.Fill(reader, value);
            return (T)value;
        }
    }

    /// <summary>Objects: the class that they really have, and each once.</summary>
    internal sealed class ReferenceSlot<T> : Slot<T> where T : class
    {
        private const byte Null = 0, Again = 1, AsDeclared = 2, OfAnotherType = 3;

        internal override void Write(ObjectWriter writer, T value)
        {
            if (value == null)
            {
                writer.Byte(Null);
                return;
            }
            Type type = value.GetType();
            Shape shape = Shape.Of(type);
            if (shape.HasIdentity && writer.Knows(value, out int number))
            {
                writer.Byte(Again);
                writer.Int(number);
                return;
            }
            if (type == typeof(T))
            {
                writer.Byte(AsDeclared);
            }
            else
            {
                writer.Byte(OfAnotherType);
                writer.Type(type);
            }
            if (writer.Depth.IsAtLimit)
            {
                writer.Depth.Elsewhere(() => WriteContent(writer, shape, value));
            }
            else
            {
                WriteContent(writer, shape, value);
            }
        }

        private static void WriteContent(ObjectWriter writer, Shape shape, T value)
        {
            writer.Depth.Enter();
            shape.Write(writer, value);
            writer.Depth.Leave();
        }

        internal override T Read(ObjectReader reader)
        {
            byte kind = reader.Byte();
            if (kind == Null)
            {
                return null;
            }
            object value = null;
            if (kind == Again)
            {
                value = reader.Known(reader.Int());
            }
            else
            {
                Shape shape = Shape.Of(kind == AsDeclared ? typeof(T) : reader.Type());
                if (reader.Depth.IsAtLimit)
                {
                    reader.Depth.Elsewhere(() => value = ReadContent(reader, shape));
                }
                else
                {
                    value = ReadContent(reader, shape);
                }
            }
            return value as T ?? throw new InvalidCastException(
                "A " + value?.GetType() + " has arrived, which is no " + typeof(T) + ".");
        }

        private static object ReadContent(ObjectReader reader, Shape shape)
        {
            int number = shape.HasIdentity ? reader.Reserve() : -1;
            object value = shape.Create(reader);
            if (number >= 0)
            {
                reader.Keep(number, value);
            }
            reader.Depth.Enter();
            shape.Fill(reader, value);
            reader.Depth.Leave();
            return value;
        }
    }
}
