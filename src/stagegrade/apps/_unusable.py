"""What is wrong with a file or a gradebook that cannot be used: which it is, why, and what to do."""

import errno
import os

from sqlalchemy.exc import SQLAlchemyError

from stagegrade.autograde import gradebook_file

READ_ONLY = "Make that folder writable for yourself (chmod -R u+w, or another mount), or work in a copy of the course."


def reason(error: OSError | SQLAlchemyError, db_url: str) -> tuple[str, str]:
    """What is wrong, the file named, and what to do. ``db_url`` is the gradebook that was to be used."""
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        read_only = error.errno in (errno.EROFS, errno.EACCES)
        mend = READ_ONLY if read_only else "Is the place there, and may you read and write it?"
        return f"{where}{error.strerror or error}", mend
    said = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
    file = gradebook_file(db_url)
    if "no such" in said or "does not exist" in said:
        mend = "Was it made by an older nbgrader? Keep a copy of it, and run: nbgrader db upgrade"
        return f"the gradebook cannot be used: {file or ''}{': ' if file else ''}{said}", mend
    if file is None or not file.exists():
        mend = "Is it the one that nbgrader made, and --db its address?"
        return f"the gradebook cannot be used: {said}", mend
    if not os.access(file.parent, os.W_OK | os.X_OK):
        # Even to read, SQLite keeps files of its own beside it.
        return f"the gradebook {file} cannot be used: the folder {file.parent} cannot be written", READ_ONLY
    if not os.access(file, os.R_OK | os.W_OK):
        return f"the gradebook {file} cannot be used: it cannot be read and written", f"chmod u+rw {file}"
    if "not a database" in said or "malformed" in said:
        mend = (
            "Put a copy of it back, made before it was damaged; where there is none, move it away, and nbgrader "
            "generate_assignment ASSIGNMENT begins a new one, without the grades that were in it."
        )
        return f"the gradebook {file} cannot be used: {said}", mend
    return f"the gradebook {file} cannot be used: {said}", "Is it the file that nbgrader made?"
