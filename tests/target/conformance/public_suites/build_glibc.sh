#!/bin/bash
# Builds the thread tests of glibc 2.36 (Debian package glibc-source) outside the glibc tree, against the
# installed libc: nptl, sysdeps/pthread and rt, with glibc's own libsupport.
#
# usage: build_glibc.sh WORKDIR JOBS [FILTER]
# Leaves WORKDIR/glibc/bin/<test> and WORKDIR/glibc/skipped.txt ("<test>: <why it cannot be built here>").
# shellcheck disable=SC2086,SC2046,SC2016,SC2012  # flags are words; names have no spaces
set -eu
work=$(realpath "$1")
jobs=$2
tarball=/usr/src/glibc/glibc-2.36.tar.xz
src=$work/src/glibc-2.36
out=$work/glibc

export filter=${3:-.}  # of glibc/<test> and glibc/<test>+direct: others are not built
[ "$(cat "$out/.complete" 2>/dev/null)" = "$filter" ] && exit 0
[ -f "$tarball" ] || { echo "missing $tarball: apt-get install glibc-source" >&2; exit 2; }
mkdir -p "$work/src" "$out/shim" "$out/obj" "$out/bin"
if [ ! -d "$src/support" ]; then
  tar -xf "$tarball" -C "$work/src" glibc-2.36/{nptl,rt,support,include,posix,sysdeps,test-skeleton.c}
fi

# The handful of tree-internal headers that libsupport and the tests want and that stand alone.
for header in array_length.h libc-diag.h intprops.h libc-pointer-arith.h; do
  cp "$src/include/$header" "$out/shim/"
done
cp "$src/sysdeps/x86/nptl/pthreaddef.h" "$src/sysdeps/x86_64/stackguard-macros.h" "$out/shim/"
cp "$src/sysdeps/nptl/internaltypes.h" "$src/sysdeps/generic/tst-stack-align.h" "$src/nptl/tst-tls5.h" "$out/shim/"
: > "$out/shim/config.h"
echo '#define _STACK_GROWS_DOWN 1' > "$out/shim/stackinfo.h"
# The real one grows on demand; what libsupport keeps in it here (paths, short output) fits.
cat > "$out/shim/scratch_buffer.h" <<'HEADER'
#pragma once
#include <stdbool.h>
#include <stdlib.h>
struct scratch_buffer { void *data; size_t length; char space[65536]; };
static inline void scratch_buffer_init (struct scratch_buffer *b) { b->data = b->space; b->length = sizeof b->space; }
static inline void scratch_buffer_free (struct scratch_buffer *b) { (void) b; }
static inline bool scratch_buffer_grow (struct scratch_buffer *b) { (void) b; abort (); }
HEADER
cat > "$out/shim/allocate_once.h" <<'HEADER'
#pragma once
static inline void *allocate_once (void **place, void *(*make) (void *), void (*drop) (void *, void *), void *closure)
{ (void) drop; if (!*place) *place = make (closure); return *place; }
HEADER

cat > "$out/shim/atomic.h" <<'HEADER'
#pragma once
#define atomic_load_relaxed(p) __atomic_load_n (p, __ATOMIC_RELAXED)
#define atomic_load_acquire(p) __atomic_load_n (p, __ATOMIC_ACQUIRE)
#define atomic_store_relaxed(p, v) __atomic_store_n (p, v, __ATOMIC_RELAXED)
#define atomic_store_release(p, v) __atomic_store_n (p, v, __ATOMIC_RELEASE)
#define atomic_fetch_add_relaxed(p, v) __atomic_fetch_add (p, v, __ATOMIC_RELAXED)
#define atomic_fetch_add_acq_rel(p, v) __atomic_fetch_add (p, v, __ATOMIC_ACQ_REL)
#define __HAVE_64B_ATOMICS 1
HEADER
cat > "$out/shim/shlib-compat.h" <<'HEADER'
#pragma once
#define TEST_COMPAT(library, introduced, obsoleted) 0
HEADER

export src out
export cflags="-std=gnu11 -fgnu89-inline -O1 -g -w -pthread -D_GNU_SOURCE=1 -DTIMEOUTFACTOR=1 -include limits.h -include stdbool.h \
  -I$out/shim -I$src -I$src/support -iquote $src/nptl \
  -iquote $src/sysdeps/pthread -iquote $src/sysdeps/unix/sysv/linux"

compile_support() {
  name=$(basename "$1" .c)
  gcc $cflags -DSRCDIR_PATH='"/nonexistent"' -DOBJDIR_PATH='"/nonexistent"' \
      -DOBJDIR_ELF_LDSO_PATH='"/lib64/ld-linux-x86-64.so.2"' -DINSTDIR_PATH='"/usr"' \
      -DLIBDIR_PATH='"/usr/lib/x86_64-linux-gnu"' -DBINDIR_PATH='"/usr/bin"' -DSBINDIR_PATH='"/usr/sbin"' \
      -DSLIBDIR_PATH='"/lib/x86_64-linux-gnu"' -DROOTSBINDIR_PATH='"/sbin"' \
      -DCOMPLOCALEDIR_PATH='"/usr/lib/locale"' \
      -c "$1" -o "$out/obj/$name.o" 2>"$out/obj/$name.log" || true
}

compile_module() {
  name=$(basename "$1" .c)
  gcc $cflags -fPIC -shared -I"$(dirname "$1")" "$1" -o "$out/bin/$name.so" -Wl,-soname,"$name.so" \
      2>"$out/obj/$name.log" || true
}

# What the Makefiles of glibc say about single tests.
extra_flags() {
  case $1 in
    tst-cancelx2[01]|tst-cleanupx[01]) echo "-fexceptions -fasynchronous-unwind-tables" ;;
    tst-cancelx*|tst-cleanupx*|tst-oncex*) echo "-fexceptions" ;;
    tst-oncey*) echo "-fno-exceptions -fno-asynchronous-unwind-tables" ;;
    tst-cleanup2) echo "-fno-builtin" ;;
    tst-unwind-thread) echo "-funwind-tables" ;;
    tst-initializers1-*) echo "-std=${1#tst-initializers1-} -D_GNU_SOURCE" ;;
  esac
}
extra_objects() {
  case $1 in
    tst-cleanup4) echo "$src/nptl/tst-cleanup4aux.c" ;;
    tst-cleanupx4) echo "$src/nptl/tst-cleanupx4aux.c" ;;
    tst-fini1) echo "-Wl,--no-as-needed $out/bin/tst-fini1mod.so" ;;
    tst-_res1) echo "-Wl,--no-as-needed $out/bin/tst-_res1mod1.so $out/bin/tst-_res1mod2.so" ;;
    tst-tls5) echo "-Wl,--no-as-needed $out/bin/tst-tls5mod.so" ;;
    tst-execstack) echo "-Wl,-z,noexecstack" ;;
  esac
}

compile_test() {
  file=$1
  name=$(basename "${file%.*}")
  grep -qE "$filter" <<< "glibc/$name"$'\n'"glibc/$name+direct" || return 0
  case $name in *mod|*mod[0-9a-f]|*mod[0-9]|*aux|*-skeleton-*|*-common) return 0 ;; esac
  case $name in
    *-static|*-time64) echo "$name: a static or 32-bit-time variant"; return 0 ;;
    *gdb-attach*|*audit*|*printers*) echo "$name: drives a debugger or the loader's audit interface"; return 0 ;;
    tst-tls6|tst-setuid*|tst-setgroups*) echo "$name: needs a container or a driver script"; return 0 ;;
  esac
  compiler=gcc flags=$cflags
  case $file in *.cc) compiler=g++ flags=${cflags/-std=gnu11 -fgnu89-inline/-std=gnu++11} ;; esac
  if ! $compiler $flags $(extra_flags "$name") -I"$(dirname "$file")" "$file" $(extra_objects "$name") \
      -o "$out/bin/$name" "$out/libsupport.a" -rdynamic -Wl,-rpath,'$ORIGIN' -lrt -ldl \
      2>"$out/obj/$name.log"; then
    rm -f "$out/bin/$name"
    reason=$(grep -m1 -E 'error|undefined reference' "$out/obj/$name.log" || tail -1 "$out/obj/$name.log")
    echo "$name: does not build outside glibc: ${reason##*/}"
  fi
}
export -f compile_support compile_module compile_test extra_flags extra_objects

parallel_call() { xargs -r -P "$jobs" -I{} bash -c "$1 {}"; }
ls "$src"/support/*.c | parallel_call compile_support
rm -f "$out"/obj/{test-driver,test-container,*-container,test-run-command,links-dso-program*,true-*,echo-*}.o
rm -f "$out"/libsupport.a
for object in "$out"/obj/*.o; do
  nm "$object" | grep -q ' T main$' || ar -qc "$out/libsupport.a" "$object"
done
nm "$out/libsupport.a" | grep -q ' T support_test_main' || {
  echo "libsupport did not build: $(grep -m1 error "$out/obj/support_test_main.log")" >&2
  exit 2
}
ls "$src"/{nptl,sysdeps/pthread}/tst-*mod*.c | parallel_call compile_module
ls "$src"/{nptl,sysdeps/pthread,rt}/tst-*.c "$src"/{nptl,sysdeps/pthread}/tst-*.cc 2>/dev/null |
  parallel_call compile_test | sort > "$out/skipped.txt"
echo "$filter" > "$out/.complete"
