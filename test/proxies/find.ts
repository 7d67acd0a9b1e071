import { findOrInstall } from '../debian.ts'

export type ProxyName = 'nginx' | 'caddy'

/** A proxy for the tests: the one of `NGINX_PATH` or `CADDY_PATH`, else the machine's own, else Debian's. */
export function findOrInstallProxy(name: ProxyName): Promise<string | undefined> {
  return findOrInstall({ name, variable: `${name.toUpperCase()}_PATH` })
}

/** Call it once before test files run side by side, so that they do not all install at the same time. */
export async function findOrInstallProxies(): Promise<void> {
  await findOrInstallProxy('nginx')
  await findOrInstallProxy('caddy')
}
