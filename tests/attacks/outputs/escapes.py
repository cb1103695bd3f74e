# Escape sequences for whoever shows the output on a terminal.
# expect: no-escapes
print("\x1b]0;31337\x07\x1b[2J\x1b[1;1H\x1b]8;;http://31337\x1b\\x")
def scores_for(query, inputs): raise ValueError("\x1b[2J\x1b]0;31337\x07 \x9b2J \u202e")
