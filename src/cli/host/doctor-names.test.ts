import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { freePort } from '../../../test/free-port.ts'
import { startPublisher } from '../../../test/name-server.ts'
import { checkNameServers } from '../../operations/doctor/name-servers.ts'

describe('rollbook doctor of name servers', () => {
  it('asks each server that proves domains, and says which does not resolve names', async (t) => {
    const { env } = await startPublisher(t)
    const works = env.ROLLBOOK_DNS_SERVERS
    const silent = `127.0.0.1:${await freePort()}`
    const findings = await checkNameServers({ dnsServers: [works, silent] }, { timeoutMs: 1000 })
    assert.deepEqual(
      findings.map(({ status, found }) => [status, found.split(' ')[0]]),
      [
        ['ok', works],
        ['failed', silent],
      ],
    )
    assert.match(findings[1]?.advice ?? '', /ROLLBOOK_DNS_SERVERS/)
    assert.deepEqual(await checkNameServers({ dnsServers: undefined }, { timeoutMs: 1000 }), [])
  })
})
