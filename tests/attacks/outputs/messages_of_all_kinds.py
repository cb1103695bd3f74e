# Messages that a kernel sends, and some that none does.
send = get_ipython().display_pub.session.send
for kind in ("comm_open", "comm_msg", "execute_input", "status", "shutdown_reply", "input_request", "clear_output", "update_display_data", "<script>"):
    send(None, kind, {"comm_id": "31337", "target_name": "jupyter.widget", "data": {"text/html": "<script>alert(31337)</script>"},
                      "wait": "yes", "execution_state": "dead", "prompt": "x", "transient": {"display_id": ["x"]}})
send(None, "display_data", {"data": [["text/html", "x"]], "metadata": {"isolated": True}})
send(None, "stream", {"name": "stdout", "text": {"a": 1}})
send(None, "error", {"ename": ["<script>alert(31337)</script>"], "traceback": {"a": 1}})
