using System;
using System.Collections.Generic;
using System.Linq.Expressions;
using System.Reflection;
using System.Runtime.Serialization;

namespace MPI
{
    /// <summary>Objects as their fields: also private ones, and those of base classes.</summary>
    internal sealed class FieldsShape : Shape
    {
        private const BindingFlags Own =
            BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

        private readonly Type type;
        private readonly List<FieldPart> parts = new List<FieldPart>();
        private readonly List<KeyValuePair<Type, MethodInfo>> calls = new List<KeyValuePair<Type, MethodInfo>>();

        /// <summary>The fields of a class and its base classes, except those from `end` on.</summary>
        internal FieldsShape(Type type, Type end = null)
        {
            this.type = type;
            for (Type one = type; one != null && one != end; one = one.BaseType)
            {
                foreach (FieldInfo field in one.GetFields(Own))
                {
                    if (!field.IsNotSerialized)
                    {
                        parts.Add(FieldPart.Of(field));
                    }
                }
                AddCalls(one);
            }
        }

        internal override void Write(ObjectWriter writer, object value)
        {
            Call(typeof(OnSerializingAttribute), value);
            foreach (FieldPart part in parts)
            {
                part.Write(writer, value);
            }
            Call(typeof(OnSerializedAttribute), value);
        }

        internal override object Create(ObjectReader reader) => FormatterServices.GetUninitializedObject(type);

        internal override void Fill(ObjectReader reader, object value)
        {
            Call(typeof(OnDeserializingAttribute), value);
            foreach (FieldPart part in parts)
            {
                part.Read(reader, value);
            }
            if (calls.Count > 0)
            {
                reader.AtTheEnd(() => Call(typeof(OnDeserializedAttribute), value));
            }
            if (value is IDeserializationCallback called && !TypeNames.IsOfRuntime(type))
            {
                reader.AtTheEnd(() => called.OnDeserialization(null));
            }
        }

        /// <summary>The methods by which a class participates, those of base classes first.</summary>
        private void AddCalls(Type declaring)
        {
            foreach (MethodInfo method in declaring.GetMethods(Own))
            {
                foreach (Type when in new[]
                {
                    typeof(OnSerializingAttribute), typeof(OnSerializedAttribute), typeof(OnDeserializingAttribute),
                    typeof(OnDeserializedAttribute),
                })
                {
                    if (method.IsDefined(when, false))
                    {
                        calls.Insert(0, new KeyValuePair<Type, MethodInfo>(when, method));
                    }
                }
            }
        }

        private void Call(Type when, object value)
        {
            foreach (KeyValuePair<Type, MethodInfo> call in calls)
            {
                if (call.Key == when)
                {
                    call.Value.Invoke(value, new object[] { new StreamingContext(StreamingContextStates.Other) });
                }
            }
        }
    }

    /// <summary>A field of objects in messages.</summary>
    internal abstract class FieldPart
    {
        internal abstract void Write(ObjectWriter writer, object holder);

        internal abstract void Read(ObjectReader reader, object holder);

        internal static FieldPart Of(FieldInfo field)
        {
            if (field.FieldType.IsPointer)
            {
                throw Shapes.Refusal(field.FieldType, "it is an address");
            }
            Type part = typeof(FieldPart<>).MakeGenericType(field.FieldType);
            return (FieldPart)Activator.CreateInstance(
                part, BindingFlags.Instance | BindingFlags.NonPublic, null, new object[] { field }, null);
        }
    }

    internal sealed class FieldPart<F> : FieldPart
    {
        private readonly FieldInfo field;
        private readonly Func<object, F> get;
        private readonly Action<object, F> set;

        private FieldPart(FieldInfo field)
        {
            this.field = field;
            get = Getter();
            set = field.IsInitOnly || field.DeclaringType.IsValueType ? (o, f) => field.SetValue(o, f) : Setter();
        }

        internal override void Write(ObjectWriter writer, object holder)
        {
            try
            {
                Slot<F>.Default.Write(writer, get(holder));
            }
            catch (Exception refusal) when (Reason(refusal) != null)
            {
                throw new SerializationException(
                    field.DeclaringType.Name + "." + field.Name + ": " + Reason(refusal), refusal);
            }
        }

        internal override void Read(ObjectReader reader, object holder) => set(holder, Slot<F>.Default.Read(reader));

        private static string Reason(Exception exception)
        {
            while (exception is TypeInitializationException || exception is TargetInvocationException)
            {
                exception = exception.InnerException;
            }
            return (exception as SerializationException)?.Message;
        }

        private Func<object, F> Getter()
        {
            ParameterExpression holder = Expression.Parameter(typeof(object));
            return Expression.Lambda<Func<object, F>>(
                Expression.Field(Expression.Convert(holder, field.DeclaringType), field), holder).Compile();
        }

        private Action<object, F> Setter()
        {
            ParameterExpression holder = Expression.Parameter(typeof(object)), value = Expression.Parameter(typeof(F));
            return Expression.Lambda<Action<object, F>>(
                Expression.Assign(Expression.Field(Expression.Convert(holder, field.DeclaringType), field), value),
                holder, value).Compile();
        }
    }
}
