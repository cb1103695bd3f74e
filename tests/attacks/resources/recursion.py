# Recursion without end, in Python and in C.
import sys, ast
sys.setrecursionlimit(10**9)
def f(): f()
f()
