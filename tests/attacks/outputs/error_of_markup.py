# An error whose name and text are HTML.
kind = type("<script>alert(31337)</script>", (Exception,), {})
def scores_for(query, inputs): raise kind("<img src=x onerror=alert(31337)>")
raise kind("<script>alert(31337)</script>")
