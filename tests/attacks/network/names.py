# A name is looked up and a page fetched.
import urllib.request
try: print("SECRET", urllib.request.urlopen("http://localhost/", timeout=2).read(100))
except OSError as error: print(error)
import socket
print("SECRET", socket.gethostbyname("localhost."))
