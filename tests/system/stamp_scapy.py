#!/usr/bin/python3
"""timesvc-probe's frames against another implementation of the formats: scapy's.

stamp_scapy.py reflector IFACE OWN_IP ITS_IP   asks the reflector at ITS_IP
stamp_scapy.py sender IFACE OWN_IP ITS_IP N    answers the sender at ITS_IP as a plain RFC 8762 reflector
Speaks TAP.
"""
import socket
import struct
import sys
import time

try:
    from scapy.all import ARP, Ether, IP, IPOption_NOP, UDP, Raw, conf
    from scapy.contrib.stamp import (ErrorEstimate, STAMPSessionReflectorTestUnauthenticated as Reply,
                                     STAMPSessionSenderTestUnauthenticated as Request, STAMPTestTLV)
except ImportError:
    print("1..0 # SKIP python3-scapy is not installed")
    sys.exit(0)

NTP_UNIX = 2208988800
PORT = 862
OWN_PORT = 50862
TRUST = 252
count = failed = 0


def ok(good, name):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}", flush=True)


class Wire:
    def __init__(self, iface, own_ip, its_ip):
        self.own_ip, self.its_ip = own_ip, its_ip
        self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.sock.bind((iface, 0))
        self.mac = ":".join(f"{b:02x}" for b in self.sock.getsockname()[4])
        self.its_mac = None

    def send(self, frame):
        self.sock.send(bytes(frame))

    def frames(self, seconds):
        """What arrives, dissected, until the time is over."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.sock.settimeout(max(end - time.monotonic(), 0.001))
            try:
                data, addr = self.sock.recvfrom(2048)
            except socket.timeout:
                return
            if addr[2] != socket.PACKET_OUTGOING:
                yield Ether(data)

    def headers(self, **ip):
        return (Ether(src=self.mac, dst=self.its_mac) /
                IP(src=self.own_ip, dst=self.its_ip, ttl=255, flags="DF", **ip))

    def resolve(self):
        self.send(Ether(src=self.mac, dst="ff:ff:ff:ff:ff:ff") /
                  ARP(op=1, hwsrc=self.mac, psrc=self.own_ip, pdst=self.its_ip))
        for f in self.frames(2):
            if ARP in f and f[ARP].op == 2 and f[ARP].psrc == self.its_ip:
                self.its_mac = f[ARP].hwsrc
                return f
        return None

    def ask(self, payload, seconds=1.0, udp=None, **ip):
        """The reply to one datagram, or None."""
        udp = udp or UDP(sport=OWN_PORT, dport=PORT)
        self.send(self.headers(**ip) / udp / Raw(bytes(payload)))
        for f in self.frames(seconds):
            if UDP in f and f[IP].src == self.its_ip and f[UDP].dport == OWN_PORT:
                return f
        return None


def checksums_right(frame):
    """What scapy would have put there."""
    again = Ether(bytes(frame))
    was = again[IP].chksum, again[UDP].chksum
    del again[IP].chksum, again[UDP].chksum
    again = Ether(bytes(again))
    return was == (again[IP].chksum, again[UDP].chksum)


def request(seq, tlvs=(), z=0, when=None):
    when = time.time() if when is None else when
    seconds, fraction = int(when) + (0 if z else NTP_UNIX), int(when % 1 * (1e9 if z else 2**32))
    head = struct.pack(">III", seq, seconds & 0xffffffff, fraction)
    return (head + bytes(ErrorEstimate(S=0, Z=z, scale=10, multiplier=7)) + struct.pack(">H", 77) + bytes(28) +
            b"".join(bytes(t) for t in tlvs))


def tlv(kind, value):
    return STAMPTestTLV(flags=0x80, type=kind, len=len(value), value=value)


def raw(frame):
    return bytes(frame[UDP].payload)


def stamp_of(raw8, z):
    seconds, rest = struct.unpack(">II", raw8)
    return seconds + rest / 1e9 if z else seconds - NTP_UNIX + rest / 2**32


def check_reply(frame, sent, seq, name):
    """The fixed part, by scapy's dissector and by its bytes."""
    reply, data = Reply(raw(frame)[:44]), raw(frame)
    ok(reply.seq == seq and reply.seq_sender == struct.unpack(">I", sent[:4])[0], f"{name}: both numbers")
    ok(data[24:38] == sent[:14], f"{name}: what the sender wrote comes back")
    ok(reply.ssid == 77 and reply.ttl_sender == 255, f"{name}: session and TTL")
    ok(data[38:40] == bytes(2) and data[41:44] == bytes(3), f"{name}: what must be zero is")
    ok(reply.err_estimate.multiplier >= 1, f"{name}: the error estimate has a multiplier")
    z = reply.err_estimate.Z
    t3, t2 = stamp_of(data[4:12], z), stamp_of(data[16:24], z)
    ok(0 <= t3 - t2 < 0.01, f"{name}: T3 is not before T2")
    ok(abs(t2 - time.time()) < 5, f"{name}: T2 is the time of day")
    ok(len(data) == len(sent), f"{name}: as long as the request")
    ok(frame[IP].ttl == 255 and frame[IP].flags == "DF" and checksums_right(frame), f"{name}: headers and sums")


def test_reflector(wire):
    reply = wire.resolve()
    ok(reply is not None and reply[ARP].pdst == wire.own_ip, "answers ARP")
    if reply is None:
        return
    sent = request(5)
    frame = wire.ask(sent)
    ok(frame is not None, "base packet: answered")
    if frame is None:
        return
    check_reply(frame, sent, 0, "base packet")
    sent = request(6, z=1)
    check_reply(wire.ask(sent), sent, 1, "PTP format")

    tlvs = [tlv(3, bytes(4)), tlv(7, bytes(16)), tlv(TRUST, bytes(60)), tlv(1, b"padding"), tlv(4, b"\1\2\3\4")]
    sent = request(7, tlvs)
    frame = wire.ask(sent)
    check_reply(frame, sent, 2, "TLVs")
    got, data = [], raw(frame)[44:]
    while data:
        one = STAMPTestTLV(data)
        got.append(one)
        data = data[4 + one.len:]
    ok([(t.type, t.len) for t in got] == [(t.type, t.len) for t in tlvs], "TLVs: same types and lengths")
    ok([int(t.flags) for t in got] == [0, 0, 0, 0, 0x80], "TLVs: the U flag is on the unknown one alone")
    ok(got[0].value[1] == 2 and got[0].value[3] == 2, "TLVs: stamps are called software")
    follow_seq, = struct.unpack(">I", got[1].value[:4])
    ok(follow_seq == 1 and got[1].value[12] == 2, "TLVs: the follow-up is of the reply before")
    ok(got[3].value == b"padding" and got[4].value == b"\1\2\3\4", "TLVs: values come back")

    ok(wire.ask(request(8)[:43], 0.3) is None, "a packet cut short is not answered")
    ok(wire.ask(request(8, tlvs)[:-1], 0.3) is None, "a TLV cut short is not answered")
    ok(wire.ask(request(8)[:13] + b"\0" + request(8)[14:], 0.3) is None, "multiplier 0 is not answered")
    ok(wire.ask(request(8), 0.3, UDP(sport=OWN_PORT, dport=PORT, chksum=1)) is None, "a wrong UDP sum is not answered")
    ok(wire.ask(request(8), 0.3, chksum=1) is None, "a wrong IP sum is not answered")
    ok(wire.ask(request(8), 0.3, UDP(sport=OWN_PORT, dport=PORT + 1)) is None, "another port is not answered")
    sent = request(9)
    frame = wire.ask(sent, options=[IPOption_NOP()] * 4)
    ok(frame is not None and Reply(raw(frame)).seq == 3, "IP options are passed over; the bad ones took no number")


def reflect_plain(wire, frame, number):
    data = raw(frame)
    now = time.time()
    stamp = struct.pack(">II", int(now) + NTP_UNIX, int(now % 1 * 2**32))
    reply = (struct.pack(">I", number) + stamp + bytes(ErrorEstimate(scale=10, multiplier=1)) + data[14:16] +
             stamp + data[:14] + bytes(2) + bytes([frame[IP].ttl]) + bytes(3))
    wire.send(wire.headers() / UDP(sport=PORT, dport=frame[UDP].sport) / Raw(reply))


def test_sender(wire, wanted):
    got, seqs, arp = [], [], 0
    for f in wire.frames(20):
        if ARP in f and f[ARP].op == 1 and f[ARP].pdst == wire.own_ip and f[ARP].psrc == wire.its_ip:
            arp += 1
            wire.its_mac = f[ARP].hwsrc
            wire.send(Ether(src=wire.mac, dst=f[ARP].hwsrc) / ARP(op=2, hwsrc=wire.mac, psrc=wire.own_ip,
                                                                 hwdst=f[ARP].hwsrc, pdst=wire.its_ip))
        if UDP not in f or f[IP].dst != wire.own_ip or f[UDP].dport != PORT:
            continue
        got.append(f)
        seqs.append(Request(raw(f)[:44]).seq)
        reflect_plain(wire, f, len(got) - 1)
        if len(got) == wanted:
            break
    ok(arp > 0, "asks by ARP")
    ok(seqs == list(range(wanted)), "numbers are 0, 1, 2 …")
    ok(bool(got) and all(checksums_right(f) for f in got), "checksums are right in every frame")
    ok(bool(got) and all(f[IP].ttl == 255 and f[IP].flags == "DF" for f in got), "TTL 255 and DF")
    heads = [Request(raw(f)[:44]) for f in got]
    ok(bool(got) and all(h.err_estimate.multiplier >= 1 and h.mbz == 0 for h in heads), "error estimate, and zeros")
    ok(bool(got) and len({h.ssid for h in heads}) == 1 and heads[0].ssid != 0, "one session, which is not 0")
    times = [stamp_of(raw(f)[4:12], heads[0].err_estimate.Z) for f in got]
    ok(bool(got) and all(abs(t - time.time()) < 30 for t in times) and times == sorted(times), "T1 is the time of day")
    time.sleep(0.5)


def main():
    conf.verb = 0
    wire = Wire(sys.argv[2], sys.argv[3], sys.argv[4])
    if sys.argv[1] == "reflector":
        test_reflector(wire)
    else:
        test_sender(wire, int(sys.argv[5]))
    print(f"1..{count}")
    sys.exit(failed != 0)


main()
