# A loop without end.
while True: pass
