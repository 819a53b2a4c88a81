using System;
using System.Collections.Generic;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace MPI
{
    /// <summary>
    /// Where the fields of a struct lie, found by reflection. The layout of the runtime is looked at and not computed:
    /// each field is set to bytes that are not zero, and the first byte that changed is its place.
    /// </summary>
    internal static class FieldLayout
    {
        /// <summary>A number in a struct, or several in a row.</summary>
        internal struct Field
        {
            internal Type Type;
            internal int Place;
            internal int Length;
        }

        private const BindingFlags Instance = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

        /// <summary>Whether the values of a type are their bytes, and hold no references or addresses.</summary>
        internal static bool IsPlain(Type type)
        {
            if (type.IsEnum)
            {
                return true;
            }
            if (type.IsPrimitive)
            {
                return type != typeof(IntPtr) && type != typeof(UIntPtr);
            }
            if (!type.IsValueType || type == typeof(void) || type.IsPointer || type.ContainsGenericParameters
                || Nullable.GetUnderlyingType(type) != null // no reflection reaches into its values
                || IsHandle(type))
            {
                return false;
            }
            FieldInfo[] fields = type.GetFields(Instance);
            return fields.Length > 0 && Array.TrueForAll(fields, field => IsPlain(field.FieldType));
        }

        /// <summary>Structs of the runtime whose numbers mean something in their process only.</summary>
        private static bool IsHandle(Type type) =>
            type.Namespace != null && TypeNames.IsOfRuntime(type)
                && (type.Namespace.StartsWith("System.Reflection", StringComparison.Ordinal)
                    || type.Namespace.StartsWith("System.Runtime", StringComparison.Ordinal));

        /// <summary>The numbers that a value is made of.</summary>
        internal static List<Field> Find<T>() where T : struct
        {
            var found = new List<Field>();
            Type type = typeof(T);
            if (type.IsPrimitive || type.IsEnum)
            {
                found.Add(new Field { Type = Number(type), Place = 0, Length = 1 });
                return found;
            }
            Walk<T>(type, new List<FieldInfo>(), found);
            return WithoutOverlap(found);
        }

        /// <summary>The same bytes, each once: fields of an explicit layout may lie on each other.</summary>
        private static List<Field> WithoutOverlap(List<Field> fields)
        {
            fields.Sort((a, b) => a.Place != b.Place ? a.Place.CompareTo(b.Place) : Bytes(b).CompareTo(Bytes(a)));
            var apart = new List<Field>();
            int end = 0;
            foreach (Field field in fields)
            {
                int reach = field.Place + Bytes(field);
                if (field.Place >= end)
                {
                    apart.Add(field);
                }
                else if (reach > end)
                {
                    apart.Add(new Field { Type = typeof(byte), Place = end, Length = reach - end });
                }
                end = Math.Max(end, reach);
            }
            return apart;
        }

        internal static int MessageSize(List<Field> fields)
        {
            int bytes = 0;
            fields.ForEach(field => bytes += Bytes(field));
            return bytes;
        }

        private static int Bytes(Field field) =>
            System.Buffer.ByteLength(Array.CreateInstance(field.Type, 1)) * field.Length;

        private static void Walk<T>(Type type, List<FieldInfo> path, List<Field> found) where T : struct
        {
            foreach (FieldInfo field in type.GetFields(Instance))
            {
                path.Add(field);
                var row = (FixedBufferAttribute)System.Attribute.GetCustomAttribute(field, typeof(FixedBufferAttribute));
                if (row != null)
                {
                    path.Add(field.FieldType.GetFields(Instance)[0]);
                    found.Add(Number<T>(Number(row.ElementType), path, row.Length));
                    path.RemoveAt(path.Count - 1);
                }
                else if (field.FieldType.IsPrimitive || field.FieldType.IsEnum)
                {
                    found.Add(Number<T>(Number(field.FieldType), path, 1));
                }
                else
                {
                    Walk<T>(field.FieldType, path, found);
                }
                path.RemoveAt(path.Count - 1);
            }
        }

        private static Field Number<T>(Type number, List<FieldInfo> path, int length) where T : struct
        {
            object mark = Mark(number);
            Type declared = path[path.Count - 1].FieldType;
            var marked = new[] { (T)Set(default(T), path, 0, declared.IsEnum ? Enum.ToObject(declared, mark) : mark) };
            Span<byte> bytes = MemoryMarshal.AsBytes(new Span<T>(marked));
            int place = 0;
            while (bytes[place] == 0)
            {
                place++;
            }
            return new Field { Type = number, Place = place, Length = length };
        }

        /// <summary>A copy of a struct in which the field at the end of a path has a value.</summary>
        private static object Set(object holder, List<FieldInfo> path, int depth, object value)
        {
            FieldInfo field = path[depth];
            field.SetValue(holder, depth == path.Count - 1 ? value : Set(field.GetValue(holder), path, depth + 1, value));
            return holder;
        }

        private static Type Number(Type type) => type.IsEnum ? Enum.GetUnderlyingType(type) : type;

        /// <summary>A value without a byte that is zero.</summary>
        private static object Mark(Type number)
        {
            switch (Type.GetTypeCode(number))
            {
                case TypeCode.Boolean:
                    return true;
                case TypeCode.Char:
                    return '\u0101';
                case TypeCode.SByte:
                    return (sbyte)1;
                case TypeCode.Byte:
                    return (byte)1;
                case TypeCode.Int16:
                    return (short)0x0101;
                case TypeCode.UInt16:
                    return (ushort)0x0101;
                case TypeCode.Int32:
                    return 0x01010101;
                case TypeCode.UInt32:
                    return 0x01010101U;
                case TypeCode.Int64:
                    return 0x0101010101010101L;
                case TypeCode.UInt64:
                    return 0x0101010101010101UL;
                case TypeCode.Single:
                    return BitConverter.ToSingle(BitConverter.GetBytes(0x01010101), 0);
                default:
                    return BitConverter.Int64BitsToDouble(0x0101010101010101L);
            }
        }

        /// <summary>MPI's datatype of a number. A char of .NET has two bytes, unlike those of C.</summary>
        internal static IntPtr Predefined(Type type)
        {
            switch (Type.GetTypeCode(Number(type)))
            {
                case TypeCode.Boolean:
                    return Constants.Boolean;
                case TypeCode.Char:
                case TypeCode.UInt16:
                    return Constants.UInt16;
                case TypeCode.SByte:
                    return Constants.Int8;
                case TypeCode.Byte:
                    return Constants.UInt8;
                case TypeCode.Int16:
                    return Constants.Int16;
                case TypeCode.Int32:
                    return Constants.Int32;
                case TypeCode.UInt32:
                    return Constants.UInt32;
                case TypeCode.Int64:
                    return Constants.Int64;
                case TypeCode.UInt64:
                    return Constants.UInt64;
                case TypeCode.Single:
                    return Constants.Float32;
                default:
                    return Constants.Float64;
            }
        }

        /// <summary>The datatype of a struct with these fields; that of a number is MPI's own.</summary>
        internal static unsafe IntPtr MakeDatatype(Type type, List<Field> fields, int size)
        {
            if (type.IsPrimitive || type.IsEnum)
            {
                return Predefined(type);
            }
            var lengths = new int[fields.Count];
            var places = new long[fields.Count];
            var types = new IntPtr[fields.Count];
            for (int i = 0; i < fields.Count; i++)
            {
                lengths[i] = fields[i].Length;
                places[i] = fields[i].Place;
                types[i] = Predefined(fields[i].Type);
            }
            Errors.Check(Native.TypeStruct(fields.Count, lengths, places, types, size, out IntPtr made));
            Errors.Check(Native.TypeCommit(ref made));
            return made;
        }
    }
}
