# HTML that is harmless until a browser has mended it.
from IPython.display import HTML, display
for text in ('<svg></p><style><a id="</style><img src=1 onerror=alert(31337)>">', '<noscript><p title="</noscript><img src=x onerror=alert(31337)>">',
             '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(31337)&gt;">',
             '<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(31337)>',
             '<a href="java\tscript:alert(31337)">x</a><a href=" &#1;javascript:alert(31337)">x</a><img src="x` `<script>alert(31337)</script>"` `>'):
    display(HTML(text))
