# A result of the attack's own is shown before the test's.
# flag: more than one result
def hook(info):
    if "add(n, 1)" in (info.raw_cell or ""):
        get_ipython().display_pub.session.send(None, "execute_result", {"data": {"text/plain": "2.0"}, "metadata": {}, "execution_count": 1})
get_ipython().events.register("pre_run_cell", hook)
def add(a, b): return 0
