# An archive that unpacks to everything.
import io, zipfile
packed = io.BytesIO()
with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file: file.writestr("pwned", bytes(200 << 20))
zipfile.ZipFile(packed).extractall(".")
