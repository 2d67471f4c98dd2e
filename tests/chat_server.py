"""A chat server on loopback that says what a test tells it to."""

import json
from http.server import BaseHTTPRequestHandler


class Handler(BaseHTTPRequestHandler):
    """Speaks the protocol of chat servers; what it says is `server.answer(sent)`.

    That is the model's text, or a body, or (status, body, headers), or an iterator of bytes that
    are sent one by one until the test is over.
    """

    def do_POST(self):
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append(sent)
        self.server.addressed.append((self.path, self.headers["Authorization"]))
        given = self.server.answer(sent)
        if isinstance(given, str):
            message = {"role": "assistant", "content": given}
            given = {"choices": [{"message": message, "finish_reason": "stop"}]}
        if isinstance(given, dict | list | bytes):
            given = (200, given, {})
        if not isinstance(given, tuple):
            return self._drip(given)
        status, body, headers = given
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self._begin(status, len(data), headers)
        return self.wfile.write(data)

    def _begin(self, status, length, headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def _drip(self, pieces):
        self._begin(200, 1_000_000, {})
        for piece in pieces:
            self.wfile.write(piece)
            if self.server.over.wait(0.01):
                return

    def log_message(self, *args):
        pass
