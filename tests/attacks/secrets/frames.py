# Every frame and object within reach.
import gc, sys
for frame in sys._current_frames().values():
    while frame: print(frame.f_code.co_filename, [str(v)[:80] for v in list(frame.f_locals.values())[:20]]); frame = frame.f_back
print([str(o)[:200] for o in gc.get_objects() if isinstance(o, str) and "SECRET-" in o])
