/**
 * Resolves names such that a slow name server delays only requests for its own names. The system's lookup (getaddrinfo)
 * cannot be cancelled, and two that wait ten seconds block all others of the process. So only the hosts file is read that
 * way, and name servers are asked by datagrams, without threads.
 */
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

type Address = { address: string; family: number }

/** Resolves a name to its addresses. */
export type Resolve = (name: string, callback: (error: Error | null, addresses: Address[]) => void) => void

type Options = {
  hostsFile?: string
  /** Name servers other than the system's. */
  servers?: readonly string[]
  /** Cancels pending lookups. */
  stopped: AbortSignal
}

/** c-ares waits twice as long on the second try: six seconds per server in all. */
const tries = { timeout: 2000, tries: 2 }

export function resolver({ hostsFile = '/etc/hosts', servers, stopped }: Options): Resolve {
  async function addressesOf(name: string): Promise<Address[]> {
    const known = await readHosts(hostsFile, name)
    if (known.length > 0) return known
    // One resolver per lookup: it uses the current system configuration, and can be cancelled alone.
    const asking = new Resolver(tries)
    if (servers) asking.setServers(servers)
    const cancel = () => asking.cancel()
    stopped.addEventListener('abort', cancel)
    try {
      const [four, six] = await Promise.allSettled([asking.resolve4(name), asking.resolve6(name)])
      if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
      return [four, six].flatMap((found) => (found.status === 'fulfilled' ? found.value.map(toAddress) : []))
    } finally {
      stopped.removeEventListener('abort', cancel)
    }
  }
  return shared((name, callback) => {
    addressesOf(name).then(
      (addresses) => callback(null, addresses),
      (error) => callback(error, []),
    )
  })
}

/** Concurrent lookups of the same name share one answer. */
function shared(resolve: Resolve): Resolve {
  const waiting = new Map<string, Parameters<Resolve>[1][]>()
  return (name, callback) => {
    const others = waiting.get(name)
    if (others) {
      others.push(callback)
      return
    }
    const all = [callback]
    waiting.set(name, all)
    resolve(name, (error, addresses) => {
      waiting.delete(name)
      for (const one of all) one(error, addresses)
    })
  }
}

async function readHosts(path: string, name: string): Promise<Address[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const wanted = name.toLowerCase().replace(/\.$/, '')
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/)
    return isIP(address) !== 0 && names.some((one) => one.toLowerCase() === wanted) ? [toAddress(address)] : []
  })
}

function toAddress(address: string): Address {
  return { address, family: isIP(address) }
}
