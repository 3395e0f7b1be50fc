"""What is used of `aiohttp.web`, without its applications, routes and files, whose import takes as long again."""

from aiohttp.web_protocol import RequestHandler
from aiohttp.web_request import BaseRequest
from aiohttp.web_response import Response, StreamResponse
from aiohttp.web_server import Server

__all__ = ["BaseRequest", "RequestHandler", "Response", "Server", "StreamResponse"]
