// TCP sockets over IPv4, all non-blocking and closed on exec: listening, connecting, waiting.
#pragma once

#include <netdb.h>
#include <sys/socket.h>

#include <chrono>
#include <memory>
#include <string>

#include "common/fd.h"

namespace slipway {

using Deadline = std::chrono::steady_clock::time_point;

Fd new_tcp_socket();  // throws Error

// Listens on the interface that has this IPv4 address, or on all; port 0 is any free one. Empty,
// with errno set, if that fails.
Fd listen_on_tcp(int port = 0, const std::string& address = "0.0.0.0");

// The port to which a socket is bound.
int port_of(int socket);

// The IPv4 addresses of a host with this port; never empty. Throws Error: "cannot resolve HOST: …".
using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;
Addresses addresses_of(const std::string& host, int port);

// "192.0.2.7", of an IPv4 address.
std::string ipv4_text(const sockaddr* address);

// The IPv4 address of a connection's other end; "0.0.0.0" if it has none.
std::string peer_address(int socket);

// Waits for events of poll(2); false at the deadline.
bool wait_for(int socket, short events, Deadline deadline);

// A socket's pending error, or 0.
int error_of(int socket);

// Connects until `deadline`. Returns 0 or an errno: ETIMEDOUT at the deadline.
int connect_within(int socket, const sockaddr* address, socklen_t size, Deadline deadline);

}  // namespace slipway
