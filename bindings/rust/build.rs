//! Links the harness, and lets the programs find the stack's libmpi where it was linked.

use std::{env, process::Command};

fn main() {
    println!("cargo:rerun-if-env-changed=POLYMPI_HARNESS");
    println!("cargo:rerun-if-env-changed=MPICC");
    let harness = env::var("POLYMPI_HARNESS").expect("POLYMPI_HARNESS names the folder of the harness in C");
    println!("cargo:rustc-link-search=native={harness}");
    println!("cargo:rustc-link-lib=static=polympi_harness");
    println!("cargo:rustc-link-lib=m"); // which the harness uses
    let mpicc = env::var("MPICC").expect("MPICC names the compiler wrapper of the MPI");
    let shown = Command::new(&mpicc).arg("-show").output().expect("mpicc -show says how it links");
    let shown = String::from_utf8(shown.stdout).expect("mpicc -show speaks UTF-8");
    for folder in shown.split_whitespace().filter_map(|word| word.strip_prefix("-L")) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
}
