# A loop without end that catches every exception.
while True:
    try:
        while True: pass
    except BaseException: pass
