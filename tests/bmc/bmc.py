#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""BMCs for tests: Redfish services shaped as iDRAC's, over HTTPS, one on each address.

    bmc.py CONFIG.json [CERT KEY]

CONFIG maps the address a BMC listens on ("127.0.7.1"; "*": all others) to what it is:

    bios        attributes of the Bios resource
    pending     attributes of its settings object, default none
    jobs        members of the job collection
    registry    the attribute registry, default none
    system      the ComputerSystem
    mode        ok | busy (503 to logins) | html | cut | empty | error | huge
    sessions    false: no session service, Basic only
    generic     true: no iDRAC, the paths are found by their links
    delay       s before each answer
    user, password

Prints "ready" and its port when it listens, and at its end, on TERM, a line of JSON: sessions that are
still open, logins and refusals by address, connections at most at a time. The same is
at /summary while it runs.
"""

import base64
import http.server
import json
import signal
import socketserver
import ssl
import sys
import threading
import time

SYSTEM = "/redfish/v1/Systems/System.Embedded.1"
MANAGER = "/redfish/v1/Managers/iDRAC.Embedded.1"
HUGE = 100 << 20


class State:
    """What all connections share."""

    def __init__(self, config):
        self.config = config
        self.lock = threading.Lock()
        self.sessions = {}
        self.logins = {}
        self.refused = {}
        self.paths = {}
        self.connections = self.most = self.made = 0

    def connected(self, change):
        with self.lock:
            self.connections += change
            self.most = max(self.most, self.connections)

    def count(self, table, key):
        with self.lock:
            table[key] = table.get(key, 0) + 1

    def summary(self):
        return {"open": len(self.sessions), "logins": self.logins,
                "refused": self.refused, "connections": self.most, "paths": self.paths}


class Bmc(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 120
    state = None

    def setup(self):
        self.state.connected(1)
        super().setup()

    def finish(self):
        try:
            super().finish()
        finally:
            self.state.connected(-1)

    def log_message(self, *args):  # a test's output is its own
        pass

    @property
    def address(self):
        return self.connection.getsockname()[0]

    @property
    def bmc(self):
        config = self.state.config
        return config.get(self.address, config.get("*", {}))

    def answer(self, status, body, headers=(), cut=False):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = "text/html" if data.startswith(b"<") else "application/json"
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data[:len(data) // 2] if cut else data)
        self.close_connection = self.close_connection or cut

    def is_user(self, name, password):
        return (name, password) == (self.bmc.get("user", "root"),
                                    self.bmc.get("password", "calvin"))

    def login(self, body):
        bmc, state = self.bmc, self.state
        state.count(state.logins, self.address)
        if bmc.get("sessions") is False:
            return self.answer(405, {"error": {"message": "no sessions"}})
        if not self.is_user(body.get("UserName"), body.get("Password")):
            state.count(state.refused, self.address)
            return self.answer(401, {"error": {"message": "denied"}})
        with state.lock:
            state.made += 1
            name = str(state.made)
            token = "token-" + name
            state.sessions[token] = name
        return self.answer(201, {"Id": name}, (
            ("X-Auth-Token", token),
            ("Location", "/redfish/v1/SessionService/Sessions/" + name)))

    def logout(self):
        token = self.headers.get("X-Auth-Token")
        name = self.path.rsplit("/", 1)[1]
        with self.state.lock:
            found = self.state.sessions.get(token) == name
            if found:
                del self.state.sessions[token]
        self.answer(200 if found else 404, {})

    def may_read(self):
        token = self.headers.get("X-Auth-Token")
        if token in self.state.sessions:
            return True
        basic = self.headers.get("Authorization", "")
        if basic.startswith("Basic "):
            user, _, password = base64.b64decode(basic[6:]).decode().partition(":")
            return self.is_user(user, password)
        return False

    def resource(self, path):
        bmc = self.bmc
        generic = bmc.get("generic")
        system = "/redfish/v1/Systems/1" if generic else SYSTEM
        settings = system + ("/Bios/Pending" if generic else "/Bios/Settings")
        bios = {"@odata.id": system + "/Bios", "Attributes": bmc.get("bios", {}),
                "AttributeRegistry": "BiosAttributeRegistry.v1_0_0",
                "@Redfish.Settings": {"SettingsObject": {"@odata.id": settings}}}
        if bmc.get("mode") == "empty":
            bios["Attributes"] = {}
        if bmc.get("mode") == "error":
            bios = {"error": {"code": "1", "message": {"value": "URI is invalid"}}}
        jobs = "/redfish/v1/JobService/Jobs" if generic else MANAGER + "/Jobs"
        table = {
            "/redfish/v1/Systems": {"Members": [{"@odata.id": system}]},
            system: {"Bios": {"@odata.id": system + "/Bios"}, **bmc.get("system", {})},
            system + "/Bios": bios,
            settings: {"@odata.id": settings, "Attributes": bmc.get("pending", {})},
            jobs: {"Members": bmc.get("jobs", [])},
        }
        if "registry" in bmc:
            table[system + "/Bios/BiosRegistry"] = bmc["registry"]
        return table.get(path)

    def do_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        bmc = self.bmc
        mode = bmc.get("mode", "ok")
        path = self.path.partition("?")[0]
        if path == "/summary":
            return self.answer(200, self.state.summary())
        self.state.count(self.state.paths, f"{self.command} {path.rstrip('0123456789')}")
        time.sleep(bmc.get("delay", 0))
        if mode == "busy":
            return self.answer(503, {"error": {"message": "no free session"}})
        if mode == "html":
            return self.answer(200, b"<html><body>login</body></html>")
        if self.command == "POST":
            return self.login(json.loads(body or b"{}"))
        if self.command == "DELETE":
            return self.logout()
        if not self.may_read():
            self.state.count(self.state.refused, self.address)
            return self.answer(401, {"error": {"message": "no session"}})
        if mode == "huge":
            return self.huge()
        found = self.resource(path)
        if found is None:
            return self.answer(404, {"error": {"message": "not found"}})
        return self.answer(200, found, cut=mode == "cut")

    def huge(self):
        """Without a length, so that only its size can end it."""
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.close_connection = True
        self.wfile.write(b'{"Attributes":{"A":"')
        for _ in range(HUGE >> 16):
            self.wfile.write(b"x" * 65536)

    do_GET = do_POST = do_DELETE = do_PATCH = do_any


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 512
    tls = None

    def get_request(self):
        connection, peer = super().get_request()
        connection.settimeout(120)
        if self.tls:
            # the handshake is the connection's own business, see finish_request()
            connection = self.tls.wrap_socket(connection, server_side=True,
                                              do_handshake_on_connect=False)
        return connection, peer

    def finish_request(self, request, client_address):
        if self.tls:
            request.do_handshake()
        super().finish_request(request, client_address)

    def handle_error(self, request, client_address):
        pass  # clients that hang up are what is tested


def main(config, *tls):
    with open(config, encoding="utf-8") as text:
        Bmc.state = State(json.load(text))
    server = Server(("0.0.0.0", 0), Bmc)
    if tls:
        server.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        server.tls.load_cert_chain(*tls)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    done = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: done.set())
    print("ready", server.server_address[1], flush=True)
    done.wait()
    print(json.dumps(Bmc.state.summary()), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
