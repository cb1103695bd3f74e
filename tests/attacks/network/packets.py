# Raw packets and datagrams.
import socket
for kind in ((socket.AF_INET, socket.SOCK_RAW), (socket.AF_PACKET, socket.SOCK_RAW), (socket.AF_INET, socket.SOCK_DGRAM),
             (socket.AF_INET6, socket.SOCK_STREAM), (socket.AF_NETLINK, socket.SOCK_RAW)):
    try:
        with socket.socket(*kind) as made: print("SECRET", kind)
    except OSError as error: print(error)
