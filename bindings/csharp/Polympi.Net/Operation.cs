using System;
using System.Collections.Generic;
using System.Linq.Expressions;

namespace MPI
{
    /// <summary>Combines two values of a reduction, in the order of the ranks: x is of the lower ones.</summary>
    /// <typeparam name="T">The type of the values.</typeparam>
    /// <param name="x">What the ranks before give.</param>
    /// <param name="y">What the ranks after give.</param>
    public delegate T ReductionOperation<T>(T x, T y);

    /// <summary>
    /// The operations of reductions. For numbers they are MPI's own; for other types they are the operators of the type.
    /// </summary>
    /// <typeparam name="T">The type of the values.</typeparam>
    public static class Operation<T>
    {
        private static readonly List<KeyValuePair<ReductionOperation<T>, IntPtr>> Predefined =
            new List<KeyValuePair<ReductionOperation<T>, IntPtr>>();

        /// <summary>x + y.</summary>
        public static ReductionOperation<T> Add { get; } = typeof(T) == typeof(string)
            ? (ReductionOperation<T>)(object)(ReductionOperation<string>)string.Concat
            : Own(Expression.Add, Constants.Sum, Kind.Number);

        /// <summary>x * y.</summary>
        public static ReductionOperation<T> Multiply { get; } = Own(Expression.Multiply, Constants.Product, Kind.Number);

        /// <summary>The smaller one.</summary>
        public static ReductionOperation<T> Min { get; } =
            Known(IsComparable ? (x, y) => Comparer<T>.Default.Compare(y, x) < 0 ? y : x : Choose(Expression.LessThan),
                Constants.Minimum, Kind.Number);

        /// <summary>The larger one.</summary>
        public static ReductionOperation<T> Max { get; } =
            Known(IsComparable ? (x, y) => Comparer<T>.Default.Compare(y, x) > 0 ? y : x : Choose(Expression.GreaterThan),
                Constants.Maximum, Kind.Number);

        /// <summary>Whether both are true.</summary>
        public static ReductionOperation<T> LogicalAnd { get; } =
            Own(Expression.AndAlso, Constants.LogicalAnd, Kind.Truth);

        /// <summary>Whether one is true.</summary>
        public static ReductionOperation<T> LogicalOr { get; } = Own(Expression.OrElse, Constants.LogicalOr, Kind.Truth);

        /// <summary>x &amp; y.</summary>
        public static ReductionOperation<T> BitwiseAnd { get; } = Own(Expression.And, Constants.BitwiseAnd, Kind.Bits);

        /// <summary>x | y.</summary>
        public static ReductionOperation<T> BitwiseOr { get; } = Own(Expression.Or, Constants.BitwiseOr, Kind.Bits);

        /// <summary>x ^ y.</summary>
        public static ReductionOperation<T> ExclusiveOr { get; } =
            Own(Expression.ExclusiveOr, Constants.BitwiseXor, Kind.Bits);

        private static bool IsComparable =>
            typeof(IComparable<T>).IsAssignableFrom(typeof(T)) || typeof(IComparable).IsAssignableFrom(typeof(T))
                || Nullable.GetUnderlyingType(typeof(T)) != null;

        [Flags]
        private enum Kind
        {
            None = 0,
            Truth = 1,
            Bits = 2,
            Number = 4,
        }

        /// <summary>MPI's operation that does the same, if there is one.</summary>
        internal static bool TryGetPredefined(ReductionOperation<T> operation, out IntPtr op)
        {
            foreach (KeyValuePair<ReductionOperation<T>, IntPtr> known in Predefined)
            {
                if (ReferenceEquals(known.Key, operation))
                {
                    op = known.Value;
                    return true;
                }
            }
            op = IntPtr.Zero;
            return false;
        }

        /// <summary>What MPI's operations take of this type.</summary>
        private static Kind KindOf()
        {
            switch (typeof(T).IsEnum ? TypeCode.Empty : Type.GetTypeCode(typeof(T)))
            {
                case TypeCode.Boolean:
                    return Kind.Truth;
                case TypeCode.Single:
                case TypeCode.Double:
                    return Kind.Number;
                case TypeCode.SByte:
                case TypeCode.Byte:
                case TypeCode.Int16:
                case TypeCode.UInt16:
                case TypeCode.Int32:
                case TypeCode.UInt32:
                case TypeCode.Int64:
                case TypeCode.UInt64:
                    return Kind.Number | Kind.Bits;
                default:
                    return Kind.None;
            }
        }

        private static ReductionOperation<T> Own(
            Func<Expression, Expression, BinaryExpression> combine, IntPtr op, Kind kind) =>
            Known(Compile(combine), op, kind);

        private static ReductionOperation<T> Known(ReductionOperation<T> operation, IntPtr op, Kind kind)
        {
            if ((KindOf() & kind) != 0)
            {
                Predefined.Add(new KeyValuePair<ReductionOperation<T>, IntPtr>(operation, op));
            }
            return operation;
        }

        /// <summary>The one of two values that an operator of their type says.</summary>
        private static ReductionOperation<T> Choose(Func<Expression, Expression, BinaryExpression> compare) =>
            Compile((x, y) => Expression.Condition(compare(y, x), y, x));

        /// <summary>The operator of the type, compiled; one that the type lacks says so when it is called.</summary>
        private static ReductionOperation<T> Compile(Func<Expression, Expression, Expression> combine)
        {
            ParameterExpression x = Expression.Parameter(typeof(T)), y = Expression.Parameter(typeof(T));
            // There is no arithmetic on integers of 8 bits, nor on char, in expressions.
            bool small = typeof(T) == typeof(byte) || typeof(T) == typeof(sbyte);
            try
            {
                Expression combined = small
                    ? Expression.Convert(
                        combine(Expression.Convert(x, typeof(int)), Expression.Convert(y, typeof(int))), typeof(T))
                    : combine(x, y);
                Func<T, T, T> function = Expression.Lambda<Func<T, T, T>>(combined, x, y).Compile();
                return (a, b) => function(a, b);
            }
            catch (Exception reason) when (reason is InvalidOperationException || reason is ArgumentException)
            {
                string why = typeof(T).Name + " has no such operator: " + reason.Message;
                return (a, b) =>
                {
                    throw new NotSupportedException(why);
                };
            }
        }
    }
}
