/** Asks each server of ROLLBOOK_DNS_SERVERS, which must resolve the records that prove domains of organizations. */
import type { Config } from '../../core/config.ts'
import { readTxtRecords } from '../../http/outgoing/txt-records.ts'
import { type Finding, reportOf } from './finding.ts'

const { ok, failed } = reportOf('configuration')

const check = 'name servers'
/** Reserved by RFC 2606: whether it has a record does not matter, but that there is an answer. */
const name = 'example.com'

/** Nothing without the setting: the servers of the system are not ours to check. */
export function checkNameServers(
  { dnsServers = [] }: Pick<Config, 'dnsServers'>,
  { timeoutMs: timeLimitMs }: { timeoutMs: number },
): Promise<Finding[]> {
  return Promise.all(
    dnsServers.map(async (server) => {
      const outcome = await readTxtRecords(name, { servers: [server], timeLimitMs })
      if ('texts' in outcome || outcome.failure === 'no_record') return ok(check, `${server} resolves names`)
      const advice = `Name a server in ROLLBOOK_DNS_SERVERS that resolves names for this machine, over UDP and TCP, or check the network.`
      return failed(check, `${server} does not resolve ${name}: ${outcome.code}`, advice)
    }),
  )
}
