// Every rank says which it is: what a program needs before it does anything.
using System;
using MPI;

internal static class Hello
{
    private static void Main(string[] args)
    {
        MPI.Environment.Run(args, comm => Console.WriteLine("Hello from rank " + comm.Rank + " of " + comm.Size));
    }
}
