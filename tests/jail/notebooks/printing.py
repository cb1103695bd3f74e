"""What cells print, from Python, from other processes, from threads."""

from tests.jail.notebooks import Example, cells

PRINTING = {
    "prints": Example(
        cells(r"""
# %%
print('one')
print('two', end='')
# %%
import sys
print('to stderr', file=sys.stderr)
print('to stdout')
# %%
for i in range(3):
    print('out', i)
    print('err', i, file=sys.stderr)
# %%
print('before')
1 + 1
# %%
sys.stdout.write('no line end')
# %%
sys.stdout.writelines(['a', 'b\n'])
sys.stdout.flush()
sys.stderr.write('written\n');
# %%
print('a\rb')
print('c\b\bd')
# %%
sys.stdout.isatty(), sys.stderr.isatty(), sys.stdout.encoding, sys.stdout.writable(), sys.stdout.readable()
"""),
    ),
    "long prints": Example(
        cells("""
# %%
for i in range(3000):
    print('line', i)
# %%
import time
print('first'); time.sleep(0.5); print('second')
# %%
import sys
print('x' * 200_000)
"""),
    ),
    "unicode": Example(
        cells(r"""
# %%
print('αβγ → √d_k ≠ 日本語 🎓')
# %%
größe = 'ñandú'
größe
# %%
'\u202e' + '\x00' + '\x1b[31mred\x1b[0m'
# %%
print('\x1b[31mred\x1b[0m')
# %%
raise ValueError('über 日本')
"""),
    ),
    "threads printing": Example(
        cells("""
# %%
import threading, time
def work(n):
    time.sleep(0.02 * n)
    print('thread', n)
threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
for t in threads: t.start()
for t in threads: t.join()
print('joined')
# %%
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool:
    print(list(pool.map(str.upper, 'abc')))
"""),
    ),
    "a thread that outlives its cell": Example(
        cells(r"""
# %%
import threading, time
def late():
    time.sleep(0.4)
    print('late')
threading.Thread(target=late).start()
# %%
time.sleep(0.8)
# %%
'the next cell'
"""),
    ),
    "forked processes": Example(
        cells(r"""
# %%
import multiprocessing, os, time
context = multiprocessing.get_context('fork')
def work(n):
    print('process', n)
process = context.Process(target=work, args=(1,))
process.start()
process.join()
time.sleep(0.4)
# %%
with context.Pool(2) as pool:
    print(pool.map(abs, [-1, -2, -3]))
# %%
import warnings
# From Python 3.12 on, a kernel is warned of the threads that it has.
warnings.simplefilter('ignore', DeprecationWarning)
pid = os.fork()
if pid == 0:
    os._exit(0)
os.waitpid(pid, 0)[1]
# %%
'goes on'
"""),
    ),
    "other processes": Example(
        cells(r"""
# %%
!echo from a shell
# %%
found = !echo caught
found
# %%
!echo to stderr >&2
# %%
%%bash
echo from bash
echo to stderr >&2
# %%
%%bash
exit 3
# %%
import subprocess, sys
subprocess.run([sys.executable, '-c', 'print("a child")'], capture_output=True, text=True).stdout
# %%
import subprocess, time
subprocess.run(['echo', 'a child prints'])
time.sleep(0.4)  # a kernel hears of it a moment later
# %%
import os
os.write(1, b'to the descriptor\n')
time.sleep(0.4)
# %%
os.system('echo by system')
time.sleep(0.4)
# %%
!exit 2
# %%
_exit_code
"""),
    ),
    "cells that are not run": Example(
        cells("""
# %% markdown
# Title

`print('no')`
# %% raw
print('raw')
# %%

# %%


# %%
# only a comment
# %%
'first that counts'
# %% tags=skip-execution
print('skipped')
# %% tags=remove-input,parameters
print('other tags')
# %% tags=raises-exception
raise ValueError('expected')
# %%
'last'
"""),
    ),
}
