import { findOrUnpack } from '../debian.ts'

export type ProxyName = 'nginx' | 'caddy'

/** A proxy for the tests: the one of `NGINX_PATH` or `CADDY_PATH`, else the machine's own, else Debian's, unpacked. */
export function findProxy(name: ProxyName): Promise<string | undefined> {
  return findOrUnpack({ name, variable: `${name.toUpperCase()}_PATH` })
}

/** Call it once before test files run side by side, so that they do not all fetch it at the same time. */
export async function findProxies(): Promise<void> {
  await findProxy('nginx')
  await findProxy('caddy')
}
