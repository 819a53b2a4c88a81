package polympi.hello;

import polympi.mpi.Comm;
import polympi.mpi.Mpi;

/** Every rank says which it is: what a program needs before it does anything. */
public final class Hello {
    private Hello() {}

    public static void main(String[] arguments) {
        final Comm world = Mpi.init();
        System.out.println("Hello from rank " + world.rank() + " of " + world.size());
        Mpi.finish();
    }
}
