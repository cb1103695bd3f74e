"""IPython's own language: magics, top-level await, what a kernel refuses."""

from tests.jail.notebooks import Example, cells

MAGICS = {
    "magics": Example(
        cells("""
# %%
%%capture caught
print('hidden')
import sys
print('err', file=sys.stderr)
3
# %%
caught.stdout, caught.stderr, len(caught.outputs)
# %%
caught.show()
# %%
%%writefile made.py
VALUE = 41
print('ran as', __name__)
# %%
%run made.py
# %%
VALUE + 1
# %%
import made
made.VALUE
# %%
%%writefile -a made.py
VALUE += 1
# %%
%run -n made.py
# %%
%cat made.py
# %%
%env STAGE=scaling
# %%
%env STAGE
# %%
import os
os.environ['STAGE'], os.environ.get('NBGRADER_EXECUTION')
# %%
%pylab_of_no_such_name
# %%
%%no_such_cell_magic
x
# %%
%precision 3
# %%
3.14159
# %%
%precision
# %%
%alias hello echo hello
# %%
hello there
"""),
    ),
    "more magics": Example(
        cells("""
# %%
%%html
<b>html</b>
# %%
%%markdown
**md**
# %%
%%latex
$x$
# %%
%%javascript
var x = 1;
# %%
%%svg
<svg xmlns='http://www.w3.org/2000/svg'/>
# %%
%%python
print('another python')
# %%
%%sh
echo $((1 + 2))
# %%
%%script cat
passed through
# %%
x = 3
%who int
# %%
%who_ls
# %%
%whos int
# %%
%lsmagic_is_long = 1
# %%
%matplotlib inline
# %%
%load_ext no_such_extension
# %%
%autoawait
# %%
%xmode Minimal
# %%
1 / 0
# %%
%xmode Context
# %%
y = %env HOME_OF_NOBODY
# %%
!echo {x} $x
# %%
%timeit_of_nobody 1
# %%
%config InlineBackend.figure_format
# %%
%automagic
# %%
%pwd_not
# %%
%reset -f
# %%
x
"""),
    ),
    "await": Example(
        cells("""
# %%
import asyncio
await asyncio.sleep(0.01)
print('slept')
# %%
await asyncio.gather(asyncio.sleep(0, 'a'), asyncio.sleep(0, 'b'))
# %%
async def f():
    await asyncio.sleep(0)
    return 'from f'
await f()
# %%
f_task = asyncio.create_task(f())
# %%
await f_task
# %%
async for_loop = 1
# %%
async def gen():
    for i in range(3):
        yield i
async for i in gen():
    print(i)
# %%
async def fails():
    raise KeyError('in a task')
await fails()
# %%
asyncio.run(f())
# %%
asyncio.get_event_loop().is_running(), asyncio.get_running_loop() is asyncio.get_event_loop()
# %%
late = []
async def later():
    await asyncio.sleep(0.05)
    late.append(1)
task = asyncio.create_task(later())
late
# %%
await asyncio.sleep(0.1)
late
# %%
[x async for x in gen()]
"""),
    ),
    "input is refused": Example(
        cells("""
# %%
input()
# %%
name = input('Your name: ')
# %%
import getpass
getpass.getpass('Secret: ')
# %%
import builtins
builtins.input('again')
# %%
try:
    input()
except Exception as error:
    print(type(error).__name__, error)
# %%
import sys
sys.stdin.readline()
# %%
breakpoint_was = __import__('sys').breakpointhook
'not stopped'
# %%
'goes on'
"""),
    ),
    "namespace": Example(
        cells("""
# %%
__name__, __doc__
# %%
sorted(n for n in globals() if not n.startswith('_'))
# %%
import sys
'' in sys.path
# %%
import os
sorted(name for name in os.listdir('.') if name != '__pycache__')
# %%
open('data.txt').read()
# %%
import helper
helper.double(4)
# %%
open('written.txt', 'w').write('x')
# %%
sorted(name for name in os.listdir('.') if name != '__pycache__')
# %%
get_ipython().__class__.__name__
# %%
__builtins__
# %%
__IPYTHON__
# %%
display
# %%
__file__
# %%
__session__
# %%
type(get_ipython().kernel).__name__ != ''
"""),
        files={
            "data.txt": """from beside the notebook
""",
            "helper.py": """def double(x):
    return 2 * x
""",
        },
    ),
}
