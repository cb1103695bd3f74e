"""What cells show: results, rich displays, displays that change."""

from tests.jail.notebooks import Example, cells

SHOWING = {
    "results": Example(
        cells("""
# %%
1 + 1
# %%
1 + 1;
# %%
x = 5
# %%
x; # a comment after it
# %%
'text'
# %%
None
# %%
[1, 2, {'a': (1,)}]
# %%
list(range(200))
# %%
{i: 'x' * 50 for i in range(5)}
# %%
print
# %%
class A:
    pass
A
# %%
def f(a, b=1): pass
f
# %%
if True:
    'not shown'
# %%
x
'only the last is shown'
# %%
lambda: 0
"""),
    ),
    "rich results": Example(
        cells("""
# %%
class Rich:
    def _repr_html_(self): return '<b>bold</b>'
    def _repr_latex_(self): return '$x^2$'
    def _repr_markdown_(self): return '**bold**'
    def _repr_json_(self): return {'a': 1}
    def __repr__(self): return 'rich'
Rich()
# %%
class Bundle:
    def _repr_mimebundle_(self, **kw):
        return {'text/plain': 'plain', 'text/html': '<i>x</i>', 'application/x+json': {'k': [1]}}
Bundle()
# %%
class Meta:
    def _repr_html_(self): return '<p/>', {'isolated': True}
    def __repr__(self): return 'meta'
Meta()
# %%
class Own:
    def _ipython_display_(self): print('displays itself')
Own()
# %%
class Broken:
    def _repr_html_(self): raise KeyError('no html')
    def __repr__(self): return 'broken'
Broken()
# %%
class Silent:
    def __repr__(self): raise RuntimeError('no repr')
Silent()
# %%
class Pretty:
    def _repr_pretty_(self, p, cycle): p.text('pretty!')
Pretty()
"""),
    ),
    "displays": Example(
        cells("""
# %%
from IPython.display import HTML, SVG, Markdown, Latex, JSON, Image, Javascript, display
display(HTML('<b>b</b>'))
# %%
SVG('<svg xmlns="http://www.w3.org/2000/svg"><circle r="4"/></svg>')
# %%
display(Markdown('**m**'), Latex('$x$'), 'text', 7)
# %%
JSON({'a': [1, 2.5, None]})
# %%
Image(data=bytes.fromhex('89504e470d0a1a0a'), format='png')
# %%
print('a')
display('b')
print('c')
display({'text/plain': 'raw'}, raw=True)
'd'
# %%
Javascript('alert(1)')
# %%
display()
# %%
display({'application/json': {'bytes': b'abc'}, 'text/plain': 'p'}, raw=True)
# %%
from IPython.display import publish_display_data
publish_display_data({'text/plain': 'published'}, metadata={'m': 1})
"""),
    ),
    "displays that change": Example(
        cells("""
# %%
from IPython.display import clear_output, display
handle = display('first', display_id='one')
handle.update('second')
# %%
other = display('here', display_id=True)
print('between')
# %%
other.update('changed from a later cell')
handle.update('third')
# %%
display('again', display_id='one')
# %%
print('cleared')
clear_output()
print('stays')
# %%
print('cleared late')
clear_output(wait=True)
print('replaces it')
# %%
print('stays as nothing follows')
clear_output(wait=True)
# %%
from IPython.display import update_display
update_display('fourth', display_id='one')
# %%
update_display('nobody', display_id='unknown')
# %%
for i in range(3):
    clear_output(wait=True)
    display(i)
"""),
    ),
    "history": Example(
        cells("""
# %%
7
# %%
_ + 1
# %%
__, _
# %%
_1, Out[1], In[1], _i1
# %%
'a'; 'b'
# %%
___
# %%
_i, _ii
# %%
%history
# %%
%history -n 1-3
# %%
sorted(Out), len(In)
# %%
_ = 'mine'
5
# %%
_
# %%
get_ipython().execution_count
# %%
%recall 1
# %%
%rerun 1
"""),
    ),
    "help": Example(
        cells("""
# %%
def documented(x):
    '''Says what it does.'''
    return x
documented?
# %%
documented??
# %%
?documented
# %%
nothing_of_that_name?
# %%
%pinfo documented
# %%
help(documented)
# %%
%pdoc documented
# %%
%psource documented
# %%
*cument*?
"""),
    ),
}
