/**
 * The addresses of a name, so that a name server that does not answer keeps nobody waiting but who wants a name of it.
 * The system's own look-up (getaddrinfo) cannot be ended, and two that wait for ten seconds are all that a process can
 * have under way: so only the hosts file is read, and name servers are asked by datagrams, without threads.
 */
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

type Address = { address: string; family: number }

/** Asks for the addresses of a name. */
export type Resolve = (name: string, answer: (error: Error | null, addresses: Address[]) => void) => void

type Options = {
  hostsFile?: string
  /** Others than those of the system. */
  servers?: readonly string[]
  /** Ends what is under way. */
  stopped: AbortSignal
}

/** c-ares waits twice as long at the second try: six seconds in all for one server. */
const tries = { timeout: 2000, tries: 2 }

export function resolver({ hostsFile = '/etc/hosts', servers, stopped }: Options): Resolve {
  async function addressesOf(name: string): Promise<Address[]> {
    const known = await readHosts(hostsFile, name)
    if (known.length > 0) return known
    // One for each look-up: so that the system's configuration of this moment counts, and an end ends all of it.
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
  return shared((name, answer) => {
    addressesOf(name).then(
      (addresses) => answer(null, addresses),
      (error) => answer(error, []),
    )
  })
}

/** Who asks for a name that is being asked for waits for the same answer. */
function shared(resolve: Resolve): Resolve {
  const waiting = new Map<string, Parameters<Resolve>[1][]>()
  return (name, answer) => {
    const others = waiting.get(name)
    if (others) {
      others.push(answer)
      return
    }
    const all = [answer]
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
