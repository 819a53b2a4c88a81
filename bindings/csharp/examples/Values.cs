// Numbers, structs, arrays of unknown length, strings and objects.
// writes: 42
// writes: (1.5, 2)
// writes: 3 doubles, the last is 0.3
// writes: Grüße
// writes: Ada with 1 friend
using System;
using System.Collections.Generic;
using MPI;

public struct Point
{
    public double X;
    public int Y;
}

public class Person
{
    public string Name { get; set; }

    public List<Person> Friends { get; set; }
}

internal static class Values
{
    private static void Main(string[] args)
    {
        MPI.Environment.Run(args, comm =>
        {
            if (comm.Rank == 0)
            {
                comm.Send(42, 1, 0);
                comm.Send(new Point { X = 1.5, Y = 2 }, 1, 0);
                comm.Send(new[] { 0.1, 0.2, 0.3 }, 1, 0);
                comm.Send("Grüße", 1, 0);
                comm.Send(new Person { Name = "Ada", Friends = new List<Person> { new Person { Name = "Mary" } } }, 1, 0);
            }
            else if (comm.Rank == 1)
            {
                Console.WriteLine(comm.Receive<int>(0, 0));
                Point point = comm.Receive<Point>(0, 0);
                Console.WriteLine("(" + point.X + ", " + point.Y + ")");
                double[] doubles = comm.Receive<double[]>(0, 0); // as long as what was sent
                Console.WriteLine(doubles.Length + " doubles, the last is " + doubles[2]);
                Console.WriteLine(comm.Receive<string>(0, 0));
                Person person = comm.Receive<Person>(0, 0);
                Console.WriteLine(person.Name + " with " + person.Friends.Count + " friend");
            }
        });
    }
}
