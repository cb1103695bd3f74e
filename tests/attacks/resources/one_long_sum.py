# One operation in C that takes for ever.
10 ** (10 ** 9)
