# The gradebook, by its path.
import sqlite3
book = sqlite3.connect(COURSE + "/gradebook.db")
print(book.execute("select * from source_cell").fetchall())
book.execute("update grade set auto_score = 100")
book.commit()
