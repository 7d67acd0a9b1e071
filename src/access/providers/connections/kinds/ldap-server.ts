/** The addresses of directory servers, as an operator writes them. */

export type DirectoryServer = { url: string; host: string; port: number; security: 'ldaps' | 'start_tls' | 'none' }

type ServerFault = { code: string; detail: string }

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Plain LDAP only within this machine: a bind sends the password as it is. */
export function readServer(text: string, startTls: boolean): DirectoryServer | ServerFault {
  const fault = (code: string, detail: string) => ({ code, detail })
  // Without an authority ("ldap:host") the host would be read from the path.
  if (!/^ldaps?:\/\/[^/]/i.test(text) || !URL.canParse(text)) {
    return fault('url_malformed', 'This is not the address of a directory. Write it like ldaps://ldap.example.com.')
  }
  const { protocol, hostname, port, pathname, username, password, search, hash } = new URL(text)
  if (username + password + search + hash !== '' || !['', '/'].includes(pathname)) {
    return fault('url_malformed', 'The address has only a host and a port. Write the base in user_base.')
  }
  // The URL parser leaves hosts of unknown schemes as they are.
  if (!/^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)$/i.test(hostname)) {
    return fault('url_malformed', 'The host is not a name or an address.')
  }
  const isSecure = protocol === 'ldaps:'
  if (isSecure && startTls)
    return fault('start_tls_conflict', 'start_tls is for ldap:// only; ldaps:// begins with TLS.')
  if (!isSecure && !startTls && !loopback.test(hostname.toLowerCase())) {
    return fault('tls_required', 'Passwords need TLS: use ldaps://, or ldap:// with start_tls.')
  }
  return {
    url: text,
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isSecure ? 636 : 389) : Number(port),
    security: isSecure ? 'ldaps' : startTls ? 'start_tls' : 'none',
  }
}
