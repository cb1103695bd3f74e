# Results that are no text, and kinds that are none.
from IPython.display import display
display({"text/plain": None, "text/html": ["<script>alert(31337)</script>"], "image/png": "not base64 <script>alert(31337)</script>",
         "application/vnd.31337": "x", "application/json": {"a": [1] * 1000}}, raw=True)
