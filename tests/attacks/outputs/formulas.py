# Text that a spreadsheet would run.
def scores_for(query, inputs): raise ValueError('=HYPERLINK("http://31337","x")')
print("=cmd|' /C calc'!A0")
