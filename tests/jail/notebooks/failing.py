"""Cells that fail: tracebacks, warnings, exits, timeouts."""

from tests.jail.notebooks import Example, cells

FAILING = {
    "tracebacks": Example(
        cells("""
# %%
1 / 0
# %%
def inner(x):
    return 1 / x

def outer(x):
    return inner(x)

outer(0)
# %%
'goes on'
# %%
outer(0)
# %%
raise ValueError
# %%
assert 1 == 2, 'not equal'
# %%
undefined_name
# %%
import no_such_module
# %%
{}['key']
# %%
[].append(1, 2)
# %%
print('before')
raise RuntimeError('after a print')
# %%
import sys
sys.setrecursionlimit(200)
def recurse(n):
    return recurse(n + 1)
recurse(0)
# %%
sys.setrecursionlimit(3000)
# %%
class Own(Exception):
    def __str__(self): return 'own text'
raise Own()
# %%
class Mute(Exception):
    def __str__(self): raise TypeError('no text')
raise Mute()
# %%
raise ExceptionGroup('several', [ValueError(1), TypeError(2)])
# %%
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(1) as pool:
    pool.submit(inner, 0).result()
"""),
    ),
    "syntax errors": Example(
        cells("""
# %%
def f(:
    pass
# %%
if True:
print('x')
# %%
x = (1,
# %%
return 5
# %%
for
# %%
print 'python two'
# %%
'unterminated
# %%
x = 1
  y = 2
# %%
eval('1 +')
# %%
%%capture
x =
# %%
await
# %%
break
# %%
nonlocal x
# %%
	x = 1
        y = 2
# %%
'goes on'
"""),
    ),
    "chained errors": Example(
        cells("""
# %%
try:
    1 / 0
except ZeroDivisionError as error:
    raise ValueError('from it') from error
# %%
try:
    1 / 0
except ZeroDivisionError:
    raise ValueError('during it')
# %%
try:
    1 / 0
except ZeroDivisionError:
    raise ValueError('alone') from None
# %%
import helper
helper.fails(0)
# %%
helper.chained()
# %%
import broken
# %%
error = ValueError('with a note')
error.add_note('look here')
raise error
"""),
        files={
            "helper.py": """def fails(x):
    return deeper(x)


def deeper(x):
    return 1 / x


def chained():
    try:
        fails(0)
    except ZeroDivisionError as error:
        raise LookupError('in a module') from error
""",
            "broken.py": """def f(:
    pass
""",
        },
    ),
    "warnings": Example(
        cells(r"""
# %%
import warnings
warnings.warn('look out')
# %%
warnings.warn('look out')
# %%
warnings.warn('old', DeprecationWarning)
# %%
warnings.warn('soon', FutureWarning)
'result'
# %%
def f():
    warnings.warn('in a function', UserWarning, stacklevel=2)
f()
# %%
x = 1
x is 1
# %%
'\d'
# %%
warnings.simplefilter('error')
warnings.warn('raised')
# %%
import logging
logging.warning('logged')
logging.getLogger('x').error('an error')
# %%
logging.info('not shown')
"""),
    ),
    "exits": Example(
        cells("""
# %%
print('before')
raise SystemExit
# %%
raise SystemExit('with a reason')
# %%
import sys
sys.exit(3)
# %%
raise KeyboardInterrupt
# %%
raise GeneratorExit('odd')
# %%
'goes on'
"""),
    ),
    "an endless loop": Example(
        cells("""
# %%
x = 1
# %%
print('looping')
while True:
    pass
# %%
'goes on', x
# %%
import time
time.sleep(60)
# %%
'goes on'
"""),
        timeout=2,
    ),
}
