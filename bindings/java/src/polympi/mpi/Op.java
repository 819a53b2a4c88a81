package polympi.mpi;

/** A reduction operation. */
public record Op(long handle) {
    public static final Op SUM = new Op(Library.constant("SUM"));
    public static final Op PROD = new Op(Library.constant("PROD"));
    public static final Op MAX = new Op(Library.constant("MAX"));
    public static final Op MIN = new Op(Library.constant("MIN"));
    /** Logical: a number other than 0 is true. */
    public static final Op LAND = new Op(Library.constant("LAND"));
}
