# Compiled code is not run.
# flag: run_code
async def nothing(self, code, result=None, *, async_=False): return False
type(get_ipython()).run_code = nothing
