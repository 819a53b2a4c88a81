using System;
using System.Collections;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Collections.ObjectModel;
using System.IO;
using System.Linq;
using System.Numerics;
using System.Reflection;
using System.Runtime.ConstrainedExecution;
using System.Runtime.Serialization;
using System.Text;
using System.Threading;
using MPI;

namespace Tests
{
    /// <summary>What is sent arrives as it was, or the call throws: for many classes, and all of the runtime that can be made.</summary>
    internal static class Zoo
    {
        public static readonly Action<Intracommunicator>[] All =
        {
            CarriedOrRefused, Runtime, Identity, LongChains, ReceivedAsBase, WrongClass, LoneSurrogates, NullableNumbers,
            MixedStructs,
        };

        private static readonly Dictionary<string, Func<object>> Carried = new Dictionary<string, Func<object>>
        {
            { "private fields", () => new Hidden(7) },
            { "a private setter", () => new Closed(5) },
            { "members of a base class", () => new Owner() },
            { "a list of a base class", () => new List<Animal> { new Dog(), new Animal(), null } },
            { "an array of a base class", () => new Animal[] { new Dog(), null } },
            { "an array of objects", () => new object[] { 1, "two", 3.0, '4', null, 5m, Colour.Green, new[] { 6 } } },
            { "an array of arrays", () => new[] { new[] { 1 }, null, new int[0] } },
            { "an array of two dimensions", () => new[,] { { "a", "b", "c" }, { "d", null, "f" } } },
            { "an array that begins at 5", () => Array.CreateInstance(typeof(int), new[] { 3 }, new[] { 5 }) },
            { "an array of three dimensions", () => new[,,] { { { 1, 2 }, { 3, 4 } }, { { 5, 6 }, { 7, 8 } }, { { 9, 10 }, { 11, 12 } } } },
            { "an array of arrays of two dimensions", () => new[] { new[,] { { 1.5, 2 } }, null, new double[0, 3] } },
            { "an array of tables of arrays", () => new[,] { { new[] { "a" }, null }, { new string[0], new[] { "b", null } } } },
            { "numbers of an enumeration", () => new object[] { new[] { Colour.Red, (Colour)77 }, new Colour?[] { Colour.Green, null } } },
            { "what a constructor sets", () => new Fixed("a", 1, 2) },
            { "fixed structs", () => new object[]
            {
                new Place(1.5, -0f), new[] { new Labelled("a", new Place(1, 2), Colour.Red), default(Labelled) },
            } },
            { "a tree", () => new Tree<Dog> { Value = new Dog() }.Add(new Tree<Dog>().Add(new Tree<Dog>())).Add(new Tree<Dog>()) },
            { "a private class", () => Tree<decimal>.MakeInner(1.50m, -1) },
            { "a stack", () => new Stack<int>(new[] { 1, 2, 3 }) },
            { "a queue", () => new Queue<string>(new[] { "a", "b" }) },
            { "a linked list", () => new LinkedList<double>(new[] { 1.5, 2.5 }) },
            { "a set", () => new HashSet<string>(StringComparer.OrdinalIgnoreCase) { "a", "B" } },
            { "a sorted set", () => new SortedSet<int> { 3, 1 } },
            { "a dictionary", () => new Dictionary<string, List<Animal>> { { "a", new List<Animal> { new Dog() } } } },
            { "a dictionary without case", () => new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase) { { "A", 1 } } },
            { "a dictionary with a comparer", () => new Dictionary<string, int>(new ByLength()) { { "abc", 1 } } },
            { "a dictionary of dictionaries", () => new Dictionary<Colour, Dictionary<ValueTuple<int, string>, int[]>>
            {
                { Colour.Red, new Dictionary<ValueTuple<int, string>, int[]> { { ValueTuple.Create(1, "a"), new[] { 2 } } } },
                { Colour.Green, null },
            } },
            { "a sorted dictionary", () => new SortedDictionary<string, int>(new ByLength()) { { "zz", 1 }, { "a", 2 } } },
            { "a sorted list", () => new SortedList<int, string> { { 2, "b" }, { 1, "a" } } },
            { "a concurrent dictionary", () => new ConcurrentDictionary<string, int>(
                new Dictionary<string, int> { { "a", 1 } }, StringComparer.OrdinalIgnoreCase) },
            { "a concurrent queue", () => new ConcurrentQueue<int>(new[] { 1, 2 }) },
            { "a concurrent stack", () => new ConcurrentStack<int>(new[] { 1, 2 }) },
            { "a collection", () => new Collection<int> { 1, 2 } },
            { "a collection for reading", () => new ReadOnlyCollection<int>(new[] { 1, 2 }) },
            { "a list without a type", () => new ArrayList { 1, "a", null } },
            { "a table", () => new Hashtable { { "a", 1 }, { 2, "b" } } },
            { "a stack without a type", () => new Stack(new[] { 1, 2 }) },
            { "a queue without a type", () => new Queue(new[] { 1, 2 }) },
            { "bits", () => new BitArray(new[] { true, false, true }) },
            { "a derived collection", () => new Named { 1, 2 } },
            { "time spans", () => new List<TimeSpan> { TimeSpan.FromSeconds(5) } },
            { "dates", () => new object[] { new DateTime(2020, 2, 29, 1, 2, 3, DateTimeKind.Utc), DateTimeOffset.MinValue } },
            { "dates of other places", () => new List<DateTimeOffset>
            {
                new DateTimeOffset(2020, 2, 29, 1, 2, 3, 4, TimeSpan.FromMinutes(-150)),
            } },
            { "numbers in objects", () => new object[] { decimal.MaxValue, Guid.Empty, double.NaN, (sbyte)-1, ulong.MaxValue } },
            { "a version", () => new Version(1, 2, 3) },
            { "an integer of any size", () => new[] { BigInteger.Pow(7, 100), -BigInteger.One } },
            { "complex numbers", () => new Dictionary<System.Numerics.Complex, int> { { new System.Numerics.Complex(1, 2), 3 } } },
            { "addresses of the web", () => new[] { new Uri("http://a.b/c?d"), new Uri("e/f", UriKind.Relative) } },
            { "a builder of strings", () => new StringBuilder("abc") },
            { "tuples", () => new object[] { Tuple.Create(1, "a", new Dog()), ValueTuple.Create("b", 2), ValueTuple.Create(1, 2) } },
            { "tuples in tuples", () => new object[]
            {
                ValueTuple.Create(ValueTuple.Create(1, 'b'), ValueTuple.Create("c", new[] { 2 }), (int?)null),
                ValueTuple.Create(1, 2, 3, 4, 5, 6, 7, "eight"), Tuple.Create(1, 2, 3, 4, 5, 6, 7, Tuple.Create("eight")),
            } },
            { "an anonymous class", () => new { A = 1, B = "b" } },
            { "a part of an array", () => new ArraySegment<string>(new[] { "a", "b", "c" }, 1, 2) },
            { "a struct with references", () => new[] { new Mixed(3), default(Mixed) } },
            { "numbers that may be missing", () => new int?[] { 1, null } },
            { "a class that says what is sent", () => new List<Own> { new Own { Number = 4 } } },
            { "an exception", () => new InvalidOperationException("outer", new FormatException("inner")) },
            { "exceptions", () => new AggregateException("all", new Exception("a"), new ArgumentException("b", "p")) },
            { "an object", () => new object() },
        };

        private static readonly Dictionary<string, Func<object>> Refused = new Dictionary<string, Func<object>>
        {
            { "a function", () => (Func<int>)(() => 1) },
            { "a function in a member", () =>
            {
                var one = new WithEvent();
                one.Listen();
                return one;
            } },
            { "functions in an array", () => new Action[] { () => { } } },
            { "functions in a dictionary", () => new Dictionary<string, Delegate> { { "f", (Func<int>)(() => 1) } } },
            { "an object with a function", () => new { F = (Func<int, int>)(i => i) } },
            { "an address in a struct", () => ValueTuple.Create("a", IntPtr.Zero) },
            { "a stream", () => new MemoryStream() },
            { "a stream in a list", () => new List<object> { 1, new MemoryStream() } },
            { "a thread", () => Thread.CurrentThread },
            { "an address", () => new IntPtr(1) },
            { "an address in an object", () => Tuple.Create(IntPtr.Zero) },
            { "memory", () => new Memory<int>(new int[1]) },
            { "a type", () => typeof(int) },
            { "a lock", () => new SemaphoreSlim(1) },
            { "a promise", () => System.Threading.Tasks.Task.FromResult(1) },
            { "a culture", () => new List<object> { System.Globalization.CultureInfo.InvariantCulture } },
            { "a text's encoding", () => Encoding.UTF8 },
            { "random numbers", () => new Random(1) },
            { "a query", () => new[] { 1, 2 }.Where(i => i > 1) },
            { "a derived collection without a constructor", () => new WithoutConstructor(1) },
            { "an exception with fields that it does not send", () => new PoorException() },
            { "a list sorted by the culture of this process", () => new SortedList { { "b", 1 }, { "a", 2 } } },
            { "a weak reference", () => new WeakReference(new object()) },
            { "what is made late", () => new Lazy<int>(() => 1) },
        };

        private static T Round<T>(T value)
        {
            Communicator.Self.SendReceive(value, 0, 5, out T other);
            return other;
        }

        private static void CarriedOrRefused(Intracommunicator comm)
        {
            foreach (KeyValuePair<string, Func<object>> one in Carried)
            {
                object value = one.Value();
                object other;
                try
                {
                    other = Round(value);
                }
                catch (Exception exception)
                {
                    throw new InvalidOperationException(one.Key + " is not carried", exception);
                }
                Expect.True(!ReferenceEquals(value, other) && Likeness.Of(value, other), one.Key + " arrives as it was");
            }
            foreach (KeyValuePair<string, Func<object>> one in Refused)
            {
                object value = one.Value();
                try
                {
                    Round(value);
                }
                catch (SerializationException exception)
                {
                    Expect.True(exception.Message.Contains("cannot be sent"), one.Key + ": " + exception.Message);
                    continue;
                }
                throw new InvalidOperationException(one.Key + " is not refused");
            }
            var event_ = new WithEvent();
            Expect.Equal(1, Round(event_).Number, "an event that nobody listens to");
            WithCache cache = Round(new WithCache { Number = 6 });
            Expect.True(cache.Cache == 0 && cache.Number == 6 && cache.Restored == 6, "what is not serialized, and is restored");
        }

        /// <summary>Every class of the runtime's core that can be made without arguments; rank 0 says what becomes of it.</summary>
        private static void Runtime(Intracommunicator comm)
        {
            if (comm.Rank != 0)
            {
                return;
            }
            var assemblies = new[] { typeof(object), typeof(Stack<int>), typeof(HashSet<int>), typeof(BigInteger), typeof(Uri) };
            foreach (Type type in assemblies.Select(one => one.Assembly).Distinct().SelectMany(one => one.GetExportedTypes()))
            {
                object value = Make(type);
                if (value == null)
                {
                    continue;
                }
                string result;
                try
                {
                    object other = Round<object>(value);
                    Expect.True(Likeness.Of(value, other), type + " arrives as it was");
                    result = "carried ";
                }
                catch (SerializationException)
                {
                    result = "refused ";
                }
                Console.WriteLine(result + type.FullName);
            }
        }

        private static object Make(Type type)
        {
            if (type.IsAbstract || type.IsInterface || type.FullName.StartsWith("System.Runtime.CompilerServices", StringComparison.Ordinal)
                || type.IsByRef || typeof(CriticalFinalizerObject).IsAssignableFrom(type) || typeof(Delegate).IsAssignableFrom(type)
                || System.Attribute.GetCustomAttributes(type).Any(one => one.GetType().Name == "IsByRefLikeAttribute"))
            {
                return null;
            }
            try
            {
                Type[] arguments = type.GetGenericArguments();
                Type made = arguments.Length == 0 ? type : type.MakeGenericType(arguments.Select(_ => typeof(int)).ToArray());
                return Nullable.GetUnderlyingType(made) == null ? Activator.CreateInstance(made) : null;
            }
            catch (Exception)
            {
                return null;
            }
        }

        private static void Identity(Intracommunicator comm)
        {
            var dog = new Dog();
            Animal[] twice = Round(new Animal[] { dog, dog, new Dog() });
            Expect.True(ReferenceEquals(twice[0], twice[1]) && !ReferenceEquals(twice[0], twice[2]), "one object stays one");
            var ring = new Ring { Number = 1, Next = new Ring { Number = 2 } };
            ring.Next.Next = ring;
            ring = Round(ring);
            Expect.True(ring.Next.Number == 2 && ReferenceEquals(ring, ring.Next.Next), "a ring");
            var self = new List<object>();
            self.Add(self);
            self = Round(self);
            Expect.True(ReferenceEquals(self, self.Single()), "a list in itself");
            var array = new object[2];
            array[1] = array;
            array = Round(array);
            Expect.True(array[0] == null && ReferenceEquals(array, array[1]), "an array in itself");
            var named = new Dictionary<string, object>();
            named.Add("self", named);
            named = Round(named);
            Expect.True(ReferenceEquals(named, named["self"]), "a dictionary in itself");
            var keyed = new Keyed { Name = "abc" };
            keyed.Others.Add(keyed, 5);
            keyed = Round(keyed);
            Expect.Equal(5, keyed.Others[keyed], "a dictionary with its owner as a key");
        }

        private static void LongChains(Intracommunicator comm)
        {
            Ring first = null;
            for (int i = 0; i < 100000; i++)
            {
                first = new Ring { Number = i, Next = first };
            }
            int length = 0;
            for (Ring one = Round(first); one != null; one = one.Next)
            {
                length++;
            }
            Expect.Equal(100000, length, "the length of a chain");
        }

        private static void ReceivedAsBase(Intracommunicator comm)
        {
            int next = (comm.Rank + 1) % comm.Size, before = (comm.Rank + comm.Size - 1) % comm.Size;
            Request sending = comm.ImmediateSend(new Dog { Age = 9 }, next, 1);
            Expect.Equal(9, ((Dog)comm.Receive<Animal>(before, 1)).Age, "a derived object");
            sending.Wait();
            Animal[] all = comm.Allgather(comm.Rank == 0 ? new Dog() : new Animal());
            Expect.True(all[0] is Dog && all.Skip(1).All(one => one.GetType() == typeof(Animal)), "of all ranks");
        }

        private static void WrongClass(Intracommunicator comm)
        {
            Request sending = comm.ImmediateSend(new Animal(), comm.Rank, 1);
            InvalidCastException error = Expect.Throws<InvalidCastException>(() => comm.Receive<Dog>(comm.Rank, 1));
            Expect.True(error.Message.Contains("Tests.Animal") && error.Message.Contains("Tests.Dog"), error.Message);
            sending.Wait();
        }

        private static void LoneSurrogates(Intracommunicator comm)
        {
            foreach (string text in new[] { "\ud800", "a\udc00b", "\udc00\ud800", "\ud83d\ude42\ud83d", "\ud7ff\ue000\uffff\ud83d" })
            {
                Expect.Equal(text, Round(text), "a string");
                Expect.Equal(text, Round(new List<string> { text })[0], "a string in a list");
            }
        }

        private static void NullableNumbers(Intracommunicator comm)
        {
            Expect.Equal(5, Round<int?>(5), "a number");
            Expect.Equal(null, Round<int?>(null), "no number");
            Expect.Same(new int?[] { 0, 1, 2 }.Take(comm.Size).ToArray(),
                comm.Allgather<int?>(comm.Rank).Take(3).ToArray(), "the numbers of all ranks");
            Expect.Equal(comm.Size - 1, comm.Allreduce<int?>(comm.Rank, Operation<int?>.Max), "the largest");
            ReceiveRequest<int?> receiving = Communicator.Self.ImmediateReceive<int?>(0, 6);
            Communicator.Self.Send((int?)null, 0, 6);
            Expect.Equal(null, receiving.GetValue(), "no number of a request");
        }

        private static void MixedStructs(Intracommunicator comm) =>
            Expect.True(Likeness.Of(new Mixed(2), Round(new Mixed(2))), "a struct with references");
    }
}
