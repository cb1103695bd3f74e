# A loop without end in each answer.
def scores_for(query, inputs):
    while True:
        try:
            while True: pass
        except BaseException: pass
